/* What was found in a submission, of the result that the judge wrote: as report/html shows it of a
 * judgement. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judgement/check.h"
#include "report/facts.h"
#include "report/html/heat.h"
#include "report/html/intervals.h"
#include "report/html/plot.h"
#include "serve/page.h"

#define CASES_SHOWN 3
#define CASES_LISTED 1000
#define LINE 512

static void number_cell(struct html_table *table, const json_t *json, const char *member,
						int digits)
{
	char shown[64];
	const double value = page_number(json, member);
	snprintf(shown, sizeof shown, "%.*g", digits, value);
	html_table_number(table, value, shown);
}

/* ---- a case that failed -------------------------------------------------------------- */

/* So many digits tell neighbours of the result's type apart. */
static int digits_of(const char *name)
{
	const struct problem *problem = problem_find(name);
	const struct type *type =
		problem != NULL ? type_of(problem_part(problem, PART_RESULT)->type) : NULL;
	return type != NULL && type->unit_roundoff > 0x1p-24 ? 7 : 9;
}

/* What stands for the number of an element that the call left as it was. */
static const char *untouched_text(const char *name, const json_t *one)
{
	const struct problem *problem = problem_find(name);
	struct test_case test = {.exact = false};
	test.scalar[SCALAR_BETA] = (float)json_number_value(json_object_get(one, "beta"));
	return problem != NULL ? check_untouched_text(problem, &test) : "";
}

static void elements_print(FILE *out, const json_t *list, int digits, const char *untouched)
{
	static const struct html_column columns[] = {
		{"Row", COLUMN_NUMBER},  {"Column", COLUMN_NUMBER}, {"Got", COLUMN_NUMBER},
		{"Want", COLUMN_NUMBER}, {"Bound", COLUMN_NUMBER},
	};
	struct html_table table;
	size_t i;
	json_t *element;
	if (json_array_size(list) == 0)
		return;
	html_table_open(&table, out, "The first wrong elements", columns, 5);
	json_array_foreach(list, i, element)
	{
		html_table_row(&table, 0);
		number_cell(&table, element, "row", 9);
		number_cell(&table, element, "column", 9);
		if (json_is_false(json_object_get(element, "written")))
			html_table_text(&table, untouched);
		else if (json_is_string(json_object_get(element, "got")))
			html_table_text(&table, page_text(element, "got"));
		else
			number_cell(&table, element, "got", digits);
		number_cell(&table, element, "want", digits);
		number_cell(&table, element, "bound", 3);
	}
	html_table_close(&table);
}

static uint32_t natural(const json_t *json, const char *member)
{
	const json_int_t value = json_integer_value(json_object_get(json, member));
	return value > 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

/* The map, as html_heat() draws it: of numbers that were read, so that none is trusted. */
static void map_print(FILE *out, const json_t *one)
{
	const json_t *map = json_object_get(json_object_get(one, "check"), "map");
	struct wrong_facts wrong = {.wrong = natural(json_object_get(one, "check"), "wrong"),
								.map = {.rows = natural(map, "rows"),
										.columns = natural(map, "columns"),
										.height = natural(map, "height"),
										.width = natural(map, "width")},
								.places = {.top = (int32_t)natural(map, "top"),
										   .bottom = (int32_t)natural(map, "bottom"),
										   .left = (int32_t)natural(map, "left"),
										   .right = (int32_t)natural(map, "right")}};
	const struct shape shape = {.size = {[SIZE_BATCH] = (int32_t)natural(one, "batch"),
										 [SIZE_M] = (int32_t)natural(one, "m"),
										 [SIZE_N] = (int32_t)natural(one, "n")}};
	const uint64_t height = shape_rows(&shape), width = shape_columns(&shape);
	if (wrong.map.rows - 1 >= MAP_CELLS || wrong.map.columns - 1 >= MAP_CELLS ||
		(uint64_t)(wrong.map.rows - 1) * wrong.map.height >= height ||
		(uint64_t)(wrong.map.columns - 1) * wrong.map.width >= width)
		return;
	for (size_t row = 0; row < wrong.map.rows; row++) {
		const json_t *cells = json_array_get(json_object_get(map, "cells"), row);
		char *at = json_is_string(cells) ? (char *)json_string_value(cells) : (char *)"";
		for (size_t column = 0; column < wrong.map.columns; column++)
			wrong.map.wrong[row][column] = (uint32_t)strtoul(at, &at, 10);
	}
	html_heat(out, &wrong, &shape);
}

static void sizes_print(const json_t *one, char out[LINE])
{
	enum { BATCH = 3 }; /* one is none */
	static const char *const names[] = {"m", "n", "k", [BATCH] = "batch", "alpha", "beta"};
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!isnan(page_number(one, names[i])) && (i != BATCH || page_number(one, names[i]) != 1))
			used += (size_t)snprintf(out + used, LINE - used, "%s%s %g", used > 0 ? ", " : "",
									 names[i], page_number(one, names[i]));
}

