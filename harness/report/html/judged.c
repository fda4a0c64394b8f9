/* The section of a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "judgement/layers.h"
#include "report/counters.h"
#include "report/denied.h"
#include "report/facts.h"
#include "report/html/heat.h"
#include "report/html/page.h"
#include "report/html/run.h"
#include "report/html/table.h"

/* Cases that failed and are shown in full, and those that the table of all of them has. */
#define CASES_SHOWN 3
#define CASES_LISTED 1000
#define UNFOLDED 3 /* files that are all open */

/* ---- a case that failed ----------------------------------------------------------- */

static void wrong_elements(FILE *out, const struct problem *problem,
						   const struct case_result *result)
{
	static const struct html_column columns[] = {{"Element", COLUMN_WORDS},
												 {"Got", COLUMN_NUMBER},
												 {"Want", COLUMN_NUMBER},
												 {"Error", COLUMN_NUMBER},
												 {"Bound", COLUMN_NUMBER}};
	const struct check_summary *check = &result->check;
	struct html_table table;
	if (!result->checked || check->shown == 0)
		return;
	/* So many tell any two numbers of the result's type apart (16 bits need 5, f32 needs 9), and no
	 * more: a table of longer ones is wider than a phone. */
	const int precision = type_of(problem_part(problem, PART_RESULT)->type)->format.precision;
	const int digits = 1 + (int)ceil(precision * 0.30103);
	html_table_open(&table, out, "The first wrong elements", columns, 5);
	for (uint32_t i = 0; i < check->shown && i < CHECK_SHOWN; i++) {
		const struct wrong_element *element = &check->first[i];
		double error = fabs(element->got - element->want);
		char place[80];
		facts_place(place, sizeof place, problem, &result->test.shape, element->row,
					element->column);
		html_table_row(&table, 0);
		html_table_text(&table, place);
		if (element->unwritten)
			html_table_text(&table, check_untouched_text(problem, &result->test));
		else if (isnan(element->got))
			html_table_text(&table, "nan");
		else
			html_table_format(&table, element->got, "%.*g", digits, element->got);
		html_table_format(&table, element->want, "%.*g", digits, element->want);
		html_table_format(&table, element->unwritten ? NAN : error, "%.3g", error);
		html_table_format(&table, element->bound, "%.3g", element->bound);
	}
	html_table_close(&table);
}

static void case_print(FILE *out, const struct problem *problem, const struct case_result *result)
{
	char heading[96], sizes[256], values[256], line[640];
	snprintf(heading, sizeof heading, "Case %s: %s", result->test.name,
			 verdict_name(result->verdict));
	html_heading(out, 3, NULL, heading);
	facts_case_sizes(sizes, sizeof sizes, problem, &result->test);
	facts_case_values(values, sizeof values, problem, &result->test);
	snprintf(line, sizeof line, "%s; %s%s", sizes, values,
			 result->test.exact ? "; the result is exact" : "");
	html_paragraph(out, "quiet", line);
	html_paragraph(out, NULL, result->detail);
	fputs("<div class=\"figures\">\n", out);
	wrong_elements(out, problem, result);
	if (result->wrong != NULL)
		html_heat(out, result->wrong, &result->test.shape);
	fputs("</div>\n", out);
	if (result->output != NULL && result->output[0] != '\0') {
		html_paragraph(out, "quiet", "It printed:");
		html_block(out, result->output);
	}
}

static void failures_print(FILE *out, const struct judgement *item)
{
	size_t shown = 0, failed = facts_failed_cases(item);
	char line[128];
	for (size_t i = 0; i < item->count && shown < CASES_SHOWN; i++) {
		const struct case_result *result = &item->cases[i];
		if (result->verdict == VERDICT_ACCEPTED || result->verdict == VERDICT_NOT_RUN)
			continue;
		case_print(out, problem_find(item->problem), result);
		shown++;
	}
	snprintf(line, sizeof line, "%zu more cases failed: they are among all cases, below.",
			 failed - shown);
	if (failed > shown)
		html_paragraph(out, NULL, line);
}

