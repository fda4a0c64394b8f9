#include "judgement/denied.h"

#include <stdio.h>
#include <string.h>

#define CUT "..."

/* The text as it is kept: of one that is too long, the end is dots. */
static void keep(char *out, size_t size, const char *text)
{
	size_t i = 0;
	for (; text[i] != '\0' && i < size - 1; i++)
		out[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	out[i] = '\0';
	if (text[i] != '\0')
		memcpy(out + i - strlen(CUT), CUT, strlen(CUT));
}

void denied_add(struct denied_list *list, const char *call, const char *what, uint64_t times)
{
	struct denied_call added = {.times = times};
	keep(added.call, sizeof added.call, call);
	keep(added.what, sizeof added.what, what);
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->calls[i].call, added.call) == 0 &&
			strcmp(list->calls[i].what, added.what) == 0) {
			list->calls[i].times += times;
			return;
		}
	if (list->count < DENIED_MAX)
		list->calls[list->count++] = added;
	else
		list->more += times;
}

void denied_add_all(struct denied_list *list, const struct denied_list *from)
{
	list->recorded |= from->recorded;
	if (from->unrecorded[0] != '\0')
		memcpy(list->unrecorded, from->unrecorded, sizeof list->unrecorded);
	for (size_t i = 0; i < from->count; i++)
		denied_add(list, from->calls[i].call, from->calls[i].what, from->calls[i].times);
	list->more += from->more;
}