static void case_print(FILE *out, const char *problem, const json_t *one)
{
	char line[LINE];
	snprintf(line, sizeof line, "Case %.100s: %.64s", page_text(one, "name"),
			 page_text(one, "verdict"));
	html_heading(out, 3, NULL, line);
	sizes_print(one, line);
	html_paragraph(out, "quiet", line);
	html_paragraph(out, NULL, page_text(one, "detail"));
	fputs("<div class=\"figures\">\n", out);
	elements_print(out, json_object_get(json_object_get(one, "check"), "first_wrong"),
				   digits_of(problem), untouched_text(problem, one));
	map_print(out, one);
	fputs("</div>\n", out);
	if (page_text(one, "output")[0] != '\0') {
		html_paragraph(out, "quiet", "It printed:");
		html_block(out, page_text(one, "output"));
	}
}

static void cases_print(FILE *out, const json_t *cases)
{
	static const struct html_column columns[] = {{"Case", COLUMN_SHORT},
												 {"Verdict", COLUMN_SHORT},
												 {"Worst error / bound", COLUMN_NUMBER},
												 {"Seconds", COLUMN_NUMBER},
												 {"Sizes", COLUMN_SENTENCE}};
	struct html_table table;
	char line[LINE];
	size_t i;
	json_t *one;
	if (json_array_size(cases) == 0)
		return;
	html_data_open(out, "All cases");
	html_table_open(&table, out, "All cases", columns, 5);
	json_array_foreach(cases, i, one)
	{
		if (i == CASES_LISTED)
			break;
		html_table_row(&table, 0);
		html_table_text(&table, page_text(one, "name"));
		html_table_cell_open(&table);
		page_verdict(out, page_text(one, "verdict"));
		html_table_cell_close(&table);
		number_cell(&table, json_object_get(one, "check"), "worst_ratio", 3);
		number_cell(&table, one, "seconds", 2);
		sizes_print(one, line);
		html_table_text(&table, line);
	}
	html_table_close(&table);
	html_details_close(out);
}

/* ---- times --------------------------------------------------------------------------- */

