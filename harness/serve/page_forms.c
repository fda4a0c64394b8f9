/* Pages with forms, which work without scripts, and what they send. */
#include <stdlib.h>
#include <string.h>

#include "report/facts.h"
#include "serve/form.h"
#include "serve/intake.h"
#include "serve/page.h"
#include "starter/starter.h"
#include "testcases/problem.h"

/* ---- the page of a problem ----------------------------------------------------------- */

static void problem_print(struct server *server, const struct http_request *request,
						  const struct page_editor *editor, unsigned status,
						  struct http_reply *reply)
{
	struct served_page page = {.server = server, .request = request, .head = page_editor_head()};
	char prototype[PROTOTYPE_TEXT], explanation[EXPLANATION_TEXT];
	const struct problem *problem = problem_find(request->id);
	if (problem == NULL) {
		reply_error(reply, 404, "there is no problem '%s'", request->id);
		return;
	}
	if (!page_open(&page, problem->name, reply))
		return;
	problem_prototype(problem, prototype);
	problem_explain(problem, explanation);
	html_paragraph(page.out, "lead", problem->summary);
	html_paragraph(page.out, NULL, explanation);
	html_block(page.out, prototype);
	fprintf(page.out, "<p><a href=\"/boards/%s\">Leaderboard</a></p>\n", problem->name);
	page_example(page.out, problem);
	html_heading(page.out, 2, NULL, "Submit");
	page_editor_print(page.out, problem, editor);
	page_tolerance(page.out, problem);
	page_limits(page.out, server, request, problem);
	page_close(&page, status, reply);
}

/* ---- what a form sends --------------------------------------------------------------- */

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
	json_object_set_new(body, "token", form_field(request, "token"));
	ask(server, request, body, api_login, reply);
	if (reply->status == 200)
		page_lead(reply, "%s", page_next(request));
	else if (reply->status == 401)
		page_login(server, request, reply);
}

/* The options that were chosen, as JSON: whole numbers, truths and texts, as the API has them. */
static json_t *options_sent(const struct http_request *request)
{
	size_t count;
	const struct intake_option *options = intake_options(&count);
	json_t *all = json_object();
	for (size_t i = 0; i < count; i++) {
		char name[64];
		snprintf(name, sizeof name, "option-%s", options[i].name);
		json_t *value = form_field(request, name);
		const char *text = json_string_value(value);
		if (json_string_length(value) == 0)
			;
		else if (options[i].of == NULL)
			json_object_set_new(all, options[i].name, json_true());
		else if (options[i].of[0] == '\0' && strlen(text) < 18 &&
				 text[strspn(text, "0123456789")] == '\0')
			json_object_set_new(all, options[i].name, json_integer(strtoll(text, NULL, 10)));
		else
			json_object_set(all, options[i].name, value);
		json_decref(value);
	}
	return all;
}

/* A file that was chosen stands for the text, and its name for that beside it. False, with the
 * reply made, where it is no text; then *sent has what else was sent. */
static bool submission_sent(const struct http_request *request, json_t **sent,
							struct http_reply *reply)
{
	json_t *source, *name;
	const bool chosen = form_file(request, "file", &source, &name);
	const bool is_text = !chosen || source != NULL;
	if (!is_text)
		reply_error(reply, 400, "the file %.100s is no text in UTF-8",
					name != NULL ? json_string_value(name) : "");
	if (!chosen || !is_text) {
		json_decref(name);
		source = form_field(request, "source");
		name = form_field(request, "name");
	}
	*sent = json_pack("{s:s, s:o}", "problem", request->id, "options", options_sent(request));
	if (source != NULL)
		json_object_set_new(*sent, "source", source);
	if (json_string_length(name) > 0)
		json_object_set(*sent, "name", name);
	json_decref(name);
	return is_text;
}

/* The page with the editor once more, with all that was sent, and why it is not taken. */
static void show_refused(struct server *server, const struct http_request *request,
						 const json_t *sent, struct http_reply *reply)
{
	const unsigned status = reply->status;
	json_t *why = reply->text != NULL ? json_loadb(reply->text, reply->length, 0, NULL) : NULL;
	const struct page_editor editor = {.source = page_text(sent, "source"),
									   .name = page_text(sent, "name"),
									   .options = json_object_get(sent, "options"),
									   .error = page_text(why, "error"),
									   .option = page_text(why, "option")};
	problem_print(server, request, &editor, status, reply);
	json_decref(why);
}

void page_submit(struct server *server, const struct http_request *request,
				 struct http_reply *reply)
{
	json_t *sent;
	if (submission_sent(request, &sent, reply))
		ask(server, request, json_incref(sent), api_submit, reply);
	json_t *made = reply->status == 202 ? json_loadb(reply->text, reply->length, 0, NULL) : NULL;
	if (made != NULL)
		page_lead(reply, "/submissions/%s", page_text(made, "id"));
	else if (reply->status == 400 || reply->status == 413)
		show_refused(server, request, sent, reply);
	json_decref(made);
	json_decref(sent);
}

void page_withdraw(struct server *server, const struct http_request *request,
				   struct http_reply *reply)
{
	ask(server, request, json_object(), api_withdraw, reply);
	if (reply->status == 200)
		page_lead(reply, "/submissions/%s", request->id);
}

/* ---- what is edited -------------------------------------------------------------------- */

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

/* ?from=ID: what was submitted then, with its name and options, and why it came to no verdict.
 * NULL: there is none that one may see. */
static json_t *submission_to_edit(struct server *server, const struct http_request *request,
								  char **source)
{
	const char *from = request->query(request->context, "from");
	struct http_request other = *request;
	struct http_reply reply = {.status = 0};
	struct error err;
	if (from == NULL || strlen(from) != JOB_ID_DIGITS)
		return NULL;
	memcpy(other.id, from, JOB_ID_TEXT);
	json_t *job = api_visible(server, &other, true, &reply);
	*source = job != NULL ? job_source(server->jobs, other.id, &err) : NULL;
	reply_free(&reply);
	return job;
}

void page_problem(struct server *server, const struct http_request *request,
				  struct http_reply *reply)
{
	const struct problem *problem = problem_find(request->id);
	char *source = NULL;
	json_t *job = submission_to_edit(server, request, &source);
	const char *error = page_text(job, "error");
	const char *option = intake_option_in(error, json_object_get(job, "options"));
	if (source == NULL && problem != NULL)
		source = starter_text(problem);
	const struct page_editor editor = {.source = source != NULL ? source : "",
									   .name = page_text(job, "name"),
									   .options = json_object_get(job, "options"),
									   .error = option != NULL ? error : "",
									   .option = option != NULL ? option : ""};
	problem_print(server, request, &editor, 200, reply);
	json_decref(job);
	free(source);
}
