#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judgement/layers.h"
#include "report/clean.h"
#include "report/compare.h"
#include "report/counters.h"
#include "report/facts.h"
#include "report/kernels.h"
#include "report/overall.h"
#include "report/ranking.h"
#include "report/seal.h"
#include "report/wrap.h"

/* Cases shown in full, and lines of a solution's own output, unless verbose. */
#define CASES_SHOWN 3
#define OUTPUT_LINES_SHOWN 8
#define REPORT_LINES_SHOWN 40 /* of a tool that it ran under */
/* Shapes that get a table each; more get a line each. */
#define SHAPES_IN_FULL 6

struct page {
	FILE *out;
	int width;
	bool color, verbose;
};

/* Colours of the basic palette in bold or plain: they read on dark and light
 * grounds alike. */
#define COLOR_GOOD "\033[1;32m"
#define COLOR_BAD "\033[1;31m"
#define COLOR_WARNING "\033[35m"

static void paint(const struct page *page, const char *color, const char *text)
{
	if (page->color)
		fputs(color, page->out);
	clean_print(page->out, text);
	if (page->color)
		fputs("\033[0m", page->out);
}

static void indent_print(const struct page *page, int indent)
{
	fprintf(page->out, "%*s", indent, "");
}

static void paragraph_print(const struct page *page, int indent, const char *text)
{
	wrap_print(page->out, page->width, 0, indent, text);
}

/* Lines as they are, each behind `lead`; at most `limit` from the end (0: all). */
static void block_print(const struct page *page, const char *lead, const char *text, int limit)
{
	char *clean = clean_text(text);
	if (clean == NULL)
		return;
	const char *end = clean + strlen(clean);
	while (end > clean && end[-1] == '\n')
		end--;
	const char *begin = end;
	for (int lines = 0; begin > clean; begin--) {
		if (begin[-1] == '\n' && ++lines == limit)
			break;
	}
	if (begin > clean)
		fprintf(page->out, "%s...\n", lead);
	for (const char *line = begin; line < end;) {
		size_t length = strcspn(line, "\n");
		fprintf(page->out, "%s%.*s\n", length > 0 ? lead : "", (int)length, line);
		line += length + 1;
	}
	free(clean);
}

/* ---- the head ---------------------------------------------------------- */

static void which_cases_print(const struct page *page, const struct run_facts *facts)
{
	char *cases = facts_cases(facts), *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);
	if (out != NULL)
		fprintf(out, "seed 0x%llx, %s, tolerance %s", (unsigned long long)facts->seed,
				cases != NULL ? cases : "",
				facts->tolerance[0] != '\0' ? facts->tolerance : "bound");
	if (out != NULL && fclose(out) == 0)
		paragraph_print(page, 0, line);
	free(line);
	free(cases);
}

static void head_print(const struct page *page, const struct run_facts *facts)
{
	const struct device_facts *device = &facts->device;
	char line[512];
	char name[FACTS_DEVICE], shared[FACTS_SHARED];
	int used = snprintf(line, sizeof line, "gemmjudge %s on %s", facts->version,
						facts_device(facts, name));
	if (facts->device_kind == DEVICE_CUDA)
		snprintf(line + used, sizeof line - (size_t)used, " (%d SMs, driver %s, %s)",
				 device->multiprocessors, device->driver, device->library);
	paragraph_print(page, 0, line);
	if (facts_shared(facts, shared)[0] != '\0')
		paragraph_print(page, 0, shared);

	which_cases_print(page, facts);
	if (facts->tool[0] != '\0') {
		char under[sizeof facts->tool + 16];
		snprintf(under, sizeof under, "under %s", facts->tool);
		paragraph_print(page, 0, under);
	}
	char flags[1024];
	if (facts_nvcc_flags(facts, flags, sizeof flags)[0] != '\0') {
		char flagged[sizeof flags + 16];
		snprintf(flagged, sizeof flagged, "nvcc flags %s", flags);
		paragraph_print(page, 0, flagged);
	}
	if (facts->epilogue[0] != '\0') {
		char chain[sizeof facts->epilogue + 16];
		snprintf(chain, sizeof chain, "epilogue %s", facts->epilogue);
		paragraph_print(page, 0, chain);
	}
}

