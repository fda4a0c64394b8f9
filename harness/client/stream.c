#include "client/stream.h"

#include <stdlib.h>
#include <string.h>

/* ---- bytes ------------------------------------------------------------------------------- */

bool stream_take(struct client_stream *stream, const char *data, size_t size)
{
	const size_t need = stream->length + size + 1;
	if (need > STREAM_BYTES) {
		stream->too_large = true;
		return false;
	}
	if (need > stream->capacity) {
		const size_t capacity = need > 2 * stream->capacity ? need : 2 * stream->capacity;
		char *grown = realloc(stream->text, capacity);
		if (grown == NULL)
			return false;
		stream->text = grown;
		stream->capacity = capacity;
	}
	memcpy(stream->text + stream->length, data, size);
	stream->length += size;
	stream->text[stream->length] = '\0';
	return true;
}

/* ---- events ----------------------------------------------------------------------------- */

static bool is_last(const char *name)
{
	return strcmp(name, "verdict") == 0 || strcmp(name, "error") == 0 ||
		   strcmp(name, "withdrawn") == 0;
}

/* The rest of a line that begins so, without a blank before it; NULL: it begins otherwise. */
static const char *field(const char *line, const char *name)
{
	const size_t length = strlen(name);
	if (strncmp(line, name, length) != 0 || line[length] != ':')
		return NULL;
	line += length + 1;
	return line + (*line == ' ');
}

/* A block of lines; they are cut apart. */
static void take_event(struct client_stream *stream, char *block)
{
	const char *name = NULL, *data = NULL;
	char *rest = NULL;
	for (char *line = strtok_r(block, "\r\n", &rest); line != NULL;
		 line = strtok_r(NULL, "\r\n", &rest)) {
		const char *value;
		if ((value = field(line, "event")) != NULL)
			name = value;
		else if ((value = field(line, "data")) != NULL)
			data = value;
	}
	json_t *object = name != NULL && data != NULL ? json_loads(data, 0, NULL) : NULL;
	if (!json_is_object(object)) {
		json_decref(object);
		return;
	}
	stream->heard = true;
	stream->watcher(stream->context, name, object);
	if (is_last(name))
		stream->last = object;
	else
		json_decref(object);
}

void stream_events(struct client_stream *stream)
{
	char *begin = stream->text, *end;
	while (stream->last == NULL && (end = strstr(begin + stream->seen, "\n\n")) != NULL) {
		*end = '\0';
		take_event(stream, begin);
		begin = end + 2;
		stream->seen = 0;
	}
	stream->length -= (size_t)(begin - stream->text);
	memmove(stream->text, begin, stream->length + 1);
	stream->seen = stream->length > 0 ? stream->length - 1 : 0;
}

void stream_free(struct client_stream *stream)
{
	json_decref(stream->last);
	free(stream->text);
	*stream = (struct client_stream){0};
}