/* ---- all cases ---------------------------------------------------------------------- */

static void case_row(struct html_table *table, const struct problem *problem,
					 const struct case_result *result)
{
	char sizes[256];
	double ratio = result->checked ? result->check.worst_ratio : NAN;
	facts_case_sizes(sizes, sizeof sizes, problem, &result->test);
	html_table_row(table, 0);
	html_table_text(table, result->test.name);
	html_table_cell_open(table);
	html_verdict(table->out, result->verdict);
	html_table_cell_close(table);
	html_table_format(table, ratio, "%.3g", ratio);
	html_table_format(table, result->checked ? result->seconds : NAN, "%.3g", result->seconds);
	html_table_text(table, sizes);
}

static void cases_print(FILE *out, const struct judgement *item)
{
	static const struct html_column columns[] = {{"Case", COLUMN_WORDS},
												 {"Verdict", COLUMN_WORDS},
												 {"Worst error / bound", COLUMN_NUMBER},
												 {"Seconds", COLUMN_NUMBER},
												 {"Sizes", COLUMN_SENTENCE}};
	struct html_table table;
	char summary[96];
	size_t listed = 0;
	if (item->count == 0)
		return;
	if (item->count > CASES_LISTED)
		snprintf(summary, sizeof summary, "The first %d of %zu cases (JSON has all)", CASES_LISTED,
				 item->count);
	else
		snprintf(summary, sizeof summary, "All %zu cases", item->count);
	html_data_open(out, summary);
	html_table_open(&table, out, summary, columns, 5);
	for (int failed = 1; failed >= 0; failed--) /* those that are not accepted come first */
		for (size_t i = 0; i < item->count && listed < CASES_LISTED; i++)
			if ((item->cases[i].verdict != VERDICT_ACCEPTED) == failed) {
				case_row(&table, problem_find(item->problem), &item->cases[i]);
				listed++;
			}
	html_table_close(&table);
	html_details_close(out);
}

/* ---- the file ---------------------------------------------------------------------------- */

void html_summary(FILE *out, const struct judgement *item, bool guarantees)
{
	char layers[LAYERS_TEXT];
	struct strbuf line = {0};
	size_t failed = facts_failed_cases(item);
	if (item->count + item->unlisted > 0)
		strbuf_addf(&line, "%zu of %zu accepted", item->accepted, item->count + item->unlisted);
	if (failed > 0)
		strbuf_addf(&line, ", %zu failed", failed);
	if (item->too_large > 0)
		strbuf_addf(&line, ", %zu not run: too large for the emulated GPU", item->too_large);
	html_facts_open(out);
	html_fact(out, "Problem", item->problem);
	html_fact(out, "Device", item->device);
	html_fact(out, "Cases", strbuf_text(&line));
	strbuf_release(&line);
	char bits[BITS_TEXT];
	if (bits_say(&item->bits, bits)[0] != '\0')
		html_fact(out, "Bits", bits);
	if (guarantees && item->was_run)
		html_fact(out, "Guarantees", layers_print(item->layers, layers));
	html_fact(out, "Content", item->content);
	html_facts_close(out);
}