/* ---- cases ------------------------------------------------------------- */

static void wrong_elements_print(const struct page *page, const struct problem *problem,
								 const struct case_result *result)
{
	const struct check_facts *check = &result->check;
	bool batches = problem_size_of(problem, SIZE_BATCH) != NULL;
	int rows = result->test.shape.size[SIZE_M];
	fprintf(page->out, "    %s%7s %7s %15s %15s %10s\n", batches ? "  batch " : "", "row", "column",
			"got", "want", "bound");
	for (uint32_t i = 0; i < check->shown && i < CHECK_SHOWN; i++) {
		const struct wrong_element *element = &check->first[i];
		char got[32] = "never written";
		if (!element->unwritten)
			snprintf(got, sizeof got, "%.8g", element->got);
		fputs("    ", page->out);
		if (batches)
			fprintf(page->out, "%7d ", element->row / rows);
		fprintf(page->out, "%7d %7d %15s %15.8g %10.3g\n", element->row % rows, element->column,
				got, element->want, element->bound);
	}
	if (check->wrong > check->shown)
		fprintf(page->out, "    %7s and %llu more\n", "...",
				(unsigned long long)(check->wrong - check->shown));
}

/* How much is wrong, where the table below shows what. */
static void wrong_summary(char *out, size_t capacity, const struct problem *problem,
						  const struct check_facts *check)
{
	int used = snprintf(out, capacity, "%llu of %llu elements wrong",
						(unsigned long long)check->wrong, (unsigned long long)check->elements);
	if (check->untouched > 0)
		used += snprintf(out + used, capacity - (size_t)used, ", %llu of them never written",
						 (unsigned long long)check->untouched);
	if (check->read > 0)
		snprintf(out + used, capacity - (size_t)used, "; %s is read although beta is 0",
				 problem_part(problem, PART_RESULT)->name);
}

/* Whether the output is one line that the detail repeats. */
static bool quotes_whole(const char *detail, const char *output)
{
	size_t length = strlen(output);
	while (length > 0 && output[length - 1] == '\n')
		length--;
	size_t detail_length = strlen(detail);
	return length <= detail_length && memchr(output, '\n', length) == NULL &&
		   memcmp(detail + detail_length - length, output, length) == 0;
}

/* What it printed, but for what is in the line above. */
static void output_print(const struct page *page, const struct case_result *result)
{
	if (result->output == NULL || result->output[0] == '\0' ||
		quotes_whole(result->detail, result->output))
		return;
	fputs("    it printed:\n", page->out);
	block_print(page, "    | ", result->output, page->verbose ? 0 : OUTPUT_LINES_SHOWN);
}

static void case_print(const struct page *page, const struct problem *problem,
					   const struct case_result *result)
{
	char sizes[256], values[256], summary[128], line[640];
	facts_case_sizes(sizes, sizeof sizes, problem, &result->test);
	facts_case_values(values, sizeof values, problem, &result->test);
	snprintf(line, sizeof line, "%s: %s; %s%s", result->test.name, sizes, values,
			 result->test.exact ? "; the result is exact" : "");
	paragraph_print(page, 2, line);

	bool table =
		result->verdict == VERDICT_WRONG_ANSWER && result->checked && result->check.shown > 0;
	const char *detail = result->detail;
	if (table) {
		wrong_summary(summary, sizeof summary, problem, &result->check);
		detail = summary;
	}
	if (detail[0] != '\0')
		paragraph_print(page, 4, detail);
	if (table)
		wrong_elements_print(page, problem, result);
	output_print(page, result);
}

/* One line for a case in a verbose list. */
static void case_line_print(const struct page *page, const struct problem *problem,
							const struct case_result *result)
{
	char sizes[256], line[384];
	facts_case_sizes(sizes, sizeof sizes, problem, &result->test);
	int used = snprintf(line, sizeof line, "%-14s %s", result->test.name, sizes);
	if (result->checked)
		snprintf(line + used, sizeof line - (size_t)used, "; %.2g of the bound, %.2g s",
				 result->check.worst_ratio, result->seconds);
	fputs("  ", page->out);
	clean_print(page->out, line);
	fputc('\n', page->out);
	output_print(page, result);
}

