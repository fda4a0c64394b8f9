#include "client/request.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_BYTES ((size_t)64 << 20) /* of an answer, and of an event */
#define CONNECT_SECONDS 15L
#define ASK_SECONDS 120L
#define STREAM_SECONDS 300L /* then the server is asked whether it still knows of us */

/* What comes in: text, or events, each of which ends with an empty line. */
struct receiver {
	struct client *client;
	char *text; /* owned, with a NUL behind it */
	size_t length, capacity, seen;
	bool too_large;
	client_watcher watcher; /* NULL: no events are expected */
	void *context;
	bool heard;
	json_t *last; /* the object of the last event */
};

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
static void take_event(struct receiver *receiver, char *block)
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
	receiver->heard = true;
	receiver->watcher(receiver->context, name, object);
	if (is_last(name))
		receiver->last = object;
	else
		json_decref(object);
}

/* Those that are whole; the rest stays. */
static void take_events(struct receiver *receiver)
{
	char *begin = receiver->text, *end;
	while (receiver->last == NULL && (end = strstr(begin + receiver->seen, "\n\n")) != NULL) {
		*end = '\0';
		take_event(receiver, begin);
		begin = end + 2;
		receiver->seen = 0;
	}
	receiver->length -= (size_t)(begin - receiver->text);
	memmove(receiver->text, begin, receiver->length + 1);
	receiver->seen = receiver->length > 0 ? receiver->length - 1 : 0;
}

/* ---- bytes ------------------------------------------------------------------------------- */

static bool append(struct receiver *receiver, const char *data, size_t size)
{
	const size_t need = receiver->length + size + 1;
	if (need > ANSWER_BYTES) {
		receiver->too_large = true;
		return false;
	}
	if (need > receiver->capacity) {
		const size_t capacity = need > 2 * receiver->capacity ? need : 2 * receiver->capacity;
		char *grown = realloc(receiver->text, capacity);
		if (grown == NULL)
			return false;
		receiver->text = grown;
		receiver->capacity = capacity;
	}
	memcpy(receiver->text + receiver->length, data, size);
	receiver->length += size;
	receiver->text[receiver->length] = '\0';
	return true;
}

static unsigned status_of(struct client *client)
{
	long status = 0;
	client->curl.easy_getinfo(client->handle, CURLINFO_RESPONSE_CODE, &status);
	return status > 0 ? (unsigned)status : 0;
}

static bool is_stream(struct client *client)
{
	const char *type = NULL;
	client->curl.easy_getinfo(client->handle, CURLINFO_CONTENT_TYPE, &type);
	return status_of(client) == 200 && type != NULL && strncmp(type, "text/event-stream", 17) == 0;
}

/* As libcurl calls it; another number than that of the bytes ends the transfer. */
static size_t on_bytes(char *data, size_t one, size_t count, void *context)
{
	struct receiver *receiver = context;
	const size_t size = one * count;
	if (!append(receiver, data, size))
		return 0;
	if (receiver->watcher == NULL || !is_stream(receiver->client))
		return size;
	take_events(receiver);
	return receiver->last == NULL ? size : 0;
}

/* As libcurl calls it, every second at least; 1 ends the transfer. */
static int on_progress(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct client *client = context;
	(void)a, (void)b, (void)c, (void)d;
	return client->stop();
}

/* ---- a request ----------------------------------------------------------------------------- */

static struct curl_slist *headers_of(const struct client *client)
{
	/* libcurl would wait for a "100 Continue" before a large body, and send no JSON type */
	const char *const lines[] = {"Content-Type: application/json",
								 "Expect:", client->authorization};
	struct curl_slist *list = NULL;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct curl_slist *longer =
			lines[i][0] != '\0' ? client->curl.slist_append(list, lines[i]) : list;
		list = longer != NULL ? longer : list;
	}
	return list;
}

