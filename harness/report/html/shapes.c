/* Times at many shapes: each file beside the libraries, by the size of the product. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare.h"
#include "report/facts.h"
#include "report/html/page.h"
#include "report/html/plot.h"
#include "report/html/run.h"
#include "report/html/table.h"
#include "report/overall.h"

/* Of so many shapes each has a plot; of more they have a row each. */
#define SHAPES_IN_FULL 8
#define ROWS_OPEN 40 /* the table of more is shown on demand */
#define LIBRARIES_MAX (PLOT_SERIES - 1)

/* The timings of one problem. */
struct shapes {
	const struct judgement_list *list;
	const struct timing_result **timings;
	size_t count;
};

static bool shapes_take(struct shapes *shapes, const struct judgement_list *list, size_t first)
{
	const char *problem = list->bench[first].problem;
	for (size_t b = 0; b < first; b++)
		if (strcmp(list->bench[b].problem, problem) == 0)
			return false; /* had its turn */
	*shapes = (struct shapes){.list = list,
							  .timings = calloc(list->bench_count, sizeof *shapes->timings)};
	for (size_t b = first; shapes->timings != NULL && b < list->bench_count; b++)
		if (strcmp(list->bench[b].problem, problem) == 0)
			shapes->timings[shapes->count++] = &list->bench[b];
	return shapes->count > 0;
}

static size_t files_of(const struct shapes *shapes)
{
	size_t files = 0;
	while (files < shapes->timings[0]->count &&
		   shapes->timings[0]->entries[files].role == TIMING_FILE)
		files++;
	return files;
}

/* ---- one file as a scatter ----------------------------------------------------------- */

enum alignment { BY_32, BY_8, RAGGED, ALIGNMENTS };
static const char *const alignment_names[] = {
	[BY_32] = "all sizes multiples of 32", [BY_8] = "multiples of 8", [RAGGED] = "ragged"};

static enum alignment alignment_of(const struct timing_result *timing)
{
	const struct problem *problem = problem_find(timing->problem);
	static const enum size sizes[] = {SIZE_M, SIZE_N, SIZE_K};
	int all = 0;
	for (size_t i = 0; i < 3; i++)
		if (problem_size_of(problem, sizes[i]) != NULL)
			all |= timing->test.shape.size[sizes[i]];
	return all % 8 != 0 ? RAGGED : all % 32 != 0 ? BY_8 : BY_32;
}

struct point {
	const struct timing_result *timing;
	unsigned series;
	struct compare_ratio ratio;
};

/* A file's points: beside the fastest library, by alignment; in a comparison beside each library.
 */
struct scatter {
	const struct shapes *shapes;
	size_t file;
	const char *series[PLOT_SERIES];
	size_t series_count;
	struct point *points;
	size_t count;
};

static void point_add(struct scatter *scatter, const struct timing_result *timing,
					  const struct timing_entry *library, unsigned series)
{
	const struct timing_entry *own = &timing->entries[scatter->file];
	struct compare_ratio ratio = compare_speed_up(own, library, facts_use_span(timing));
	if (ratio.value > 0.0)
		scatter->points[scatter->count++] = (struct point){timing, series, ratio};
}

static void points_by_alignment(struct scatter *scatter)
{
	scatter->series_count = ALIGNMENTS;
	memcpy(scatter->series, alignment_names, sizeof alignment_names);
	for (size_t i = 0; i < scatter->shapes->count; i++) {
		const struct timing_result *timing = scatter->shapes->timings[i];
		const struct timing_entry *library = overall_library(timing);
		if (library != NULL)
			point_add(scatter, timing, library, alignment_of(timing));
	}
}

static void points_by_library(struct scatter *scatter)
{
	const struct timing_result *first = scatter->shapes->timings[0];
	for (size_t e = 0; e < first->count && scatter->series_count < LIBRARIES_MAX; e++) {
		if (first->entries[e].role != TIMING_LIBRARY)
			continue;
		size_t before = scatter->count;
		for (size_t i = 0; i < scatter->shapes->count; i++)
			point_add(scatter, scatter->shapes->timings[i],
					  &scatter->shapes->timings[i]->entries[e], (unsigned)scatter->series_count);
		if (scatter->count > before)
			scatter->series[scatter->series_count++] = first->entries[e].label;
	}
}

static void finding_format(const struct scatter *scatter, char *out, size_t capacity)
{
	const struct point *least = &scatter->points[0], *most = least;
	size_t faster = 0;
	char least_at[SHAPE_TEXT], most_at[SHAPE_TEXT];
	for (size_t i = 0; i < scatter->count; i++) {
		const struct point *point = &scatter->points[i];
		faster += point->ratio.value >= 1.0;
		least = point->ratio.value < least->ratio.value ? point : least;
		most = point->ratio.value > most->ratio.value ? point : most;
	}
	const struct problem *problem = problem_find(least->timing->problem);
	shape_print(problem, &least->timing->test.shape, least_at);
	shape_print(problem, &most->timing->test.shape, most_at);
	snprintf(out, capacity,
			 "As fast or faster at %zu of %zu points; from %.3f at %s to %.3f at %s.", faster,
			 scatter->count, least->ratio.value, least_at, most->ratio.value, most_at);
}

