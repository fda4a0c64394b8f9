/* Requests from libmicrohttpd to routes.c, and replies back. What is bounded here: connections,
 * headers, bodies, and how long a client may take for any of them. */
#include "serve/http.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/framing.h"
#include "serve/microhttpd.h"
#include "serve/peers.h"
#include "serve/socket.h"
#include "serve/writers.h"

#define THREADS 4
#define CONNECTIONS 2048 /* as peers.h divides them */
#define DESCRIPTORS 256  /* that everything else needs */
#define HEADER_BYTES ((size_t)32 << 10)
/* Of a body that is refused already, or wanted by nobody: read, and thrown away, so that who sends
 * it reads the answer. */
#define REFUSED_BYTES ((size_t)64 << 10)
#define SILENT_SECONDS 30
#define GRACE_SECONDS 1.0 /* in which a stranger's first request comes */
/* Whole, however busily it comes byte by byte: */
#define HEADER_SECONDS 10
#define BODY_SECONDS 60
#define REPLY_SECONDS 60
#define IDLE_SECONDS 60 /* between two requests */
#define BEAT_SECONDS 15
#define STREAM_RETRY_SECONDS 10
#define STREAM_BLOCK ((size_t)16 << 10)

static const char strictest[] = "default-src 'none'; frame-ancestors 'none'";

struct http {
	struct server *server;
	struct microhttpd mhd;
	struct MHD_Daemon *daemon;
	struct peers *peers;
	struct writers *writers;
	double beat_at;
};

/* A request, from its first line to the end of its answer. */
struct exchange {
	struct http *http;
	struct peer *peer;
	struct MHD_Connection *connection;
	char *address; /* as it was sent; NULL once its headers are there */
	struct http_request request;
	struct http_reply reply; /* once it is answered: a refusal does not need the rest */
	bool answered;
	struct writer_task task;
	char *body;
	size_t length, capacity;
};

/* ---- connections --------------------------------------------------------------------------- */

static const union MHD_ConnectionInfo *info_of(const struct http *http,
											   struct MHD_Connection *connection,
											   enum MHD_ConnectionInfoType type)
{
	return http->mhd.get_connection_info(connection, type);
}

