/* Requests from libmicrohttpd to routes.c, and replies back. What is bounded here: connections,
 * headers, bodies, and how long a client may take for any of them. */
#include "serve/http.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/microhttpd.h"
#include "serve/socket.h"

#define THREADS 4
#define CONNECTIONS 1024
#define HEADER_BYTES ((size_t)32 << 10)
#define BODIES_BYTES ((size_t)64 << 20) /* of all requests at once */
#define SILENT_SECONDS 30
/* Whole, however busily it comes byte by byte: */
#define HEADER_SECONDS 10
#define BODY_SECONDS 60
#define REPLY_SECONDS 60
#define IDLE_SECONDS 60 /* between two requests */
#define BEAT_SECONDS 15
#define STREAM_BLOCK ((size_t)16 << 10)

static const char strictest[] = "default-src 'none'; frame-ancestors 'none'";

/* One client's connection. */
struct peer {
	struct peer *next, *previous;
	int fd;
	double deadline;
};

struct http {
	struct server *server;
	struct microhttpd mhd;
	struct MHD_Daemon *daemon;
	pthread_mutex_t mutex; /* of the peers */
	struct peer peers;     /* a ring */
	_Atomic size_t bodies; /* bytes */
	double beat_at;
};

/* One request of it. */
struct exchange {
	struct http *http;
	struct peer *peer;
	struct MHD_Connection *connection;
	char *body;
	size_t length, capacity;
	bool too_large, no_room;
};

/* ---- peers ------------------------------------------------------------------------------- */

static void peer_within(struct http *http, struct peer *peer, double seconds)
{
	pthread_mutex_lock(&http->mutex);
	if (peer != NULL)
		peer->deadline = clock_seconds() + seconds;
	pthread_mutex_unlock(&http->mutex);
}

static struct peer *peer_of(struct http *http, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		http->mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	return info != NULL ? info->socket_context : NULL;
}

static void connected(void *context, struct MHD_Connection *connection, void **peer_at,
					  enum MHD_ConnectionNotificationCode code)
{
	struct http *http = context;
	struct peer *peer = *peer_at;
	pthread_mutex_lock(&http->mutex);
	if (code == MHD_CONNECTION_NOTIFY_STARTED && (peer = calloc(1, sizeof *peer)) != NULL) {
		peer->fd = http->mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
					   ->connect_fd;
		peer->deadline = clock_seconds() + HEADER_SECONDS;
		peer->next = http->peers.next;
		peer->previous = &http->peers;
		peer->next->previous = peer->previous->next = peer;
		*peer_at = peer;
	} else if (code == MHD_CONNECTION_NOTIFY_CLOSED && peer != NULL) {
		peer->next->previous = peer->previous;
		peer->previous->next = peer->next;
		free(peer);
		*peer_at = NULL;
	}
	pthread_mutex_unlock(&http->mutex);
}

void http_tick(struct http *http)
{
	const double now = clock_seconds();
	pthread_mutex_lock(&http->mutex);
	for (struct peer *peer = http->peers.next; peer != &http->peers; peer = peer->next)
		if (now > peer->deadline) {
			shutdown(peer->fd, SHUT_RDWR); /* its thread closes it */
			peer->deadline = DBL_MAX;
		}
	pthread_mutex_unlock(&http->mutex);
	if (now < http->beat_at)
		return;
	http->beat_at = now + BEAT_SECONDS;
	queue_beat(http->server->queue);
}

/* ---- what a request has ---------------------------------------------------------------------- */

/* "" of one that has no value, as "?mine". */
static const char *value_of(const struct exchange *exchange, enum MHD_ValueKind kind,
							const char *name)
{
	const char *value = NULL;
	size_t length;
	if (exchange->http->mhd.lookup_connection_value_n(exchange->connection, kind, name,
													  strlen(name), &value, &length) != MHD_YES)
		return NULL;
	return value != NULL ? value : "";
}

static const char *header_of(const void *context, const char *name)
{
	return value_of(context, MHD_HEADER_KIND, name);
}

static const char *query_of(const void *context, const char *name)
{
	return value_of(context, MHD_GET_ARGUMENT_KIND, name);
}

