/* The runs of a submission in a table, and what changed from each to the next. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "report/html/page.h"
#include "site/history.h"
#include "store/pairs.h"

static bool same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* The run before that it can be compared with: of the same problem, on a device of the same name
 * where there is one. */
static const struct measured *run_before(const struct history *history, size_t index)
{
	const struct measured *run = history->runs[index], *other = NULL;
	for (size_t i = index; i-- > 0;) {
		if (!same(history->runs[i]->problem, run->problem))
			continue;
		if (same(history->runs[i]->device, run->device))
			return history->runs[i];
		if (other == NULL)
			other = history->runs[i];
	}
	return other;
}

static void speed_print(FILE *out, const struct pair *pair)
{
	const struct difference *only = &pair->shapes[0].difference;
	if (pair->shape_count == 0)
		return;
	if (pair->slower > 0 && pair->faster > 0)
		fputs("Slower at some shapes, faster at others", out);
	else if (pair->slower + pair->faster == 0)
		fputs("No difference beyond noise", out);
	else
		fputs(pair->slower > 0 ? "Slower" : "Faster", out);
	if (pair->shape_count > 1)
		fprintf(out, ": %.3f times as long, over %zu shapes. ", pair->mean, pair->shape_count);
	else
		fprintf(out, ": %.3f times as long (%.3f to %.3f). ", only->ratio, only->low, only->high);
}

/* A sentence for each thing that is not as in the run before. False where memory runs out. */
static bool changes_print(FILE *out, const struct history *history, size_t index)
{
	const struct measured *run = history->runs[index], *before = run_before(history, index);
	struct pair pair;
	struct error err;
	if (before == NULL)
		return true;
	if (!pair_make_named(before, run, "the run before", "this one", &pair, &err))
		return false;
	if (!same(before->content, run->content))
		fputs("Another content. ", out);
	speed_print(out, &pair);
	for (size_t i = 0; i < pair.note_count; i++) {
		pair.notes[i][0] = (char)toupper((unsigned char)pair.notes[i][0]);
		html_text(out, pair.notes[i]);
		fputs(". ", out);
	}
	pair_free(&pair);
	return true;
}

static void run_times(struct html_table *table, const struct measured *run)
{
	const struct measured_time *only = run->time_count == 1 ? &run->times[0] : NULL;
	if (only != NULL)
		site_time_cell(table, only->median);
	else if (run->time_count == 0)
		html_table_text(table, "");
	else {
		html_table_cell_open(table);
		fprintf(table->out, "%zu shapes", run->time_count);
		html_table_cell_close(table);
	}
	site_ratio_cell(table, measured_mean_ratio(run));
}

static bool run_print(struct html_table *table, const struct history *history, size_t index)
{
	const struct measured *run = history->runs[index];
	bool self = same(run->content, history->submission->content);
	html_table_row(table, self && history->count > history->submission->count);
	html_table_format(table, (double)run->id, "#%lld", (long long)run->id);
	site_date_cell(table, run);
	site_verdict_cell(table, run);
	html_table_cell_open(table);
	bool ok = changes_print(table->out, history, index);
	html_text(table->out, run->detail);
	html_table_cell_close(table);
	run_times(table, run);
	html_table_format(table, (double)run->accepted, "%lld/%lld", (long long)run->accepted,
					  (long long)run->cases);
	site_content_cell(table, history->site, run);
	html_table_text(table, run->device);
	html_table_text(table, run->driver);
	html_table_text(table, run->commit);
	html_table_text(table, run->problem);
	return ok;
}

bool history_runs(FILE *out, const struct history *history)
{
	static const struct html_column columns[] = {
		{"Run", COLUMN_NUMBER},        {"Date (UTC)", COLUMN_SHORT},
		{"Verdict", COLUMN_SHORT},     {"Since the run before", COLUMN_SENTENCE},
		{"Median, us", COLUMN_NUMBER}, {"Of best library", COLUMN_NUMBER},
		{"Cases", COLUMN_NUMBER},      {"Content", COLUMN_SHORT},
		{"Device", COLUMN_WORDS},      {"Driver", COLUMN_SHORT},
		{"gemmjudge", COLUMN_SHORT},   {"Problem", COLUMN_SHORT}};
	struct html_table table;
	bool ok = true;
	html_heading(out, 2, NULL, "Runs");
	html_table_open(&table, out, "Runs of this content, and of others under the same path", columns,
					sizeof columns / sizeof *columns);
	for (size_t i = history->count; i-- > 0 && ok;)
		ok = run_print(&table, history, i);
	html_table_close(&table);
	return ok;
}
