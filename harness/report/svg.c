#include <math.h>
#include <string.h>

#include "report/compare.h"
#include "report/draw.h"
#include "report/facts.h"

/* A panel for each file: shapes along the bottom, for each of them a bar for each
 * library, as high as the fused kernel is fast beside it. The line is at 1. */
#define WIDTH 960
#define LEFT 60
#define RIGHT 20
#define PANEL 420
#define TOP 85
#define BOTTOM 80
#define LIBRARIES_MAX 7 /* three of ours, JUDGE_BASELINES_MAX of the user's */

/* Colours that the colour-blind tell apart (Okabe and Ito), and what is read on them. */
static const struct {
	const char *fill, *text;
} colors[LIBRARIES_MAX] = {{"#0072B2", "#ffffff"}, {"#E69F00", "#000000"}, {"#009E73", "#ffffff"},
						   {"#CC79A7", "#000000"}, {"#56B4E9", "#000000"}, {"#D55E00", "#ffffff"},
						   {"#F0E442", "#000000"}};

struct panel {
	const struct judgement_list *list;
	size_t file;
	double top; /* y of the panel on the page */
	double highest;
	size_t libraries;
	const char *names[LIBRARIES_MAX];
};

static void text_print(FILE *out, double x, double y, double size, const char *anchor,
					   const char *text)
{
	char paint[32];
	snprintf(paint, sizeof paint, "font-size=\"%.1f\"", size);
	draw_text(out, x, y, anchor, paint, text);
}

static double y_of(const struct panel *panel, double speed_up)
{
	double height = PANEL - TOP - BOTTOM;
	return panel->top + TOP + height * (1.0 - speed_up / panel->highest);
}

static const struct timing_entry *entry_of(const struct panel *panel, size_t shape, size_t library)
{
	const struct timing_result *timing = &panel->list->bench[shape];
	for (size_t i = 0; i < timing->count; i++)
		if (!timing_is_file(&timing->entries[i]) &&
			strcmp(timing->entries[i].label, panel->names[library]) == 0)
			return &timing->entries[i];
	return NULL;
}

static struct compare_ratio ratio_of(const struct panel *panel, size_t shape, size_t library)
{
	const struct timing_result *timing = &panel->list->bench[shape];
	const struct timing_entry *entry = entry_of(panel, shape, library);
	if (entry == NULL || panel->file >= timing->count ||
		timing->entries[panel->file].role != TIMING_FILE)
		return (struct compare_ratio){0};
	return compare_speed_up(&timing->entries[panel->file], entry, facts_use_span(timing));
}

/* Libraries that were measured at some shape, and how far up the axis must go. */
static void panel_measure(struct panel *panel)
{
	panel->highest = 1.2;
	for (size_t b = 0; b < panel->list->bench_count; b++) {
		const struct timing_result *timing = &panel->list->bench[b];
		for (size_t i = 0; i < timing->count; i++) {
			const struct timing_entry *entry = &timing->entries[i];
			bool known = timing_is_file(entry) || !entry->ran || panel->libraries == LIBRARIES_MAX;
			for (size_t l = 0; l < panel->libraries; l++)
				known = known || strcmp(panel->names[l], entry->label) == 0;
			if (!known)
				panel->names[panel->libraries++] = entry->label;
		}
	}
	for (size_t b = 0; b < panel->list->bench_count; b++)
		for (size_t l = 0; l < panel->libraries; l++)
			panel->highest = fmax(panel->highest, ratio_of(panel, b, l).high);
	panel->highest = ceil(panel->highest * 5.0 + 0.5) / 5.0;
}

static void line_print(FILE *out, const struct panel *panel, double value, const char *stroke)
{
	char paint[32];
	double y = y_of(panel, value);
	snprintf(paint, sizeof paint, "stroke=\"%s\"", stroke);
	draw_line(out, LEFT, y, WIDTH - RIGHT, y, paint);
}

static void axis_print(FILE *out, const struct panel *panel)
{
	double step = draw_step(panel->highest, 8);
	for (double value = 0.0; value <= panel->highest + 1e-9; value += step) {
		char number[16];
		snprintf(number, sizeof number, "%.1f", value);
		line_print(out, panel, value, "#dddddd");
		text_print(out, LEFT - 8, y_of(panel, value) + 4, 12, "end", number);
	}
}

static const char *fill_of(size_t library, char out[32])
{
	snprintf(out, 32, "fill=\"%s\"", colors[library].fill);
	return out;
}

#define LEGEND 96
/* What a label of the legend takes, with its square and the room behind it. */
static double legend_width(const char *label)
{
	return 40 + 7.5 * (double)strlen(label);
}

static void legend_label(const struct panel *panel, size_t library, char out[LEGEND])
{
	bool program = false;
	for (size_t b = 0; b < panel->list->bench_count; b++) {
		const struct timing_entry *entry = entry_of(panel, b, library);
		program = program || (entry != NULL && entry->role == TIMING_PROGRAM);
	}
	snprintf(out, LEGEND, "over %s%s", panel->names[library], program ? ", not checked" : "");
}

