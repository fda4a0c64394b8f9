/* What a submission was at each time: its runs, and those of other versions of its file. */
#include "site/history.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/facts.h"
#include "report/html/page.h"
#include "report/html/plot.h"
#include "store/pairs.h"

#define FIGURES_MOST                                                                               \
	12 /* shapes that get a plot: a bench of a hundred would be a page of plots                    \
		*/
#define FINDING 320

static bool same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* ---- which runs --------------------------------------------------------------------------- */

static bool same_place(const struct measured *a, const struct measured *b)
{
	return same(a->path, b->path) && same(a->host, b->host);
}

/* The last run under the path of this one. */
static const struct measured *last_there(const struct measured_list *all,
										 const struct measured *run)
{
	for (size_t i = all->count; i-- > 0;)
		if (all->items[i].content[0] != '\0' && same_place(&all->items[i], run))
			return &all->items[i];
	return run;
}

/* Only the last content of a path has what others were there: else a file that was changed a
 * thousand times would be told a thousand times. */
static bool belongs(const struct history *history, const struct measured_list *all,
					const struct measured *run)
{
	const struct submission *submission = history->submission;
	if (same(run->content, submission->content))
		return true;
	for (size_t i = 0; i < submission->count; i++)
		if (same_place(submission->runs[i], run))
			return same(last_there(all, run)->content, submission->content);
	return false;
}

bool history_make(const struct site *site, const struct submission *submission, struct history *out)
{
	const struct measured_list *all = &site->all->runs;
	*out = (struct history){.site = site, .submission = submission};
	out->runs = calloc(all->count + 1, sizeof *out->runs);
	for (size_t i = 0; i < all->count && out->runs != NULL; i++)
		if (belongs(out, all, &all->items[i]))
			out->runs[out->count++] = &all->items[i];
	for (size_t i = 0; i < submission->count && out->later == NULL; i++) {
		const struct measured *last = last_there(all, submission->runs[i]);
		if (!same(last->content, submission->content))
			out->later = last;
	}
	return out->runs != NULL;
}

void history_free(struct history *history)
{
	free(history->runs);
	*history = (struct history){0};
}

/* ---- plots ---------------------------------------------------------------------------------- */

enum { SERIES_THIS, SERIES_LIBRARY, SERIES_OTHERS };

struct shape_times {
	const struct history *history;
	const struct measured *run;       /* the first with this shape, */
	const struct measured_time *time; /* and its time */
};

static bool is_timed(const struct measured_time *time)
{
	return time->median > 0.0 && !time->without_epilogue;
}

/* The run's time at the shape; NULL where it has none, or is of another problem, device or
 * epilogue. */
static const struct measured_time *time_of(const struct shape_times *shape,
										   const struct measured *run)
{
	if (!same(run->problem, shape->run->problem) || !same(run->device, shape->run->device) ||
		!same(run->epilogue, shape->run->epilogue))
		return NULL;
	for (size_t i = 0; i < run->time_count; i++)
		if (is_timed(&run->times[i]) && measured_same_shape(&run->times[i], shape->time))
			return &run->times[i];
	return NULL;
}

/* Walks over the shapes that were timed in two runs or more: the first time of each. */
static bool begins_a_plot(const struct shape_times *shape)
{
	size_t count = 0;
	for (size_t i = 0; i < shape->history->count; i++) {
		const struct measured_time *time = time_of(shape, shape->history->runs[i]);
		if (time != NULL && count++ == 0 && time != shape->time)
			return false;
	}
	return count >= 2;
}

static void finding_print(const struct shape_times *shape, char out[FINDING])
{
	const struct measured_time *first = shape->time, *last = first, *least = first;
	size_t count = 0, open = 0;
	for (size_t i = 0; i < shape->history->count; i++) {
		const struct measured_time *time = time_of(shape, shape->history->runs[i]);
		if (time == NULL)
			continue;
		last = time;
		open += !same(time->seal, "confirmed") && !same(time->seal, "outside");
		least = time->median < least->median ? time : least;
		count++;
	}
	size_t used =
		(size_t)snprintf(out, FINDING, "%zu runs: %s us at first, %s us at last, %s us at best.",
						 count, facts_time(first->median, (char[FACTS_TIME]){0}),
						 facts_time(last->median, (char[FACTS_TIME]){0}),
						 facts_time(least->median, (char[FACTS_TIME]){0}));
	if (open > 0)
		snprintf(out + used, FINDING - used, " Sealed calls confirmed all but %zu of them.", open);
}

/* Days that all lie within one get room on both sides. */
static void plot_frame(const struct shape_times *shape, struct plot *plot)
{
	for (size_t i = 0; i < shape->history->count; i++) {
		const struct measured_time *time = time_of(shape, shape->history->runs[i]);
		if (time == NULL)
			continue;
		plot_include(&plot->x, site_seconds(shape->history->runs[i]));
		plot_include(&plot->y, time->low);
		plot_include(&plot->y, time->high);
		if (time->library_microseconds > 0.0)
			plot_include(&plot->y, time->library_microseconds);
	}
	if (plot->y.low > 0.0 && plot->y.high / plot->y.low > 6.0) {
		plot->y.scale = PLOT_LOG;
		plot->y.label = "microseconds, logarithmic";
	}
}

