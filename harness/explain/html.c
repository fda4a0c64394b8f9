/* A solution's bounds and bottlenecks as a page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explain/explain.h"
#include "report/draw.h"
#include "report/html/page.h"
#include "report/html/plot.h"
#include "report/html/table.h"

#define LINES 8
#define LINE_SHARE 0.01 /* lines with less are left out */
#define ROW 42          /* pixels of a part in the plot */
#define FOOT 44

static const char *name_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	return slash != NULL ? slash + 1 : file;
}

/* As a sentence of a page has it. */
static void paragraph(FILE *out, const char *class, char *text)
{
	if (text[0] >= 'a' && text[0] <= 'z')
		text[0] = (char)(text[0] - 'a' + 'A');
	size_t length = strlen(text);
	if (length + 1 < EXPLAIN_TEXT && length > 0 && text[length - 1] != '.')
		strcpy(text + length, ".");
	html_paragraph(out, class, text);
}

/* ---- the head ------------------------------------------------------------------------------- */

static void head_print(const struct explained *explained, FILE *out)
{
	char text[EXPLAIN_TEXT], title[512];
	text_format(title, sizeof title, "What bounds %s", name_of(explained->file));
	html_open(out, title, GEMMJUDGE_VERSION);
	fputs("<header>\n", out);
	html_heading(out, 1, NULL, title);
	explain_say_shape(explained, text);
	html_paragraph(out, "quiet", text);
	fputs("</header>\n", out);
	if (explained->counted.judgement.verdict != VERDICT_ACCEPTED) {
		explain_say_failure(explained, text);
		paragraph(out, "note bad", text);
	} else if (explained->predicted) {
		explain_say_prediction(explained, text);
		paragraph(out, "lead", text);
		if (explain_say_measured(explained, text))
			paragraph(out, NULL, text);
	} else if (explained->count == 0) {
		html_paragraph(out, "note", "Nothing is predicted: the call launched no kernel.");
	}
	explain_say_bounds(explained, text);
	paragraph(out, NULL, text);
	snprintf(text, sizeof text, "an emulated %s", explained->emulated);
	html_facts_open(out);
	html_fact(out, "File", explained->file);
	html_fact(out, "Problem", explained->plan.problem->name);
	html_fact(out, "GPU", explained->gpu.name);
	html_fact(out, "Counted on", text);
	html_facts_close(out);
}

/* ---- the parts of a kernel's time ------------------------------------------------------------ */

static void part_print(const struct plot *plot, const struct explain_part *part, double top)
{
	char number[EXPLAIN_NUMBER], title[256];
	const char *name = demand_part_name(part->which);
	const double y = top + 29;
	explain_time(part->seconds, number);
	snprintf(title, sizeof title, "%s: %s", name, number);
	draw_row_name(plot->out, top + 15, name, 44);
	draw_text(plot->out, PLOT_WIDTH - 2, top + 15, "end", "class=\"row\"", number);
	draw_line(plot->out, plot_x(plot, 0), y, plot_x(plot, part->seconds * 1e6), y,
			  "class=\"bar s0\"");
	plot_mark(plot, 0, part->seconds * 1e6, y, title);
}

static void parts_print(const struct demand_time *time, FILE *out)
{
	static const struct html_column columns[] = {
		{"Part", COLUMN_WORDS}, {"us", COLUMN_NUMBER}, {"Of the time", COLUMN_NUMBER}};
	struct explain_part parts[DEMAND_PARTS];
	const size_t count = explain_parts(time, parts);
	char finding[EXPLAIN_TEXT], number[EXPLAIN_NUMBER];
	struct html_table table;
	snprintf(finding, sizeof finding,
			 "%s in all, as parts work side by side; alone, %s would take longest.",
			 explain_time(time->seconds, number), demand_part_name(time->bound));
	html_figure_open(out, "Each part alone", finding);
	struct plot plot = {.name = finding, .x = PLOT_NOTHING("microseconds", PLOT_LINEAR)};
	plot_include(&plot.x, 0);
	for (size_t i = 0; i < count; i++)
		plot_include(&plot.x, parts[i].seconds * 1e6);
	plot.height = (double)(ROW * count) + FOOT;
	plot_open(&plot, out);
	for (size_t i = 0; i < count; i++)
		part_print(&plot, &parts[i], (double)(ROW * i));
	plot_close(&plot);
	html_data_open(out, "Data of the parts");
	html_table_open(&table, out, "Microseconds that each part of a multiprocessor would take alone",
					columns, 3);
	for (size_t i = 0; i < count; i++) {
		html_table_row(&table, parts[i].which == time->bound);
		html_table_text(&table, demand_part_name(parts[i].which));
		html_table_format(&table, parts[i].seconds * 1e6, "%.4g", parts[i].seconds * 1e6);
		html_table_format(&table, 100 * parts[i].seconds / time->seconds, "%.0f%%",
						  100 * parts[i].seconds / time->seconds);
	}
	html_table_close(&table);
	html_details_close(out);
	html_figure_close(out);
}