/* In one line, smaller where it would not fit. */
static void legend_print(FILE *out, const struct panel *panel)
{
	char paint[32], label[LEGEND];
	double x = LEFT, all = 0;
	for (size_t l = 0; l < panel->libraries; l++) {
		legend_label(panel, l, label);
		all += legend_width(label);
	}
	double scale = fmin(1, (WIDTH - LEFT - RIGHT) / all);
	for (size_t l = 0; l < panel->libraries; l++) {
		legend_label(panel, l, label);
		draw_rect(out, x, panel->top + 38, 12 * scale, 12, fill_of(l, paint));
		text_print(out, x + 18 * scale, panel->top + 49, 13 * scale, "start", label);
		x += legend_width(label) * scale;
	}
	text_print(out, WIDTH - RIGHT, panel->top + 70, 11, "end",
			   "cost: of fusing; floor: of the chain by itself; both over no epilogue");
}

/* The number stands at the foot of the bar, upright where it has no room otherwise,
 * so that neither the interval nor the line at 1 crosses it. */
static void bar_label_print(FILE *out, double x, double y, double width, double value,
							const char *fill)
{
	bool upright = width < 20;
	double across = width / (upright ? 1.2 : 2.4), size = across > 11 ? 11 : across;
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" fill=\"%s\"", x, y, size, fill);
	if (upright)
		fprintf(out, " transform=\"rotate(-90 %.1f %.1f)\" dominant-baseline=\"central\">", x, y);
	else
		fputs(" text-anchor=\"middle\">", out);
	fprintf(out, "%.2f</text>\n", value);
}

static void bar_print(FILE *out, const struct panel *panel, double x, double width,
					  struct compare_ratio ratio, size_t library)
{
	char paint[32];
	double top = y_of(panel, ratio.value), zero = y_of(panel, 0.0), middle = x + width / 2;
	if (!(ratio.value > 0.0))
		return;
	draw_rect(out, x, top, width, zero - top, fill_of(library, paint));
	draw_line(out, middle, y_of(panel, ratio.low), middle, y_of(panel, ratio.high),
			  "stroke=\"#000000\"");
	bar_label_print(out, middle, zero - 6, width, ratio.value, colors[library].text);
}

/* What stands below a shape's bars. */
static void shape_label_print(FILE *out, const struct panel *panel, size_t number, double x,
							  double room)
{
	const struct timing_result *timing = &panel->list->bench[number];
	const struct timing_entry *fused = &timing->entries[panel->file];
	const struct timing_entry *plain =
		panel->file < timing->count ? compare_plain(timing, fused) : NULL;
	double y = panel->top + PANEL - BOTTOM, size = fmin(11, room / 7.5);
	char line[48];
	const int32_t *sizes = timing->test.shape.size;
	snprintf(line, sizeof line, "%d x %d", (int)sizes[SIZE_M], (int)sizes[SIZE_N]);
	text_print(out, x, y + 18, size, "middle", line);
	snprintf(line, sizeof line, "K %d", (int)sizes[SIZE_K]);
	text_print(out, x, y + 33, size, "middle", line);
	if (plain == NULL || !plain->ran || !fused->ran)
		return;
	snprintf(line, sizeof line, "cost %.1f%%",
			 compare_cost(fused, plain, facts_use_span(timing)).value);
	text_print(out, x, y + 48, size, "middle", line);
	if (!timing->floor.known)
		return;
	snprintf(line, sizeof line, "floor %.1f%%",
			 100.0 * compare_floor(&timing->floor) /
				 facts_stats(plain, facts_use_span(timing))->median);
	text_print(out, x, y + 63, size, "middle", line);
}

static void shapes_print(FILE *out, const struct panel *panel)
{
	size_t count = panel->list->bench_count;
	double room = (double)(WIDTH - LEFT - RIGHT) / (double)count;
	double width = panel->libraries > 0 ? room * 0.8 / (double)panel->libraries : room;
	for (size_t b = 0; b < count; b++) {
		double x = LEFT + room * (double)b;
		for (size_t l = 0; l < panel->libraries; l++)
			bar_print(out, panel, x + room * 0.1 + width * (double)l, width * 0.94,
					  ratio_of(panel, b, l), l);
		shape_label_print(out, panel, b, x + room / 2, room);
	}
}

static void panel_print(FILE *out, struct panel *panel)
{
	char title[FACTS_LABEL + 1400], label[FACTS_LABEL];
	facts_label(&panel->list->bench[0].entries[panel->file], label);
	snprintf(title, sizeof title, "%s (%s): speed-up with %s, %s%s", label,
			 panel->list->bench[0].problem, panel->list->facts.epilogue,
			 panel->list->facts.device.name,
			 timing_is_steady(&panel->list->bench[0]) ? ", in a steady stream" : "");
	panel_measure(panel);
	text_print(out, LEFT, panel->top + 24, 16, "start", title);
	legend_print(out, panel);
	axis_print(out, panel);
	shapes_print(out, panel);
	line_print(out, panel, 1.0, "#000000"); /* above it, fusing wins */
}

void report_svg(const struct judgement_list *list, FILE *out)
{
	size_t panels = 0;
	while (list->bench_count > 0 && panels < list->bench[0].count &&
		   list->bench[0].entries[panels].role == TIMING_FILE)
		panels++;
	fprintf(out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
			"viewBox=\"0 0 %d %zu\" font-family=\"sans-serif\">\n"
			"<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
			WIDTH, panels * PANEL, WIDTH, panels * PANEL);
	for (size_t f = 0; f < panels; f++) {
		struct panel panel = {.list = list, .file = f, .top = (double)(f * PANEL)};
		panel_print(out, &panel);
	}
	fputs("</svg>\n", out);
}
