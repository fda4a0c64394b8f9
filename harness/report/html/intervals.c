#include "report/html/intervals.h"

#include "report/draw.h"
#include "report/facts.h"
#include "report/html/plot.h"

#define ROW 42
#define FOOT 44
#define LABEL_CHARACTERS 44

static void row_print(const struct plot *plot, const struct html_interval *row, double top)
{
	const struct timing_stats *stats = &row->stats;
	char paint[32], value[FACTS_TIME + 8], title[256];
	double y = top + 29;
	snprintf(value, sizeof value, "%s us", facts_time(stats->median, (char[FACTS_TIME]){0}));
	snprintf(title, sizeof title, "%.160s: median %s, 95%% interval %s to %s", row->label, value,
			 facts_time(stats->low, (char[FACTS_TIME]){0}),
			 facts_time(stats->high, (char[FACTS_TIME]){0}));
	draw_row_name(plot->out, top + 15, row->label, LABEL_CHARACTERS);
	draw_text(plot->out, PLOT_WIDTH - 2, top + 15, "end", "class=\"row\"", value);
	snprintf(paint, sizeof paint, "class=\"range s%u\"", row->series % PLOT_SERIES);
	draw_line(plot->out, plot_x(plot, stats->min), y, plot_x(plot, stats->p95), y, paint);
	snprintf(paint, sizeof paint, "class=\"bar s%u\"", row->series % PLOT_SERIES);
	draw_line(plot->out, plot_x(plot, stats->low), y, plot_x(plot, stats->high), y, paint);
	plot_mark(plot, row->series, stats->median, y, title);
}

void html_intervals(FILE *out, const char *finding, const struct html_interval *rows, size_t count)
{
	struct plot plot = {.name = finding, .x = PLOT_NOTHING("microseconds", PLOT_LINEAR)};
	if (count > INTERVALS_MOST)
		count = INTERVALS_MOST;
	for (size_t i = 0; i < count; i++) {
		plot_include(&plot.x, rows[i].stats.min);
		plot_include(&plot.x, rows[i].stats.median);
		plot_include(&plot.x, rows[i].stats.p95);
	}
	if (plot.x.low > 0.0 && plot.x.high / plot.x.low > 6.0)
		plot.x.scale = PLOT_LOG;
	if (plot.x.scale == PLOT_LOG)
		plot.x.label = "microseconds, logarithmic";
	plot.height = (double)(ROW * count) + FOOT;
	plot_open(&plot, out);
	for (size_t i = 0; i < count; i++)
		row_print(&plot, &rows[i], (double)(ROW * i));
	plot_close(&plot);
}