static void timing_print(FILE *out, const json_t *timing)
{
	static const struct html_column columns[] = {{"Entry", COLUMN_NAME},
												 {"Median, us", COLUMN_NUMBER},
												 {"95% from", COLUMN_NUMBER},
												 {"to", COLUMN_NUMBER}};
	struct html_interval rows[INTERVALS_MOST];
	struct html_table table;
	char sizes[LINE], finding[LINE];
	size_t i, count = 0;
	json_t *entry;
	sizes_print(json_object_get(timing, "case"), sizes);
	json_array_foreach(json_object_get(timing, "entries"), i, entry)
	{
		const json_t *stats = json_object_get(entry, page_text(timing, "clock"));
		const double median = page_number(entry, "microseconds");
		if (!json_is_true(json_object_get(entry, "ran")) || !(median > 0.0) ||
			count == INTERVALS_MOST)
			continue;
		rows[count++] =
			(struct html_interval){.label = page_text(entry, "label"),
								   .series = strcmp(page_text(entry, "role"), "library") == 0,
								   .stats = {.median = median,
											 .min = fmin(page_number(stats, "min_us"), median),
											 .low = page_number(entry, "low_us"),
											 .high = page_number(entry, "high_us"),
											 .p95 = fmax(page_number(stats, "p95_us"), median)}};
	}
	if (count == 0)
		return;
	snprintf(finding, sizeof finding, "%.200s takes %s us (95%% interval %s to %s).", rows[0].label,
			 facts_time(rows[0].stats.median, (char[FACTS_TIME]){0}),
			 facts_time(rows[0].stats.low, (char[FACTS_TIME]){0}),
			 facts_time(rows[0].stats.high, (char[FACTS_TIME]){0}));
	html_figure_open(out, sizes, finding);
	html_intervals(out, finding, rows, count);
	html_data_open(out, "Data");
	html_table_open(&table, out, "Microseconds of a call; 95%: interval of the median", columns, 4);
	for (i = 0; i < count; i++) {
		html_table_row(&table, rows[i].series == 0);
		html_table_text(&table, rows[i].label);
		page_time_cell(&table, rows[i].stats.median);
		page_time_cell(&table, rows[i].stats.low);
		page_time_cell(&table, rows[i].stats.high);
	}
	html_table_close(&table);
	html_details_close(out);
	html_figure_close(out);
}

/* ---- the tolerance --------------------------------------------------------------------- */

/* How far the worst element of a case lies from right, in times its bound; infinite where no bound
 * takes its error. */
static double ratio_of(const json_t *one)
{
	const json_t *check = json_object_get(one, "check");
	return strcmp(page_text(check, "worst_ratio"), "inf") == 0 ? INFINITY
															   : page_number(check, "worst_ratio");
}

/* The case that is farthest beyond its bound, of those with one or of those whose error none takes;
 * NULL: there is none. */
static const json_t *worst_case(const json_t *cases, bool bounded)
{
	const json_t *worst = NULL;
	double ratio = 1.0;
	size_t i;
	json_t *one;
	json_array_foreach(cases, i, one) if (ratio_of(one) > ratio && isinf(ratio_of(one)) != bounded)
	{
		ratio = ratio_of(one);
		worst = one;
	}
	return worst;
}

/* What a bound is: of a flat tolerance, or as it follows from the inputs. */
static void bound_print(FILE *out, const char *tolerance)
{
	char line[LINE];
	snprintf(line, sizeof line,
			 "This was judged with the tolerance %.64s. The bound of an element is the error that "
			 "it may have by that.",
			 tolerance);
	html_paragraph(out, NULL,
				   tolerance[0] != '\0' && strcmp(tolerance, "bound") != 0
					   ? line
					   : "The bound of an element is the largest error that rounding can explain "
						 "there. It follows from the inputs: from K and the size of the products "
						 "that are summed.");
}

/* What "3.2 times its bound" says, and what a bound of 0. */
static void tolerance_print(FILE *out, const json_t *job)
{
	const json_t *result = json_object_get(job, "result"),
				 *cases = json_object_get(result, "cases");
	const json_t *bounded = worst_case(cases, true), *other = worst_case(cases, false);
	char line[LINE];
	if (bounded == NULL && other == NULL)
		return;
	html_heading(out, 3, "bound", "How far from right is wrong");
	bound_print(out, page_text(json_object_get(job, "run"), "tolerance"));
	if (bounded != NULL) {
		snprintf(line, sizeof line,
				 "The worst error is that of case %.64s: %.*f times its bound, and 1 is the most "
				 "that is accepted. A small excess speaks of rounding (a narrower type, a second "
				 "rounding), a large one of a wrong value.",
				 page_text(bounded, "name"), ratio_of(bounded) < 10 ? 2 : 0, ratio_of(bounded));
		html_paragraph(out, NULL, line);
	}
	if (other != NULL) {
		snprintf(line, sizeof line, "In case %.64s %s", page_text(other, "name"),
				 json_is_true(json_object_get(other, "exact"))
					 ? "all numbers are whole and nothing has to be rounded, so that the bound is "
					   "0: every bit counts there."
					 : "an element has an error that no bound takes: it is no number, or infinite, "
					   "where a number is wanted, or the other way round; or nothing is rounded in "
					   "this problem.");
		html_paragraph(out, NULL, line);
	}
	fputs("<p><a href=\"/problems/", out);
	html_text(out, page_text(result, "problem"));
	fputs("#tolerance\">How the bound is made</a></p>\n", out);
}