/* Wrong results differ in what they tell; a crash tells the same each time. */
static size_t cases_shown(enum verdict verdict)
{
	return verdict == VERDICT_WRONG_ANSWER ? CASES_SHOWN : 1;
}

static void cases_print(const struct page *page, const struct judgement *item)
{
	size_t shown = 0, hidden = 0;
	for (size_t i = 0; i < item->count; i++) {
		const struct case_result *result = &item->cases[i];
		if (result->verdict == VERDICT_ACCEPTED) {
			if (page->verbose)
				case_line_print(page, problem_find(item->problem), result);
		} else if (result->verdict == VERDICT_NOT_RUN) {
			continue;
		} else if (page->verbose || shown < cases_shown(result->verdict)) {
			case_print(page, problem_find(item->problem), result);
			shown++;
		} else {
			hidden++;
		}
	}
	if (hidden > 0)
		fprintf(page->out, "  and %zu more failing case%s (--verbose shows all)\n", hidden,
				hidden > 1 ? "s" : "");
}

/* ---- timing ------------------------------------------------------------ */

#define LABEL_COLUMNS 16

static void percent_format(char out[16], double percent)
{
	if (percent > 0.0)
		snprintf(out, 16, "%.1f%%", percent);
	else
		snprintf(out, 16, "-");
}

static void entry_print(const struct page *page, const struct timing_result *timing,
						const struct timing_entry *entry, bool span)
{
	char *label = clean_text(entry->label);
	int width = label != NULL ? wrap_columns(label, strlen(label)) : 0;
	fprintf(page->out, "  %s", label != NULL ? label : "");
	free(label);
	if (width > LABEL_COLUMNS) {
		fputs("\n  ", page->out);
		width = 0;
	}
	indent_print(page, LABEL_COLUMNS - width);
	if (!entry->ran) {
		fputs("  not measured\n", page->out);
		if (entry->detail[0] != '\0')
			paragraph_print(page, 4, entry->detail);
		return;
	}
	const struct timing_stats *stats = facts_stats(entry, span);
	char median[FACTS_TIME], min[FACTS_TIME], p95[FACTS_TIME], low[FACTS_TIME], high[FACTS_TIME];
	char interval[40], percent[16];
	facts_time(stats->median, median);
	facts_time(stats->min, min);
	facts_time(stats->p95, p95);
	facts_time(stats->low, low);
	facts_time(stats->high, high);
	snprintf(interval, sizeof interval, "%s-%s", low, high);
	fprintf(page->out, " %7s %7s %7s %13s %7.4g", median, min, p95, interval,
			facts_rate(timing, stats->median));
	struct facts_yardstick yardsticks[FACTS_YARDSTICKS];
	facts_yardsticks(timing, yardsticks);
	for (int y = 0; y < FACTS_YARDSTICKS && yardsticks[y].label != NULL; y++) {
		percent_format(percent, facts_percent_of(timing, entry, yardsticks[y].label, span));
		fprintf(page->out, " %7s", percent);
	}
	fputc('\n', page->out);
	if (entry->wrong > 0) {
		char warning[128];
		snprintf(warning, sizeof warning,
				 "    its results leave the error bound: %llu elements, up to %.3g times\n",
				 (unsigned long long)entry->wrong, entry->worst_ratio);
		paint(page, COLOR_BAD, warning);
	}
}

static void events_print(const struct page *page, const struct timing_result *timing)
{
	char line[1024] = "between events:", time[FACTS_TIME];
	size_t used = strlen(line);
	const char *separator = " ";
	for (size_t i = 0; i < timing->count && used < sizeof line; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		if (!entry->ran || entry->event.samples == 0)
			continue;
		facts_time(entry->event.median, time);
		int more =
			snprintf(line + used, sizeof line - used, "%s%s %s", separator, entry->label, time);
		used += more > 0 ? (size_t)more : 0;
		separator = ", ";
	}
	if (separator[0] == ',')
		paragraph_print(page, 2, line);
}

