/* How near times come to what the GPU can do (Williams, Waterman, Patterson, "Roofline", 2009). */
#include <math.h>

#include "judgement/floor.h"
#include "report/facts.h"
#include "report/html/page.h"
#include "report/html/plot.h"
#include "report/html/run.h"
#include "report/html/table.h"
#include "report/overall.h"

#define FILES_DRAWN (PLOT_SERIES - 1) /* the last mark is the libraries' */

/* What is drawn of one timing. */
struct point {
	const struct timing_entry *entry;
	unsigned series;
	double intensity, tflops, roof; /* operations of a byte; TFLOP/s reached, and allowed */
};

struct picture {
	struct roof roof;
	const struct timing_result *const *timings;
	size_t count;
};

static bool point_of(const struct picture *picture, const struct timing_result *timing,
					 const struct timing_entry *entry, unsigned series, struct point *out)
{
	double time = entry->ran ? facts_stats(entry, facts_use_span(timing))->median : 0.0;
	if (!(time > 0.0))
		return false;
	*out = (struct point){.entry = entry, .series = series};
	out->tflops = facts_tflops(&timing->test.shape, time);
	out->intensity = out->tflops * 1e3 / facts_gbytes(timing, time);
	out->roof = 1e-12 * fmin(picture->roof.operations_per_second,
							 out->intensity * picture->roof.bytes_per_second);
	return true;
}

/* Points of timing `at`, one after the other: its files, then the fastest library. */
static bool point_next(const struct picture *picture, size_t at, size_t *entry, struct point *out)
{
	const struct timing_result *timing = picture->timings[at];
	while (*entry < timing->count) {
		size_t i = (*entry)++;
		if (timing->entries[i].role == TIMING_FILE && i < FILES_DRAWN &&
			point_of(picture, timing, &timing->entries[i], (unsigned)i, out))
			return true;
	}
	const struct timing_entry *library = overall_library(timing);
	return (*entry)++ == timing->count && library != NULL &&
		   point_of(picture, timing, library, PLOT_SERIES - 1, out);
}

static void finding_format(const struct picture *picture, char *out, size_t capacity)
{
	struct point point, best = {.roof = 1.0};
	const struct timing_result *best_at = NULL;
	char shape[128];
	for (size_t i = 0; i < picture->count; i++)
		for (size_t e = 0; point_next(picture, i, &e, &point);)
			if (point.series != PLOT_SERIES - 1 &&
				point.tflops / point.roof > best.tflops / best.roof) {
				best = point;
				best_at = picture->timings[i];
			}
	if (best_at == NULL) {
		snprintf(out, capacity, "No file was measured.");
		return;
	}
	facts_timed_shape(shape, sizeof shape, best_at);
	snprintf(out, capacity, "%s reaches %.3g%% of what the GPU's peaks allow%s, at %s.",
			 best.entry->label, 100.0 * best.tflops / best.roof,
			 picture->count > 1 ? " at best" : "", shape);
}

static void legend_print(FILE *out, const struct picture *picture)
{
	const char *names[PLOT_SERIES];
	unsigned series[PLOT_SERIES];
	const struct timing_result *first = picture->timings[0];
	unsigned count = 0;
	for (; count < first->count && count < FILES_DRAWN && first->entries[count].role == TIMING_FILE;
		 count++) {
		names[count] = first->entries[count].label;
		series[count] = count;
	}
	names[count] = "the fastest library";
	series[count++] = PLOT_SERIES - 1;
	plot_legend_of(out, names, series, count);
}

static void roof_print(const struct plot *plot, const struct roof *roof)
{
	double ridge = roof->operations_per_second / roof->bytes_per_second;
	double x[] = {plot->x.low, fmin(fmax(ridge, plot->x.low), plot->x.high), plot->x.high}, y[3];
	for (int i = 0; i < 3; i++)
		y[i] = 1e-12 * fmin(roof->operations_per_second, x[i] * roof->bytes_per_second);
	plot_path(plot, "roof", x, y, 3);
}