/* ---- all of it ------------------------------------------------------------------------- */

static void facts_print(FILE *out, const json_t *result)
{
	char line[LINE];
	snprintf(line, sizeof line, "%.0f of %.0f accepted", page_number(result, "cases_accepted"),
			 page_number(result, "cases_total"));
	html_facts_open(out);
	if (page_number(result, "cases_total") > 0)
		html_fact(out, "Cases", line);
	html_fact(out, "Device", page_text(result, "device"));
	html_fact(out, "Content", page_text(result, "content"));
	html_facts_close(out);
}

static void hints_print(FILE *out, const json_t *hints)
{
	size_t i;
	json_t *hint;
	if (json_array_size(hints) == 0)
		return;
	fputs("<ul class=\"hints\">\n", out);
	json_array_foreach(hints, i, hint)
	{
		fputs("<li><strong>Hint:</strong> ", out);
		html_text(out, json_is_string(hint) ? json_string_value(hint) : "");
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
}

static bool has_failed(const json_t *one)
{
	const char *verdict = page_text(one, "verdict");
	return !verdict_is(verdict, VERDICT_ACCEPTED) && !verdict_is(verdict, VERDICT_NOT_RUN);
}

void page_result(FILE *out, const json_t *job)
{
	const json_t *result = json_object_get(job, "result");
	size_t i, failed = 0;
	json_t *one;
	json_array_foreach(json_object_get(result, "cases"), i, one) failed += has_failed(one);
	fputs("<p class=\"lead\">", out);
	page_verdict(out, page_text(job, "verdict"));
	fputs("</p>\n", out);
	if (failed == 0) /* else it repeats a case's */
		html_paragraph(out, NULL, page_text(result, "detail"));
	hints_print(out, json_object_get(result, "hints"));
	if (verdict_is(page_text(job, "verdict"), VERDICT_TIME_LIMIT) ||
		verdict_is(page_text(job, "verdict"), VERDICT_MEMORY_LIMIT))
		html_paragraph(out, "quiet",
					   "The limits of time and memory are this server's: no option of a submission "
					   "changes them. Smaller cases take less (Options: cases, max-dim).");
	facts_print(out, result);
}

void page_details(FILE *out, const json_t *job)
{
	const json_t *result = json_object_get(job, "result");
	const json_t *cases = json_object_get(result, "cases");
	size_t i, shown = 0;
	json_t *one;
	if (json_array_size(cases) > 0)
		html_heading(out, 2, NULL, "Cases");
	tolerance_print(out, job);
	json_array_foreach(cases, i, one) if (has_failed(one) && shown++ < CASES_SHOWN)
		case_print(out, page_text(result, "problem"), one);
	cases_print(out, cases);
	if (json_is_object(json_object_get(result, "timing"))) {
		html_heading(out, 2, NULL, "Times");
		fputs("<div class=\"figures\">\n", out);
		timing_print(out, json_object_get(result, "timing"));
		timing_print(out, json_object_get(result, "larger_timing"));
		fputs("</div>\n", out);
	}
	if (page_text(result, "timing_note")[0] != '\0')
		html_paragraph(out, "quiet", page_text(result, "timing_note"));
}