/* Takes a piece of the body, as far as there is room. */
static void take_body(struct exchange *exchange, const char *piece, size_t bytes)
{
	struct http *http = exchange->http;
	if (exchange->too_large || exchange->no_room)
		return;
	exchange->too_large = bytes > SERVE_BODY_BYTES - exchange->length;
	if (exchange->too_large)
		return;
	if (exchange->length + bytes + 1 > exchange->capacity) {
		const size_t capacity = exchange->length + bytes + 1 + exchange->capacity;
		char *more = http->bodies + capacity - exchange->capacity <= BODIES_BYTES
						 ? realloc(exchange->body, capacity)
						 : NULL;
		exchange->no_room = more == NULL;
		if (more == NULL)
			return;
		http->bodies += capacity - exchange->capacity;
		exchange->body = more;
		exchange->capacity = capacity;
	}
	memcpy(exchange->body + exchange->length, piece, bytes);
	exchange->length += bytes;
	exchange->body[exchange->length] = '\0';
}

/* ---- events ------------------------------------------------------------------------------------
 */

struct stream {
	struct http *http;
	struct MHD_Connection *connection;
	struct queue_watcher *watcher;
	char *text; /* what is being sent; owned */
	size_t sent;
};

static void stream_sleep(void *context)
{
	const struct stream *stream = context;
	stream->http->mhd.suspend_connection(stream->connection);
}

static void stream_wake(void *context)
{
	const struct stream *stream = context;
	stream->http->mhd.resume_connection(stream->connection);
}

static ssize_t stream_read(void *context, uint64_t at, char *out, size_t most)
{
	struct stream *stream = context;
	(void)at;
	if (stream->text == NULL) {
		stream->sent = 0;
		switch (
			queue_next(stream->http->server->queue, stream->watcher, stream_sleep, &stream->text)) {
		case QUEUE_NEWS: break;
		case QUEUE_SLEPT: return 0;
		case QUEUE_ENDED: return MHD_CONTENT_READER_END_OF_STREAM;
		}
	}
	const size_t left = strlen(stream->text + stream->sent), bytes = left < most ? left : most;
	memcpy(out, stream->text + stream->sent, bytes);
	stream->sent += bytes;
	if (bytes == left) {
		free(stream->text);
		stream->text = NULL;
	}
	return (ssize_t)bytes;
}

static void stream_end(void *context)
{
	struct stream *stream = context;
	if (stream->watcher != NULL)
		queue_unwatch(stream->http->server->queue, stream->watcher);
	free(stream->text);
	free(stream);
}

/* NULL: it has ended in the meantime, or memory is short. */
static struct MHD_Response *stream_begin(struct exchange *exchange, const char *id,
										 const char *user)
{
	struct http *http = exchange->http;
	struct stream *stream = calloc(1, sizeof *stream);
	if (stream == NULL)
		return NULL;
	stream->http = http;
	stream->connection = exchange->connection;
	stream->watcher = queue_watch(http->server->queue, id, user, stream_wake, stream);
	struct MHD_Response *response =
		stream->watcher != NULL
			? http->mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, stream_read,
													  stream, stream_end)
			: NULL;
	if (response == NULL)
		stream_end(stream);
	return response;
}

/* ---- replies ------------------------------------------------------------------------------------
 */