static void plot_print(FILE *out, const struct picture *picture, const char *finding)
{
	const struct roof *roof = &picture->roof;
	struct plot plot = {.name = finding,
						.x = PLOT_NOTHING("operations for each byte of memory", PLOT_LOG),
						.y = PLOT_NOTHING("TFLOP/s", PLOT_LOG)};
	struct point point;
	char title[256];
	for (size_t i = 0; i < picture->count; i++)
		for (size_t e = 0; point_next(picture, i, &e, &point);) {
			plot_include(&plot.x, point.intensity);
			plot_include(&plot.y, point.tflops);
			plot_include(&plot.y, point.roof);
		}
	/* both parts of the roof, a decade each */
	plot_include(&plot.x, 0.1 * roof->operations_per_second / roof->bytes_per_second);
	plot_include(&plot.x, 10 * roof->operations_per_second / roof->bytes_per_second);
	plot_include(&plot.y, 1e-13 * roof->operations_per_second);
	plot_include(&plot.y, 1e-12 * roof->operations_per_second);
	plot_open(&plot, out);
	roof_print(&plot, roof);
	for (size_t i = 0; i < picture->count; i++)
		for (size_t e = 0; point_next(picture, i, &e, &point);) {
			snprintf(title, sizeof title, "%s: %.4g TFLOP/s, %.3g%% of the roof",
					 point.entry->label, point.tflops, 100.0 * point.tflops / point.roof);
			plot_mark(&plot, point.series, point.intensity, point.tflops, title);
		}
	plot_close(&plot);
}

static void data_print(FILE *out, const struct picture *picture)
{
	static const struct html_column columns[] = {
		{"Shape", COLUMN_WORDS},    {"Entry", COLUMN_NAME},  {"FLOP/byte", COLUMN_NUMBER},
		{"TFLOP/s", COLUMN_NUMBER}, {"Roof", COLUMN_NUMBER}, {"Of the roof", COLUMN_NUMBER}};
	struct html_table table;
	struct point point;
	char shape[SHAPE_TEXT];
	html_data_open(out, "Data of the roofline");
	html_table_open(&table, out, "Roof: TFLOP/s that the peaks allow at so many operations a byte",
					columns, 6);
	for (size_t i = 0; i < picture->count; i++)
		for (size_t e = 0; point_next(picture, i, &e, &point);) {
			shape_print(problem_find(picture->timings[i]->problem),
						&picture->timings[i]->test.shape, shape);
			html_table_row(&table, point.entry->role == TIMING_FILE);
			html_table_text(&table, shape);
			html_table_text(&table, point.entry->label);
			html_table_format(&table, point.intensity, "%.4g", point.intensity);
			html_table_format(&table, point.tflops, "%.4g", point.tflops);
			html_table_format(&table, point.roof, "%.4g", point.roof);
			html_table_format(&table, 100.0 * point.tflops / point.roof, "%.1f%%",
							  100.0 * point.tflops / point.roof);
		}
	html_table_close(&table);
	html_details_close(out);
}

void html_roofline(FILE *out, const struct run_description *facts,
				   const struct timing_result *const *timings, size_t count)
{
	const struct problem *problem = count > 0 ? problem_find(timings[0]->problem) : NULL;
	char finding[512], peaks[256];
	if (problem == NULL)
		return;
	struct picture picture = {floor_roof(&facts->device, problem), timings, count};
	if (problem->algebra != ALGEBRA_PLUS_TIMES || !(picture.roof.operations_per_second > 0.0) ||
		!(picture.roof.bytes_per_second > 0.0)) {
		snprintf(finding, sizeof finding, "No roofline: the peaks of %s for %s are not known.",
				 facts->device.name, algebra_name(problem->algebra));
		html_paragraph(out, "quiet", finding);
		return;
	}
	finding_format(&picture, finding, sizeof finding);
	html_figure_open(out, "Below the roofline", finding);
	legend_print(out, &picture);
	plot_print(out, &picture, finding);
	snprintf(peaks, sizeof peaks,
			 "Peaks: %.4g TFLOP/s of dense tensor cores on operands of %d bits at %d MHz, and "
			 "%.3g TB/s of memory.",
			 1e-12 * picture.roof.operations_per_second,
			 (int)type_of(problem_part(problem, PART_LEFT)->type)->format.bits,
			 facts->device.sm_clock_khz / 1000, 1e-12 * picture.roof.bytes_per_second);
	html_paragraph(out, "quiet", peaks);
	data_print(out, &picture);
	html_figure_close(out);
}
