#include "report/html/plot.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "report/draw.h"
#include "report/html/page.h"

#define TOP 26
#define BOTTOM 44
#define HEIGHT 300
#define LEFT 52
#define MARGIN 12 /* at the left, without an axis there */
#define TICKS_MAX 16

void html_figure_open(FILE *out, const char *title, const char *finding)
{
	fputs("<figure>\n<figcaption><strong>", out);
	html_text(out, title);
	fputs("</strong> ", out);
	html_text(out, finding);
	fputs("</figcaption>\n", out);
}

void html_figure_close(FILE *out)
{
	fputs("</figure>\n", out);
}

void plot_legend_of(FILE *out, const char *const *names, const unsigned *series, size_t count)
{
	fputs("<ul class=\"legend\">\n", out);
	for (size_t i = 0; i < count; i++) {
		unsigned of = series != NULL ? series[i] : (unsigned)i;
		char paint[32];
		snprintf(paint, sizeof paint, "class=\"mark s%u\"", of % PLOT_SERIES);
		fputs("<li><svg aria-hidden=\"true\" viewBox=\"-7 -7 14 14\">", out);
		draw_mark(out, of, 0, 0, paint, NULL);
		fputs("</svg>", out);
		html_text(out, names[i]);
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
}

void plot_legend(FILE *out, const char *const *names, size_t count)
{
	plot_legend_of(out, names, NULL, count);
}

/* ---- axes ---------------------------------------------------------------------- */

void plot_include(struct plot_axis *axis, double value)
{
	bool none = axis->low > axis->high;
	if (!isfinite(value) || (axis->scale == PLOT_LOG && !(value > 0.0)))
		return;
	axis->low = none ? value : fmin(axis->low, value);
	axis->high = none ? value : fmax(axis->high, value);
}

/* Days, and parts and multiples of them, where 1, 2 and 5 would be odd; few, as ticks are ten
 * digits wide. */
static double date_step(double range)
{
	static const double steps[] = {60,     300,     900,     3600,     10800,
								   21600,  43200,   86400,   172800,   432000,
								   864000, 2592000, 7776000, 15552000, 31536000};
	size_t i = 0;
	while (i + 1 < sizeof steps / sizeof *steps && range / steps[i] > 3.0)
		i++;
	return steps[i];
}

static double axis_step(const struct plot_axis *axis)
{
	double range = axis->high - axis->low;
	return axis->scale == PLOT_DATES ? date_step(range) : draw_step(range, 5);
}

/* The next of 1, 2, 5, 10, ... at or below the value, or above it. */
static double log_round(double value, bool up)
{
	double power = pow(10.0, floor(log10(value) + 1e-9)), factor = value / power;
	if (up)
		return power * (factor <= 1.0 + 1e-9 ? 1 : factor <= 2.0 ? 2 : factor <= 5.0 ? 5 : 10);
	return power * (factor >= 5.0 ? 5 : factor >= 2.0 ? 2 : 1);
}

static void axis_widen(struct plot_axis *axis)
{
	bool log = axis->scale == PLOT_LOG;
	if (axis->low > axis->high) /* nothing was included */
		axis->low = axis->high = 1.0;
	if (log) {
		axis->low = log_round(axis->low, false);
		axis->high = log_round(axis->high, true);
		if (!(axis->high > axis->low))
			axis->high = log_round(axis->low * 1.5, true);
		return;
	}
	if (!(axis->high > axis->low)) {
		double room = axis->scale == PLOT_DATES ? 86400 : fmax(fabs(axis->low) * 0.1, 1e-3);
		axis->low -= room;
		axis->high += room;
	}
	/* a range that grew may have a longer step, to which it grows once more */
	for (int i = 0; i < 3; i++) {
		double step = axis_step(axis);
		axis->low = floor(axis->low / step + 1e-9) * step;
		axis->high = ceil(axis->high / step - 1e-9) * step;
	}
}

static size_t axis_ticks(const struct plot_axis *axis, double out[TICKS_MAX])
{
	size_t count = 0;
	if (axis->scale != PLOT_LOG) {
		double step = axis_step(axis);
		for (double at = axis->low; at <= axis->high + step * 1e-6 && count < TICKS_MAX; at += step)
			out[count++] = fabs(at) < step * 1e-6 ? 0 : at;
		return count;
	}
	double decades = log10(axis->high / axis->low);
	if (decades <= 2.0) {
		for (double at = axis->low; at <= axis->high * 1.001 && count < TICKS_MAX;
			 at = log_round(at * 1.5, true))
			out[count++] = at;
		return count;
	}
	int every = decades > 12 ? 4 : decades > 6 ? 2 : 1;
	for (int power = every * (int)ceil(log10(axis->low) / every - 1e-9);
		 power <= log10(axis->high) + 1e-9 && count < TICKS_MAX; power += every)
		out[count++] = pow(10.0, power);
	return count;
}

/* "0.5", "2000", "10" with its power raised. */
static void tick_format(const struct plot_axis *axis, double value, char out[32])
{
	static const char *const raised[] = {
		"\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",     "\xE2\x81\xB4",
		"\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7", "\xE2\x81\xB8", "\xE2\x81\xB9"};
	int power = value > 0.0 ? (int)lround(log10(value)) : 0;
	if (axis->scale == PLOT_DATES) {
		time_t seconds = (time_t)value;
		struct tm parts;
		gmtime_r(&seconds, &parts);
		strftime(out, 32, axis_step(axis) < 86400 ? "%m-%d %H:%M" : "%Y-%m-%d", &parts);
	} else if (axis->scale == PLOT_LOG && power >= 5 && power < 100 &&
			   fabs(value / pow(10.0, power) - 1.0) < 1e-6) {
		snprintf(out, 32, "10%s%s", power >= 10 ? raised[power / 10] : "", raised[power % 10]);
	} else {
		snprintf(out, 32, "%.6g", value);
	}
}

/* Where a value stands between the ends of its axis, 0 to 1. */
static double share_of(const struct plot_axis *axis, double value)
{
	double low = axis->low, high = axis->high;
	if (axis->scale == PLOT_LOG) {
		low = log(low);
		high = log(high);
		value = value > 0.0 ? log(value) : low;
	}
	double share = (value - low) / (high - low);
	return !(share > 0.0) ? 0.0 : share < 1.0 ? share : 1.0;
}

static double left_of(const struct plot *plot)
{
	return plot->y.label != NULL ? LEFT : MARGIN;
}

static double top_of(const struct plot *plot)
{
	return plot->y.label != NULL ? TOP : 0;
}

double plot_x(const struct plot *plot, double value)
{
	double left = left_of(plot);
	return left + (PLOT_RIGHT - left) * share_of(&plot->x, value);
}

double plot_y(const struct plot *plot, double value)
{
	double height = plot->height - TOP - BOTTOM;
	return plot->y.label != NULL ? TOP + height * (1.0 - share_of(&plot->y, value)) : value;
}

static void x_axis_print(const struct plot *plot)
{
	double ticks[TICKS_MAX], foot = plot->height - BOTTOM;
	char text[32];
	size_t count = axis_ticks(&plot->x, ticks);
	for (size_t i = 0; i < count; i++) {
		double x = plot_x(plot, ticks[i]);
		tick_format(&plot->x, ticks[i], text);
		double half = 3.2 * (double)strlen(text);
		const char *anchor = x + half > PLOT_WIDTH ? "end" : x < half ? "start" : "middle";
		draw_line(plot->out, x, top_of(plot), x, foot, "class=\"grid\"");
		draw_text(plot->out, x, foot + 16, anchor, "class=\"tick\"", text);
	}
	draw_line(plot->out, left_of(plot), foot, PLOT_RIGHT, foot, "class=\"axis\"");
	draw_text(plot->out, PLOT_RIGHT, foot + 36, "end", "", plot->x.label);
}

static void y_axis_print(const struct plot *plot)
{
	double ticks[TICKS_MAX];
	char text[32];
	size_t count = axis_ticks(&plot->y, ticks);
	for (size_t i = 0; i < count; i++) {
		double y = plot_y(plot, ticks[i]);
		tick_format(&plot->y, ticks[i], text);
		draw_line(plot->out, LEFT, y, PLOT_RIGHT, y, "class=\"grid\"");
		draw_text(plot->out, LEFT - 7, y + 4, "end", "class=\"tick\"", text);
	}
	draw_text(plot->out, 0, 12, "start", "", plot->y.label);
}

void plot_open(struct plot *plot, FILE *out)
{
	plot->out = out;
	if (!(plot->height > 0.0))
		plot->height = HEIGHT;
	axis_widen(&plot->x);
	fprintf(out, "<svg class=\"plot\" viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"", PLOT_WIDTH,
			plot->height);
	html_text(out, plot->name);
	fputs("\">\n", out);
	if (plot->y.label != NULL) {
		axis_widen(&plot->y);
		y_axis_print(plot);
	}
	x_axis_print(plot);
}

void plot_close(struct plot *plot)
{
	fputs("</svg>\n", plot->out);
}

/* ---- what stands in it ----------------------------------------------------------- */

void plot_mark(const struct plot *plot, unsigned series, double x, double y, const char *title)
{
	char paint[32];
	snprintf(paint, sizeof paint, "class=\"mark s%u\"", series % PLOT_SERIES);
	draw_mark(plot->out, series, plot_x(plot, x), plot_y(plot, y), paint, title);
}

void plot_interval(const struct plot *plot, unsigned series, double x, double low, double high)
{
	char paint[32];
	snprintf(paint, sizeof paint, "class=\"range s%u\"", series % PLOT_SERIES);
	draw_line(plot->out, plot_x(plot, x), plot_y(plot, low), plot_x(plot, x), plot_y(plot, high),
			  paint);
}

void plot_path(const struct plot *plot, const char *class, const double *x, const double *y,
			   size_t count)
{
	fprintf(plot->out, "<polyline class=\"%s\" points=\"", class);
	for (size_t i = 0; i < count; i++)
		fprintf(plot->out, "%s%.1f,%.1f", i > 0 ? " " : "", plot_x(plot, x[i]), plot_y(plot, y[i]));
	fputs("\"/>\n", plot->out);
}
