#include "report/denied.h"

#include <stdio.h>

const char *denied_call_print(const struct denied_call *call, char out[DENIED_CALL_TEXT])
{
	char times[32] = "";
	if (call->times > 1)
		snprintf(times, sizeof times, " (%llu times)", (unsigned long long)call->times);
	snprintf(out, DENIED_CALL_TEXT, "%s%s%s%s", call->call, call->what[0] != '\0' ? " " : "",
			 call->what, times);
	return out;
}

#define DENIED_SHOWN 6 /* in a line; JSON and pages have all that is kept */

void denied_add_text(const struct denied_list *list, struct strbuf *out)
{
	uint64_t more = list->more;
	for (size_t i = 0; i < list->count; i++) {
		char call[DENIED_CALL_TEXT];
		if (i >= DENIED_SHOWN)
			more += list->calls[i].times;
		else
			strbuf_addf(out, "%s%s", i > 0 ? ", " : "", denied_call_print(&list->calls[i], call));
	}
	if (more > 0)
		strbuf_addf(out, ", and %llu more call%s", (unsigned long long)more, more > 1 ? "s" : "");
}
