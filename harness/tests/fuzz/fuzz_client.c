/* links: client report; seeds: harness/tests/fuzz/seeds/client */
/* words: harness/serve/openapi.json harness/client/stream.c */
/* Events as a server sends them, in pieces, and the report that their last one is shown as: a
 * server may be anybody's. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/stream.h"
#include "fuzz.h"
#include "report/read.h"
#include "report/report.h"

static void on_event(void *context, const char *name, const json_t *data)
{
	size_t *events = context;
	if (name[0] == '\n' || !json_is_object(data))
		fuzz_found("an event without an object");
	++*events;
}

/* What is shown must steer no terminal. */
static void show(const json_t *job)
{
	struct report_read found;
	struct error err = {{0}};
	char *text = NULL;
	size_t size;
	const struct report_style style = {.verbose = true};
	if (!report_read_result(json_object_get(job, "run"), json_object_get(job, "result"), &found,
							&err)) {
		if (err.message[0] == '\0')
			fuzz_found("an error that says nothing");
		return;
	}
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		abort();
	report_text(&found.list, &style, out);
	fclose(out);
	for (size_t i = 0; i < size; i++)
		if (iscntrl((unsigned char)text[i]) && text[i] != '\n' && text[i] != '\t')
			fuzz_found("a control character is shown");
	free(text);
	out = open_memstream(&text, &size);
	if (out == NULL)
		abort();
	report_html(&found.list, out); /* as `serve` draws what its judges found */
	fclose(out);
	free(text);
	report_read_free(&found);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	size_t events = 0;
	struct client_stream stream = {.watcher = on_event, .context = &events};
	const size_t piece = size % 7 == 0 ? 1 + size % 61 : size;
	for (size_t at = 0; at < size && stream.last == NULL; at += piece) {
		if (!stream_take(&stream, (const char *)data + at, at + piece < size ? piece : size - at))
			fuzz_found("no room for a small stream");
		stream_events(&stream);
	}
	if ((stream.last != NULL || events > 0) && !stream.heard)
		fuzz_found("an event that nobody heard");
	if (stream.last != NULL)
		show(stream.last);
	stream_free(&stream);
}
