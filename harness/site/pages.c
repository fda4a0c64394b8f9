#include "site/pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "report/facts.h"
#include "report/html/page.h"

#define PAGE_DIGITS 32 /* of a hash, at least */

/* ---- who is there ---------------------------------------------------------------------- */

/* A name that is safe in a folder and an address, whatever the text is. */
static void page_name(const char *start, const char *text, char out[FOLDER_NAME])
{
	struct hash hash;
	char digest[HASH_TEXT];
	size_t digits = strspn(text, "0123456789abcdef");
	if (digits >= PAGE_DIGITS && digits <= HASH_DIGITS && text[digits] == '\0') {
		snprintf(out, FOLDER_NAME, "%s%s.html", start, text);
		return;
	}
	hash_begin(&hash);
	hash_add_text(&hash, text);
	hash_end(&hash, digest);
	snprintf(out, FOLDER_NAME, "%s%.*s.html", start, PAGE_DIGITS, digest);
}

static struct page_submission *submission_of(struct site *site, const char *content)
{
	for (size_t i = 0; i < site->submission_count; i++)
		if (strcmp(site->submissions[i].content, content) == 0)
			return &site->submissions[i];
	struct page_submission *more =
		realloc(site->submissions, (site->submission_count + 1) * sizeof *more);
	if (more == NULL)
		return NULL;
	site->submissions = more;
	more += site->submission_count++;
	*more = (struct page_submission){.content = content};
	page_name("", content, more->page);
	return more;
}

static bool submission_add(struct site *site, const struct measured *run)
{
	struct page_submission *submission = submission_of(site, run->content);
	void *more = submission != NULL
					 ? realloc(submission->runs, (submission->count + 1) * sizeof *submission->runs)
					 : NULL;
	if (more == NULL)
		return false;
	submission->runs = more;
	submission->runs[submission->count++] = run;
	return true;
}

static bool fields_make(struct site *site)
{
	const struct leaderboard *all = site->all;
	site->fields = calloc(all->board_count + 1, sizeof *site->fields);
	for (size_t i = 0; i < all->board_count && site->fields != NULL; i++) {
		const struct board *board = &all->boards[i];
		if (i == 0 || !measured_same_field(board[-1].run, board->run)) {
			char title[SITE_TITLE];
			struct field *field = &site->fields[site->field_count++];
			*field = (struct field){.boards = board};
			site_title(field, title);
			page_name("board-", title, field->page);
		}
		struct field *field = &site->fields[site->field_count - 1];
		field->count++;
		if (board->main || field->main == NULL)
			field->main = board;
	}
	return site->fields != NULL;
}

bool site_make(const struct leaderboard *all, const char *version, struct site *out)
{
	*out = (struct site){.all = all, .version = version};
	bool ok = fields_make(out);
	for (size_t i = 0; i < all->runs.count && ok; i++)
		if (all->runs.items[i].content[0] != '\0')
			ok = submission_add(out, &all->runs.items[i]);
	if (!ok)
		site_free(out);
	return ok;
}

void site_free(struct site *site)
{
	for (size_t i = 0; i < site->submission_count; i++)
		free(site->submissions[i].runs);
	free(site->submissions);
	free(site->fields);
	*site = (struct site){0};
}

const struct page_submission *site_submission(const struct site *site, const struct measured *run)
{
	for (size_t i = 0; i < site->submission_count; i++)
		if (strcmp(site->submissions[i].content, run->content) == 0)
			return &site->submissions[i];
	return NULL;
}

void site_anchor(const struct field *field, const struct board *board, char out[SITE_ANCHOR])
{
	snprintf(out, SITE_ANCHOR, "shape-%zu", (size_t)(board - field->boards) + 1);
}

void site_title(const struct field *field, char out[SITE_TITLE])
{
	const struct measured *run = field->boards[0].run;
	snprintf(out, SITE_TITLE, "%s on %s%s%s", run->problem, run->device,
			 run->epilogue[0] != '\0' ? ", epilogue " : "", run->epilogue);
}

/* ---- cells ------------------------------------------------------------------------------ */

void site_file_cell(struct html_table *table, const struct site *site, const struct measured *run)
{
	const struct page_submission *submission = site_submission(site, run);
	if (submission != NULL)
		html_table_link(table, submission->page, run->file);
	else
		html_table_text(table, run->file);
}

void site_content_cell(struct html_table *table, const struct site *site,
					   const struct measured *run)
{
	const struct page_submission *submission = site_submission(site, run);
	char digits[9];
	snprintf(digits, sizeof digits, "%.8s", run->content);
	if (submission != NULL)
		html_table_link(table, submission->page, digits);
	else
		html_table_text(table, digits);
}

void site_verdict_cell(struct html_table *table, const struct measured *run)
{
	html_table_cell_open(table);
	enum verdict verdict;
	if (verdict_of_name(run->verdict, &verdict))
		html_verdict(table->out, verdict);
	else /* of a gemmjudge that has more of them */
		html_text(table->out, run->verdict);
	html_table_cell_close(table);
}

double site_seconds(const struct measured *run)
{
	struct tm parts = {0};
	if (strptime(run->when, "%Y-%m-%dT%H:%M:%S", &parts) == NULL)
		return NAN;
	return (double)timegm(&parts);
}

void site_date_cell(struct html_table *table, const struct measured *run)
{
	char date[sizeof run->when];
	snprintf(date, sizeof date, "%.16s", run->when);
	if (strlen(date) > 10)
		date[10] = ' ';
	html_table_text(table, date);
}

void site_time_cell(struct html_table *table, double microseconds)
{
	html_table_number(table, microseconds > 0.0 ? microseconds : NAN,
					  facts_time(microseconds, (char[FACTS_TIME]){0}));
}

void site_ratio_cell(struct html_table *table, double ratio)
{
	html_table_format(table, ratio > 0.0 ? ratio : NAN, "%.3f", ratio);
}
