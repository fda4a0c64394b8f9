/* One request. Internal to client/. */
#ifndef GEMMJUDGE_CLIENT_REQUEST_H
#define GEMMJUDGE_CLIENT_REQUEST_H

#include "client/client.h"
#include "client/libcurl.h"

struct client {
	struct libcurl curl;
	CURL *handle;
	char url[CLIENT_URL_BYTES];
	char authorization[CLIENT_TOKEN_BYTES + 32]; /* a header; "" without a token */
	client_stop stop;
	bool loopback; /* the server is on this machine */
	bool secret;   /* nobody between here and there can read what is sent */
	bool answered; /* it has, once */
};

/* Who looks on at events. */
struct client_watch {
	client_watcher watcher;
	void *context;
	bool heard; /* filled: whether there was an event */
};

/* Takes the events of a stream until one of them is the last: then its object is reply->body, with
 * status 200. Another answer than a stream is taken as client_ask() takes it. CLIENT_LOST: it ended
 * before. */
enum client_end request_events(struct client *client, const char *path, struct client_watch *watch,
							   struct client_reply *reply, struct error *err);

#endif
