/* Who asks: a token in a header or a cookie; and what other sites' pages must not send. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "serve/http.h"

#define COOKIE "gemmjudge="

/* Our cookie's value in a header "a=b; c=d", or "". */
static const char *cookie_of(const char *cookies)
{
	for (const char *p = cookies; p != NULL && (p = strstr(p, COOKIE)) != NULL; p++)
		if (p == cookies || p[-1] == ' ' || p[-1] == ';')
			return p + sizeof COOKIE - 1;
	return "";
}

/* The token of "Authorization: Bearer TOKEN", or of our cookie; "" without. */
static void token_of(const struct http_request *request, char token[ACCOUNT_TOKEN])
{
	static const char bearer[] = "Bearer ";
	const char *header = request->header(request->context, "Authorization");
	const char *text = cookie_of(request->header(request->context, "Cookie"));
	if (header != NULL && strncasecmp(header, bearer, sizeof bearer - 1) == 0)
		text = header + sizeof bearer - 1;
	const size_t digits = strspn(text, "0123456789abcdef");
	snprintf(token, ACCOUNT_TOKEN, "%.*s", digits == ACCOUNT_TOKEN - 1 ? (int)digits : 0, text);
}

/* Whether the host of an address, "http://HOST:PORT" or "HOST:PORT", is this machine by a name that
 * no other site can have. */
static bool is_local(const char *host)
{
	static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
	for (size_t i = 0; host != NULL && i < sizeof names / sizeof *names; i++) {
		const size_t length = strlen(names[i]);
		if (strncasecmp(host, names[i], length) == 0 &&
			(host[length] == '\0' || host[length] == ':'))
			return true;
	}
	return false;
}

void session_find(struct server *server, struct http_request *request)
{
	char token[ACCOUNT_TOKEN];
	struct error err;
	request->known = false;
	request->user = (struct account){.id = ""};
	token_of(request, token);
	if (token[0] != '\0' && account_find(server->jobs, token, &request->user, &err)) {
		server->had_users = true;
		request->known = true;
	} else if (server_is_open(server)) {
		/* by another name it may be a page of another site, which had its own name lead here */
		request->known = is_local(request->header(request->context, "Host"));
		request->user.role = ACCOUNT_TEACHER;
	}
}

bool session_is_https(const struct http_request *request)
{
	const char *proto = request->header(request->context, "X-Forwarded-Proto");
	return proto != NULL && strcasecmp(proto, "https") == 0;
}

bool session_is_foreign(const struct http_request *request)
{
	const char *site = request->header(request->context, "Sec-Fetch-Site");
	const char *origin = request->header(request->context, "Origin");
	const char *host = request->header(request->context, "Host");
	if (site != NULL && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
		return true;
	if (origin == NULL)
		return false;
	const char *of = strstr(origin, "://");
	return of == NULL || host == NULL || strcasecmp(of + 3, host) != 0;
}
