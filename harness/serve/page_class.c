/* A teacher's view: who has solved what. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "serve/page.h"
#include "testcases/problem.h"

#define PROBLEMS_MOST 64

struct class
{
	json_t *users; /* an object: by users' names an object, by problems' names the best */
	size_t count;
	const char *problems[PROBLEMS_MOST]; /* those that anybody tried */
};

static bool class_make(struct server *server, const struct http_request *request, struct class *out,
					   struct http_reply *reply)
{
	struct error err;
	size_t count;
	const struct problem *table = problem_table(&count);
	*out = (struct class){.users = NULL};
	if (!page_is_teacher(request)) {
		reply_error(reply, 403, "this is for teachers");
		return false;
	}
	out->users = jobs_class(server->jobs, &err);
	if (out->users == NULL) {
		server->config->tell(err.message);
		reply_error(reply, 503, "the server cannot do this now; try again");
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		const char *user;
		json_t *best;
		bool tried = false;
		json_object_foreach(out->users, user, best) tried =
			tried || json_object_get(best, table[i].name) != NULL;
		if (tried && out->count < PROBLEMS_MOST)
			out->problems[out->count++] = table[i].name;
	}
	return true;
}

static void cell_print(struct html_table *table, const json_t *best)
{
	html_table_cell_open(table);
	if (best != NULL) {
		fprintf(table->out, "<a href=\"/submissions/%.32s\">", page_text(best, "id"));
		page_verdict(table->out, page_text(best, "verdict"));
		fprintf(table->out, "</a> (%lld)",
				(long long)json_integer_value(json_object_get(best, "submissions")));
	}
	html_table_cell_close(table);
}

void page_class(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	struct served_page page = {.server = server, .request = request};
	struct html_column columns[PROBLEMS_MOST + 1] = {{"User", COLUMN_NAME}};
	struct html_table table;
	struct class class;
	char address[128];
	const char *user;
	json_t *best;
	if (class_make(server, request, &class, reply) && page_open(&page, "Class", reply)) {
		html_paragraph(page.out, NULL,
					   "For each user and problem an accepted submission, else the last one; in "
					   "brackets how many were judged.");
		for (size_t i = 0; i < class.count; i++)
			columns[i + 1] = (struct html_column){class.problems[i], COLUMN_SHORT};
		html_table_open(&table, page.out, "Users by problems", columns, class.count + 1);
		json_object_foreach(class.users, user, best)
		{
			html_table_row(&table, 0);
			/* a user's name is letters, digits, . _ - (store/accounts.h) */
			snprintf(address, sizeof address, "/submissions?user=%s", user);
			html_table_link(&table, address, user[0] != '\0' ? user : "nobody");
			for (size_t i = 0; i < class.count; i++)
				cell_print(&table, json_object_get(best, class.problems[i]));
		}
		html_table_close(&table);
		fputs("<p><a href=\"/class.csv\">The same as CSV</a></p>\n", page.out);
		page_close(&page, 200, reply);
	}
	json_decref(class.users);
}

void page_csv(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	struct class class;
	char *text = NULL;
	size_t length;
	const char *user;
	json_t *best;
	if (!class_make(server, request, &class, reply))
		return;
	FILE *out = open_memstream(&text, &length);
	if (out != NULL) {
		fputs("user", out);
		for (size_t i = 0; i < class.count; i++)
			fprintf(out, ",%s", class.problems[i]);
		fputs("\r\n", out);
		json_object_foreach(class.users, user, best)
		{
			clean_print_csv(out, user);
			for (size_t i = 0; i < class.count; i++) {
				fputc(',', out);
				clean_print_csv(out,
								page_text(json_object_get(best, class.problems[i]), "verdict"));
			}
			fputs("\r\n", out);
		}
		fclose(out);
	}
	reply_text(reply, 200, "text/csv; charset=utf-8", text);
	json_decref(class.users);
}
