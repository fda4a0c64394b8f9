#include "report/report.h"

#include <stdbool.h>
#include <stdlib.h>

#include "report/clean.h"
#include "report/compare.h"
#include "report/facts.h"
#include "report/kernels.h"
#include "report/overall.h"
#include "report/ranking.h"
#include "report/seal.h"
#include "report/steady.h"

static void print_results(const struct judgement_list *list, FILE *out)
{
	fputs("| File | Problem | Verdict | Cases | Worst error / bound | Detail |\n"
		  "|---|---|---|--:|--:|---|\n",
		  out);
	for (size_t i = 0; i < list->count; i++) {
		const struct judgement *item = &list->items[i];
		const struct case_result *worst = facts_worst_case(item);
		char reason[FACTS_REASON];
		fputs("| ", out);
		clean_print_cell(out, item->file);
		fprintf(out, " | %s | **%s** | %zu/%zu | ", item->problem, verdict_name(item->verdict),
				item->accepted, item->count);
		if (worst != NULL)
			fprintf(out, "%.3g", worst->check.worst_ratio);
		fputs(" | ", out);
		clean_print_cell(out, facts_reason(item, reason));
		if (item->too_large > 0)
			fprintf(out, "%s%zu not run: too large for the emulated GPU",
					item->detail[0] != '\0' ? "; " : "", item->too_large);
		fputs(" |\n", out);
	}
}

static void print_wrong_elements(const struct problem *problem, const struct case_result *result,
								 FILE *out)
{
	if (!result->checked || result->check.shown == 0)
		return;
	fputs("\n| place | got | want | bound |\n|---|--:|--:|--:|\n", out);
	for (uint32_t i = 0; i < result->check.shown && i < CHECK_SHOWN; i++) {
		const struct wrong_element *element = &result->check.first[i];
		char place[80], got[32];
		facts_place(place, sizeof place, problem, &result->test.shape, element->row,
					element->column);
		if (element->unwritten)
			snprintf(got, sizeof got, "%s", check_untouched_text(problem, &result->test));
		else
			snprintf(got, sizeof got, "%.9g", element->got);
		fprintf(out, "| %s | %s | %.9g | %.3g |\n", place, got, element->want, element->bound);
	}
}

/* Of accepted files. */
static void print_bits(const struct judgement *item, FILE *out)
{
	char line[BITS_TEXT];
	if (bits_say(&item->bits, line)[0] == '\0')
		return;
	fputs("\n", out);
	clean_print_cell(out, item->file);
	fputs(": ", out);
	clean_print_cell(out, line);
	fputs("\n", out);
}

static void print_hints(const struct judgement *item, FILE *out)
{
	if (item->hint_count == 0)
		return;
	fputs("\n### What to do about ", out);
	clean_print_cell(out, item->file);
	fputs("\n\n", out);
	for (size_t i = 0; i < item->hint_count; i++) {
		fputs("- hint: ", out);
		clean_print_cell(out, item->hints[i]);
		fputc('\n', out);
	}
}

/* The first cases that failed, enough to start looking. */
static void print_failures(const struct judgement *item, FILE *out)
{
	size_t shown = 0;
	if (item->compile_log != NULL && item->compile_log[0] != '\0') {
		fputs("\n### Compiler messages of ", out);
		clean_print_cell(out, item->file);
		/* indented code, since a fence could occur in the messages */
		fputs("\n\n    ", out);
		char *log = clean_shown(item->compile_log);
		for (const char *p = log; p != NULL && *p != '\0'; p++) {
			fputc(*p, out);
			if (*p == '\n' && p[1] != '\0')
				fputs("    ", out);
		}
		free(log);
		fputc('\n', out);
	}
	for (size_t i = 0; i < item->count && shown < 5; i++) {
		const struct case_result *result = &item->cases[i];
		if (result->verdict == VERDICT_ACCEPTED || result->verdict == VERDICT_NOT_RUN)
			continue;
		char sizes[256];
		facts_case_sizes(sizes, sizeof sizes, problem_find(item->problem), &result->test);
		fputs("\n### ", out);
		clean_print_cell(out, item->file);
		fputs(", case ", out);
		clean_print_cell(out, result->test.name);
		fprintf(out, ": %s\n\n%s. ", verdict_name(result->verdict), sizes);
		clean_print_cell(out, result->detail);
		fputc('\n', out);
		print_wrong_elements(problem_find(item->problem), result, out);
		shown++;
	}
}

static void print_percent(double percent, FILE *out)
{
	if (percent > 0.0)
		fprintf(out, " %.1f%% |", percent);
	else
		fputs(" |", out);
}

static void print_seals(const struct timing_result *timing, bool span, FILE *out)
{
	struct strbuf line = {0};
	seal_confirmed(timing, &line);
	if (line.length > 0)
		fputc('\n', out);
	clean_print_cell(out, strbuf_text(&line));
	if (line.length > 0)
		fputs(".\n", out);
	for (size_t i = 0; i < timing->count; i++) {
		seal_doubt(&timing->entries[i], span, &line);
		if (line.length == 0)
			continue;
		fputc('\n', out);
		clean_print_cell(out, strbuf_text(&line));
		fputs(".\n", out);
	}
	strbuf_release(&line);
}