static void seals_print(const struct page *page, const struct timing_result *timing, bool span)
{
	char line[SEAL_LINE];
	seal_confirmed(timing, line);
	if (line[0] != '\0')
		paragraph_print(page, 2, line);
	for (size_t i = 0; i < timing->count; i++) {
		seal_doubt(&timing->entries[i], span, line);
		if (line[0] != '\0')
			paragraph_print(page, 2, line);
	}
}

static void clocks_print(const struct page *page, const struct timing_result *timing)
{
	char line[256];
	facts_clocks(line, sizeof line, timing);
	if (line[0] != '\0')
		paragraph_print(page, 2, line);
	if (timing->throttled) {
		snprintf(line, sizeof line, "  warning: the clock was held down while measuring (%s)\n",
				 timing->throttle_reason);
		paint(page, COLOR_WARNING, line);
	}
	if (timing->wide) {
		snprintf(line, sizeof line,
				 "  warning: a median is uncertain by %.1f%%; measure again on a quiet machine\n",
				 facts_widest_percent(timing));
		paint(page, COLOR_WARNING, line);
	}
}

/* With --tuned; nothing without. */
static void schedule_print_line(const struct page *page, const char *label, const char *schedule)
{
	char line[JUDGE_SCHEDULE_TEXT + 128];
	snprintf(line, sizeof line, "%.64s%sschedule: %s", label, label[0] != '\0' ? ": " : "",
			 schedule);
	if (schedule[0] != '\0')
		paragraph_print(page, 2, line);
}

static void timing_print(const struct page *page, const struct timing_result *timing)
{
	bool span = facts_use_span(timing);
	char shape[128], line[256];
	facts_timed_shape(shape, sizeof shape, timing);
	snprintf(line, sizeof line, "%s: microseconds %s", shape,
			 span ? "of device span" : "between events");
	paragraph_print(page, 2, line);
	fprintf(page->out, "  %-*s %7s %7s %7s %13s %7s", LABEL_COLUMNS, "", "median", "min", "p95",
			"95% interval", facts_rate_unit(timing));
	struct facts_yardstick yardsticks[FACTS_YARDSTICKS];
	facts_yardsticks(timing, yardsticks);
	for (int y = 0; y < FACTS_YARDSTICKS && yardsticks[y].label != NULL; y++)
		fprintf(page->out, " %7s", yardsticks[y].abbreviation);
	fputc('\n', page->out);
	for (size_t i = 0; i < timing->count; i++)
		entry_print(page, timing, &timing->entries[i], span);
	for (size_t i = 0; i < timing->count; i++)
		schedule_print_line(page, timing->entries[i].label, timing->entries[i].schedule);
	if (span)
		events_print(page, timing);
	seals_print(page, timing, span);
	clocks_print(page, timing);
	if (page->verbose)
		kernels_print(page->out, page->width, timing);
}

/* ---- a file ------------------------------------------------------------ */

/* Without the end of the line. */
static void verdict_print(const struct page *page, enum verdict verdict, const char *file)
{
	char name[32];
	snprintf(name, sizeof name, "%-15s", verdict_name(verdict));
	bool never = verdict == VERDICT_UNSUPPORTED || verdict == VERDICT_NOT_RUN;
	paint(page, verdict == VERDICT_ACCEPTED ? COLOR_GOOD : never ? COLOR_WARNING : COLOR_BAD, name);
	fputc(' ', page->out);
	clean_print_line(page->out, file);
}

