/* The cases of a file, as text. */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/clean.h"
#include "report/facts.h"
#include "report/text_page.h"

/* Cases shown in full, and lines of a solution's own output, unless verbose. */
#define CASES_SHOWN 3
#define OUTPUT_LINES_SHOWN 8

/* The nine digits that JSON has of a number: what is printed of either is then the same. */
static double as_in_json(double value)
{
	char digits[32];
	snprintf(digits, sizeof digits, "%.9g", value);
	return strtod(digits, NULL);
}

static void wrong_elements_print(const struct text_page *page, const struct problem *problem,
								 const struct case_result *result)
{
	const struct check_summary *check = &result->check;
	bool batches = problem_size_of(problem, SIZE_BATCH) != NULL;
	int rows = result->test.shape.size[SIZE_M];
	fprintf(page->out, "    %s%7s %7s %15s %15s %10s\n", batches ? "  batch " : "", "row", "column",
			"got", "want", "bound");
	for (uint32_t i = 0; i < check->shown && i < CHECK_SHOWN; i++) {
		const struct wrong_element *element = &check->first[i];
		char got[32];
		if (element->unwritten)
			snprintf(got, sizeof got, "%s", check_untouched_text(problem, &result->test));
		else
			snprintf(got, sizeof got, "%.8g", as_in_json(element->got));
		fputs("    ", page->out);
		if (batches)
			fprintf(page->out, "%7d ", element->row / rows);
		fprintf(page->out, "%7d %7d %15s %15.8g %10.3g\n", element->row % rows, element->column,
				got, as_in_json(element->want), element->bound);
	}
	if (check->wrong > check->shown)
		fprintf(page->out, "    %7s and %llu more\n", "...",
				(unsigned long long)(check->wrong - check->shown));
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

/* Prints what the process printed in the case, but for the words of the case's own line. */
static void output_print(const struct text_page *page, const struct case_result *result)
{
	if (result->output == NULL || result->output[0] == '\0' ||
		quotes_whole(result->detail, result->output))
		return;
	fputs("    it printed:\n", page->out);
	text_block(page, "    | ", result->output, page->verbose ? 0 : OUTPUT_LINES_SHOWN);
}

static void case_print(const struct text_page *page, const struct problem *problem,
					   const struct case_result *result)
{
	char sizes[256], values[256];
	struct strbuf line = {0};
	facts_case_sizes(sizes, sizeof sizes, problem, &result->test);
	facts_case_values(values, sizeof values, problem, &result->test);
	strbuf_addf(&line, "%s: %s; %s%s", result->test.name, sizes, values,
				result->test.exact ? "; the result is exact" : "");
	text_paragraph(page, 2, strbuf_text(&line));

	bool table =
		result->verdict == VERDICT_WRONG_ANSWER && result->checked && result->check.shown > 0;
	strbuf_setf(&line, "%s", table ? "" : result->detail);
	if (table)
		check_say_wrong(problem, &result->test, &result->check, &line);
	if (line.length > 0)
		text_paragraph(page, 4, strbuf_text(&line));
	strbuf_release(&line);
	if (table)
		wrong_elements_print(page, problem, result);
	output_print(page, result);
}

/* One line for a case in a verbose list. */
static void case_line_print(const struct text_page *page, const struct problem *problem,
							const struct case_result *result)
{
	char sizes[256];
	struct strbuf line = {0};
	facts_case_sizes(sizes, sizeof sizes, problem, &result->test);
	strbuf_addf(&line, "%-14s %s", result->test.name, sizes);
	if (result->checked)
		strbuf_addf(&line, "; %.2g of the bound, %.2g s", result->check.worst_ratio,
					result->seconds);
	if (result->checked && result->facts.peak_bytes > 0)
		strbuf_addf(&line, ", allocated %lld bytes", (long long)result->facts.peak_bytes);
	fputs("  ", page->out);
	clean_print_line(page->out, strbuf_text(&line));
	strbuf_release(&line);
	fputc('\n', page->out);
	output_print(page, result);
}

/* Wrong results differ in what they tell; a crash tells the same each time. */
static size_t cases_shown(enum verdict verdict)
{
	return verdict == VERDICT_WRONG_ANSWER ? CASES_SHOWN : 1;
}

void text_cases(const struct text_page *page, const struct judgement *item)
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
