/* The page of a submission: where it ranks, and what it was at each time. */
#include <stdio.h>
#include <string.h>

#include "report/html/page.h"
#include "site/history.h"

#define LINE 512

/* Names under which the content was judged, each once. */
static void names_print(FILE *out, const struct page_submission *submission)
{
	for (size_t i = 0; i < submission->count; i++) {
		bool known = false;
		for (size_t k = 0; k < i && !known; k++)
			known = strcmp(submission->runs[k]->file, submission->runs[i]->file) == 0;
		if (!known)
			html_fact(out, i == 0 ? "File" : "also", submission->runs[i]->file);
	}
}

static void facts_print(FILE *out, const struct page_submission *submission)
{
	const struct measured *first = submission->runs[0];
	const struct measured *last = submission->runs[submission->count - 1];
	char line[LINE];
	html_facts_open(out);
	names_print(out, submission);
	html_fact(out, "Content", submission->content);
	snprintf(line, sizeof line, "%zu, from %.10s to %.10s", submission->count, first->when,
			 last->when);
	html_fact(out, "Runs", line);
	html_facts_close(out);
}

/* ---- where it ranks --------------------------------------------------------------------- */

static const struct leader *leader_of(const struct board *board, const char *content)
{
	for (size_t i = 0; i < board->count; i++)
		if (strcmp(board->leaders[i].run->content, content) == 0)
			return &board->leaders[i];
	return NULL;
}

static void rank_print(struct html_table *table, const struct field *field,
					   const struct board *board, const struct leader *leader)
{
	char title[SITE_TITLE], shape[MEASURED_SHAPE], anchor[SITE_ANCHOR];
	char address[FOLDER_NAME + SITE_ANCHOR + 1];
	site_title(field, title);
	measured_shape(board->time, shape);
	site_anchor(field, board, anchor);
	snprintf(address, sizeof address, "%s#%s", field->page, anchor);
	html_table_row(table, 0);
	html_table_text(table, title);
	html_table_link(table, address, shape);
	html_table_format(table, (double)leader->rank, "%zu of %zu", leader->rank, board->count);
	site_time_cell(table, leader->time->median);
	site_time_cell(table, leader->time->low);
	site_time_cell(table, leader->time->high);
	site_ratio_cell(table, measured_ratio(leader->time));
	html_table_text(table, leader->time->library);
	html_table_format(table, (double)leader->run->id, "#%lld", (long long)leader->run->id);
}

static void ranks_print(FILE *out, const struct site *site,
						const struct page_submission *submission)
{
	static const struct html_column columns[] = {{"Board", COLUMN_NAME},
												 {"Shape", COLUMN_SHORT},
												 {"Rank", COLUMN_NUMBER},
												 {"Median, us", COLUMN_NUMBER},
												 {"95% from", COLUMN_NUMBER},
												 {"to", COLUMN_NUMBER},
												 {"Of best library", COLUMN_NUMBER},
												 {"Library", COLUMN_WORDS},
												 {"Run", COLUMN_NUMBER}};
	struct html_table table;
	bool any = false;
	for (size_t i = 0; i < site->field_count; i++)
		for (size_t k = 0; k < site->fields[i].count; k++) {
			const struct board *board = &site->fields[i].boards[k];
			const struct leader *leader = leader_of(board, submission->content);
			if (leader == NULL)
				continue;
			if (!any)
				html_table_open(&table, out, "The best run of this content on each board", columns,
								sizeof columns / sizeof *columns);
			any = true;
			rank_print(&table, &site->fields[i], board, leader);
		}
	if (any)
		html_table_close(&table);
}

/* Why it ranks nowhere on a problem and device. */
static void left_out_print(FILE *out, const struct site *site,
						   const struct page_submission *submission)
{
	for (size_t i = 0; i < site->all->left_out_count; i++) {
		const struct left_out *one = &site->all->left_out[i];
		char line[LINE + LEFT_OUT_WHY], why[LEFT_OUT_WHY];
		if (strcmp(one->run->content, submission->content) != 0)
			continue;
		left_out_why(one, why);
		snprintf(line, sizeof line, "Not ranked for %s on %s: %s.", one->run->problem,
				 one->run->device, why);
		html_paragraph(out, "note", line);
	}
}

static void later_print(FILE *out, const struct site *site, const struct history *history)
{
	if (history->later == NULL)
		return;
	fprintf(out, "<p class=\"note\">The file has changed since: <a href=\"%s\">",
			site_submission(site, history->later)->page);
	html_text(out, history->later->file);
	fputs("</a> as it is now has all that it was.</p>\n", out);
}

bool submission_print(FILE *out, const struct site *site, const struct page_submission *submission)
{
	const struct measured *last = submission->runs[submission->count - 1];
	const char *slash = strrchr(last->file, '/');
	const char *name = slash != NULL ? slash + 1 : last->file;
	struct history history;
	if (!history_make(site, submission, &history))
		return false;
	html_open(out, name, site->version);
	fputs("<header>\n<p><a href=\"index.html\">Leaderboard</a></p>\n", out);
	html_heading(out, 1, NULL, name);
	fputs("</header>\n", out);
	facts_print(out, submission);
	later_print(out, site, &history);
	html_heading(out, 2, NULL, "Ranks");
	left_out_print(out, site, submission);
	ranks_print(out, site, submission);
	history_times(out, &history);
	bool ok = history_runs(out, &history);
	html_close(out, site->version);
	history_free(&history);
	return ok;
}
