#include <string.h>

#include "serve/http.h"

/* openapi.json describes the same, and a test compares them. */
const struct route routes[] = {
	{"GET", "/", ROUTE_ALL, page_index},
	{"POST", "/api/submissions", ROUTE_USER, api_submit},
	{"GET", "/api/submissions", ROUTE_USER, api_list},
	{"GET", "/api/submissions/{id}", ROUTE_USER, api_get},
	{"DELETE", "/api/submissions/{id}", ROUTE_USER, api_withdraw},
	{"GET", "/api/submissions/{id}/events", ROUTE_USER, api_events},
	{"GET", "/api/submissions/{id}/source", ROUTE_USER, api_source},
	{"GET", "/api/problems", ROUTE_USER, api_problems},
	{"GET", "/api/leaderboard", ROUTE_USER, api_leaderboard},
	{"GET", "/api/me", ROUTE_USER, api_me},
	{"POST", "/api/session", ROUTE_ALL, api_login},
	{"DELETE", "/api/session", ROUTE_ALL, api_logout},
	{"GET", "/healthz", ROUTE_ALL, api_health},
	{"GET", "/metrics", ROUTE_ALL, api_metrics},
	{NULL, NULL, ROUTE_ALL, NULL},
};

/* ---- finding ------------------------------------------------------------------------------ */

/* A path of a route, and one that was asked for: *id is what stands for {id}. Nothing else of a
 * path is ever used. */
static bool matches(const char *pattern, const char *path, char id[JOB_ID_TEXT])
{
	static const char mark[] = "{id}";
	const char *brace = strstr(pattern, mark);
	if (brace == NULL)
		return strcmp(pattern, path) == 0;
	const size_t begin = (size_t)(brace - pattern);
	if (strncmp(pattern, path, begin) != 0 ||
		strspn(path + begin, "0123456789abcdef") != JOB_ID_DIGITS ||
		strcmp(brace + sizeof mark - 1, path + begin + JOB_ID_DIGITS) != 0)
		return false;
	memcpy(id, path + begin, JOB_ID_DIGITS);
	id[JOB_ID_DIGITS] = '\0';
	return true;
}

/* HEAD is GET whose text is not sent. */
static bool same_method(const char *of_route, const char *asked)
{
	return strcmp(of_route, strcmp(asked, "HEAD") == 0 ? "GET" : asked) == 0;
}

static void refuse_method(struct http_reply *reply, const struct route *some)
{
	static const char *const lists[] = {
		"GET, HEAD", "POST", "DELETE", "GET, HEAD, POST", "GET, HEAD, DELETE", "POST, DELETE"};
	static const unsigned kinds[] = {1, 2, 4, 3, 5, 6};
	unsigned kind = 0;
	for (const struct route *route = routes; route->path != NULL; route++)
		if (strcmp(route->path, some->path) == 0)
			kind |= route->method[0] == 'G' ? 1u : route->method[0] == 'P' ? 2u : 4u;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i] == kind)
			reply->allow = lists[i];
	reply_error(reply, 405, "this address takes %s", reply->allow);
}

void routes_answer(struct server *server, struct http_request *request, struct http_reply *reply)
{
	const struct route *some = NULL, *found = NULL;
	for (const struct route *route = routes; route->path != NULL && found == NULL; route++)
		if (matches(route->path, request->path, request->id)) {
			some = route;
			found = same_method(route->method, request->method) ? route : NULL;
		}
	if (found == NULL) {
		if (some != NULL)
			refuse_method(reply, some);
		else
			reply_error(reply, 404, "there is nothing at this address");
		return;
	}
	if (found->method[0] != 'G' && session_is_foreign(request)) {
		reply_error(reply, 403, "another site's page sent this: it is not taken");
		return;
	}
	session_find(server, request);
	if (found->access == ROUTE_USER && !request->known)
		reply_error(
			reply, 401,
			server_is_open(server)
				? "without users this server is called localhost or 127.0.0.1"
				: "a token is needed: Authorization: Bearer TOKEN, of 'gemmjudge user add'");
	else
		found->handler(server, request, reply);
}
