/* gemmjudge explain, as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/explain.h"
#include "report/clean.h"
#include "report/wrap.h"

#define WIDTH 80
#define INDENT 2
#define TEXT 1024
#define LINES_SHOWN 3
#define LINE_SHARE 0.05  /* lines with less are left out */
#define PART_SHARE 0.01  /* parts of less of the time, too */
#define KERNEL_SHARE 0.1 /* kernels of less of the time have one line, without --verbose */

static void paragraph(FILE *out, int indent, const char *text)
{
	if (indent > 0)
		fprintf(out, "%*s", indent, "");
	wrap_print(out, WIDTH, indent, indent > 0 ? indent + INDENT : 0, text);
}

/* "2.81 ms" */
static const char *time_text(double seconds, char out[32])
{
	const double us = seconds * 1e6;
	snprintf(out, 32, us < 9999.5 ? "%.4g us" : "%.4g ms", us < 9999.5 ? us : us / 1e3);
	return out;
}

static const char *bytes_text(double bytes, char out[32])
{
	static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
	size_t i = 0;
	for (; bytes >= 1000 && i < 4; i++)
		bytes /= 1000;
	snprintf(out, 32, "%.4g %s", bytes, units[i]);
	return out;
}

static const char *count_text(double count, char out[32])
{
	static const char units[] = " kMGTP";
	size_t i = 0;
	for (; count >= 10000 && i < 5; i++)
		count /= 1000;
	snprintf(out, 32, i == 0 ? "%.4g" : "%.4g%c", count, units[i]);
	return out;
}

static void show_bounds(const struct explained *explained, FILE *out)
{
	const struct explain_bounds *b = &explained->bounds;
	const char *const units[UNIT_COUNT] = {"f32 lanes", "tensor cores (16 bits)",
										   "tensor cores (TF32)", "tensor cores (8 bits)"};
	char text[TEXT], sizes[SHAPE_TEXT], operations[32], bytes[32], a[32], m[32], least[32];
	shape_print(explained->plan.problem, &explained->test->shape, sizes);
	snprintf(text, sizeof text, "%s: %s %s on %s", explained->file, explained->plan.problem->name,
			 sizes, explained->gpu.name);
	paragraph(out, 0, text);
	const bool closure = explained->plan.problem->algebra == ALGEBRA_SHORTEST_PATHS;
	snprintf(
		text, sizeof text,
		"no call takes less than %s: %s operations on %s take %s%s, %s of operands from memory "
		"%s",
		time_text(b->least, least), count_text(b->operations, operations), units[b->unit],
		time_text(b->arithmetic, a), closure ? " (a closure may need fewer)" : "",
		bytes_text(b->bytes, bytes), time_text(b->memory, m));
	paragraph(out, 0, text);
}

/* ---- a kernel
 * ------------------------------------------------------------------------------------ */

