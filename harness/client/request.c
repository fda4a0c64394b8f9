#include "client/request.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/stream.h"

#define CONNECT_SECONDS 15L
#define ASK_SECONDS 120L
#define STREAM_SECONDS 300L /* then the server is asked whether it still knows of us */

/* Takes the bytes of an answer as they come in: as text, or as events. */
struct receiver {
	struct client *client;
	bool events; /* are expected */
	struct client_stream stream;
};

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
	if (!stream_take(&receiver->stream, data, size))
		return 0;
	if (receiver->events && is_stream(receiver->client))
		stream_events(&receiver->stream);
	return receiver->stream.last == NULL ? size : 0;
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
	set(handle, CURLOPT_TIMEOUT,
		receiver->events                   ? STREAM_SECONDS
		: client->answered || body != NULL ? ASK_SECONDS
										   : (long)CLIENT_FIRST_SECONDS);
	if (client->loopback) /* no proxy sees a token that is for this machine */
		set(handle, CURLOPT_PROXY, "");
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
	if (receiver->stream.last != NULL || (code == CURLE_OK && !receiver->events))
		return CLIENT_ANSWERED;
	if (code == CURLE_OK && !is_stream(client))
		return CLIENT_ANSWERED;
	if (client->stop()) {
		error_set(err, "interrupted");
		return CLIENT_STOPPED;
	}
	if (receiver->stream.too_large)
		error_set(err, "%s: the answer is larger than %zu MiB", client->url, STREAM_BYTES >> 20);
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
	reply->body = receiver->stream.last != NULL ? json_incref(receiver->stream.last)
				  : receiver->stream.text != NULL
					  ? json_loadb(receiver->stream.text, receiver->stream.length,
								   JSON_REJECT_DUPLICATES, NULL)
					  : NULL;
}

/* What is asked. */
struct request {
	const char *method, *path;
	const char *body; /* NULL: none */
};

static enum client_end perform(struct client *client, struct receiver *receiver,
							   const struct request *request, struct client_reply *reply,
							   struct error *err)
{
	char url[CLIENT_URL_BYTES + 256];
	*reply = (struct client_reply){0};
	receiver->client = client;
	snprintf(url, sizeof url, "%s%s", client->url, request->path);
	set_up(client, receiver, request->method, url, request->body);
	struct curl_slist *headers = headers_of(client);
	client->curl.easy_setopt(client->handle, CURLOPT_HTTPHEADER, headers);
	const CURLcode code = client->curl.easy_perform(client->handle);
	const enum client_end end = end_of(client, receiver, code, err);
	if (end == CLIENT_ANSWERED)
		fill_reply(client, receiver, reply);
	client->answered = client->answered || end == CLIENT_ANSWERED;
	client->curl.slist_free_all(headers);
	stream_free(&receiver->stream);
	return end;
}

enum client_end client_ask(struct client *client, const char *method, const char *path,
						   const json_t *body, struct client_reply *reply, struct error *err)
{
	struct receiver receiver = {0};
	char *text = body != NULL ? json_dumps(body, JSON_COMPACT) : NULL;
	const struct request request = {method, path, text};
	const enum client_end end = perform(client, &receiver, &request, reply, err);
	free(text);
	return end;
}

enum client_end request_events(struct client *client, const char *path, struct client_watch *watch,
							   struct client_reply *reply, struct error *err)
{
	struct receiver receiver = {.events = true,
								.stream = {.watcher = watch->watcher, .context = watch->context}};
	const struct request request = {"GET", path, NULL};
	const enum client_end end = perform(client, &receiver, &request, reply, err);
	watch->heard = receiver.stream.heard;
	return end;
}
