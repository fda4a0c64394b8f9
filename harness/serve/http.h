/* A request and what is answered, as the handlers see them: they know nothing of the library that
 * speaks HTTP. Internal to serve/. */
#ifndef GEMMJUDGE_SERVE_HTTP_H
#define GEMMJUDGE_SERVE_HTTP_H

#include "serve/reply.h"
#include "serve/server.h"
#include "store/accounts.h"

struct http_request {
	const char *method, *path; /* the path without its query, decoded */
	const char *body;          /* with a 0 behind it; "" without */
	size_t length;
	/* NULL where it is not there. */
	const char *(*header)(const void *context, const char *name);
	const char *(*query)(const void *context, const char *name);
	const void *context;
	/* Filled in by routes_admit(): */
	bool known;           /* who asks; then `user` is */
	struct account user;  /* of an open server: "", a teacher */
	char id[JOB_ID_TEXT]; /* of the path's {id}, or {problem} */
	const struct route *route;
	size_t body_most; /* bytes */
	bool from_form;   /* the body is JSON that was made of a form of ours */
	bool of_pages;    /* the path is one of the pages for people */
	/* Whether an address, with or without a query, is one of the pages for people that are read: of
	 * no other server, and nothing that does something. */
	bool (*leads_to_page)(const char *address);
};

typedef void http_handler(struct server *server, const struct http_request *request,
						  struct http_reply *reply);

enum route_access {
	ROUTE_ALL,  /* handlers look at request->known */
	ROUTE_USER, /* 401 for others */
	ROUTE_PAGE, /* the same for people: others are led to /login, errors are pages */
};

struct route {
	/* {id} stands for 32 hexadecimal digits, {problem} for a name */
	const char *method, *path;
	enum route_access access;
	http_handler *handler;
};
extern const struct route routes[]; /* a path of NULL behind the last */

/* Finds the route, who asks, and whether they may, before there is a body. Fills in the request's
 * last members. False: the reply says why not. */
bool routes_admit(struct server *server, struct http_request *request, struct http_reply *reply);
/* Calls the handler of a request that was admitted. */
void routes_answer(struct server *server, struct http_request *request, struct http_reply *reply);

/* Where the reply is an error and a browser asks, it becomes a page; programs get the JSON. */
void routes_explain(struct server *server, struct http_request *request, struct http_reply *reply);

/* Who asks, by their token: fills in known and user. */
void session_find(struct server *server, struct http_request *request);
/* Whether another site's page sent it. */
bool session_is_foreign(const struct http_request *request);
bool session_is_https(const struct http_request *request);

/* Waits for requests, in threads of its own, until http_close(). *port: where. NULL with err. */
struct http;
struct http *http_open(struct server *server, unsigned *port, struct error *err);
void http_tick(struct http *http); /* drops who is too slow; each second or so */
void http_close(struct http *http);

/* ---- handlers ------------------------------------------------------------------------ */

http_handler api_submit, api_list, api_get, api_events, api_source, api_withdraw; /* api.c */
http_handler api_problems, api_leaderboard, api_me, api_login, api_logout, api_health,
	api_metrics;                                                   /* api_rest.c */
http_handler page_index;                                           /* page_index.c */
http_handler page_style, page_script, page_codemirror;             /* page.c */
http_handler page_login, page_leave;                               /* page_login.c */
http_handler page_problem, page_submit, page_withdraw, page_enter; /* page_forms.c */
http_handler page_submission;                                      /* page_submission.c */
http_handler page_submissions;                                     /* page_lists.c */
http_handler page_boards;                                          /* page_boards.c */
http_handler page_class, page_csv;                                 /* page_class.c */

/* page_error.c: makes an error of the API the page that says it and what to do, or leads to /login.
 */
void page_error(struct server *server, const struct http_request *request,
				struct http_reply *reply);

/* Whether the body says that it is JSON, which no form of another site can; else 415. */
bool api_takes_json(const struct http_request *request, struct http_reply *reply);
/* The boards as far as who asks may see them; of one problem, or NULL. */
json_t *api_boards(struct server *server, const struct http_request *request, const char *problem);
/* Whether an object with the member user_id is of the one who asks. */
bool api_is_own(const struct http_request *request, const json_t *job);
/* {id} and the events' {id}: the submission, where the one who asks may see it; else NULL, with the
 * reply made. */
json_t *api_visible(struct server *server, const struct http_request *request, bool whole,
					struct http_reply *reply);
/* The submissions that a request asks for with mine, user, problem, name, before and limit, as far
 * as it may see them; or `own`, that many of the newest of who asks. NULL, with the reply made. */
json_t *api_jobs(struct server *server, const struct http_request *request, int own,
				 struct http_reply *reply);

#endif
