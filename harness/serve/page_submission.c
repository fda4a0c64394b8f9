/* The page of a submission: how far it is, what was found, and its source. */
#include <stdlib.h>
#include <string.h>

#include "serve/page.h"

#define NOTES_MOST 32
#define LINES_MOST 20000

/* ---- its source ---------------------------------------------------------------------- */

struct note {
	long line;
	const char *text; /* borrowed */
	size_t length;
};

struct notes {
	size_t count;
	struct note at[NOTES_MOST];
};

/* Where a text names a line of the file, "mine.cu(24)" or "mine.cu:36": *end is behind it; 0 where
 * it does not. */
static long line_named(const char *name, const char *text, size_t length, const char **end)
{
	const size_t named = strlen(name);
	for (const char *at = text; named > 0 && (at = strstr(at, name)) != NULL && at < text + length;
		 at += named)
		if ((at[named] == '(' || at[named] == ':') && at[named + 1] >= '1' &&
			at[named + 1] <= '9') {
			char *behind;
			const long line = strtol(at + named + 1, &behind, 10);
			*end = behind + strspn(behind, "):, ");
			return line;
		}
	return 0;
}

static void note_add(struct notes *notes, long line, const char *text, size_t length)
{
	for (size_t i = 0; i < notes->count; i++)
		if (notes->at[i].line == line && notes->at[i].length == length &&
			strncmp(notes->at[i].text, text, length) == 0)
			return;
	if (line > 0 && length > 0 && notes->count < NOTES_MOST)
		notes->at[notes->count++] = (struct note){line, text, length};
}

/* Each message of the compiler, what failed, and the hints, which are of the first of them. */
static void notes_find(struct notes *notes, const json_t *job)
{
	const json_t *result = json_object_get(job, "result");
	const char *log = page_text(json_object_get(result, "compile"), "log"), *end = NULL;
	const char *detail = page_text(result, "detail"), *name = page_text(job, "name");
	size_t i;
	json_t *hint;
	notes->count = 0;
	for (const char *at = log; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
		const size_t length = strcspn(at, "\n");
		const long line = line_named(name, at, length, &end);
		if (line > 0 && end < at + length)
			note_add(notes, line, end, (size_t)(at + length - end));
	}
	note_add(notes, line_named(name, detail, strlen(detail), &end), detail, strlen(detail));
	json_array_foreach(json_object_get(result, "hints"), i, hint)
	{
		const char *text = json_is_string(hint) ? json_string_value(hint) : "";
		if (notes->count > 0)
			note_add(notes, notes->at[0].line, text, strlen(text));
	}
}

static void piece_print(FILE *out, const char *text, size_t length)
{
	char *piece = strndup(text, length);
	html_text(out, piece != NULL ? piece : "");
	free(piece);
}

void page_source(FILE *out, const char *source, const json_t *job)
{
	struct notes notes;
	long line = 1;
	notes_find(&notes, job);
	fputs("<div class=\"scroll source\" tabindex=\"0\" role=\"region\" aria-label=\"Source\">\n"
		  "<ol>\n",
		  out);
	for (const char *at = source; *at != '\0' && line <= LINES_MOST; line++) {
		const size_t length = strcspn(at, "\n");
		fprintf(out, "<li id=\"line-%ld\"><code>", line);
		piece_print(out, at, length);
		fputs("</code>", out);
		for (size_t i = 0; i < notes.count; i++)
			if (notes.at[i].line == line) {
				fprintf(out, "<p class=\"note bad\"><strong>Line %ld:</strong> ", line);
				piece_print(out, notes.at[i].text, notes.at[i].length);
				fputs("</p>", out);
			}
		fputs("</li>\n", out);
		at += length + (at[length] == '\n');
	}
	fputs("</ol>\n</div>\n", out);
	if (line > LINES_MOST)
		html_paragraph(out, "quiet", "The lines behind these are not shown.");
}

/* ---- how far it is --------------------------------------------------------------------- */

static bool is(const json_t *job, const char *member, const char *value)
{
	return strcmp(page_text(job, member), value) == 0;
}