static void summary_print(const struct page *page, const struct judgement *item)
{
	if (item->count == 0)
		return;
	char line[512];
	int used = snprintf(line, sizeof line, "%s: %zu of %zu cases accepted", item->problem,
						item->accepted, item->count);
	size_t failed = facts_failed_cases(item);
	size_t left = item->count - item->accepted - failed - item->too_large;
	if (item->too_large > 0)
		used += snprintf(line + used, sizeof line - (size_t)used,
						 ", %zu not run: too large for the emulated GPU (--large-cases runs %s)",
						 item->too_large, item->too_large > 1 ? "them" : "it");
	if (left > 0)
		used += snprintf(line + used, sizeof line - (size_t)used, ", %zu failed, %zu not run",
						 failed, left);
	const struct case_result *worst = facts_worst_case(item);
	double ratio = worst != NULL ? worst->check.worst_ratio : INFINITY;
	if (isfinite(ratio))
		snprintf(line + used, sizeof line - (size_t)used,
				 ratio <= 1.0 ? ", worst error %.2g of its bound (%s)"
							  : ", worst error %.4g times its bound (%s)",
				 ratio, worst->test.name);
	paragraph_print(page, 2, line);
}

static void hints_print(const struct page *page, const struct judgement *item)
{
	for (size_t i = 0; i < item->hint_count; i++) {
		char line[HINT_TEXT + 16];
		snprintf(line, sizeof line, "hint: %s", item->hints[i]);
		paragraph_print(page, 2, line);
	}
}

/* What follows the line of the verdict. */
static void judgement_print(const struct page *page, const struct judgement *item)
{
	summary_print(page, item);
	if (item->detail[0] != '\0' && facts_failed_cases(item) == 0)
		paragraph_print(page, 2, item->detail); /* else it repeats what the cases say */
	if (item->compile_log != NULL && item->compile_log[0] != '\0')
		block_print(page, "  ", item->compile_log, 0);
	schedule_print_line(page, "", item->schedule);
	cases_print(page, item);
	hints_print(page, item);
	if (item->tool_report != NULL) {
		fputs("  the tool printed:\n", page->out);
		block_print(page, "  | ", item->tool_report, page->verbose ? 0 : REPORT_LINES_SHOWN);
	}
	counters_print(page->out, item);
	if (item->has_timing)
		timing_print(page, &item->timing);
	if (item->has_larger)
		timing_print(page, &item->larger);
	if (item->has_timing)
		return;
	if (item->timing_note[0] != '\0' && item->verdict == VERDICT_ACCEPTED)
		paragraph_print(page, 2, item->timing_note);
}

/* A bad file has nothing but a reason, which fits its line. */
static void reason_print(const struct page *page, int column, const struct judgement *item)
{
	char reason[sizeof item->detail + 1];
	snprintf(reason, sizeof reason, " %s", item->detail); /* a blank before the first word */
	fputc(':', page->out);
	wrap_print(page->out, page->width, column + wrap_columns(item->file, strlen(item->file)) + 1, 2,
			   reason);
}

#define VERDICT_COLUMNS 16

/* The line of a verdict behind `place`, and what follows it unless that goes without saying. True
 * where something does. */
static bool file_print(const struct page *page, const struct judgement *item, const char *place,
					   bool brief)
{
	fputs(place, page->out);
	verdict_print(page, item->verdict, item->file);
	if (item->verdict == VERDICT_BAD_FILE) {
		reason_print(page, (int)strlen(place) + VERDICT_COLUMNS, item);
		return false;
	}
	bool whole = !brief || page->verbose || item->verdict != VERDICT_ACCEPTED ||
				 item->tool_report != NULL || item->has_counters;
	if (!whole && item->too_large > 0)
		fprintf(page->out, " (%zu cases not run: too large)", item->too_large);
	fputc('\n', page->out);
	if (whole)
		judgement_print(page, item);
	else
		hints_print(page, item);
	return whole;
}

/* ---- bench ------------------------------------------------------------- */

