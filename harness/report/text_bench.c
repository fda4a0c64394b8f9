/* Times of many shapes, as text. */
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/compare.h"
#include "report/facts.h"
#include "report/overall.h"
#include "report/text_page.h"

/* Shapes that get a table each; more get a line each. */
#define SHAPES_IN_FULL 6

/* Over several shapes: the geometric mean of the speed relative to a library. */
static void means_print(const struct text_page *page, const struct judgement_list *list)
{
	const struct timing_result *first = &list->bench[0];
	struct facts_reference references[FACTS_REFERENCES];
	facts_references(first, references);
	for (size_t e = 0; e < first->count; e++) {
		const char *label = first->entries[e].label;
		char line[512];
		int used = snprintf(line, sizeof line, "%s:", label);
		size_t most = 0;
		for (int l = 0; l < FACTS_REFERENCES && references[l].label != NULL; l++) {
			double sum = 0.0;
			size_t count = 0;
			for (size_t i = 0; i < list->bench_count; i++) {
				const struct timing_result *timing = &list->bench[i];
				for (size_t k = 0; k < timing->count; k++) {
					const struct timing_entry *entry = &timing->entries[k];
					double percent = facts_percent_of(timing, entry, references[l].label,
													  facts_use_span(timing));
					if (strcmp(entry->label, label) != 0 ||
						strcmp(label, references[l].label) == 0 || !(percent > 0.0))
						continue;
					sum += log(percent / 100.0);
					count++;
				}
			}
			if (count > 0)
				used += snprintf(line + used, sizeof line - (size_t)used, "%s %.1f%% of %s",
								 most > 0 ? "," : "", 100.0 * exp(sum / (double)count),
								 references[l].label);
			most = count > most ? count : most;
		}
		if (most < 2)
			continue;
		snprintf(line + used, sizeof line - (size_t)used, " (geometric mean of %zu shapes)", most);
		text_paragraph(page, 2, line);
	}
}

static void overall_print(const struct text_page *page, const struct judgement_list *list)
{
	struct overall overall;
	struct strbuf line = {0};
	for (size_t at = 0; overall_next(list, &at, &overall);) {
		overall_sentence(&line, &overall);
		text_paragraph(page, 2, strbuf_text(&line));
	}
	strbuf_release(&line);
}

void text_bench(const struct text_page *page, const struct judgement_list *list)
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
		text_timing(page, &list->bench[i]);
	}
	if (list->bench_count > 1) {
		fputs("\nover all shapes\n", page->out);
		overall_print(page, list);
		means_print(page, list);
	}
}
