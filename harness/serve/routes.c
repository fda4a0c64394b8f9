#include <string.h>

#include "serve/http.h"

#define PATH_MOST 128 /* characters of an address that is led to */
#define QUERY_MOST 256
#define SMALL_BODY ((size_t)4 << 10) /* of who need not have shown a token, or sends nothing */

/* openapi.json describes the same, and a test compares them. */
const struct route routes[] = {
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
	/* pages, for people: openapi.json has none of them */
	{"GET", "/", ROUTE_PAGE, page_index},
	{"GET", "/problems/{problem}", ROUTE_PAGE, page_problem},
	{"POST", "/problems/{problem}", ROUTE_PAGE, page_submit},
	{"GET", "/submissions", ROUTE_PAGE, page_submissions},
	{"GET", "/submissions/{id}", ROUTE_PAGE, page_submission},
	{"POST", "/submissions/{id}/withdraw", ROUTE_PAGE, page_withdraw},
	{"GET", "/boards", ROUTE_PAGE, page_boards},
	{"GET", "/boards/{problem}", ROUTE_PAGE, page_boards},
	{"GET", "/class", ROUTE_PAGE, page_class},
	{"GET", "/class.csv", ROUTE_PAGE, page_csv},
	{"GET", "/login", ROUTE_ALL, page_login},
	{"POST", "/login", ROUTE_ALL, page_enter},
	{"POST", "/logout", ROUTE_ALL, page_leave},
	{"GET", "/serve.css", ROUTE_ALL, page_style},
	{"GET", "/serve.js", ROUTE_ALL, page_script},
	{"GET", "/codemirror.css", ROUTE_ALL, page_codemirror},
	{"GET", "/codemirror.js", ROUTE_ALL, page_codemirror},
	{NULL, NULL, ROUTE_ALL, NULL},
};

/* ---- finding ------------------------------------------------------------------------------ */

/* A path of a route, and one that was asked for: *id is what stands for {id} or {problem}. Nothing
 * else of a path is ever used. */
static bool matches(const char *pattern, const char *path, char id[JOB_ID_TEXT])
{
	const char *brace = strchr(pattern, '{');
	if (brace == NULL)
		return strcmp(pattern, path) == 0;
	const size_t begin = (size_t)(brace - pattern);
	if (strncmp(pattern, path, begin) != 0)
		return false;
	const bool is_id = strncmp(brace, "{id}", 4) == 0;
	const size_t length =
		strspn(path + begin, is_id ? "0123456789abcdef" : "0123456789abcdefghijklmnopqrstuvwxyz-");
	if ((is_id ? length != JOB_ID_DIGITS : length == 0 || length > JOB_ID_DIGITS) ||
		strcmp(strchr(brace, '}') + 1, path + begin + length) != 0)
		return false;
	memcpy(id, path + begin, length);
	id[length] = '\0';
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

static bool leads_to_page(const char *address)
{
	/* no blank, quote, fragment or backslash; "//host" is no path of ours */
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
								"-._~%&=+";
	const size_t length = strcspn(address, "?");
	const char *query = address + length + (address[length] == '?');
	char path[PATH_MOST], id[JOB_ID_TEXT];
	if (length >= sizeof path || strlen(query) > QUERY_MOST || query[strspn(query, plain)] != '\0')
		return false;
	memcpy(path, address, length);
	path[length] = '\0';
	for (const struct route *route = routes; route->path != NULL; route++)
		if (route->access == ROUTE_PAGE && strcmp(route->method, "GET") == 0 &&
			matches(route->path, path, id))
			return true;
	return false;
}

/* Browsers say what they show; a page of ours is also one for who says nothing. */
static bool is_for_people(const struct http_request *request)
{
	static const char *const programs[] = {"/api", "/healthz", "/metrics"};
	const char *accept = request->header(request->context, "Accept");
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		const size_t length = strlen(programs[i]);
		if (strncmp(request->path, programs[i], length) == 0 &&
			(request->path[length] == '\0' || request->path[length] == '/'))
			return false;
	}
	return accept != NULL ? strcasestr(accept, "text/html") != NULL : request->of_pages;
}

void routes_explain(struct server *server, struct http_request *request, struct http_reply *reply)
{
	const bool said = reply->type != NULL && strcmp(reply->type, "application/json") == 0;
	if (reply->status < 400 || !said || !is_for_people(request))
		return;
	request->leads_to_page = leads_to_page;
	session_find(server, request);
	page_error(server, request, reply);
}

/* Whether this may be done by who asks, and how large its body may be. */
static bool may_ask(struct server *server, struct http_request *request, struct http_reply *reply)
{
	const struct route *route = request->route;
	const char *method = route->method;
	if (method[0] != 'G' && session_is_foreign(request)) {
		reply_error(reply, 403, "another site's page sent this: it is not taken");
		return false;
	}
	session_find(server, request);
	request->body_most =
		route->access == ROUTE_ALL || method[0] != 'P' ? SMALL_BODY : SERVE_BODY_BYTES;
	if (route->access == ROUTE_ALL || request->known)
		return true;
	reply_error(reply, 401,
				server_is_open(server)
					? "without users this server is called localhost or 127.0.0.1"
				: request->header(request->context, "Authorization") != NULL
					? "this token is nobody's"
					: "a token is needed: Authorization: Bearer TOKEN, of 'gemmjudge user add'");
	return false;
}

bool routes_admit(struct server *server, struct http_request *request, struct http_reply *reply)
{
	const struct route *some = NULL;
	request->leads_to_page = leads_to_page;
	for (const struct route *route = routes; route->path != NULL && request->route == NULL; route++)
		if (matches(route->path, request->path, request->id)) {
			some = route;
			request->route = same_method(route->method, request->method) ? route : NULL;
			request->of_pages = request->of_pages || route->access == ROUTE_PAGE;
		}
	if (request->route != NULL && may_ask(server, request, reply))
		return true;
	if (some == NULL)
		reply_error(reply, 404, "there is nothing at this address");
	else if (request->route == NULL)
		refuse_method(reply, some);
	routes_explain(server, request, reply);
	return false;
}

void routes_answer(struct server *server, struct http_request *request, struct http_reply *reply)
{
	request->route->handler(server, request, reply);
	routes_explain(server, request, reply);
}