void html_hints(FILE *out, const struct judgement *item)
{
	if (item->hint_count == 0)
		return;
	fputs("<ul class=\"hints\">\n", out);
	for (size_t i = 0; i < item->hint_count; i++) {
		fputs("<li><strong>Hint:</strong> ", out);
		html_text(out, item->hints[i]);
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
}

/* A short list of the calls that the file's code tried and the jail denied. */
static void denied_show(FILE *out, const struct judgement *item)
{
	const struct denied_list *list = &item->denied;
	char line[DENIED_CALL_TEXT];
	if (list->count == 0)
		return;
	html_heading(out, 3, NULL, "What it tried and the jail denied");
	fputs("<ul>\n", out);
	for (size_t i = 0; i < list->count; i++) {
		fputs("<li>", out);
		html_text(out, denied_call_print(&list->calls[i], line));
		fputs("</li>\n", out);
	}
	if (list->more > 0)
		fprintf(out, "<li>and %llu more call%s</li>\n", (unsigned long long)list->more,
				list->more > 1 ? "s" : "");
	fputs("</ul>\n", out);
}

static void counters_print_block(FILE *out, const struct judgement *item)
{
	char *text = NULL;
	size_t size = 0;
	if (!item->has_counters || item->kernel_count == 0)
		return;
	FILE *memory = open_memstream(&text, &size);
	if (memory == NULL)
		return;
	counters_print(memory, item);
	fclose(memory);
	html_heading(out, 3, NULL, "What the kernels did on the emulated GPU");
	html_block(out, text);
	free(text);
}

static void times_print(FILE *out, const struct judgement_list *list, const struct judgement *item)
{
	const struct timing_result *timings[2];
	char shape[128];
	size_t count = 0;
	if (item->has_timing)
		timings[count++] = &item->timing;
	if (item->has_larger)
		timings[count++] = &item->larger;
	if (count == 0) {
		if (item->timing_note[0] != '\0' && item->verdict == VERDICT_ACCEPTED)
			html_paragraph(out, "quiet", item->timing_note);
		return;
	}
	html_heading(out, 3, NULL, "Times");
	fputs("<div class=\"figures\">\n", out);
	for (size_t i = 0; i < count; i++) {
		facts_timed_shape(shape, sizeof shape, timings[i]);
		html_timing_figure(out, shape, timings[i]);
	}
	html_roofline(out, &list->facts, timings, count);
	fputs("</div>\n", out);
	for (size_t i = 0; i < count; i++)
		html_timing_data(out, timings[i]);
}

/* Its heading; of many files a line that opens. A browser opens what a link leads into, which is
 * why the id is inside. */
static void head_print(FILE *out, const struct judgement *item, size_t number, bool folded)
{
	char id[32];
	snprintf(id, sizeof id, "file-%zu", number);
	if (!folded) {
		html_heading(out, 2, id, item->file);
		return;
	}
	fputs("<details class=\"file\"><summary>", out);
	html_heading(out, 2, NULL, item->file);
	html_verdict(out, item->verdict);
	fprintf(out, "</summary>\n<div id=\"%s\">\n", id);
}

void html_evidence(FILE *out, const struct judgement_list *list, const struct judgement *item)
{
	failures_print(out, item);
	denied_show(out, item);
	if (item->tool_report != NULL) {
		html_heading(out, 3, NULL, "What the tool printed");
		html_block(out, item->tool_report);
	}
	times_print(out, list, item);
	html_kernels(out, item, list->facts.device_kind);
	counters_print_block(out, item);
	cases_print(out, item);
}

void html_judged(FILE *out, const struct judgement_list *list, size_t number, bool guarantees)
{
	const struct judgement *item = &list->items[number - 1];
	const bool folded = list->count > UNFOLDED;
	head_print(out, item, number, folded);
	fputs("<p>", out);
	html_verdict(out, item->verdict);
	if (item->detail[0] != '\0' && facts_failed_cases(item) == 0) { /* else it repeats a case's */
		fputs(": ", out);
		html_text(out, item->detail);
	}
	fputs("</p>\n", out);
	html_hints(out, item);
	html_summary(out, item, guarantees);
	if (item->schedule[0] != '\0') {
		char line[JUDGE_SCHEDULE_TEXT + 16];
		snprintf(line, sizeof line, "Schedule: %s", item->schedule);
		html_paragraph(out, NULL, line);
	}
	if (item->compile_log != NULL && item->compile_log[0] != '\0') {
		html_heading(out, 3, NULL, "What the compiler said");
		html_block(out, item->compile_log);
	}
	html_evidence(out, list, item);
	if (folded)
		fputs("</div>\n</details>\n", out);
}