/* Over several shapes: the geometric mean of the speed relative to a library. */
static void means_print(const struct page *page, const struct judgement_list *list)
{
	const struct timing_result *first = &list->bench[0];
	struct facts_yardstick yardsticks[FACTS_YARDSTICKS];
	facts_yardsticks(first, yardsticks);
	for (size_t e = 0; e < first->count; e++) {
		const char *label = first->entries[e].label;
		char line[512];
		int used = snprintf(line, sizeof line, "%s:", label);
		size_t most = 0;
		for (int l = 0; l < FACTS_YARDSTICKS && yardsticks[l].label != NULL; l++) {
			double sum = 0.0;
			size_t count = 0;
			for (size_t i = 0; i < list->bench_count; i++) {
				const struct timing_result *timing = &list->bench[i];
				for (size_t k = 0; k < timing->count; k++) {
					const struct timing_entry *entry = &timing->entries[k];
					double percent = facts_percent_of(timing, entry, yardsticks[l].label,
													  facts_use_span(timing));
					if (strcmp(entry->label, label) != 0 ||
						strcmp(label, yardsticks[l].label) == 0 || !(percent > 0.0))
						continue;
					sum += log(percent / 100.0);
					count++;
				}
			}
			if (count > 0)
				used += snprintf(line + used, sizeof line - (size_t)used, "%s %.1f%% of %s",
								 most > 0 ? "," : "", 100.0 * exp(sum / (double)count),
								 yardsticks[l].label);
			most = count > most ? count : most;
		}
		if (most < 2)
			continue;
		snprintf(line + used, sizeof line - (size_t)used, " (geometric mean of %zu shapes)", most);
		paragraph_print(page, 2, line);
	}
}

static void overall_print(const struct page *page, const struct judgement_list *list)
{
	struct overall overall;
	char line[512];
	for (size_t at = 0; overall_next(list, &at, &overall);) {
		overall_sentence(line, sizeof line, &overall);
		paragraph_print(page, 2, line);
	}
}

static void bench_print(const struct page *page, const struct judgement_list *list)
{
	if (list->compare) {
		compare_text(list, page->verbose, page->out);
		return;
	}
	bool full = page->verbose || list->bench_count <= SHAPES_IN_FULL;
	if (!full)
		overall_table(list, page->width, page->out);
	for (size_t i = 0; full && i < list->bench_count; i++) {
		fprintf(page->out, "\n%s\n", list->bench[i].problem);
		timing_print(page, &list->bench[i]);
	}
	if (list->bench_count > 1) {
		fputs("\nover all shapes\n", page->out);
		overall_print(page, list);
		means_print(page, list);
	}
}

static void gpu_warning_print(const struct page *page, const struct judgement_list *list)
{
	char warning[256];
	if (!facts_gpu_wrong(warning, sizeof warning, list))
		return;
	paint(page, COLOR_BAD, "warning: ");
	wrap_print(page->out, page->width, (int)strlen("warning: "), 0, warning);
}

/* Whether an earlier file was closed by the same layers. */
static bool layers_met(const struct judgement_list *list, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (list->items[j].was_run && list->items[j].layers == list->items[i].layers)
			return true;
	return false;
}

/* What closed the files' processes: one line where it is the same for all that were run, else one
 * for all files that have the same. */
static void guarantees_print(const struct page *page, const struct judgement_list *list)
{
	size_t run = 0;
	for (size_t i = 0; i < list->count; i++)
		run += list->items[i].was_run;
	for (size_t i = 0; i < list->count; i++) {
		const struct judgement *item = &list->items[i];
		char names[LAYERS_TEXT];
		size_t same = 0;
		if (!item->was_run || layers_met(list, i))
			continue;
		for (size_t j = i; j < list->count; j++)
			same += list->items[j].was_run && list->items[j].layers == item->layers;
		fputs("guarantees", page->out);
		if (same == 1 && run > 1) {
			fputs(" for ", page->out);
			clean_print_line(page->out, item->file);
		} else if (same < run) {
			fprintf(page->out, " for %zu files", same);
		}
		fprintf(page->out, ": %s\n", layers_print(item->layers, names));
	}
}

/* The first case that failed, where it is not the only one of its file: what --case repeats. */
static const char *failed_case(const struct judgement_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		for (size_t k = 0; k < list->items[i].count && list->items[i].count > 1; k++) {
			const struct case_result *result = &list->items[i].cases[k];
			if (result->verdict != VERDICT_ACCEPTED && result->verdict != VERDICT_NOT_RUN)
				return result->test.name;
		}
	return NULL;
}

static void again_print(const struct page *page, const struct judgement_list *list)
{
	fputs("again: ", page->out);
	clean_print(page->out, list->facts.command);
	fputc('\n', page->out);
	const char *failed = failed_case(list);
	if (failed != NULL) {
		fputs("one case alone: the same with --case ", page->out);
		clean_print(page->out, failed);
		fputc('\n', page->out);
	}
}

