/* The first page: the problems, and where the rest is. */
#include <stdio.h>
#include <stdlib.h>

#include "report/clean.h"
#include "serve/http.h"
#include "testcases/problem.h"

void page_index(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	size_t count, length;
	char *text = NULL;
	const struct problem *table = problem_table(&count);
	FILE *out = open_memstream(&text, &length);
	(void)request;
	if (out == NULL) {
		reply_text(reply, 503, "text/html; charset=utf-8", NULL);
		return;
	}
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		  "<title>gemmjudge</title></head><body>\n<h1>gemmjudge ",
		  out);
	clean_print_xml(out, server->config->version);
	fputs("</h1>\n<p>Submit with <code>POST /api/submissions</code>. "
		  "<a href=\"/api/problems\">Problems</a>, <a href=\"/api/leaderboard\">leaderboard</a>, "
		  "<a href=\"/api/submissions?mine=1\">your submissions</a>.</p>\n<ul>\n",
		  out);
	for (size_t i = 0; i < count; i++) {
		fputs("<li><b>", out);
		clean_print_xml(out, table[i].name);
		fputs("</b>: ", out);
		clean_print_xml(out, table[i].summary);
		fputs("</li>\n", out);
	}
	fputs("</ul>\n</body></html>\n", out);
	fclose(out);
	reply_text(reply, 200, "text/html; charset=utf-8", text);
}
