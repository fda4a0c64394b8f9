/* Plots of a page: two axes, linear, logarithmic or of dates, and marks, intervals and paths in
 * them. A figure is a caption that says the finding in words, the plot, which has the same as its
 * text alternative, and the data as a table:
 *
 *     html_figure_open(out, "Ratio by size", "faster than cuBLAS from ...");
 *     plot_legend(out, names, count);
 *     plot_open(&plot, out);    plot_mark(&plot, ...);    plot_close(&plot);
 *     html_data_open(out, "Data");    html_table_open(...) ...    html_details_close(out);
 *     html_figure_close(out);
 */
#ifndef GEMMJUDGE_REPORT_HTML_PLOT_H
#define GEMMJUDGE_REPORT_HTML_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Colours and marks of series: 0 to PLOT_SERIES - 1, then again. */
#define PLOT_SERIES 6

enum plot_scale { PLOT_LINEAR, PLOT_LOG, PLOT_DATES /* seconds since 1970, shown in UTC */ };

struct plot_axis {
	const char *label;
	enum plot_scale scale;
	double low, high; /* what has to be seen; plot_open() widens them to ticks */
};

struct plot {
	const char *name;      /* the text alternative: the finding */
	struct plot_axis x, y; /* y.label NULL: there is no such axis, y is in pixels from the top */
	double height;         /* in pixels of PLOT_WIDTH in all; 0: what is usual */
	FILE *out;
};

#define PLOT_WIDTH 460.0
#define PLOT_RIGHT (PLOT_WIDTH - 16.0)

void html_figure_open(FILE *out, const char *title, const char *finding);
void html_figure_close(FILE *out);

/* Widens an axis so that it shows `value`; start with PLOT_NOTHING. */
#define PLOT_NOTHING(of_label, of_scale)                                                           \
	(struct plot_axis)                                                                             \
	{                                                                                              \
		.label = (of_label), .scale = (of_scale), .low = 1, .high = 0                              \
	}
void plot_include(struct plot_axis *axis, double value);

/* Of series 0, 1, ..., or of these. */
void plot_legend(FILE *out, const char *const *names, size_t count);
void plot_legend_of(FILE *out, const char *const *names, const unsigned *series, size_t count);

void plot_open(struct plot *plot, FILE *out);
void plot_close(struct plot *plot);

/* The pixel of a value; values beyond the axes are moved to their ends. */
double plot_x(const struct plot *plot, double value);
double plot_y(const struct plot *plot, double value);

/* `title` shows below the pointer. */
void plot_mark(const struct plot *plot, unsigned series, double x, double y, const char *title);
/* From low to high, upright. */
void plot_interval(const struct plot *plot, unsigned series, double x, double low, double high);
/* From point to point; a class of page.css: "roof", "one", "path s2". */
void plot_path(const struct plot *plot, const char *class, const double *x, const double *y,
			   size_t count);

#endif