static void add_headers(struct http *http, struct MHD_Response *response,
						const struct http_reply *reply)
{
	char seconds[16];
	snprintf(seconds, sizeof seconds, "%u", reply->retry_after);
	const char *const headers[][2] = {
		{"Content-Type", reply->type},
		{"Content-Security-Policy", reply->policy != NULL ? reply->policy : strictest},
		{"X-Content-Type-Options", "nosniff"},
		/* of a page: else its own forms would come from nowhere */
		{"Referrer-Policy", reply->policy != NULL ? "same-origin" : "no-referrer"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Cache-Control", reply->caching != NULL ? reply->caching : "no-store"},
		{"Allow", reply->allow},
		{"Location", reply->location[0] != '\0' ? reply->location : NULL},
		{"Retry-After", reply->retry_after > 0 ? seconds : NULL},
		{"WWW-Authenticate", reply->status == 401 ? "Bearer" : NULL},
		{"X-Accel-Buffering", reply->watch[0] != '\0' ? "no" : NULL}, /* nginx: send at once */
		{"Set-Cookie", reply->cookie[0] != '\0' ? reply->cookie : NULL},
	};
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
		if (headers[i][1] != NULL)
			http->mhd.add_response_header(response, headers[i][0], headers[i][1]);
}

static enum MHD_Result send_reply(struct exchange *exchange, struct http_reply *reply,
								  struct MHD_Response *stream)
{
	struct http *http = exchange->http;
	struct MHD_Response *response =
		stream != NULL
			? stream
			: http->mhd.create_response_from_buffer(reply->length,
													reply->text != NULL ? reply->text : (char *)"",
													MHD_RESPMEM_MUST_COPY);
	if (response == NULL)
		return MHD_NO;
	peer_within(http, exchange->peer, stream != NULL ? DBL_MAX : REPLY_SECONDS);
	add_headers(http, response, reply);
	const enum MHD_Result result =
		http->mhd.queue_response(exchange->connection, reply->status, response);
	http->mhd.destroy_response(response);
	return result;
}

static enum MHD_Result answer(struct exchange *exchange, const char *path, const char *method)
{
	struct server *server = exchange->http->server;
	struct http_request request = {.method = method,
								   .path = path,
								   .body = exchange->body != NULL ? exchange->body : "",
								   .length = exchange->length,
								   .header = header_of,
								   .query = query_of,
								   .context = exchange};
	struct http_reply reply = {.status = 500, .type = "text/plain"};
	struct MHD_Response *stream = NULL;
	if (exchange->too_large)
		reply_error(&reply, 413, "the body is larger than %zu bytes", SERVE_BODY_BYTES);
	if (exchange->no_room) {
		reply.retry_after = IDLE_SECONDS;
		reply_error(&reply, 503, "too many bodies at once: try again");
	}
	if (exchange->too_large || exchange->no_room)
		routes_explain(server, &request, &reply);
	else
		routes_answer(server, &request, &reply);
	if (reply.watch[0] != '\0' &&
		(stream = stream_begin(exchange, reply.watch, request.user.id)) == NULL) {
		reply_free(&reply); /* it has ended in the meantime, so that its last event is answered */
		routes_answer(server, &request, &reply);
	}
	const enum MHD_Result result = send_reply(exchange, &reply, stream);
	reply_free(&reply);
	return result;
}

/* Called for the headers, for each piece of the body, and at its end. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
								  const char *path, const char *method, const char *version,
								  const char *piece, size_t *bytes, void **exchange_at)
{
	struct http *http = context;
	struct exchange *exchange = *exchange_at;
	(void)version;
	if (exchange == NULL) {
		exchange = calloc(1, sizeof *exchange);
		if (exchange == NULL)
			return MHD_NO;
		*exchange_at = exchange;
		*exchange = (struct exchange){
			.http = http, .peer = peer_of(http, connection), .connection = connection};
		peer_within(http, exchange->peer, BODY_SECONDS);
		const char *length = header_of(exchange, "Content-Length");
		exchange->too_large =
			length != NULL && strtoull(length, NULL, 10) > (unsigned long long)SERVE_BODY_BYTES;
		return exchange->too_large ? answer(exchange, path, method) : MHD_YES;
	}
	if (*bytes == 0)
		return answer(exchange, path, method);
	take_body(exchange, piece, *bytes);
	*bytes = 0;
	return MHD_YES;
}

static void completed(void *context, struct MHD_Connection *connection, void **exchange_at,
					  enum MHD_RequestTerminationCode code)
{
	struct http *http = context;
	struct exchange *exchange = *exchange_at;
	(void)connection;
	if (exchange == NULL)
		return;
	if (code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		peer_within(http, exchange->peer, IDLE_SECONDS);
	http->bodies -= exchange->capacity;
	free(exchange->body);
	free(exchange);
	*exchange_at = NULL;
}

/* ---- open and close
 * -------------------------------------------------------------------------------- */

struct http *http_open(struct server *server, unsigned *port, struct error *err)
{
	struct http *http = calloc(1, sizeof *http);
	if (http == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	http->server = server;
	http->peers.next = http->peers.previous = &http->peers;
	pthread_mutex_init(&http->mutex, NULL);
	int fd = -1;
	if (!microhttpd_load(&http->mhd, err) ||
		(fd = socket_listen(server->config->listen, port, &server->loopback, err)) < 0) {
		free(http);
		return NULL;
	}
	http->daemon = http->mhd.start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, http,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)SILENT_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, HEADER_BYTES,
		MHD_OPTION_NOTIFY_COMPLETED, completed, http, MHD_OPTION_NOTIFY_CONNECTION, connected, http,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	if (http->daemon != NULL)
		return http;
	error_set(err, "libmicrohttpd does not start");
	close(fd);
	free(http);
	return NULL;
}

void http_close(struct http *http)
{
	if (http == NULL)
		return;
	queue_shut(http->server->queue); /* nobody may sleep any more */
	http->mhd.stop_daemon(http->daemon);
	pthread_mutex_destroy(&http->mutex);
	free(http);
}
