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

const char *denied_print(const struct denied_list *list, char out[DENIED_TEXT])
{
	uint64_t more = list->more;
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < list->count; i++) {
		char call[DENIED_CALL_TEXT];
		if (i >= DENIED_SHOWN)
			more += list->calls[i].times;
		else
			used += (size_t)snprintf(out + used, DENIED_TEXT - used, "%s%s", i > 0 ? ", " : "",
									 denied_call_print(&list->calls[i], call));
	}
	if (more > 0)
		snprintf(out + used, DENIED_TEXT - used, ", and %llu more call%s", (unsigned long long)more,
				 more > 1 ? "s" : "");
	return out;
}
