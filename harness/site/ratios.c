/* The first at each shape beside the fastest library, by the size of the product. */
#include <math.h>
#include <stdio.h>

#include "report/html/plot.h"
#include "site/pages.h"

#define SHAPES_LEAST 3 /* of fewer the table says all */
#define FINDING 320

static double ratio_at(const struct field *field, size_t index)
{
	return measured_ratio(field->boards[index].leaders[0].time);
}

/* What there is to see, in words; how many shapes have a library's time. */
static size_t finding_print(const struct field *field, char out[FINDING])
{
	size_t count = 0, faster = 0, least = 0, most = 0;
	char least_at[SHAPE_TEXT], most_at[SHAPE_TEXT];
	for (size_t i = 0; i < field->count; i++) {
		double ratio = ratio_at(field, i);
		if (!(ratio > 0.0))
			continue;
		least = count == 0 || ratio < ratio_at(field, least) ? i : least;
		most = count == 0 || ratio > ratio_at(field, most) ? i : most;
		faster += ratio >= 1.0;
		count++;
	}
	measured_sizes(field->boards[least].time, least_at);
	measured_sizes(field->boards[most].time, most_at);
	snprintf(out, FINDING, "As fast or faster at %zu of %zu shapes; from %.3f at %s to %.3f at %s.",
			 faster, count, ratio_at(field, least), least_at, ratio_at(field, most), most_at);
	return count;
}

void ratios_print(FILE *out, const struct field *field)
{
	char finding[FINDING];
	struct plot plot = {.name = finding,
						.x = PLOT_NOTHING("multiplications: M x N x K", PLOT_LOG),
						.y = PLOT_NOTHING("time of the library / time of the first", PLOT_LINEAR)};
	if (finding_print(field, finding) < SHAPES_LEAST)
		return;
	plot_include(&plot.y, 0.0);
	plot_include(&plot.y, 1.0);
	for (size_t i = 0; i < field->count; i++) {
		plot_include(&plot.x, shape_terms(&field->boards[i].time->shape));
		plot_include(&plot.y, ratio_at(field, i));
	}
	html_figure_open(out, "The first at each shape beside the fastest library", finding);
	plot_open(&plot, out);
	plot_path(&plot, "one", (double[]){plot.x.low, plot.x.high}, (double[]){1, 1}, 2);
	for (size_t i = 0; i < field->count; i++) {
		char sizes[SHAPE_TEXT], title[SHAPE_TEXT + 256];
		if (!(ratio_at(field, i) > 0.0))
			continue;
		measured_sizes(field->boards[i].time, sizes);
		snprintf(title, sizeof title, "%s: %.160s, %.3f", sizes,
				 field->boards[i].leaders[0].run->file, ratio_at(field, i));
		plot_mark(&plot, 0, shape_terms(&field->boards[i].time->shape), ratio_at(field, i), title);
	}
	plot_close(&plot);
	html_figure_close(out);
}