static void show_resources(const struct explained_kernel *kernel, FILE *out)
{
	const struct kernel_resources *r = kernel->resources;
	const struct occupancy *o = &kernel->time.occupancy;
	char text[TEXT];
	int used = 0;
	if (r != NULL)
		used = snprintf(text, sizeof text, "%d registers a thread%s", r->registers,
						r->stack_bytes > 0 ? "" : ", none spilled");
	else
		used = snprintf(text, sizeof text, "registers unknown (32 taken)");
	if (r != NULL && r->stack_bytes > 0)
		used += snprintf(text + used, sizeof text - (size_t)used,
						 ", and %lld bytes of its own memory (arrays, spilled registers)",
						 (long long)r->stack_bytes);
	snprintf(text + used, sizeof text - (size_t)used, ", %.4g KiB of shared memory a block",
			 (double)kernel->demand.shared_bytes / 1024);
	paragraph(out, 2, text);
	if (!kernel->fits)
		snprintf(text, sizeof text, "no block fits a multiprocessor of this GPU: too much of %s",
				 occupancy_limit_name(o->limit));
	else
		snprintf(text, sizeof text,
				 "%d block%s a multiprocessor, %.0f%% of its warps; %s would have to be fewer for "
				 "more",
				 o->blocks, text_plural(o->blocks), o->share * 100,
				 o->limit == OCCUPANCY_SHARED ? "bytes of shared memory"
											  : occupancy_limit_name(o->limit));
	if (kernel->fits && o->share >= 0.999)
		snprintf(text, sizeof text, "%d block%s a multiprocessor, all of its warps", o->blocks,
				 text_plural(o->blocks));
	else if (kernel->fits && o->limit == OCCUPANCY_BLOCKS)
		snprintf(text, sizeof text,
				 "%d blocks a multiprocessor, the most there are, %.0f%% of its warps", o->blocks,
				 o->share * 100);
	paragraph(out, 2, text);
	if (kernel->fits) {
		snprintf(text, sizeof text,
				 "%.3g wave%s of blocks; %.0f%% of the multiprocessors' time is "
				 "lost to the last one",
				 kernel->time.waves, kernel->time.waves == 1 ? "" : "s", kernel->time.idle * 100);
		paragraph(out, 2, text);
	}
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static void show_counters(const struct explained *explained, const struct explained_kernel *kernel,
						  FILE *out)
{
	const struct counted_kernel *k = &kernel->counted;
	const double operations = k->flops + k->tensor_flops, passes = counted_shared_passes(k);
	char text[TEXT], l2[32], dram[32];
	snprintf(text, sizeof text,
			 "%.3g instructions of warps for 1000 operations, %.0f%% of these on tensor cores",
			 1000 * ratio(k->instructions, operations), 100 * ratio(k->tensor_flops, operations));
	paragraph(out, 2, text);
	int used = snprintf(text, sizeof text, "global memory: ");
	if (k->load_requests > 0)
		used += snprintf(text + used, sizeof text - (size_t)used, "%.3g sectors a load, ",
						 ratio(k->load_sectors, k->load_requests));
	if (k->store_requests > 0)
		used += snprintf(text + used, sizeof text - (size_t)used, "%.3g a store, ",
						 ratio(k->store_sectors, k->store_requests));
	snprintf(text + used, sizeof text - (size_t)used,
			 "%s from L2 (%.3g times the operands), about %s from memory (%.3g times)",
			 bytes_text(kernel->demand.l2_bytes, l2),
			 ratio(kernel->demand.l2_bytes, explained->bounds.bytes),
			 bytes_text(kernel->demand.dram_bytes, dram),
			 ratio(kernel->demand.dram_bytes, explained->bounds.bytes));
	paragraph(out, 2, text);
	if (passes > 0) {
		snprintf(text, sizeof text, "shared memory: %.0f%% of its passes are bank conflicts",
				 100 * ratio(k->shared_load_conflicts + k->shared_store_conflicts, passes));
		paragraph(out, 2, text);
	}
}

static int by_seconds(const void *a, const void *b, void *context)
{
	const double *part = context;
	const double x = part[*(const int *)a], y = part[*(const int *)b];
	return (x < y) - (x > y);
}

#define BAR 24
static void show_parts(const struct demand_time *time, FILE *out)
{
	int order[DEMAND_PARTS];
	double part[DEMAND_PARTS];
	char number[32];
	for (int i = 0; i < DEMAND_PARTS; i++)
		order[i] = i;
	memcpy(part, time->part, sizeof part);
	qsort_r(order, DEMAND_PARTS, sizeof *order, by_seconds, part);
	for (int i = 0; i < DEMAND_PARTS; i++) {
		const double own = part[order[i]];
		if (!(own >= PART_SHARE * time->seconds))
			continue;
		const int bar = (int)(BAR * own / part[order[0]] + 0.5);
		fprintf(out, "  %10s  %.*s%*s %s\n", time_text(own, number), bar,
				"########################", BAR - bar, "",
				demand_part_name((enum demand_part)order[i]));
	}
}

/* The text of a line of the file, or of a header beside it, without blanks around it; "" where it
 * is not there. */
static void source_line(const char *file, const char *place, char out[TEXT])
{
	const char *colon = strrchr(place, ':'), *slash = strrchr(file, '/');
	char path[PATHS_MAX], text[TEXT] = "";
	out[0] = '\0';
	if (colon == NULL)
		return;
	snprintf(path, sizeof path, "%.*s%.*s", slash != NULL ? (int)(slash - file + 1) : 0, file,
			 (int)(colon - place), place);
	FILE *source = fopen(path, "r");
	long number = strtol(colon + 1, NULL, 10);
	while (source != NULL && number > 0 && fgets(text, sizeof text, source) != NULL)
		if (strchr(text, '\n') != NULL || feof(source))
			number--;
	if (source != NULL && number == 0) {
		const char *from = text + strspn(text, " \t");
		snprintf(out, TEXT, "%.*s", (int)strcspn(from, "\n"), from);
	}
	if (source != NULL)
		fclose(source);
}

static void show_lines(const struct explained *explained, const struct explained_kernel *kernel,
					   enum demand_part part, FILE *out)
{
	struct explain_line lines[LINES_SHOWN];
	char text[TEXT];
	const size_t count = explain_lines(kernel, part, lines, LINES_SHOWN);
	for (size_t i = 0; i < count && lines[i].share >= LINE_SHARE; i++) {
		source_line(explained->file, lines[i].line->source, text);
		char *clean = clean_text(text);
		int used = fprintf(out, "    %3.0f%% at %s  ", lines[i].share * 100, lines[i].line->source);
		fprintf(out, "%.*s\n", used < WIDTH ? WIDTH - used : 0, clean != NULL ? clean : "");
		free(clean);
	}
}

static bool same_part(enum demand_part a, enum demand_part b)
{
	const bool instructions = a == DEMAND_ISSUE || a == DEMAND_FULL || a == DEMAND_HALF;
	return a == b || (instructions && (b == DEMAND_ISSUE || b == DEMAND_FULL || b == DEMAND_HALF));
}

/* What takes longest, and, where that is something else, what costs most beyond the problem's own
 * needs: what a next step would better. */
static void show_bottlenecks(const struct explained *explained,
							 const struct explained_kernel *kernel, FILE *out)
{
	char text[TEXT], words[EXPLAIN_WORDS], time[32];
	explain_bottleneck(explained, kernel, kernel->time.bound, words);
	snprintf(text, sizeof text, "bound by %s", words);
	paragraph(out, 2, text);
	show_lines(explained, kernel, kernel->time.bound, out);
	if (same_part(kernel->time.bound, kernel->gain))
		return;
	explain_bottleneck(explained, kernel, kernel->gain, words);
	snprintf(text, sizeof text, "most is to be gained (%s would remain) at %s",
			 time_text(kernel->without, time), words);
	paragraph(out, 2, text);
	show_lines(explained, kernel, kernel->gain, out);
}

static void show_kernel(const struct explained *explained, const struct explained_kernel *kernel,
						FILE *out)
{
	const struct counted_kernel *k = &kernel->counted;
	char text[TEXT], time[32];
	char *shown = clean_text(kernel->raw->shown);
	snprintf(text, sizeof text, "kernel %.400s: %.0f launch%s of %.0f block%s of %d threads",
			 shown != NULL ? shown : "", k->launches, k->launches == 1 ? "" : "es",
			 kernel->demand.blocks, kernel->demand.blocks == 1 ? "" : "s", kernel->demand.threads);
	free(shown);
	fputc('\n', out);
	paragraph(out, 0, text);
	show_resources(kernel, out);
	show_counters(explained, kernel, out);
	if (!kernel->fits)
		return;
	snprintf(text, sizeof text, "%s; each part alone:", time_text(kernel->time.seconds, time));
	paragraph(out, 2, text);
	show_parts(&kernel->time, out);
	show_bottlenecks(explained, kernel, out);
}

static void show_small(const struct explained_kernel *kernel, FILE *out)
{
	char text[TEXT], time[32];
	char *shown = clean_text(kernel->raw->shown);
	snprintf(text, sizeof text, "kernel %.400s: %.0f launches, %s, bound by %s",
			 shown != NULL ? shown : "", kernel->counted.launches,
			 time_text(kernel->time.seconds, time), demand_part_name(kernel->time.bound));
	free(shown);
	fputc('\n', out);
	paragraph(out, 0, text);
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

static void show_prediction(const struct explained *explained, FILE *out)
{
	const double seconds = explained->total.seconds, factor = MODEL_UNCERTAINTY;
	char text[TEXT], time[32], low[32], high[32];
	snprintf(text, sizeof text,
			 "predicted: %s a call (%s to %s), %.3g T operations a second, %.0f%% of the bound",
			 time_text(seconds, time), time_text(seconds / factor, low),
			 time_text(seconds * factor, high), explained->bounds.operations / seconds * 1e-12,
			 100 * explained->bounds.least / seconds);
	fputc('\n', out);
	paragraph(out, 0, text);
	if (explained->measured > 0) {
		snprintf(text, sizeof text, "measured: %s, %.2f times the predicted time",
				 time_text(explained->measured, time), explained->measured / seconds);
		paragraph(out, 0, text);
	} else if (explained->unmeasured[0] != '\0') {
		snprintf(text, sizeof text, "not measured: %.500s", explained->unmeasured);
		paragraph(out, 0, text);
	}
}

static void show_failure(const struct explained *explained, FILE *out)
{
	const struct judgement *judgement = &explained->counted.judgement;
	char text[TEXT + 128];
	snprintf(text, sizeof text, "nothing is predicted, as the call could not be counted: %s: %s",
			 verdict_name(judgement->verdict), judgement->detail);
	fputc('\n', out);
	paragraph(out, 0, text);
	if (judgement->verdict == VERDICT_COMPILE_ERROR && judgement->compile_log != NULL)
		fputs(judgement->compile_log, out);
}

void explain_show(const struct explained *explained, FILE *out)
{
	const bool failed = explained->counted.judgement.verdict != VERDICT_ACCEPTED;
	show_bounds(explained, out);
	for (size_t i = 0; i < explained->count; i++) {
		const struct explained_kernel *kernel = &explained->kernels[i];
		const bool small = i > 0 && kernel->fits && !explained->options->verbose &&
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
