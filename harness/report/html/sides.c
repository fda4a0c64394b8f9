/* Files that were timed apart, beside each other. */
#include <string.h>

#include "report/facts.h"
#include "report/html/intervals.h"
#include "report/html/page.h"
#include "report/html/plot.h"
#include "report/html/run.h"
#include "report/html/table.h"

struct sides {
	struct html_interval rows[INTERVALS_MOST];
	size_t count, left_out;
};

static void side_add(struct sides *sides, const struct timing_entry *entry, bool span)
{
	struct html_interval row = {entry->label, html_series(entry->role), *facts_stats(entry, span)};
	if (!entry->ran)
		return;
	size_t at = sides->count;
	while (at > 0 && sides->rows[at - 1].stats.median > row.stats.median)
		at--;
	if (sides->count == INTERVALS_MOST)
		sides->left_out++;
	else
		sides->count++;
	for (size_t i = sides->count - 1; i > at; i--)
		sides->rows[i] = sides->rows[i - 1];
	if (at < sides->count)
		sides->rows[at] = row;
}

static bool is_beside(const struct timing_result *first, const struct judgement *item)
{
	return item->has_timing && strcmp(first->problem, item->timing.problem) == 0 &&
		   memcmp(&first->test.shape, &item->timing.test.shape, sizeof first->test.shape) == 0;
}

static void sides_table(FILE *out, const struct sides *sides)
{
	static const struct html_column columns[] = {
		{"Entry", COLUMN_NAME}, {"Median, us", COLUMN_NUMBER}, {"95% from", COLUMN_NUMBER},
		{"to", COLUMN_NUMBER},  {"Least", COLUMN_NUMBER},      {"95th percentile", COLUMN_NUMBER}};
	struct html_table table;
	html_data_open(out, "Data of the plot");
	html_table_open(&table, out, "Microseconds; 95%: interval of the median", columns, 6);
	for (size_t i = 0; i < sides->count; i++) {
		const struct timing_stats *stats = &sides->rows[i].stats;
		const double times[] = {stats->median, stats->low, stats->high, stats->min, stats->p95};
		html_table_row(&table, sides->rows[i].series == html_series(TIMING_FILE));
		html_table_text(&table, sides->rows[i].label);
		for (size_t k = 0; k < sizeof times / sizeof *times; k++)
			html_table_number(&table, times[k], facts_time(times[k], (char[FACTS_TIME]){0}));
	}
	html_table_close(&table);
	html_details_close(out);
}

void html_side_by_side(FILE *out, const struct judgement_list *list)
{
	const struct timing_result *first = NULL;
	struct sides sides = {.count = 0};
	size_t files = 0;
	for (size_t i = 0; i < list->count; i++) {
		if (first == NULL && list->items[i].has_timing)
			first = &list->items[i].timing;
		if (first == NULL || !is_beside(first, &list->items[i]))
			continue;
		files++;
		side_add(&sides, &list->items[i].timing.entries[0], facts_use_span(&list->items[i].timing));
	}
	if (files < 2)
		return;
	for (size_t i = 0; i < first->count; i++)
		if (first->entries[i].role == TIMING_LIBRARY)
			side_add(&sides, &first->entries[i], facts_use_span(first));
	char shape[128], heading[192], finding[256];
	facts_timed_shape(shape, sizeof shape, first);
	snprintf(heading, sizeof heading, "%s, %s", first->problem, shape);
	snprintf(finding, sizeof finding,
			 "The least median is %s us, of %.80s; the most %s us, of %.80s.",
			 facts_time(sides.rows[0].stats.median, (char[FACTS_TIME]){0}), sides.rows[0].label,
			 facts_time(sides.rows[sides.count - 1].stats.median, (char[FACTS_TIME]){0}),
			 sides.rows[sides.count - 1].label);
	html_heading(out, 2, "times", "Times beside each other");
	html_figure_open(out, heading, finding);
	html_intervals(out, finding, sides.rows, sides.count);
	sides_table(out, &sides);
	html_figure_close(out);
	snprintf(finding, sizeof finding, "%zu slower ones are in the table of verdicts only.",
			 sides.left_out);
	if (sides.left_out > 0)
		html_paragraph(out, "quiet", finding);
}
