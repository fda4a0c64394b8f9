/* Who one is: the page that takes a token, and the way back to what was asked for. */
#include <stdlib.h>
#include <string.h>

#include "serve/page.h"

/* The names that queries of our pages have. */
static const char *const asked[] = {"user", "problem", "name", "before", "limit", "from"};

/* The page that was asked for, with what it was asked with; NULL where it is none, or is very long.
 * The caller frees it. */
static char *address_of(const struct http_request *request)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		return NULL;
	fputs(request->path, out);
	const char *between = "?";
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		const char *value = request->query(request->context, asked[i]);
		if (value == NULL)
			continue;
		fprintf(out, "%s%s=", between, asked[i]);
		page_value(out, value);
		between = "&";
	}
	if (fclose(out) == 0 && request->leads_to_page(text))
		return text;
	free(text);
	return NULL;
}

/* "/login", or "/login?next=%2Fproblems%2Fsgemm"; the caller frees it. */
static char *login_address(const char *next)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		return NULL;
	fputs("/login", out);
	if (next != NULL && strcmp(next, "/") != 0) {
		fputs("?next=", out);
		page_value(out, next);
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

const char *page_next(const struct http_request *request)
{
	const char *next = request->query(request->context, "next");
	return next != NULL && request->leads_to_page(next) ? next : "/";
}

/* A browser that followed another site's link kept our cookie back. What we send it on to is ours,
 * so that the cookie comes along. */
static bool comes_from_elsewhere(const struct http_request *request)
{
	const char *site = request->header(request->context, "Sec-Fetch-Site");
	return site != NULL && (strcmp(site, "cross-site") == 0 || strcmp(site, "same-site") == 0);
}

static void once_more(struct server *server, const struct http_request *request,
					  const char *address, struct http_reply *reply)
{
	char *head = NULL, *clean = NULL;
	size_t size;
	FILE *out = open_memstream(&clean, &size);
	if (out != NULL) {
		html_text(out, address);
		if (fclose(out) != 0 ||
			asprintf(&head, "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n", clean) < 0)
			head = NULL;
	}
	struct served_page page = {.server = server, .request = request, .head = head};
	if (page_open(&page, "One moment", reply)) {
		fprintf(page.out, "<p><a href=\"%s\">Go on</a></p>\n", head != NULL ? clean : "/");
		page_close(&page, 200, reply);
	}
	free(clean);
	free(head);
}

void page_ask_who(struct server *server, const struct http_request *request,
				  struct http_reply *reply)
{
	char *address = address_of(request), *login = login_address(address);
	if (address != NULL && strcmp(request->method, "GET") == 0 && comes_from_elsewhere(request))
		once_more(server, request, address, reply);
	else
		page_lead(reply, "%s", login != NULL ? login : "/login");
	free(address);
	free(login);
}

void page_login(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	struct served_page page = {.server = server, .request = request};
	const bool refused = reply->status == 401;
	char *address = login_address(page_next(request));
	if (page_open(&page, "Log in", reply)) {
		if (refused)
			html_paragraph(page.out, "note bad", "This token is nobody's.");
		fprintf(page.out,
				"<form method=\"post\" action=\"%s\" class=\"fields\">\n"
				"<label for=\"token\">Your token</label>\n"
				"<input id=\"token\" name=\"token\" type=\"password\" "
				"autocomplete=\"current-password\" required>\n<button>Log in</button>\n</form>\n",
				address != NULL ? address : "/login");
		html_paragraph(
			page.out, "quiet",
			"Who looks after this server made it by 'gemmjudge user add'. This browser keeps "
			"it for 90 days, or until you log out.");
		page_close(&page, refused ? 401 : 200, reply);
	}
	free(address);
}

void page_leave(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	api_logout(server, request, reply);
	page_lead(reply, "/login");
}
