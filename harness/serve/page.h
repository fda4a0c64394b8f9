/* What the pages for people share. Whatever a stranger wrote goes through html_text(). Internal to
 * serve/. */
#ifndef GEMMJUDGE_SERVE_PAGE_H
#define GEMMJUDGE_SERVE_PAGE_H

#include "report/html/page.h"
#include "report/html/table.h"
#include "serve/http.h"
#include "testcases/problem.h"

/* What the build takes from serve.css and serve.js. */
extern const char serve_style[], serve_script[], serve_style_hash[], serve_script_hash[];

struct served_page {
	FILE *out;
	char *text;
	size_t length;
	struct server *server;
	const struct http_request *request;
	const char *head; /* elements that stand before those of all pages; NULL: none */
};

/* Its head, the links to the others, and the heading. False, with the reply made: memory is short.
 */
bool page_open(struct served_page *page, const char *title, struct http_reply *reply);
/* The foot; the reply is the page. */
void page_close(struct served_page *page, unsigned status, struct http_reply *reply);

/* page_login.c: leads to the page that takes a token, and remembers what was asked for. */
void page_ask_who(struct server *server, const struct http_request *request,
				  struct http_reply *reply);
/* The page of ours that ?next= names; "/" where it names anything else. */
const char *page_next(const struct http_request *request);

/* A text as the value of a query: nothing is left in it that means something in a URL, or in HTML.
 */
void page_value(FILE *out, const char *text);

/* Leads to an address of ours. */
void page_lead(struct http_reply *reply, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* page_cells.c: a member's text, "" where it has none; its number, else NaN; a date without its
 * seconds. */
const char *page_text(const json_t *json, const char *member);
double page_number(const json_t *json, const char *member);
void page_time_cell(struct html_table *table, double microseconds);
void page_date_cell(struct html_table *table, const json_t *json, const char *member);
/* A verdict by its name, or words. */
void page_verdict(FILE *out, const char *name);

/* page_lists.c: submissions in a table, as api_list() lists them. */
void page_list(FILE *out, const char *caption, const json_t *list, bool users);

/* What the page with the editor has in its head. */
const char *page_editor_head(void);

bool page_is_teacher(const struct http_request *request);

/* page_limits.c: what this server judges with. */
void page_limits(FILE *out, const struct server *server, const struct http_request *request,
				 const struct problem *problem);

/* What differs from one text to the other, line by line. */
void page_diff(FILE *out, const char *before, const char *after);

/* page_verdict.c: what was found in a submission, in few words; and its cases and times. */
void page_result(FILE *out, const struct judgement *item);
void page_details(FILE *out, const struct judgement_list *list); /* of one submission */

/* page_source.c: what the compiler said, with links to the lines of the source; and the source,
 * with what was found at its lines below them. */
void page_messages(FILE *out, const char *source, const json_t *job);
void page_source(FILE *out, const char *source, const json_t *job);

/* page_statement.c: an example with numbers, and what counts as right. */
void page_example(FILE *out, const struct problem *problem);
void page_tolerance(FILE *out, const struct problem *problem);

/* page_editor.c: the form that submits, as it was sent or is to begin. */
struct page_editor {
	const char *source, *name;  /* "": the server gives one */
	const json_t *options;      /* of a submission; NULL: none is chosen */
	const char *error, *option; /* why it was not taken, and the option that is wrong; or "" */
};
void page_editor_print(FILE *out, const struct problem *problem, const struct page_editor *editor);

#endif
