/* A solution's bounds and bottlenecks as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explain/explain.h"
#include "report/clean.h"
#include "report/wrap.h"

#define WIDTH 80
#define INDENT 2
#define LINES_SHOWN 3
#define LINE_SHARE 0.05  /* lines with less are left out */
#define KERNEL_SHARE 0.1 /* kernels of less of the time have one line, unless it is verbose */

static void paragraph(FILE *out, int indent, const char *text)
{
	if (indent > 0)
		fprintf(out, "%*s", indent, "");
	wrap_print(out, WIDTH, indent, indent > 0 ? indent + INDENT : 0, text);
}

static void show_head(const struct explained *explained, FILE *out)
{
	char text[EXPLAIN_TEXT + PATHS_MAX], said[EXPLAIN_TEXT];
	explain_say_shape(explained, said);
	snprintf(text, sizeof text, "%s: %s", explained->file, said);
	paragraph(out, 0, text);
	explain_say_bounds(explained, said);
	paragraph(out, 0, said);
}

/* ---- a kernel
 * ------------------------------------------------------------------------------------ */

static void show_resources(const struct explained_kernel *kernel, FILE *out)
{
	char text[EXPLAIN_TEXT];
	explain_say_registers(kernel, text);
	paragraph(out, 2, text);
	explain_say_occupancy(kernel, text);
	paragraph(out, 2, text);
	if (!kernel->fits)
		return;
	explain_say_waves(kernel, text);
	paragraph(out, 2, text);
}

static void show_counters(const struct explained *explained, const struct explained_kernel *kernel,
						  FILE *out)
{
	char text[EXPLAIN_TEXT];
	explain_say_instructions(kernel, text);
	paragraph(out, 2, text);
	explain_say_global(explained, kernel, text);
	paragraph(out, 2, text);
	if (explain_say_shared(kernel, text))
		paragraph(out, 2, text);
}

#define BAR 24
static void show_parts(const struct demand_time *time, FILE *out)
{
	struct explain_part parts[DEMAND_PARTS];
	const size_t count = explain_parts(time, parts);
	char number[EXPLAIN_NUMBER];
	for (size_t i = 0; i < count; i++) {
		const int bar = (int)(BAR * parts[i].seconds / parts[0].seconds + 0.5);
		fprintf(out, "  %10s  %.*s%*s %s\n", explain_time(parts[i].seconds, number), bar,
				"########################", BAR - bar, "", demand_part_name(parts[i].which));
	}
}

static void show_lines(const struct explained *explained, const struct explained_kernel *kernel,
					   enum demand_part part, FILE *out)
{
	struct explain_line lines[LINES_SHOWN];
	char text[EXPLAIN_TEXT];
	const size_t count = explain_lines(kernel, part, lines, LINES_SHOWN);
	for (size_t i = 0; i < count && lines[i].share >= LINE_SHARE; i++) {
		explain_source(explained->file, lines[i].line->source, text);
		char *at = clean_line(lines[i].line->source), *code = clean_line(text);
		int used = fprintf(out, "    %3.0f%% at %s  ", lines[i].share * 100, at != NULL ? at : "");
		fprintf(out, "%.*s\n", used < WIDTH ? WIDTH - used : 0, code != NULL ? code : "");
		free(at);
		free(code);
	}
}

/* What takes longest, and, where that is something else, what costs most beyond the problem's own
 * needs: what a next step would better. */
static void show_bottlenecks(const struct explained *explained,
							 const struct explained_kernel *kernel, FILE *out)
{
	char text[EXPLAIN_TEXT];
	explain_say_bound(explained, kernel, text);
	paragraph(out, 2, text);
	show_lines(explained, kernel, kernel->time.bound, out);
	if (!explain_say_gain(explained, kernel, text))
		return;
	paragraph(out, 2, text);
	show_lines(explained, kernel, kernel->gain, out);
}

static void show_kernel(const struct explained *explained, const struct explained_kernel *kernel,
						FILE *out)
{
	char text[EXPLAIN_TEXT + 512], said[EXPLAIN_TEXT], time[EXPLAIN_NUMBER];
	char *shown = clean_visible(kernel->raw->shown);
	explain_say_launch(kernel, said);
	snprintf(text, sizeof text, "kernel %.400s: %s", shown != NULL ? shown : "", said);
	free(shown);
	fputc('\n', out);
	paragraph(out, 0, text);
	show_resources(kernel, out);
	show_counters(explained, kernel, out);
	if (!kernel->fits)
		return;
	snprintf(text, sizeof text, "%s; each part alone:", explain_time(kernel->time.seconds, time));
	paragraph(out, 2, text);
	show_parts(&kernel->time, out);
	show_bottlenecks(explained, kernel, out);
}

static void show_small(const struct explained_kernel *kernel, FILE *out)
{
	char text[EXPLAIN_TEXT], time[32];
	char *shown = clean_visible(kernel->raw->shown);
	snprintf(text, sizeof text, "kernel %.400s: %.0f launches, %s, bound by %s",
			 shown != NULL ? shown : "", kernel->counted.launches,
			 explain_time(kernel->time.seconds, time), demand_part_name(kernel->time.bound));
	free(shown);
	fputc('\n', out);
	paragraph(out, 0, text);
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

static void show_prediction(const struct explained *explained, FILE *out)
{
	char text[EXPLAIN_TEXT];
	explain_say_prediction(explained, text);
	fputc('\n', out);
	paragraph(out, 0, text);
	if (explain_say_measured(explained, text))
		paragraph(out, 0, text);
}

static void show_failure(const struct explained *explained, FILE *out)
{
	const struct judgement *judgement = &explained->counted.judgement;
	char text[EXPLAIN_TEXT];
	explain_say_failure(explained, text);
	fputc('\n', out);
	paragraph(out, 0, text);
	if (judgement->verdict == VERDICT_COMPILE_ERROR && judgement->compile_log != NULL)
		fputs(judgement->compile_log, out);
}

struct page {
	const struct explained *explained;
	bool verbose;
};

static void show_page(const void *what, FILE *out)
{
	const struct explained *explained = ((const struct page *)what)->explained;
	const bool verbose = ((const struct page *)what)->verbose;
	const bool failed = explained->counted.judgement.verdict != VERDICT_ACCEPTED;
	show_head(explained, out);
	for (size_t i = 0; i < explained->count; i++) {
		const struct explained_kernel *kernel = &explained->kernels[i];
		const bool small = i > 0 && kernel->fits && !verbose &&
						   kernel->time.seconds < KERNEL_SHARE * explained->total.seconds;
		if (small)
			show_small(kernel, out);
		else
			show_kernel(explained, kernel, out);
	}
	if (failed)
		show_failure(explained, out);
	else if (explained->predicted)
		show_prediction(explained, out);
	else if (explained->count == 0)
		fputs("\nnothing is predicted: the call launched no kernel\n", out);
}

void explain_show(const struct explained *explained, bool verbose, FILE *out)
{
	clean_print_page(out, show_page, &(struct page){explained, verbose});
}
