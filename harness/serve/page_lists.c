/* Lists of submissions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judgement/names.h"
#include "report/clean.h"
#include "report/facts.h"
#include "serve/page.h"

#define ADDRESS 80

static void submission_cell(struct html_table *table, const char *id, const char *name)
{
	char address[ADDRESS];
	snprintf(address, sizeof address, "/submissions/%.32s", id);
	html_table_link(table, address, name);
}

static void state_cell(struct html_table *table, const json_t *job)
{
	const json_int_t place = json_integer_value(json_object_get(job, "place"));
	const double time = page_number(job, "microseconds");
	html_table_cell_open(table);
	if (strcmp(page_text(job, "state"), "done") == 0)
		page_verdict(table->out, page_text(job, "verdict"));
	else
		html_text(table->out, page_text(job, "state"));
	if (json_is_true(json_object_get(job, "practice")))
		fputs(" (practice)", table->out);
	if (place > 0)
		fprintf(table->out, " (place %lld)", (long long)place);
	if (time > 0)
		fprintf(table->out, " <small>%s us</small>", facts_time(time, (char[FACTS_TIME]){0}));
	html_table_cell_close(table);
}

void page_list(FILE *out, const char *caption, const json_t *list, bool users)
{
	static const struct html_column columns[] = {
		{"Submission", COLUMN_NAME},  {"Verdict", COLUMN_SHORT},  {"Problem", COLUMN_SHORT},
		{"Date (UTC)", COLUMN_SHORT}, {"Seconds", COLUMN_NUMBER}, {"User", COLUMN_SHORT}};
	struct html_table table;
	size_t i;
	json_t *job;
	if (json_array_size(list) == 0) {
		html_paragraph(out, "quiet", "There are none.");
		return;
	}
	fputs("<div class=\"list\">\n", out);
	html_table_open(&table, out, caption, columns, users ? 6 : 5);
	json_array_foreach(list, i, job)
	{
		const double seconds = json_number_value(json_object_get(job, "seconds"));
		html_table_row(&table, 0);
		submission_cell(&table, page_text(job, "id"), page_text(job, "name"));
		state_cell(&table, job);
		html_table_text(&table, page_text(job, "problem"));
		page_date_cell(&table, job, "created");
		html_table_format(&table, seconds > 0 ? seconds : NAN, "%.1f", seconds);
		if (users)
			html_table_text(&table, page_text(job, "user"));
	}
	html_table_close(&table);
	fputs("</div>\n", out);
}

/* ---- submissions ------------------------------------------------------------------------ */

/* Of the same user, problem and name. */
static void older_link(const struct served_page *page, json_int_t number)
{
	static const char *const kept[] = {"user", "problem", "name"};
	fprintf(page->out, "<p><a href=\"/submissions?before=%lld", (long long)number);
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		const char *value = page->request->query(page->request->context, kept[i]);
		if (value == NULL || value[0] == '\0')
			continue;
		fprintf(page->out, "&amp;%s=", kept[i]);
		page_value(page->out, value);
	}
	fputs("\">Older ones</a></p>\n", page->out);
}

void page_submissions(struct server *server, const struct http_request *request,
					  struct http_reply *reply)
{
	struct served_page page = {.server = server, .request = request};
	const bool all = page_is_teacher(request) || server->config->public;
	const char *user = request->query(request->context, "user");
	json_t *list = api_jobs(server, request, 0, reply);
	if (list == NULL)
		return;
	if (page_open(&page, "Submissions", reply)) {
		const json_t *last = json_array_get(list, json_array_size(list) - 1);
		if (all && request->user.name[0] != '\0') {
			fputs("<form action=\"/submissions\" class=\"line\"><label for=\"user\">User</label> "
				  "<input id=\"user\" name=\"user\" value=\"",
				  page.out);
			html_text(page.out, user != NULL ? user : "");
			fputs("\"> <button>Show</button></form>\n", page.out);
		}
		page_list(page.out, "The newest first", list, all);
		if (last != NULL && json_integer_value(json_object_get(last, "number")) > 1)
			older_link(&page, json_integer_value(json_object_get(last, "number")));
		page_close(&page, 200, reply);
	}
	json_decref(list);
}