static struct page page_of(const struct report_style *style, FILE *out)
{
	return (struct page){.out = out,
						 .width = style->width > 0 ? style->width : 80,
						 .color = style->color,
						 .verbose = style->verbose};
}

/* Some file was worth a device. */
static bool was_begun(const struct judgement_list *list)
{
	return list->facts.device.name[0] != '\0';
}

/* "[ 7/50] " */
static void place_fill(char out[64], size_t done, size_t count)
{
	char most[24];
	int digits = snprintf(most, sizeof most, "%zu", count);
	snprintf(out, 64, "[%*zu/%zu] ", digits, done, count);
}

void report_text_file(const struct judgement_list *list, size_t i, const struct report_style *style,
					  struct report_written *written, FILE *out)
{
	struct page page = page_of(style, out);
	const struct judgement *item = &list->items[i];
	bool first = written->files++ == 0;
	char place[64] = "";
	if (written->shown == NULL)
		written->shown = calloc(list->count, sizeof *written->shown);
	if (written->shown != NULL)
		written->shown[i] = true;
	if (style->quiet) {
		verdict_print(&page, item->verdict, item->file);
		fputc('\n', out);
		return;
	}
	if (first && was_begun(list)) {
		head_print(&page, &list->facts);
		written->apart = true;
	}
	bool side_by_side = list->bench_count > 0;
	if (side_by_side && item->verdict == VERDICT_ACCEPTED)
		return; /* its times follow: no need to say that it is right */
	if (list->count > 1 && !side_by_side)
		place_fill(place, written->files, list->count);
	if (written->apart)
		fputc('\n', out);
	written->apart = file_print(&page, item, place, list->count >= RANKING_FILES);
}

static bool was_shown(const struct report_written *written, size_t i)
{
	return written->shown != NULL && written->shown[i];
}

/* Files that were not shown yet; of many that never had their turn, a line for all. */
static void rest_print(const struct judgement_list *list, const struct report_style *style,
					   struct report_written *written, FILE *out)
{
	struct page page = page_of(style, out);
	const struct judgement *last = NULL;
	size_t never = 0;
	for (size_t i = 0; i < list->count; i++)
		never += !was_shown(written, i) && facts_never_run(&list->items[i]);
	bool together = never >= RANKING_FILES && !style->quiet;
	for (size_t i = 0; i < list->count; i++) {
		if (was_shown(written, i))
			continue;
		if (together && facts_never_run(&list->items[i]))
			last = &list->items[i];
		else
			report_text_file(list, i, style, written, out);
	}
	if (last == NULL)
		return;
	char line[sizeof last->detail + 64];
	snprintf(line, sizeof line, "%zu files: %s", never, last->detail);
	fputs(written->apart ? "\n" : "", out);
	verdict_print(&page, last->verdict, line);
	fputc('\n', out);
}

void report_text_end(const struct judgement_list *list, const struct report_style *style,
					 struct report_written *written, FILE *out)
{
	struct page page = page_of(style, out);
	size_t accepted = 0;
	rest_print(list, style, written, out);
	free(written->shown);
	*written = (struct report_written){0};
	if (style->quiet)
		return;
	for (size_t i = 0; i < list->count; i++)
		accepted += list->items[i].verdict == VERDICT_ACCEPTED;
	bench_print(&page, list);
	if (was_begun(list))
		ranking_text(list, page.width, out);
	if (was_begun(list) || list->count > 1)
		fputc('\n', out);
	gpu_warning_print(&page, list);
	if (list->facts.interrupted)
		fputs("interrupted: this is what was done until then\n", out);
	if (list->count > 1)
		fprintf(out, "%zu of %zu solutions accepted\n", accepted, list->count);
	guarantees_print(&page, list);
	if (was_begun(list))
		again_print(&page, list);
}

void report_text(const struct judgement_list *list, const struct report_style *style, FILE *out)
{
	struct report_written written = {0};
	report_text_end(list, style, &written, out);
}