/* ---- a kernel -------------------------------------------------------------------------------- */

static void lines_print(const struct explained *explained, const struct explained_kernel *kernel,
						enum demand_part part, FILE *out)
{
	static const struct html_column columns[] = {
		{"Share", COLUMN_NUMBER}, {"Line", COLUMN_NAME}, {"Source", COLUMN_SENTENCE}};
	struct explain_line lines[LINES];
	char text[EXPLAIN_TEXT];
	struct html_table table;
	const size_t count = explain_lines(kernel, part, lines, LINES);
	if (count == 0 || lines[0].share < LINE_SHARE)
		return;
	html_table_open(&table, out, "The lines that cause most of it", columns, 3);
	for (size_t i = 0; i < count && lines[i].share >= LINE_SHARE; i++) {
		explain_source(explained->file, lines[i].line->source, text);
		html_table_row(&table, 0);
		html_table_format(&table, 100 * lines[i].share, "%.0f%%", 100 * lines[i].share);
		html_table_text(&table, lines[i].line->source);
		html_table_text(&table, text);
	}
	html_table_close(&table);
}

static void resources_print(const struct explained *explained,
							const struct explained_kernel *kernel, FILE *out)
{
	char text[EXPLAIN_TEXT];
	explain_say_launch(kernel, text);
	paragraph(out, NULL, text);
	explain_say_registers(kernel, text);
	paragraph(out, NULL, text);
	explain_say_occupancy(kernel, text);
	paragraph(out, kernel->fits ? NULL : "note bad", text);
	if (kernel->fits) {
		explain_say_waves(kernel, text);
		paragraph(out, NULL, text);
	}
	explain_say_instructions(kernel, text);
	paragraph(out, NULL, text);
	explain_say_global(explained, kernel, text);
	paragraph(out, NULL, text);
	if (explain_say_shared(kernel, text))
		paragraph(out, NULL, text);
}

static void counters_print(const struct explained_kernel *kernel, FILE *out)
{
	static const struct html_column columns[] = {{"Counter", COLUMN_NAME},
												 {"Value", COLUMN_NUMBER}};
	struct html_table table;
	html_data_open(out, "Counters");
	html_table_open(&table, out,
					"As the emulated GPU counted them, over all launches of the kernel", columns,
					2);
	for (size_t i = 0; i < kernel->raw->count; i++) {
		html_table_row(&table, 0);
		html_table_text(&table, kernel->raw->counters[i].name);
		html_table_format(&table, (double)kernel->raw->counters[i].value, "%llu",
						  (unsigned long long)kernel->raw->counters[i].value);
	}
	html_table_close(&table);
	html_details_close(out);
}

static void kernel_print(const struct explained *explained, const struct explained_kernel *kernel,
						 FILE *out)
{
	char text[EXPLAIN_TEXT], id[32];
	snprintf(id, sizeof id, "kernel-%zu", (size_t)(kernel - explained->kernels) + 1);
	html_heading(out, 2, id, kernel->raw->shown);
	if (kernel->fits) {
		explain_say_bound(explained, kernel, text);
		paragraph(out, "lead", text);
		lines_print(explained, kernel, kernel->time.bound, out);
		if (explain_say_gain(explained, kernel, text)) {
			paragraph(out, NULL, text);
			lines_print(explained, kernel, kernel->gain, out);
		}
		parts_print(&kernel->time, out);
	}
	resources_print(explained, kernel, out);
	counters_print(kernel, out);
}

void explain_html(const void *what, FILE *out)
{
	const struct explained *explained = what;
	const struct judgement *judgement = &explained->counted.judgement;
	head_print(explained, out);
	if (judgement->verdict == VERDICT_COMPILE_ERROR && judgement->compile_log != NULL)
		html_block(out, judgement->compile_log);
	for (size_t i = 0; i < explained->count; i++)
		kernel_print(explained, &explained->kernels[i], out);
	html_paragraph(
		out, "quiet",
		"Times are predicted from what a few blocks of each launch do on an emulated GPU.");
	html_close(out, GEMMJUDGE_VERSION);
}
