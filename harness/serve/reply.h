/* What is answered to a request, however it travels. Internal to serve/. */
#ifndef GEMMJUDGE_SERVE_REPLY_H
#define GEMMJUDGE_SERVE_REPLY_H

#include <jansson.h>
#include <stddef.h>

#include "store/jobs.h"

struct http_reply {
	unsigned status;
	const char *type; /* "application/json" */
	char *text;       /* owned */
	size_t length;
	const char *allow;       /* of 405 */
	unsigned retry_after;    /* seconds; 0: not said */
	char cookie[192];        /* "" : none is set */
	const char *policy;      /* Content-Security-Policy; NULL: the strictest, of what is no page */
	const char *caching;     /* Cache-Control; NULL: no-store */
	char location[1280];     /* of 303; "" */
	char watch[JOB_ID_TEXT]; /* the events of this submission are the answer; "": the text is */
};

/* Each takes over what it is given. */
void reply_json(struct http_reply *reply, unsigned status, json_t *json);
void reply_text(struct http_reply *reply, unsigned status, const char *type, char *text);
/* {"error": message}. */
void reply_error(struct http_reply *reply, unsigned status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void reply_free(struct http_reply *reply);

#endif
