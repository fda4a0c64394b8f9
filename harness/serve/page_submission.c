/* The page of a submission: how far it is, what was found, and its source. */
#include <stdlib.h>
#include <string.h>

#include "report/read.h"
#include "serve/intake.h"
#include "serve/page.h"

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

/* Why there is no verdict, and which option is the reason. */
static void error_print(FILE *out, const json_t *job)
{
	const char *error = page_text(job, "error");
	const char *option = intake_option_in(error, json_object_get(job, "options"));
	fprintf(out, "<p class=\"note bad\" data-option=\"%s\">", option != NULL ? option : "");
	html_text(out, error);
	fputs("</p>\n", out);
}

/* What was found in a submission that is done; not `known` of one that has no verdict, or of a
 * result that another version wrote. */
struct found {
	bool known;
	struct report_read report;
	struct error err;
};

static void found_read(const json_t *job, struct found *out)
{
	*out = (struct found){.known = false};
	if (is(job, "state", "done") && page_text(job, "verdict")[0] != '\0')
		out->known = report_read_result(json_object_get(job, "run"), json_object_get(job, "result"),
										&out->report, &out->err);
}

/* Its verdict stands in the job as well. */
static void unknown_print(FILE *out, const json_t *job, const struct error *err)
{
	char line[sizeof err->message + 80];
	fputs("<p class=\"lead\">", out);
	page_verdict(out, page_text(job, "verdict"));
	fputs("</p>\n", out);
	snprintf(line, sizeof line, "What was found cannot be shown: %s", err->message);
	html_paragraph(out, "note bad", line);
}

static void found_print(const struct served_page *page, const json_t *job,
						const struct found *found)
{
	if (json_is_true(json_object_get(job, "practice")))
		html_paragraph(
			page->out, "note",
			"This is practice: it has options of its own, so that it counts for no board "
			"and no class table.");
	if (is(job, "state", "withdrawn"))
		html_paragraph(page->out, "note", "It was withdrawn. Its source is removed.");
	else if (!is(job, "state", "done"))
		state_print(page, job);
	else if (found->known)
		page_result(page->out, &found->report.list.items[0]);
	else if (page_text(job, "verdict")[0] != '\0')
		unknown_print(page->out, job, &found->err);
	else
		error_print(page->out, job);
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
	const struct job_filter filter = {.account = page_text(job, "user_id"),
									  .problem = page_text(job, "problem"),
									  .before = json_integer_value(json_object_get(job, "number")),
									  .limit = 1,
									  .kept = true};
	json_t *list = jobs_list(page->server->jobs, &filter, &err);
	const json_t *before = json_array_get(list, 0);
	char *old =
		before != NULL ? job_source(page->server->jobs, page_text(before, "id"), &err) : NULL;
	if (old != NULL) {
		html_heading(page->out, 2, NULL, "What has changed");
		fprintf(page->out, "<p>Since <a href=\"/submissions/%s\">", page_text(before, "id"));
		html_text(page->out, page_text(before, "name"));
		fputs("</a>, the version before", page->out);
		if (is(job, "state", "done")) { /* else it would seem to be this one's */
			fputs(": ", page->out);
			page_verdict(page->out, page_text(before, "verdict"));
		}
		fputs("</p>\n", page->out);
		page_diff(page->out, old, source);
	}
	free(old);
	json_decref(list);
}

/* What was withdrawn has none any more. */
static void source_print(FILE *out, const json_t *job, const char *source)
{
	if (source == NULL)
		return;
	page_messages(out, source, job);
	html_heading(out, 2, NULL, "Source");
	page_source(out, source, job);
}

void page_submission(struct server *server, const struct http_request *request,
					 struct http_reply *reply)
{
	struct served_page page = {.server = server, .request = request};
	struct error err;
	json_t *job = api_visible(server, request, true, reply);
	if (job == NULL)
		return;
	struct found found;
	found_read(job, &found);
	char *source = job_source(server->jobs, request->id, &err);
	if (is(job, "state", "waiting") || is(job, "state", "judging"))
		page.head = "<noscript><meta http-equiv=\"refresh\" content=\"3\"></noscript>\n";
	if ((source != NULL || is(job, "state", "withdrawn")) &&
		page_open(&page, page_text(job, "name"), reply)) {
		fputs("<section id=\"found\" aria-label=\"What was found\">\n", page.out);
		html_heading(page.out, 2, NULL, "Verdict");
		found_print(&page, job, &found);
		source_print(page.out, job, source);
		if (found.known)
			page_details(page.out, &found.report.list);
		fputs("</section>\n", page.out);
		if (source != NULL)
			fprintf(page.out,
					"<p><a href=\"/problems/%s?from=%s\">Edit it, and submit again</a></p>\n",
					page_text(job, "problem"), page_text(job, "id"));
		facts_print(page.out, job);
		if (source != NULL)
			before_print(&page, job, source);
		page_close(&page, 200, reply);
	}
	if (found.known)
		report_read_free(&found.report);
	free(source);
	json_decref(job);
}
