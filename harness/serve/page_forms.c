/* Pages with forms, which work without scripts, and what they send. */
#include <stdlib.h>
#include <string.h>

#include "report/facts.h"
#include "serve/page.h"
#include "starter/starter.h"
#include "testcases/problem.h"

/* ---- what a form sends --------------------------------------------------------------- */

static int digit_of(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c != '\0' ? strchr(digits, c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c) : NULL;
	return at != NULL ? (int)(at - digits) : -1;
}

/* The text of a field of "name=value&...", with lines as files have them; NULL where it is not
 * there, or is no UTF-8. */
static json_t *field(const struct http_request *request, const char *name)
{
	const size_t length = strlen(name);
	const char *at = request->body;
	while (strncmp(at, name, length) != 0 || at[length] != '=') {
		at = strchr(at, '&');
		if (at == NULL)
			return NULL;
		at++;
	}
	at += length + 1;
	char *text = malloc(strcspn(at, "&") + 1);
	size_t used = 0;
	for (; text != NULL && *at != '\0' && *at != '&'; at++) {
		char c = *at == '+' ? ' ' : *at;
		if (c == '%' && digit_of(at[1]) >= 0 && digit_of(at[2]) >= 0) {
			c = (char)(16 * digit_of(at[1]) + digit_of(at[2]));
			at += 2;
		}
		if (c == '\n' && used > 0 && text[used - 1] == '\r')
			used--;
		text[used++] = c;
	}
	json_t *json = text != NULL ? json_stringn(text, used) : NULL;
	free(text);
	return json;
}

/* Asks the API what a form asks. A browser says where a form comes from (session_is_foreign()
 * looked at that): what says nothing of it is taken from nobody. */
static void ask(struct server *server, const struct http_request *request, json_t *body,
				http_handler *handler, struct http_reply *reply)
{
	struct http_request asked = *request;
	char *text = json_dumps(body, JSON_COMPACT);
	json_decref(body);
	asked.from_form = true;
	asked.body = text != NULL ? text : "";
	asked.length = strlen(asked.body);
	if (request->header(request->context, "Sec-Fetch-Site") == NULL &&
		request->header(request->context, "Origin") == NULL)
		reply_error(reply, 403, "a form comes from a browser, which says of what site it is");
	else
		handler(server, &asked, reply);
	free(text);
}

void page_enter(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	json_t *body = json_object();
	json_object_set_new(body, "token", field(request, "token"));
	ask(server, request, body, api_login, reply);
	if (reply->status == 200)
		page_lead(reply, "%s", page_next(request));
	else if (reply->status == 401)
		page_login(server, request, reply);
}

void page_submit(struct server *server, const struct http_request *request,
				 struct http_reply *reply)
{
	json_t *body = json_pack("{s:s}", "problem", request->id), *name = field(request, "name");
	json_object_set_new(body, "source", field(request, "source"));
	if (json_string_length(name) > 0)
		json_object_set(body, "name", name);
	json_decref(name);
	ask(server, request, body, api_submit, reply);
	json_t *made = reply->status == 202 ? json_loadb(reply->text, reply->length, 0, NULL) : NULL;
	if (made != NULL)
		page_lead(reply, "/submissions/%s", page_text(made, "id"));
	json_decref(made);
}

void page_withdraw(struct server *server, const struct http_request *request,
				   struct http_reply *reply)
{
	ask(server, request, json_object(), api_withdraw, reply);
	if (reply->status == 200)
		page_lead(reply, "/submissions/%s", request->id);
}

/* ---- the page of a problem ----------------------------------------------------------- */

static void editor_print(FILE *out, const struct problem *problem, const char *source)
{
	fprintf(out,
			"<form id=\"editor\" method=\"post\" action=\"/problems/%s\" data-problem=\"%s\" "
			"class=\"fields\">\n<label for=\"source\">Your solution</label>\n"
			"<textarea id=\"source\" name=\"source\" rows=\"28\" spellcheck=\"false\" "
			"autocomplete=\"off\" autocapitalize=\"off\" wrap=\"off\" required>\n",
			problem->name, problem->name);
	html_text(out, source);
	fputs("</textarea>\n<label for=\"name\">Its name</label>\n<input id=\"name\" name=\"name\" "
		  "value=\"solution.cu\" maxlength=\"100\">\n<button>Submit</button>\n</form>\n"
		  "<p id=\"live\" role=\"status\"></p>\n<section id=\"found\" "
		  "aria-label=\"What was found\"></section>\n",
		  out);
}

static char *starter_text(const struct problem *problem)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	if (out == NULL)
		return NULL;
	starter_solution(out, problem, "gemmjudge judge solution.cu");
	fclose(out);
	return text;
}

/* ?from=ID: what was submitted then is in the editor. */
static char *text_to_edit(struct server *server, const struct http_request *request,
						  const struct problem *problem)
{
	const char *from = request->query(request->context, "from");
	struct http_request other = *request;
	struct http_reply reply = {.status = 0};
	char *text = NULL;
	if (from != NULL && strlen(from) == JOB_ID_DIGITS) {
		memcpy(other.id, from, JOB_ID_TEXT);
		api_source(server, &other, &reply);
		if (reply.status == 200 && reply.text != NULL)
			text = strdup(reply.text);
		reply_free(&reply);
	}
	return text != NULL ? text : starter_text(problem);
}

void page_problem(struct server *server, const struct http_request *request,
				  struct http_reply *reply)
{
	struct served_page page = {.server = server, .request = request, .head = page_editor_head()};
	char prototype[PROTOTYPE_TEXT], explanation[EXPLANATION_TEXT];
	const struct problem *problem = problem_find(request->id);
	if (problem == NULL) {
		reply_error(reply, 404, "there is no problem '%s'", request->id);
		return;
	}
	char *source = text_to_edit(server, request, problem);
	if (source != NULL && page_open(&page, problem->name, reply)) {
		problem_prototype(problem, prototype);
		problem_explain(problem, explanation);
		html_paragraph(page.out, "lead", problem->summary);
		html_paragraph(page.out, NULL, explanation);
		html_block(page.out, prototype);
		fprintf(page.out, "<p><a href=\"/boards/%s\">Leaderboard</a></p>\n", problem->name);
		html_heading(page.out, 2, NULL, "Submit");
		editor_print(page.out, problem, source);
		page_limits(page.out, server, request, problem);
		page_close(&page, 200, reply);
	}
	free(source);
}