static void print_timing(const struct timing_result *timing, bool kernels, FILE *out)
{
	bool span = facts_use_span(timing);
	char shape[128];
	facts_timed_shape(shape, sizeof shape, timing);
	struct facts_reference references[FACTS_REFERENCES];
	facts_references(timing, references);
	fprintf(out, "\n### %s, %s\n\n| | median us | min | p95 | 95%% interval | %s |",
			timing->problem, shape, facts_rate_unit(timing));
	for (int y = 0; y < FACTS_REFERENCES && references[y].label != NULL; y++)
		fprintf(out, " of %s |", references[y].name);
	fputs("\n|---|--:|--:|--:|--:|--:|", out);
	for (int y = 0; y < FACTS_REFERENCES && references[y].label != NULL; y++)
		fputs("--:|", out);
	fputc('\n', out);
	for (size_t i = 0; i < timing->count; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		const struct timing_stats *stats = facts_stats(entry, span);
		fputs("| ", out);
		clean_print_cell(out, entry->label);
		if (!entry->ran) {
			fputs(" | not measured: ", out);
			clean_print_cell(out, entry->detail);
			fputs(" | | | | |", out);
			for (int y = 0; y < FACTS_REFERENCES && references[y].label != NULL; y++)
				fputs(" |", out);
			fputc('\n', out);
			continue;
		}
		fprintf(out, " | %.2f | %.2f | %.2f | %.2f - %.2f | %.4g |", stats->median, stats->min,
				stats->p95, stats->low, stats->high, facts_rate(timing, stats->median));
		for (int y = 0; y < FACTS_REFERENCES && references[y].label != NULL; y++)
			print_percent(facts_percent_of(timing, entry, references[y].label, span), out);
		fputs("\n", out);
	}
	fprintf(out, "\n%s; SM clock %.0f MHz (lowest %.0f, limit %.0f)%s%s.\n",
			facts_times_title(timing), timing->sm_clock_mhz_median, timing->sm_clock_mhz_min,
			timing->sm_clock_mhz_limit, timing->throttled ? "; **the clock was throttled**" : "",
			timing->wide ? "; **the interval is wide**" : "");
	steady_markdown(timing, out);
	print_seals(timing, span, out);
	if (kernels)
		kernels_markdown(out, timing);
}

static void print_overall(const struct judgement_list *list, FILE *out)
{
	struct overall overall;
	struct strbuf line = {0};
	if (list->compare || list->bench_count < 2)
		return;
	fputs("\n### Over all shapes\n\n", out);
	for (size_t at = 0; overall_next(list, &at, &overall);) {
		overall_sentence(&line, &overall);
		fputs("- ", out);
		clean_print_cell(out, strbuf_text(&line));
		fputc('\n', out);
	}
	strbuf_release(&line);
}

static void write_markdown(const struct judgement_list *list, bool kernels, FILE *out)
{
	const struct run_description *facts = &list->facts;
	fputs("# gemmjudge\n\n", out);
	char device[FACTS_DEVICE], shared[FACTS_SHARED];
	clean_print_cell(out, facts_device(facts, device)[0] != '\0' ? device : "No device");
	fprintf(out, ", seed `0x%llx`, tolerance ", (unsigned long long)facts->seed);
	clean_print_cell(out, facts->tolerance);
	if (facts->epilogue[0] != '\0') {
		fputs(", epilogue ", out);
		clean_print_cell(out, facts->epilogue);
	}
	char flags[1024];
	if (facts_nvcc_flags(facts, flags, sizeof flags)[0] != '\0') {
		fputs(", nvcc flags ", out);
		clean_print_cell(out, flags);
	}
	fprintf(out, ", gemmjudge %s, %s. Reproduce with:\n\n    ", facts->version, facts->started);
	clean_print_line(out, facts->command);
	fputs("\n\n", out);
	if (facts_shared(facts, shared)[0] != '\0')
		fprintf(out, "Judged %s.\n\n", shared);
	print_results(list, out);
	ranking_markdown(list, out);
	for (size_t i = 0; i < list->count; i++)
		print_bits(&list->items[i], out);
	for (size_t i = 0; i < list->count; i++) {
		print_hints(&list->items[i], out);
		print_failures(&list->items[i], out);
	}

	bool heading = false;
	for (size_t i = 0; i < list->count; i++) {
		const struct judgement *item = &list->items[i];
		if (item->has_timing && !heading)
			fputs("\n## Timing\n", out);
		heading = heading || item->has_timing;
		if (item->has_timing)
			print_timing(&item->timing, kernels, out);
		if (item->has_larger)
			print_timing(&item->larger, kernels, out);
	}
	if (list->bench_count > 0 && !heading)
		fputs("\n## Timing\n", out);
	for (size_t i = 0; !list->compare && i < list->bench_count; i++)
		print_timing(&list->bench[i], kernels, out);
	print_overall(list, out);
	if (list->compare)
		compare_markdown(list, kernels, out);
	if (facts->device_kind == DEVICE_EMULATED)
		fputs("\nNo time is shown: the device is an emulated GPU.\n", out);
}

void report_markdown(const struct judgement_list *list, FILE *out)
{
	write_markdown(list, false, out);
}

void report_markdown_verbose(const struct judgement_list *list, FILE *out)
{
	write_markdown(list, true, out);
}
