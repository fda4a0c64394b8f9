/* Times of a submission over dates, beside the fastest library's. */
#include <math.h>
#include <string.h>

#include "report/facts.h"
#include "report/html/page.h"
#include "report/html/plot.h"
#include "site/history.h"

#define FIGURES_MOST 12 /* shapes that get a plot; the others have a row each */
#define FINDING 320

static bool same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

enum { SERIES_THIS, SERIES_LIBRARY, SERIES_OTHERS };

struct shape_times {
	const struct history *history;
	const struct measured *run;       /* the first with this shape, */
	const struct measured_time *time; /* and its time */
};

/* A steady stream takes longer than bursts, and is no point of their plot. */
static bool is_timed(const struct measured_time *time)
{
	return time->median > 0.0 && !time->without_epilogue &&
		   !timing_clock_is(time->clock, CLOCK_STEADY);
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

/* Whether this is the first time at a shape that was timed in two runs or more. */
static bool begins_a_plot(const struct shape_times *shape)
{
	bool begun = false;
	for (size_t i = 0; i < shape->history->count; i++) {
		const struct measured_time *time = time_of(shape, shape->history->runs[i]);
		if (time == NULL)
			continue;
		if (begun || time != shape->time)
			return begun;
		begun = true;
	}
	return false;
}

struct summary {
	size_t count, open; /* open: of them not confirmed by sealed calls */
	double first, last, least;
};

static struct summary summary_of(const struct shape_times *shape)
{
	struct summary out = {0};
	for (size_t i = 0; i < shape->history->count; i++) {
		const struct measured_time *time = time_of(shape, shape->history->runs[i]);
		if (time == NULL)
			continue;
		out.first = out.count == 0 ? time->median : out.first;
		out.least = out.count == 0 || time->median < out.least ? time->median : out.least;
		out.last = time->median;
		out.open += !seal_state_is(time->seal, SEAL_CONFIRMED) &&
					!seal_state_is(time->seal, SEAL_HOST_SIDE);
		out.count++;
	}
	return out;
}

static void finding_print(const struct shape_times *shape, char out[FINDING])
{
	struct summary summary = summary_of(shape);
	size_t used =
		(size_t)snprintf(out, FINDING, "%zu runs: %s us at first, %s us at last, %s us at best.",
						 summary.count, facts_time(summary.first, (char[FACTS_TIME]){0}),
						 facts_time(summary.last, (char[FACTS_TIME]){0}),
						 facts_time(summary.least, (char[FACTS_TIME]){0}));
	if (summary.open > 0)
		snprintf(out + used, FINDING - used, " Sealed calls confirmed all but %zu of them.",
				 summary.open);
}

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

static void row_print(struct html_table *table, const struct shape_times *shape)
{
	struct summary summary = summary_of(shape);
	char sizes[MEASURED_SHAPE];
	measured_shape(shape->time, sizes);
	html_table_row(table, 0);
	html_table_text(table, sizes);
	html_table_text(table, shape->run->problem);
	html_table_text(table, shape->run->device);
	html_table_format(table, (double)summary.count, "%zu", summary.count);
	site_time_cell(table, summary.first);
	site_time_cell(table, summary.last);
	site_time_cell(table, summary.least);
}

/* The next shape that was timed in two runs or more; *run and *time begin at 0. */
static bool shape_next(struct shape_times *shape, size_t *run, size_t *time)
{
	for (; *run < shape->history->count; ++*run, *time = 0)
		while (*time < shape->history->runs[*run]->time_count) {
			shape->run = shape->history->runs[*run];
			shape->time = &shape->run->times[(*time)++];
			if (is_timed(shape->time) && begins_a_plot(shape))
				return true;
		}
	return false;
}

void history_times(FILE *out, const struct history *history)
{
	static const struct html_column columns[] = {
		{"Shape", COLUMN_NAME},  {"Problem", COLUMN_SHORT},    {"Device", COLUMN_WORDS},
		{"Runs", COLUMN_NUMBER}, {"First, us", COLUMN_NUMBER}, {"last", COLUMN_NUMBER},
		{"best", COLUMN_NUMBER}};
	struct shape_times shape = {.history = history};
	struct html_table table;
	size_t run = 0, time = 0, count = 0;
	if (!shape_next(&shape, &run, &time))
		return;
	html_heading(out, 2, NULL, "Times over dates");
	fputs("<div class=\"figures\">\n", out);
	bool more;
	do
		figure_print(out, &shape);
	while ((more = shape_next(&shape, &run, &time)) && ++count < FIGURES_MOST);
	fputs("</div>\n", out);
	if (!more)
		return;
	html_table_open(&table, out, "Other shapes that were timed in several runs", columns,
					sizeof columns / sizeof *columns);
	do
		row_print(&table, &shape);
	while (shape_next(&shape, &run, &time));
	html_table_close(&table);
}
