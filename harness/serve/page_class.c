/* A teacher's view: who has solved what. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judgement/names.h"
#include "report/clean.h"
#include "report/facts.h"
#include "serve/page.h"
#include "testcases/problem.h"

#define PROBLEMS_MOST 64

struct class
{
	json_t *users; /* of jobs_class() */
	size_t count;
	const char *problems[PROBLEMS_MOST]; /* those that anybody tried */
};

static const json_t *best_of(const json_t *user, const char *problem)
{
	return json_object_get(json_object_get(user, "best"), problem);
}

/* Whether there is no standard judgement, so that it counts for nothing. */
static bool is_practice(const json_t *best)
{
	return json_is_true(json_object_get(best, "practice"));
}

static bool is_solved(const json_t *best)
{
	return !is_practice(best) && verdict_is(page_text(best, "verdict"), VERDICT_ACCEPTED);
}

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
		bool tried = false;
		for (size_t k = 0; k < json_array_size(out->users); k++)
			tried = tried || best_of(json_array_get(out->users, k), table[i].name) != NULL;
		if (tried && out->count < PROBLEMS_MOST)
			out->problems[out->count++] = table[i].name;
	}
	return true;
}

/* All of a user's, or those for a problem. */
static void list_link(FILE *out, const char *user, const char *problem)
{
	fputs("<a href=\"/submissions?user=", out);
	page_value(out, user);
	if (problem != NULL)
		fprintf(out, "&amp;problem=%s", problem);
	fputs("\">", out);
}

static void cell_print(struct html_table *table, const char *user, const char *problem,
					   const json_t *best)
{
	FILE *out = table->out;
	const json_int_t count = json_integer_value(json_object_get(best, "submissions"));
	const double time = page_number(best, "microseconds");
	html_table_cell_open(table);
	if (best != NULL) {
		fprintf(out, "<a href=\"/submissions/%.32s\">", page_text(best, "id"));
		page_verdict(out, page_text(best, "verdict"));
		fprintf(out, "</a>%s <small>", is_practice(best) ? " (practice)" : "");
		if (time > 0)
			fprintf(out, "%s us, ", facts_time(time, (char[FACTS_TIME]){0}));
		list_link(out, user, problem);
		fprintf(out, "%lld submitted</a></small>", (long long)count);
	}
	html_table_cell_close(table);
}

/* "Solved: sgemm by 3 of 13." */
static void solved_print(FILE *out, const struct class *class)
{
	fputs("<p>Solved:", out);
	for (size_t i = 0; i < class->count; i++) {
		const size_t count = json_array_size(class->users);
		size_t solved = 0;
		for (size_t k = 0; k < count; k++)
			solved += is_solved(best_of(json_array_get(class->users, k), class->problems[i]));
		fprintf(out, "%s %s by %zu of %zu", i > 0 ? "," : "", class->problems[i], solved, count);
	}
	fputs(class->count > 0 ? ".</p>\n" : " nothing yet.</p>\n", out);
}

static void row_print(struct html_table *table, const struct class *class, const json_t *one)
{
	const char *user = page_text(one, "user");
	html_table_row(table, 0);
	html_table_cell_open(table);
	list_link(table->out, user, NULL);
	html_name(table->out, user[0] != '\0' ? user : "nobody");
	fputs("</a>", table->out);
	html_table_cell_close(table);
	for (size_t i = 0; i < class->count; i++)
		cell_print(table, user, class->problems[i], best_of(one, class->problems[i]));
}

void page_class(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	struct served_page page = {.server = server, .request = request};
	struct html_column columns[PROBLEMS_MOST + 1] = {{"User", COLUMN_NAME}};
	struct html_table table;
	struct class class;
	if (class_make(server, request, &class, reply) && page_open(&page, "Class", reply)) {
		solved_print(page.out, &class);
		fputs("<div class=\"class\">\n", page.out);
		for (size_t i = 0; i < class.count; i++)
			columns[i + 1] = (struct html_column){class.problems[i], COLUMN_SHORT};
		html_table_open(&table, page.out,
						"The fastest accepted submission, else the last one, of those that were "
						"judged as all are; a name leads to all that its user submitted",
						columns, class.count + 1);
		for (size_t i = 0; i < json_array_size(class.users); i++)
			row_print(&table, &class, json_array_get(class.users, i));
		html_table_close(&table);
		fputs("</div>\n<p><a href=\"/class.csv\">The same as CSV</a></p>\n", page.out);
		page_close(&page, 200, reply);
	}
	json_decref(class.users);
}

void page_csv(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	struct class class;
	char *text = NULL;
	size_t length;
	size_t k;
	json_t *user;
	if (!class_make(server, request, &class, reply))
		return;
	FILE *out = open_memstream(&text, &length);
	if (out != NULL) {
		fputs("user", out);
		for (size_t i = 0; i < class.count; i++)
			fprintf(out, ",%s", class.problems[i]);
		fputs("\r\n", out);
		json_array_foreach(class.users, k, user)
		{
			clean_print_csv(out, page_text(user, "user"));
			for (size_t i = 0; i < class.count; i++) {
				fputc(',', out);
				const json_t *best = best_of(user, class.problems[i]);
				clean_print_csv(out, is_practice(best) ? "practice" : page_text(best, "verdict"));
			}
			fputs("\r\n", out);
		}
		fclose(out);
	}
	reply_text(reply, 200, "text/csv; charset=utf-8", text);
	json_decref(class.users);
}