static void plot_print(FILE *out, const struct scatter *scatter, const char *finding)
{
	struct plot plot = {.name = finding,
						.x = PLOT_NOTHING("multiplications: M x N x K", PLOT_LOG),
						.y = PLOT_NOTHING("time of the library / own time", PLOT_LINEAR)};
	char title[160], shape[128];
	plot_include(&plot.y, 1.0);
	for (size_t i = 0; i < scatter->count; i++) {
		plot_include(&plot.x, shape_terms(&scatter->points[i].timing->test.shape));
		plot_include(&plot.y, scatter->points[i].ratio.low);
		plot_include(&plot.y, scatter->points[i].ratio.high);
	}
	if (plot.y.high / plot.y.low > 5.0)
		plot.y.scale = PLOT_LOG;
	else
		plot_include(&plot.y, 0.0);
	plot_open(&plot, out);
	plot_path(&plot, "one", (double[]){plot.x.low, plot.x.high}, (double[]){1, 1}, 2);
	for (size_t i = 0; i < scatter->count; i++) {
		const struct point *point = &scatter->points[i];
		double terms = shape_terms(&point->timing->test.shape);
		facts_timed_shape(shape, sizeof shape, point->timing);
		snprintf(title, sizeof title, "%s: %.3f", shape, point->ratio.value);
		plot_interval(&plot, point->series, terms, point->ratio.low, point->ratio.high);
		plot_mark(&plot, point->series, terms, point->ratio.value, title);
	}
	plot_close(&plot);
}

static void points_table(FILE *out, const struct scatter *scatter)
{
	static const struct html_column columns[] = {
		{"Shape", COLUMN_WORDS},  {"M x N x K", COLUMN_NUMBER}, {"Series", COLUMN_WORDS},
		{"Ratio", COLUMN_NUMBER}, {"From", COLUMN_NUMBER},      {"To", COLUMN_NUMBER}};
	struct html_table table;
	html_data_open(out, "Data of the plot");
	html_table_open(&table, out, "Ratio, and what both 95% intervals allow", columns, 6);
	for (size_t i = 0; i < scatter->count; i++) {
		const struct point *point = &scatter->points[i];
		char shape[SHAPE_TEXT];
		double terms = shape_terms(&point->timing->test.shape);
		shape_print(problem_find(point->timing->problem), &point->timing->test.shape, shape);
		html_table_row(&table, 0);
		html_table_text(&table, shape);
		html_table_format(&table, terms, "%.0f", terms);
		html_table_text(&table, scatter->series[point->series]);
		html_table_format(&table, point->ratio.value, "%.3f", point->ratio.value);
		html_table_format(&table, point->ratio.low, "%.3f", point->ratio.low);
		html_table_format(&table, point->ratio.high, "%.3f", point->ratio.high);
	}
	html_table_close(&table);
	html_details_close(out);
}

static void scatter_print(FILE *out, const struct shapes *shapes, size_t file)
{
	struct scatter scatter = {.shapes = shapes, .file = file};
	char title[192], finding[256];
	bool compare = shapes->list->compare;
	scatter.points = calloc(shapes->count * LIBRARIES_MAX, sizeof *scatter.points);
	if (scatter.points == NULL)
		return;
	if (compare)
		points_by_library(&scatter);
	else
		points_by_alignment(&scatter);
	if (scatter.count > 1) {
		snprintf(title, sizeof title, "%s beside %s", shapes->timings[0]->entries[file].label,
				 compare ? "each library" : "the fastest library of each shape");
		finding_format(&scatter, finding, sizeof finding);
		html_figure_open(out, title, finding);
		plot_legend(out, scatter.series, scatter.series_count);
		plot_print(out, &scatter, finding);
		points_table(out, &scatter);
		html_figure_close(out);
	}
	free(scatter.points);
}

/* ---- every shape in a row ------------------------------------------------------------------ */