static void state_print(const struct served_page *page, const json_t *job)
{
	FILE *out = page->out;
	const char *id = page_text(job, "id");
	const json_int_t place = json_integer_value(json_object_get(job, "place"));
	fprintf(out, "<p id=\"live\" role=\"status\" data-submission=\"%s\">%s", id,
			is(job, "state", "waiting") ? "It waits" : "It is being judged");
	if (place > 0)
		fprintf(out, ", place %lld in the queue", (long long)place);
	fputs(".</p>\n", out);
	if (is(job, "state", "waiting"))
		fprintf(out,
				"<form method=\"post\" action=\"/submissions/%s/withdraw\">"
				"<button>Withdraw</button></form>\n",
				id);
}

static void found_print(const struct served_page *page, const json_t *job)
{
	if (is(job, "state", "withdrawn"))
		html_paragraph(page->out, "note", "It was withdrawn.");
	else if (!is(job, "state", "done"))
		state_print(page, job);
	else if (page_text(job, "verdict")[0] != '\0')
		page_result(page->out, job);
	else
		html_paragraph(page->out, "note bad", page_text(job, "error"));
}

static void facts_print(FILE *out, const json_t *job)
{
	char date[24], seconds[32], *options = json_dumps(json_object_get(job, "options"), 0);
	snprintf(date, sizeof date, "%.19s", page_text(job, "created"));
	snprintf(seconds, sizeof seconds, "%.1f s", json_number_value(json_object_get(job, "seconds")));
	if (strlen(date) > 10)
		date[10] = ' ';
	html_facts_open(out);
	html_fact(out, "Problem", page_text(job, "problem"));
	html_fact(out, "User", page_text(job, "user"));
	html_fact(out, "Submitted (UTC)", date);
	html_fact(out, "Judging", seconds);
	html_fact(out, "Options",
			  options != NULL && strcmp(options, "{}") != 0 && strcmp(options, "null") != 0
				  ? options
				  : "");
	html_facts_close(out);
	free(options);
}

/* What the same user submitted before for the problem, and what has changed since. */
static void before_print(const struct served_page *page, const json_t *job, const char *source)
{
	struct error err;
	const struct job_filter filter = {.account = page_text(job, "user"),
									  .problem = page_text(job, "problem"),
									  .before = json_integer_value(json_object_get(job, "number")),
									  .limit = 1};
	json_t *list = jobs_list(page->server->jobs, &filter, &err);
	const json_t *before = json_array_get(list, 0);
	char *old =
		before != NULL ? job_source(page->server->jobs, page_text(before, "id"), &err) : NULL;
	if (old != NULL) {
		html_heading(page->out, 2, NULL, "What has changed");
		fprintf(page->out, "<p>Since <a href=\"/submissions/%s\">", page_text(before, "id"));
		html_text(page->out, page_text(before, "name"));
		fputs("</a>, the version before: ", page->out);
		page_verdict(page->out, page_text(before, "verdict"));
		fputs("</p>\n", page->out);
		page_diff(page->out, old, source);
	}
	free(old);
	json_decref(list);
}

void page_submission(struct server *server, const struct http_request *request,
					 struct http_reply *reply)
{
	struct served_page page = {.server = server, .request = request};
	struct error err;
	json_t *job = api_visible(server, request, true, reply);
	if (job == NULL)
		return;
	char *source = job_source(server->jobs, request->id, &err);
	if (is(job, "state", "waiting") || is(job, "state", "judging"))
		page.head = "<noscript><meta http-equiv=\"refresh\" content=\"3\"></noscript>\n";
	if (source != NULL && page_open(&page, page_text(job, "name"), reply)) {
		fputs("<section id=\"found\" aria-label=\"What was found\">\n", page.out);
		html_heading(page.out, 2, NULL, "Verdict");
		found_print(&page, job);
		html_heading(page.out, 2, NULL, "Source");
		page_source(page.out, source, job);
		page_details(page.out, job);
		fputs("</section>\n", page.out);
		fprintf(page.out, "<p><a href=\"/problems/%s?from=%s\">Edit it, and submit again</a></p>\n",
				page_text(job, "problem"), page_text(job, "id"));
		facts_print(page.out, job);
		before_print(&page, job, source);
		page_close(&page, 200, reply);
	}
	free(source);
	json_decref(job);
}