static void marks_print(const struct shape_times *shape, const struct plot *plot)
{
	for (size_t i = 0; i < shape->history->count; i++) {
		const struct measured *run = shape->history->runs[i];
		const struct measured_time *time = time_of(shape, run);
		double when = site_seconds(run);
		char title[256];
		if (time == NULL || isnan(when))
			continue;
		if (time->library_microseconds > 0.0) {
			snprintf(title, sizeof title, "%s: %s us", time->library,
					 facts_time(time->library_microseconds, (char[FACTS_TIME]){0}));
			plot_mark(plot, SERIES_LIBRARY, when, time->library_microseconds, title);
		}
		bool own = same(run->content, shape->history->submission->content);
		unsigned series = own ? SERIES_THIS : SERIES_OTHERS;
		snprintf(title, sizeof title, "#%lld, %.8s, %.16s: %s us", (long long)run->id, run->content,
				 run->when, facts_time(time->median, (char[FACTS_TIME]){0}));
		plot_interval(plot, series, when, time->low, time->high);
		plot_mark(plot, series, when, time->median, title);
	}
}

static void plot_data(FILE *out, const struct shape_times *shape)
{
	static const struct html_column columns[] = {
		{"Run", COLUMN_NUMBER},         {"Date (UTC)", COLUMN_SHORT},
		{"Content", COLUMN_SHORT},      {"Median, us", COLUMN_NUMBER},
		{"95% from", COLUMN_NUMBER},    {"to", COLUMN_NUMBER},
		{"Library", COLUMN_WORDS},      {"Its median", COLUMN_NUMBER},
		{"Sealed calls", COLUMN_WORDS}, {"SM MHz", COLUMN_NUMBER}};
	struct html_table table;
	html_data_open(out, "Data");
	html_table_open(&table, out, "Times over dates", columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < shape->history->count; i++) {
		const struct measured *run = shape->history->runs[i];
		const struct measured_time *time = time_of(shape, run);
		if (time == NULL)
			continue;
		html_table_row(&table, 0);
		html_table_format(&table, (double)run->id, "#%lld", (long long)run->id);
		site_date_cell(&table, run);
		site_content_cell(&table, shape->history->site, run);
		site_time_cell(&table, time->median);
		site_time_cell(&table, time->low);
		site_time_cell(&table, time->high);
		html_table_text(&table, time->library);
		site_time_cell(&table, time->library_microseconds);
		html_table_text(&table, time->seal);
		html_table_format(&table, time->sm_clock_mhz > 0.0 ? time->sm_clock_mhz : NAN, "%.0f",
						  time->sm_clock_mhz);
	}
	html_table_close(&table);
	html_details_close(out);
}

static void figure_print(FILE *out, const struct shape_times *shape)
{
	static const char *const names[] = {[SERIES_THIS] = "this content",
										[SERIES_LIBRARY] = "fastest library of the same run",
										[SERIES_OTHERS] = "other contents of the file"};
	char sizes[MEASURED_SHAPE], title[MEASURED_SHAPE + 256], finding[FINDING];
	struct plot plot = {.name = finding,
						.x = PLOT_NOTHING("date (UTC)", PLOT_DATES),
						.y = PLOT_NOTHING("microseconds", PLOT_LINEAR)};
	bool others = false;
	for (size_t i = 0; i < shape->history->count; i++)
		others =
			others || !same(shape->history->runs[i]->content, shape->history->submission->content);
	measured_shape(shape->time, sizes);
	snprintf(title, sizeof title, "%s on %s, %s", shape->run->problem, shape->run->device, sizes);
	finding_print(shape, finding);
	plot_frame(shape, &plot);
	html_figure_open(out, title, finding);
	plot_legend(out, names, others ? 3 : 2);
	plot_open(&plot, out);
	marks_print(shape, &plot);
	plot_close(&plot);
	plot_data(out, shape);
	html_figure_close(out);
}

void history_plots(FILE *out, const struct history *history)
{
	size_t count = 0;
	for (size_t i = 0; i < history->count; i++)
		for (size_t k = 0; k < history->runs[i]->time_count; k++) {
			struct shape_times shape = {history, history->runs[i], &history->runs[i]->times[k]};
			if (!is_timed(shape.time) || !begins_a_plot(&shape) || count++ >= FIGURES_MOST)
				continue;
			if (count == 1) {
				html_heading(out, 2, NULL, "Times over dates");
				fputs("<div class=\"figures\">\n", out);
			}
			figure_print(out, &shape);
		}
	if (count > 0)
		fputs("</div>\n", out);
	if (count > FIGURES_MOST) {
		char line[128];
		snprintf(line, sizeof line, "%zu more shapes were timed in several runs: see below.",
				 count - FIGURES_MOST);
		html_paragraph(out, "quiet", line);
	}
}

/* ---- runs ------------------------------------------------------------------------------------ */

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