static void shape_row(struct html_table *table, const struct timing_result *timing, size_t file)
{
	const struct timing_entry *own = &timing->entries[file], *library = overall_library(timing);
	bool span = facts_use_span(timing);
	char shape[SHAPE_TEXT];
	shape_print(problem_find(timing->problem), &timing->test.shape, shape);
	html_table_row(table, 0);
	html_table_text(table, shape);
	html_table_text(table, own->label);
	if (!own->ran) {
		html_table_text(table, "not measured");
		return;
	}
	const struct timing_stats *stats = facts_stats(own, span);
	double ratio = overall_ratio(timing, own), rate = facts_rate(timing, stats->median);
	double theirs = library != NULL ? facts_stats(library, span)->median : NAN;
	html_table_number(table, stats->median, facts_time(stats->median, (char[FACTS_TIME]){0}));
	html_table_format(table, facts_half_width_percent(stats), "%.1f%%",
					  facts_half_width_percent(stats));
	html_table_format(table, rate, "%.4g", rate);
	html_table_text(table, library != NULL ? library->label : "");
	html_table_number(table, theirs, facts_time(theirs, (char[FACTS_TIME]){0}));
	html_table_format(table, ratio > 0.0 ? ratio : NAN, "%.3f", ratio);
}

static void rows_print(FILE *out, const struct shapes *shapes)
{
	const struct timing_result *first = shapes->timings[0];
	const struct html_column columns[] = {{"Shape", COLUMN_WORDS},
										  {"File", COLUMN_NAME},
										  {"Median, us", COLUMN_NUMBER},
										  {"+-", COLUMN_NUMBER},
										  {facts_rate_unit(first), COLUMN_NUMBER},
										  {"Fastest library", COLUMN_WORDS},
										  {"Its median", COLUMN_NUMBER},
										  {"Ratio", COLUMN_NUMBER}};
	size_t files = files_of(shapes);
	struct html_table table;
	char summary[96], caption[128];
	snprintf(summary, sizeof summary, "Every shape: %zu", shapes->count);
	snprintf(caption, sizeof caption,
			 "%s; +-: half of the median's 95%% interval; ratio: above 1 the file is faster",
			 facts_times_title(first));
	fprintf(out, "<details class=\"data\"%s><summary>",
			files * shapes->count <= ROWS_OPEN ? " open" : "");
	html_text(out, summary);
	fputs("</summary>\n", out);
	html_table_open(&table, out, caption, columns, 8);
	for (size_t i = 0; i < shapes->count; i++)
		for (size_t f = 0; f < files && f < shapes->timings[i]->count; f++)
			shape_row(&table, shapes->timings[i], f);
	html_table_close(&table);
	html_details_close(out);
}

/* ---- what is not as sure as it looks ----------------------------------------------------------
 */

static void warnings_print(FILE *out, const struct shapes *shapes)
{
	size_t wide = 0, throttled = 0;
	char line[160];
	for (size_t i = 0; i < shapes->count; i++) {
		wide += shapes->timings[i]->wide;
		throttled += shapes->timings[i]->throttled;
	}
	snprintf(line, sizeof line, "A median is uncertain by more than 1%% at %zu of %zu shapes.",
			 wide, shapes->count);
	if (wide > 0)
		html_paragraph(out, "note", line);
	snprintf(line, sizeof line, "The clock was held down at %zu of %zu shapes.", throttled,
			 shapes->count);
	if (throttled > 0)
		html_paragraph(out, "note", line);
}

static void sentences_print(FILE *out, const struct shapes *shapes)
{
	struct overall overall;
	struct strbuf line = {0};
	fputs("<ul>\n", out);
	for (size_t at = 0; overall_next(shapes->list, &at, &overall);) {
		if (strcmp(overall.problem, shapes->timings[0]->problem) != 0)
			continue;
		overall_sentence(&line, &overall);
		fputs("<li>", out);
		html_text(out, strbuf_text(&line));
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
	strbuf_release(&line);
}

static void problem_print(FILE *out, const struct shapes *shapes)
{
	char heading[64];
	snprintf(heading, sizeof heading, "Times: %s", shapes->timings[0]->problem);
	html_heading(out, 2, NULL, heading);
	sentences_print(out, shapes);
	if (shapes->count > SHAPES_IN_FULL)
		warnings_print(out, shapes);
	fputs("<div class=\"figures\">\n", out);
	for (size_t f = 0; f < files_of(shapes); f++)
		scatter_print(out, shapes, f);
	html_roofline(out, &shapes->list->facts, shapes->timings, shapes->count);
	fputs("</div>\n", out);
	rows_print(out, shapes);
	for (size_t i = 0; i < shapes->count && shapes->count <= SHAPES_IN_FULL; i++) {
		char shape[128];
		facts_timed_shape(shape, sizeof shape, shapes->timings[i]);
		html_heading(out, 3, NULL, shape);
		html_timing_figure(out, "Medians with their intervals", shapes->timings[i]);
		html_timing_data(out, shapes->timings[i]);
	}
}

void html_shapes(FILE *out, const struct judgement_list *list)
{
	for (size_t b = 0; b < list->bench_count; b++) {
		struct shapes shapes;
		if (!shapes_take(&shapes, list, b))
			continue;
		problem_print(out, &shapes);
		free(shapes.timings);
	}
}
