/* What was found in a submission, as report/html shows it of a judgement, and what the bounds of
 * its cases are. */
#include <math.h>
#include <string.h>

#include "report/facts.h"
#include "report/html/run.h"
#include "serve/page.h"

#define LINE 512

/* ---- the tolerance --------------------------------------------------------------------- */

/* The case that is farthest beyond its bound, of those with one or of those whose error none takes;
 * NULL: there is none. */
static const struct case_result *worst_case(const struct judgement *item, bool bounded)
{
	const struct case_result *worst = NULL;
	double ratio = 1.0;
	for (size_t i = 0; i < item->count; i++) {
		const struct case_result *one = &item->cases[i];
		if (!one->checked || !(one->check.worst_ratio > ratio) ||
			(isinf(one->check.worst_ratio) != 0) == bounded)
			continue;
		ratio = one->check.worst_ratio;
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
static void tolerance_print(FILE *out, const struct judgement_list *list,
							const struct judgement *item)
{
	const struct case_result *bounded = worst_case(item, true), *other = worst_case(item, false);
	char line[LINE];
	if (bounded == NULL && other == NULL)
		return;
	html_heading(out, 3, "bound", "How far from right is wrong");
	bound_print(out, list->facts.tolerance);
	if (bounded != NULL) {
		const double ratio = bounded->check.worst_ratio;
		snprintf(line, sizeof line,
				 "The worst error is that of case %.64s: %.*f times its bound, and 1 is the most "
				 "that is accepted. A small excess speaks of rounding (a narrower type, a second "
				 "rounding), a large one of a wrong value.",
				 bounded->test.name, ratio < 10 ? 2 : 0, ratio);
		html_paragraph(out, NULL, line);
	}
	if (other != NULL) {
		snprintf(line, sizeof line, "In case %.64s %s", other->test.name,
				 other->test.exact
					 ? "all numbers are whole and nothing has to be rounded, so that the bound is "
					   "0: every bit counts there."
					 : "an element has an error that no bound takes: it is no number, or infinite, "
					   "where a number is wanted, or the other way round; or nothing is rounded in "
					   "this problem.");
		html_paragraph(out, NULL, line);
	}
	fputs("<p><a href=\"/problems/", out);
	html_text(out, item->problem);
	fputs("#tolerance\">How the bound is made</a></p>\n", out);
}

/* ---- all of it ------------------------------------------------------------------------- */

void page_result(FILE *out, const struct judgement *item)
{
	fputs("<p class=\"lead\">", out);
	html_verdict(out, item->verdict);
	fputs("</p>\n", out);
	if (facts_failed_cases(item) == 0) /* else it repeats a case's */
		html_paragraph(out, NULL, item->detail);
	html_hints(out, item);
	if (item->verdict == VERDICT_TIME_LIMIT || item->verdict == VERDICT_MEMORY_LIMIT)
		html_paragraph(out, "quiet",
					   "The limits of time and memory are this server's: no option of a submission "
					   "changes them. Smaller cases take less (Options: cases, max-dim).");
	html_summary(out, item, false);
}

void page_details(FILE *out, const struct judgement_list *list)
{
	const struct judgement *item = &list->items[0];
	if (item->count > 0)
		html_heading(out, 2, NULL, "Cases");
	tolerance_print(out, list, item);
	html_evidence(out, list, item);
}
