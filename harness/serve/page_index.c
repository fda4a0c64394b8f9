/* The first page: the problems, and the latest submissions of who asks. */
#include "serve/page.h"
#include "testcases/problem.h"

#define LATEST 10

static void problems_print(FILE *out)
{
	static const struct html_column columns[] = {
		{"Problem", COLUMN_SHORT}, {"What it computes", COLUMN_SENTENCE}, {"", COLUMN_SHORT}};
	struct html_table table;
	char address[80];
	size_t count;
	const struct problem *problems = problem_table(&count);
	html_table_open(&table, out, "Choose one to submit a solution", columns, 3);
	for (size_t i = 0; i < count; i++) {
		html_table_row(&table, 0);
		snprintf(address, sizeof address, "/problems/%s", problems[i].name);
		html_table_link(&table, address, problems[i].name);
		html_table_text(&table, problems[i].summary);
		snprintf(address, sizeof address, "/boards/%s", problems[i].name);
		html_table_link(&table, address, "board");
	}
	html_table_close(&table);
}

void page_index(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	struct served_page page = {.server = server, .request = request};
	json_t *own = api_jobs(server, request, LATEST, reply);
	if (own == NULL)
		return;
	if (page_open(&page, "Problems", reply)) {
		problems_print(page.out);
		html_heading(page.out, 2, NULL, "Your latest submissions");
		page_list(page.out, "The newest first", own, false);
		page_close(&page, 200, reply);
	}
	json_decref(own);
}
