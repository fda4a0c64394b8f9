/* Lists: submissions, boards, a class. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judgement/names.h"
#include "report/clean.h"
#include "report/facts.h"
#include "report/html/intervals.h"
#include "report/html/plot.h"
#include "serve/page.h"
#include "testcases/problem.h"

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

/* ---- boards ------------------------------------------------------------------------------ */

static bool may_see(const struct served_page *page, const json_t *judgement)
{
	return page->server->config->public || page_is_teacher(page->request) ||
		   strcmp(page_text(judgement, "user"), page->request->user.name) == 0;
}

/* The name that a judgement's author gave the file where it was submitted here, else the file's
 * own. */
static const char *name_of(const json_t *judgement)
{
	const char *name = page_text(judgement, "name");
	return name[0] != '\0' ? name : page_text(judgement, "file");
}

static void who_cells(const struct served_page *page, struct html_table *table, const json_t *item)
{
	const json_t *judgement = json_object_get(item, "judgement");
	const json_int_t rank = json_integer_value(json_object_get(item, "rank"));
	const char *id = page_text(judgement, "submission");
	html_table_row(table, page->request->user.name[0] != '\0' &&
							  strcmp(page_text(judgement, "user"), page->request->user.name) == 0);
	html_table_format(table, (double)rank, "%lld", (long long)rank);
	if (id[0] != '\0' && may_see(page, judgement))
		submission_cell(table, id, name_of(judgement));
	else
		html_table_text(table, name_of(judgement));
}

static void times_plot(FILE *out, const json_t *leaders)
{
	struct html_interval rows[INTERVALS_MOST];
	char finding[256];
	size_t i;
	json_t *item;
	json_array_foreach(leaders, i, item)
	{
		const json_t *time = json_object_get(item, "time");
		const double low = page_number(time, "low_us"), high = page_number(time, "high_us");
		if (i == INTERVALS_MOST)
			break;
		rows[i] = (struct html_interval){.label = name_of(json_object_get(item, "judgement")),
										 .stats = {.median = page_number(time, "median_us"),
												   .min = low,
												   .low = low,
												   .high = high,
												   .p95 = high}};
	}
	if (i == 0)
		return;
	snprintf(finding, sizeof finding, "%.180s takes %s us.", rows[0].label,
			 facts_time(rows[0].stats.median, (char[FACTS_TIME]){0}));
	html_figure_open(out, "Median and its 95% interval", finding);
	html_intervals(out, finding, rows, i);
	html_figure_close(out);
}

static void board_print(const struct served_page *page, const json_t *board)
{
	static const struct html_column columns[] = {
		{"Rank", COLUMN_NUMBER}, {"Submission", COLUMN_NAME},        {"Median, us", COLUMN_NUMBER},
		{"User", COLUMN_SHORT},  {"Of best library", COLUMN_NUMBER}, {"95% from", COLUMN_NUMBER},
		{"to", COLUMN_NUMBER},   {"Date (UTC)", COLUMN_SHORT}};
	struct html_table table;
	char title[512];
	size_t i;
	json_t *item;
	const char *epilogue = page_text(board, "epilogue");
	snprintf(title, sizeof title, "%.32s on %.128s, %.100s%s%.160s", page_text(board, "problem"),
			 page_text(board, "device"), page_text(board, "shape"),
			 epilogue[0] != '\0' ? ", epilogue " : "", epilogue);
	html_heading(page->out, 2, NULL, title);
	html_table_open(&table, page->out, "Who differ by no more than noise share a rank", columns, 8);
	json_array_foreach(json_object_get(board, "leaders"), i, item)
	{
		const json_t *time = json_object_get(item, "time");
		const double ratio = page_number(time, "ratio_to_fastest_library");
		who_cells(page, &table, item);
		page_time_cell(&table, page_number(time, "median_us"));
		html_table_text(&table, page_text(json_object_get(item, "judgement"), "user"));
		html_table_format(&table, ratio, "%.3f", ratio);
		page_time_cell(&table, page_number(time, "low_us"));
		page_time_cell(&table, page_number(time, "high_us"));
		page_date_cell(&table, json_object_get(item, "judgement"), "when");
	}
	html_table_close(&table);
	times_plot(page->out, json_object_get(board, "leaders"));
}

/* Neighbours of one problem, device and epilogue are a table. */
static void standings_print(const struct served_page *page, const json_t *list)
{
	static const struct html_column columns[] = {
		{"Rank", COLUMN_NUMBER}, {"Submission", COLUMN_NAME},    {"Verdict", COLUMN_SHORT},
		{"User", COLUMN_SHORT},  {"Right cases", COLUMN_NUMBER}, {"Date (UTC)", COLUMN_SHORT}};
	struct html_table table;
	char title[512] = "", before[512];
	size_t i;
	json_t *item;
	json_array_foreach(list, i, item)
	{
		const json_t *judgement = json_object_get(item, "judgement");
		const char *epilogue = page_text(judgement, "epilogue");
		const double right = page_number(judgement, "cases_accepted");
		memcpy(before, title, sizeof before);
		snprintf(title, sizeof title, "%.32s on %.128s%s%.160s: by correctness",
				 page_text(judgement, "problem"), page_text(judgement, "device"),
				 epilogue[0] != '\0' ? ", epilogue " : "", epilogue);
		if (strcmp(title, before) != 0) {
			if (i > 0)
				html_table_close(&table);
			html_heading(page->out, 2, NULL, title);
			html_table_open(&table, page->out, "Not timed: ranked by how many cases are right",
							columns, 6);
		}
		who_cells(page, &table, item);
		html_table_cell_open(&table);
		page_verdict(page->out, page_text(judgement, "verdict"));
		html_table_cell_close(&table);
		html_table_text(&table, page_text(judgement, "user"));
		html_table_format(&table, right, "%.0f of %.0f", right,
						  page_number(judgement, "cases_total"));
		page_date_cell(&table, judgement, "when");
	}
	if (i > 0)
		html_table_close(&table);
}

void page_boards(struct server *server, const struct http_request *request,
				 struct http_reply *reply)
{
	struct served_page page = {.server = server, .request = request};
	const struct problem *problem = NULL;
	char title[96];
	size_t i;
	json_t *board;
	if (strcmp(request->path, "/boards") != 0 && (problem = problem_find(request->id)) == NULL) {
		reply_error(reply, 404, "there is no problem '%s'", request->id);
		return;
	}
	snprintf(title, sizeof title, "Leaderboard%s%.40s", problem != NULL ? " of " : "",
			 problem != NULL ? problem->name : "");
	if (!page_open(&page, title, reply))
		return;
	json_t *all = boards_json(server->boards, problem != NULL ? problem->name : NULL);
	const json_t *boards = json_object_get(all, "boards"),
				 *standings = json_object_get(all, "by_correctness");
	if (problem != NULL)
		fprintf(page.out,
				"<p><a href=\"/problems/%s\">Submit a solution</a>, or see <a href=\"/boards\">all "
				"boards</a>.</p>\n",
				problem->name);
	if (json_array_size(boards) + json_array_size(standings) == 0)
		html_paragraph(page.out, NULL, "Nothing is ranked yet.");
	json_array_foreach(boards, i, board) board_print(&page, board);
	standings_print(&page, standings);
	json_decref(all);
	page_close(&page, 200, reply);
}
