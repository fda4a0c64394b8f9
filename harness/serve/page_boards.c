/* Leaderboards, as far as who looks at them may see them (board_view.c). */
#include <math.h>
#include <string.h>

#include "judgement/names.h"
#include "report/facts.h"
#include "report/html/intervals.h"
#include "report/html/plot.h"
#include "serve/page.h"
#include "testcases/problem.h"

#define ADDRESS 80

/* Whether others' submissions are shown, too. */
static bool sees_all(const struct served_page *page)
{
	return page_is_teacher(page->request) || page->server->config->public;
}

/* What stands for a leader in a picture. */
static const char *label_of(const json_t *judgement)
{
	const char *name = page_text(judgement, "name");
	return name[0] != '\0' ? name : page_text(judgement, "user");
}

/* The row with its rank, its user, and for who sees all a link to the submission. */
static void who_cells(const struct served_page *page, struct html_table *table, const json_t *item)
{
	const json_t *judgement = json_object_get(item, "judgement");
	const json_int_t rank = json_integer_value(json_object_get(item, "rank"));
	char address[ADDRESS];
	html_table_row(table,
				   page->request->user.id[0] != '\0' && api_is_own(page->request, judgement));
	html_table_format(table, (double)rank, "%lld", (long long)rank);
	html_table_text(table, page_text(judgement, "user"));
	if (!sees_all(page))
		return;
	snprintf(address, sizeof address, "/submissions/%.32s", page_text(judgement, "submission"));
	html_table_link(table, address, page_text(judgement, "name"));
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
		rows[i] = (struct html_interval){.label = label_of(json_object_get(item, "judgement")),
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
	static const struct html_column columns[] = {{"Rank", COLUMN_NUMBER},
												 {"User", COLUMN_SHORT},
												 {"Submission", COLUMN_NAME},
												 {"Median, us", COLUMN_NUMBER},
												 {"95% from", COLUMN_NUMBER},
												 {"to", COLUMN_NUMBER},
												 {"Of best library", COLUMN_NUMBER},
												 {"Date (UTC)", COLUMN_SHORT}};
	static const struct html_column few[] = {
		{"Rank", COLUMN_NUMBER}, {"User", COLUMN_NAME}, {"Median, us", COLUMN_NUMBER}};
	const bool all = sees_all(page);
	struct html_table table;
	char title[512];
	size_t i;
	json_t *item;
	const char *epilogue = page_text(board, "epilogue");
	snprintf(title, sizeof title, "%.32s on %.128s, %.100s%s%.160s", page_text(board, "problem"),
			 page_text(board, "device"), page_text(board, "shape"),
			 epilogue[0] != '\0' ? ", epilogue " : "", epilogue);
	html_heading(page->out, 2, NULL, title);
	html_table_open(&table, page->out, "Who differ by no more than noise share a rank",
					all ? columns : few, all ? 8 : 3);
	json_array_foreach(json_object_get(board, "leaders"), i, item)
	{
		const json_t *time = json_object_get(item, "time");
		const double ratio = page_number(time, "ratio_to_fastest_library");
		who_cells(page, &table, item);
		page_time_cell(&table, page_number(time, "median_us"));
		if (!all)
			continue;
		page_time_cell(&table, page_number(time, "low_us"));
		page_time_cell(&table, page_number(time, "high_us"));
		html_table_format(&table, ratio, "%.3f", ratio);
		page_date_cell(&table, json_object_get(item, "judgement"), "when");
	}
	html_table_close(&table);
	if (all)
		times_plot(page->out, json_object_get(board, "leaders"));
}

/* Neighbours of one problem, device and epilogue are a table. */
static void standings_print(const struct served_page *page, const json_t *list)
{
	static const struct html_column columns[] = {
		{"Rank", COLUMN_NUMBER},   {"User", COLUMN_SHORT},         {"Submission", COLUMN_NAME},
		{"Verdict", COLUMN_SHORT}, {"Right cases", COLUMN_NUMBER}, {"Date (UTC)", COLUMN_SHORT}};
	static const struct html_column few[] = {
		{"Rank", COLUMN_NUMBER}, {"User", COLUMN_NAME}, {"Verdict", COLUMN_SHORT}};
	const bool all = sees_all(page);
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
							all ? columns : few, all ? 6 : 3);
		}
		who_cells(page, &table, item);
		html_table_cell_open(&table);
		page_verdict(page->out, json_object_get(judgement, "verdict") != NULL
									? page_text(judgement, "verdict")
									: verdict_name(VERDICT_ACCEPTED));
		html_table_cell_close(&table);
		if (!all)
			continue;
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
	json_t *all = api_boards(server, request, problem != NULL ? problem->name : NULL);
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
