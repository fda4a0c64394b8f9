/* What a server sends: text, or events, each of which ends with an empty line. Internal to client/.
 */
#ifndef GEMMJUDGE_CLIENT_STREAM_H
#define GEMMJUDGE_CLIENT_STREAM_H

#include "client/client.h"

#define STREAM_BYTES ((size_t)64 << 20) /* of an answer, and of an event */

struct client_stream {
	char *text; /* owned, with a NUL behind it; of events what is not whole yet */
	size_t length, capacity, seen;
	bool too_large;
	client_watcher watcher; /* takes the events */
	void *context;
	bool heard;   /* one of them */
	json_t *last; /* the object of the last event of all; owned */
};

/* Adds what came. False: it is too large, or memory is short. */
bool stream_take(struct client_stream *stream, const char *data, size_t size);

/* Tells of the events that are whole by now, up to the last of all; the rest of the text stays. */
void stream_events(struct client_stream *stream);

void stream_free(struct client_stream *stream);

#endif
