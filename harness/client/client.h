/* A server of `gemmjudge serve`, as its clients see it: requests, and events as they come.
 *   client.c   where it is, and what one is told
 *   request.c  one request
 *   stream.c   what comes back: text or events
 *   follow.c   a submission until its end, over lost connections */
#ifndef GEMMJUDGE_CLIENT_CLIENT_H
#define GEMMJUDGE_CLIENT_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define CLIENT_URL_BYTES 1024
#define CLIENT_TOKEN_BYTES 256
#define CLIENT_ID_DIGITS 32
#define CLIENT_FIRST_SECONDS 20

struct client;

/* What becomes of a request. */
enum client_end {
	CLIENT_ANSWERED, /* the reply is filled, whatever its status */
	CLIENT_LOST,     /* nobody answered, or the answer broke off: err says why */
	CLIENT_STOPPED,  /* the user ended it */
};

struct client_reply {
	unsigned status, retry_after; /* seconds; 0: it does not say */
	json_t *body;                 /* owned; NULL where it is no JSON */
};
void client_reply_free(struct client_reply *reply);

/* Whether the user wants an end: asked every second. */
typedef bool (*client_stop)(void);

struct client_server {
	const char *url, *token; /* the token may be NULL; it is sent to this server alone */
	bool plain_http;         /* the token may be read on its way to another machine */
};

/* The server at a URL of http or https. Certificates are verified, redirections not followed. A
 * token goes over http to this machine alone, unless plain_http. NULL with err: *usage says whether
 * the URL or the token is at fault, else libcurl is missing. */
struct client *client_open(const struct client_server *server, client_stop stop, bool *usage,
						   struct error *err);
void client_close(struct client *client);

/* The URL without a slash at its end. */
const char *client_url(const struct client *client);

/* Whether it has ever answered. */
bool client_has_answered(const struct client *client);

/* Sends a request for a path, with a body of JSON or NULL, and takes the whole answer. */
enum client_end client_ask(struct client *client, const char *method, const char *path,
						   const json_t *body, struct client_reply *reply, struct error *err);

/* What an answer that is no success says, in one line with the server's URL, and how long to wait
 * where it says that. */
void client_refusal(const struct client *client, const struct client_reply *reply,
					struct error *err);

/* Takes an event: its name, and its object. */
typedef void (*client_watcher)(void *context, const char *name, const json_t *data);

bool client_is_id(const char *text);

/* Whether it is a submission, as a server describes one. */
bool client_is_job(const json_t *json);

/* Waits until the submission has ended, and tells of its events. A stream that ends early, and a
 * server that is away for less than ten minutes, cost nothing: the server is asked again; one that
 * has never answered is for CLIENT_FIRST_SECONDS. On CLIENT_ANSWERED, reply->body is the submission
 * where its status is 200 and client_is_job(). */
enum client_end client_follow(struct client *client, const char *id, client_watcher watcher,
							  void *context, struct client_reply *reply, struct error *err);

#endif
