/* The frame of the pages for people, and what they are drawn with. */
#include "serve/page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "report/html/assets.h"

static const char page_type[] = "text/html; charset=utf-8";
static const char page_policy[] =
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' "
	"data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

bool page_is_teacher(const struct http_request *request)
{
	return request->user.role == ACCOUNT_TEACHER;
}

static void links_print(const struct served_page *page)
{
	const struct http_request *request = page->request;
	FILE *out = page->out;
	fputs("<nav class=\"pages\" aria-label=\"Pages\"><a href=\"/\">Problems</a> "
		  "<a href=\"/submissions\">Submissions</a> <a href=\"/boards\">Boards</a>",
		  out);
	if (page_is_teacher(request) && request->user.name[0] != '\0')
		fputs(" <a href=\"/class\">Class</a>", out);
	if (request->user.name[0] != '\0') {
		fputs(" <form method=\"post\" action=\"/logout\"><span>", out);
		html_text(out, request->user.name);
		fputs("</span> <button>Log out</button></form>", out);
	}
	fputs("</nav>\n", out);
}

bool page_open(struct served_page *page, const char *title, struct http_reply *reply)
{
	char head[512];
	page->out = open_memstream(&page->text, &page->length);
	if (page->out == NULL) {
		reply_text(reply, 503, page_type, NULL);
		return false;
	}
	snprintf(head, sizeof head,
			 "%s<link rel=\"stylesheet\" href=\"/serve.css\">\n"
			 "<script src=\"/serve.js\" defer blocking=\"render\"></script>\n",
			 page->head != NULL ? page->head : "");
	html_open_served(page->out, title, page->server->config->version, head);
	fputs("<header>\n", page->out);
	if (page->request->known)
		links_print(page);
	html_heading(page->out, 1, NULL, title);
	fputs("</header>\n", page->out);
	return true;
}

void page_close(struct served_page *page, unsigned status, struct http_reply *reply)
{
	html_close_served(page->out, page->server->config->version);
	if (fclose(page->out) != 0) {
		free(page->text);
		page->text = NULL;
	}
	reply_text(reply, status, page_type, page->text);
	reply->policy = page_policy;
}

void page_lead(struct http_reply *reply, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(reply->location, sizeof reply->location, format, arguments);
	va_end(arguments);
	reply_text(reply, 303, page_type, strdup(""));
}

void page_value(FILE *out, const char *text)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
	for (; *text != '\0'; text++)
		if (strchr(plain, *text) != NULL)
			fputc(*text, out);
		else
			fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
}

/* One text behind the other. */
static void asset(struct http_reply *reply, const char *type, const char *first, const char *second)
{
	char *text = NULL;
	if (asprintf(&text, "%s\n%s", first, second) < 0)
		text = NULL;
	reply_text(reply, 200, type, text);
	reply->caching = "private, max-age=300";
}

static const char css_type[] = "text/css; charset=utf-8";
static const char js_type[] = "text/javascript; charset=utf-8";

void page_style(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	(void)server, (void)request;
	asset(reply, css_type, html_style, serve_style);
}

void page_script(struct server *server, const struct http_request *request,
				 struct http_reply *reply)
{
	(void)server, (void)request;
	asset(reply, js_type, html_script, serve_script);
}

/* An editor where Debian's package libjs-codemirror is installed: its files, of fixed names. */
#define CODEMIRROR "/usr/share/javascript/codemirror/"
#define CODEMIRROR_MOST ((size_t)2 << 20)

const char *page_editor_head(void)
{
	return access(CODEMIRROR "lib/codemirror.js", R_OK) == 0
			   ? "<link rel=\"stylesheet\" href=\"/codemirror.css\">\n"
				 "<script src=\"/codemirror.js\" defer></script>\n"
			   : NULL;
}

void page_codemirror(struct server *server, const struct http_request *request,
					 struct http_reply *reply)
{
	struct error err;
	const bool style = strcmp(request->path, "/codemirror.css") == 0;
	char *first =
		text_read(style ? CODEMIRROR "lib/codemirror.css" : CODEMIRROR "lib/codemirror.js",
				  CODEMIRROR_MOST, &err);
	char *second =
		style ? strdup("") : text_read(CODEMIRROR "mode/clike/clike.js", CODEMIRROR_MOST, &err);
	(void)server;
	if (first != NULL && second != NULL)
		asset(reply, style ? css_type : js_type, first, second);
	else
		reply_error(reply, 404, "CodeMirror is not installed here (Debian: libjs-codemirror)");
	free(first);
	free(second);
}