static void set_up(struct client *client, struct receiver *receiver, const char *method,
				   const char *url, const char *body)
{
	CURL *handle = client->handle;
	__typeof__(client->curl.easy_setopt) set = client->curl.easy_setopt;
	client->curl.easy_reset(handle);
	set(handle, CURLOPT_URL, url);
	set(handle, CURLOPT_NOSIGNAL, 1L);
	set(handle, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
	set(handle, CURLOPT_TIMEOUT, receiver->watcher != NULL ? STREAM_SECONDS : ASK_SECONDS);
	set(handle, CURLOPT_TCP_KEEPALIVE, 1L);
	set(handle, CURLOPT_WRITEFUNCTION, on_bytes);
	set(handle, CURLOPT_WRITEDATA, receiver);
	set(handle, CURLOPT_NOPROGRESS, 0L);
	set(handle, CURLOPT_XFERINFOFUNCTION, on_progress);
	set(handle, CURLOPT_XFERINFODATA, client);
	if (body != NULL) {
		set(handle, CURLOPT_POSTFIELDS, body);
		set(handle, CURLOPT_POSTFIELDSIZE, (long)strlen(body));
	}
	set(handle, CURLOPT_CUSTOMREQUEST, method);
}

static enum client_end end_of(struct client *client, const struct receiver *receiver, CURLcode code,
							  struct error *err)
{
	if (receiver->last != NULL || (code == CURLE_OK && receiver->watcher == NULL))
		return CLIENT_ANSWERED;
	if (code == CURLE_OK && !is_stream(client))
		return CLIENT_ANSWERED;
	if (client->stop()) {
		error_set(err, "interrupted");
		return CLIENT_STOPPED;
	}
	if (receiver->too_large)
		error_set(err, "%s: the answer is larger than %zu MiB", client->url, ANSWER_BYTES >> 20);
	else
		error_set(err, "%s: %s", client->url,
				  code == CURLE_OK ? "the stream of events ended early"
								   : client->curl.easy_strerror(code));
	return CLIENT_LOST;
}

static void fill_reply(struct client *client, struct receiver *receiver, struct client_reply *reply)
{
	curl_off_t seconds = 0;
	client->curl.easy_getinfo(client->handle, CURLINFO_RETRY_AFTER, &seconds);
	reply->status = status_of(client);
	reply->retry_after = seconds > 0 && seconds < UINT_MAX ? (unsigned)seconds : 0;
	reply->body = receiver->last != NULL ? json_incref(receiver->last)
				  : receiver->text != NULL
					  ? json_loadb(receiver->text, receiver->length, JSON_REJECT_DUPLICATES, NULL)
					  : NULL;
}

static enum client_end perform(struct client *client, struct receiver *receiver, const char *method,
							   const char *path, const char *body, struct client_reply *reply,
							   struct error *err)
{
	char url[CLIENT_URL_BYTES + 256];
	*reply = (struct client_reply){0};
	receiver->client = client;
	snprintf(url, sizeof url, "%s%s", client->url, path);
	set_up(client, receiver, method, url, body);
	struct curl_slist *headers = headers_of(client);
	client->curl.easy_setopt(client->handle, CURLOPT_HTTPHEADER, headers);
	const CURLcode code = client->curl.easy_perform(client->handle);
	const enum client_end end = end_of(client, receiver, code, err);
	if (end == CLIENT_ANSWERED)
		fill_reply(client, receiver, reply);
	client->curl.slist_free_all(headers);
	json_decref(receiver->last);
	free(receiver->text);
	return end;
}

enum client_end client_ask(struct client *client, const char *method, const char *path,
						   const json_t *body, struct client_reply *reply, struct error *err)
{
	struct receiver receiver = {0};
	char *text = body != NULL ? json_dumps(body, JSON_COMPACT) : NULL;
	const enum client_end end = perform(client, &receiver, method, path, text, reply, err);
	free(text);
	return end;
}

enum client_end request_events(struct client *client, const char *path, client_watcher watcher,
							   void *context, struct client_reply *reply, bool *heard,
							   struct error *err)
{
	struct receiver receiver = {.watcher = watcher, .context = context};
	const enum client_end end = perform(client, &receiver, "GET", path, NULL, reply, err);
	*heard = receiver.heard;
	return end;
}
