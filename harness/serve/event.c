/* An event as a stream has it. */
#include <stdio.h>
#include <stdlib.h>

#include "report/document.h"
#include "serve/queue.h"

char *queue_event(json_t *event)
{
	char *text = NULL;
	const char *name = json_string_value(json_object_get(event, "event"));
	char *data = document_line(json_incref(event)); /* with its newline */
	if (data == NULL || asprintf(&text, "event: %s\ndata: %s\n", name, data) < 0)
		text = NULL;
	free(data);
	return text;
}

char *queue_event_of_place(size_t place)
{
	json_t *json = json_pack("{s:s, s:I}", "event", "queued", "place", (json_int_t)place);
	char *text = queue_event(json);
	json_decref(json);
	return text;
}