static void connected(void *context, struct MHD_Connection *connection, void **peer_at,
					  enum MHD_ConnectionNotificationCode code)
{
	struct http *http = context;
	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		peer_end(http->peers, *peer_at);
		*peer_at = NULL;
		return;
	}
	const int fd = info_of(http, connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	const struct sockaddr *address =
		info_of(http, connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
	*peer_at = peer_begin(http->peers, fd, address, HEADER_SECONDS);
}

void http_tick(struct http *http)
{
	const double now = clock_seconds();
	peers_tick(http->peers);
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

/* Nothing of it is kept, nor needed. */
static void drop_body(struct exchange *exchange)
{
	free(exchange->body);
	exchange->body = NULL;
	exchange->length = exchange->capacity = 0;
	peer_lets_go(exchange->http->peers, exchange->peer);
}

/* What is answered, whatever else comes. */
static void refuse(struct exchange *exchange, unsigned status, unsigned retry_after,
				   const char *why)
{
	exchange->reply.retry_after = retry_after;
	reply_error(&exchange->reply, status, "%s", why);
	routes_explain(exchange->http->server, &exchange->request, &exchange->reply);
	exchange->answered = true;
	drop_body(exchange);
}

static void refuse_large(struct exchange *exchange)
{
	char why[80];
	snprintf(why, sizeof why, "the body is larger than %zu bytes", exchange->request.body_most);
	refuse(exchange, 413, 0, why);
}

/* Makes room for so many bytes and a 0; false: it is refused. */
static bool make_room(struct exchange *exchange, size_t bytes)
{
	const size_t most = exchange->request.body_most + 1, twice = 2 * (bytes + 1);
	const size_t capacity = twice < most ? twice : most;
	if (bytes + 1 <= exchange->capacity)
		return true;
	const enum peer_answer answer = peer_holds(exchange->http->peers, exchange->peer, capacity);
	char *more = answer == PEER_MAY ? realloc(exchange->body, capacity) : NULL;
	if (more != NULL) {
		exchange->body = more;
		exchange->capacity = capacity;
		return true;
	}
	if (answer == PEER_USER_HAS_ALL)
		refuse(exchange, 429, IDLE_SECONDS, "you send too many bodies at once: try again");
	else
		refuse(exchange, 503, IDLE_SECONDS, "too many bodies at once: try again");
	return false;
}

/* Takes a piece of the body, as far as there is room. */
static void take_body(struct exchange *exchange, const char *piece, size_t bytes)
{
	if (exchange->answered)
		return;
	if (bytes > exchange->request.body_most - exchange->length) {
		refuse_large(exchange);
		return;
	}
	if (!make_room(exchange, exchange->length + bytes))
		return;
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
	peer_within(http->peers, exchange->peer, stream != NULL ? DBL_MAX : REPLY_SECONDS);
	add_headers(http, response, reply);
	const enum MHD_Result result =
		http->mhd.queue_response(exchange->connection, reply->status, response);
	http->mhd.destroy_response(response);
	return result;
}

/* The events that are the answer, if there is room for one more that listens. */
static struct MHD_Response *stream_of(struct exchange *exchange, struct http_reply *reply)
{
	struct server *server = exchange->http->server;
	const enum peer_answer answer = peer_streams(exchange->http->peers, exchange->peer);
	struct MHD_Response *stream =
		answer == PEER_MAY ? stream_begin(exchange, reply->watch, exchange->request.user.id) : NULL;
	if (stream != NULL)
		return stream;
	peer_lets_go(exchange->http->peers, exchange->peer);
	reply_free(reply);
	if (answer == PEER_MAY) { /* it has ended in the meantime: its last event is answered */
		routes_answer(server, &exchange->request, reply);
		return NULL;
	}
	reply->retry_after = STREAM_RETRY_SECONDS;
	if (answer == PEER_USER_HAS_ALL)
		reply_error(reply, 429, "you have %d event streams open, as many as may be: try again",
					PEERS_STREAMS_OF_USER);
	else
		reply_error(reply, 429, "too many event streams are open: try again");
	return NULL;
}

/* By a thread that may wait, while the connection sleeps. */
static void answer_asleep(void *context)
{
	struct exchange *exchange = context;
	routes_answer(exchange->http->server, &exchange->request, &exchange->reply);
	exchange->answered = true;
	exchange->http->mhd.resume_connection(exchange->connection);
}

static bool waits_for_disk(const struct route *route)
{
	return route->access != ROUTE_ALL && route->method[0] != 'G';
}

static enum MHD_Result answer(struct exchange *exchange)
{
	struct http *http = exchange->http;
	struct http_request *request = &exchange->request;
	struct MHD_Response *stream = NULL;
	if (exchange->answered)
		return send_reply(exchange, &exchange->reply, NULL);
	request->body = exchange->body != NULL ? exchange->body : "";
	request->length = exchange->length;
	if (waits_for_disk(request->route)) {
		exchange->task = (struct writer_task){.account = request->user.id, .context = exchange};
		http->mhd.suspend_connection(exchange->connection);
		if (!writers_put(http->writers, &exchange->task))
			answer_asleep(exchange);
		return MHD_YES;
	}
	routes_answer(http->server, request, &exchange->reply);
	if (exchange->reply.watch[0] != '\0')
		stream = stream_of(exchange, &exchange->reply);
	return send_reply(exchange, &exchange->reply, stream);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* The first line of one. */
static void *begin(void *context, const char *address, struct MHD_Connection *connection)
{
	struct http *http = context;
	const union MHD_ConnectionInfo *info =
		info_of(http, connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct exchange *exchange = calloc(1, sizeof *exchange);
	if (exchange == NULL)
		return NULL;
	*exchange = (struct exchange){.http = http,
								  .peer = info != NULL ? info->socket_context : NULL,
								  .connection = connection,
								  .reply = {.status = 500, .type = "text/plain"},
								  .address = strdup(address)};
	return exchange;
}

/* Its headers are there. Who may not do this is told so before any of the body is kept, and before
 * it is read where it is large. */
static enum MHD_Result admit(struct exchange *exchange, const char *version)
{
	struct http *http = exchange->http;
	struct http_request *request = &exchange->request;
	struct framing framing;
	struct error err;
	if (!framing_read(&http->mhd, exchange->connection, exchange->address, version, &framing,
					  &err)) {
		refuse(exchange, 400, 0, err.message);
		return answer(exchange); /* what comes behind is no request */
	}
	free(exchange->address);
	exchange->address = NULL;
	exchange->answered = !routes_admit(http->server, request, &exchange->reply);
	peer_asks(http->peers, exchange->peer, request->known ? request->user.id : NULL);
	peer_within(http->peers, exchange->peer, request->known ? BODY_SECONDS : HEADER_SECONDS);
	if (!exchange->answered && framing.length > request->body_most)
		refuse_large(exchange);
	const bool ends_soon = !framing.chunked && framing.length <= REFUSED_BYTES;
	return exchange->answered && !ends_soon ? answer(exchange) : MHD_YES;
}

/* Called for the headers, for each piece of the body, and at its end. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
								  const char *path, const char *method, const char *version,
								  const char *piece, size_t *bytes, void **exchange_at)
{
	struct exchange *exchange = *exchange_at;
	(void)context, (void)connection;
	if (exchange == NULL || (exchange->address == NULL && exchange->request.path == NULL))
		return MHD_NO; /* memory is short */
	if (exchange->request.path == NULL) {
		exchange->request = (struct http_request){.method = method,
												  .path = path,
												  .body = "",
												  .header = header_of,
												  .query = query_of,
												  .context = exchange};
		return admit(exchange, version);
	}
	if (*bytes == 0)
		return answer(exchange);
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
		peer_within(http->peers, exchange->peer, IDLE_SECONDS);
	drop_body(exchange);
	reply_free(&exchange->reply);
	free(exchange->address);
	free(exchange);
	*exchange_at = NULL;
}

/* ---- open and close ----------------------------------------------------------------------------
 */

/* How many connections this process has descriptors for. */
static unsigned connections_most(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= CONNECTIONS + DESCRIPTORS)
		return CONNECTIONS;
	return limit.rlim_cur > 2 * DESCRIPTORS ? (unsigned)(limit.rlim_cur - DESCRIPTORS)
											: DESCRIPTORS;
}

static bool start(struct http *http, unsigned *port, struct error *err)
{
	const unsigned most = connections_most();
	if ((http->peers = peers_open(most, GRACE_SECONDS)) == NULL ||
		(http->writers = writers_open(answer_asleep)) == NULL)
		return error_set(err, "out of memory");
	if (!microhttpd_load(&http->mhd, err))
		return false;
	const int fd = socket_listen(http->server->config->listen, port, &http->server->loopback, err);
	if (fd < 0)
		return false;
	http->daemon = http->mhd.start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, http,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS,
		MHD_OPTION_CONNECTION_LIMIT, most, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENT_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, HEADER_BYTES, MHD_OPTION_URI_LOG_CALLBACK, begin, http,
		MHD_OPTION_NOTIFY_COMPLETED, completed, http, MHD_OPTION_NOTIFY_CONNECTION, connected, http,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	if (http->daemon != NULL)
		return true;
	close(fd);
	return error_set(err, "libmicrohttpd does not start");
}

struct http *http_open(struct server *server, unsigned *port, struct error *err)
{
	struct http *http = calloc(1, sizeof *http);
	if (http == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	http->server = server;
	if (start(http, port, err))
		return http;
	writers_close(http->writers);
	peers_close(http->peers);
	free(http);
	return NULL;
}

void http_close(struct http *http)
{
	if (http == NULL)
		return;
	queue_shut(http->server->queue); /* nobody may sleep any more */
	writers_end(http->writers);
	http->mhd.stop_daemon(http->daemon);
	writers_close(http->writers);
	peers_close(http->peers);
	free(http);
}
