/* Times at one shape. */
#include <math.h>
#include <stdlib.h>

#include "report/compare.h"
#include "report/facts.h"
#include "report/html/intervals.h"
#include "report/html/page.h"
#include "report/html/plot.h"
#include "report/html/run.h"
#include "report/html/table.h"
#include "report/kernels.h"
#include "report/overall.h"
#include "report/seal.h"
#include "report/steady.h"

#define COLUMNS_MAX (11 + FACTS_REFERENCES)

/* ---- the table ------------------------------------------------------------------------ */

static void times_cells(struct html_table *table, const struct timing_result *timing,
						const struct timing_entry *entry, bool span)
{
	const struct timing_stats *stats = facts_stats(entry, span);
	const double times[] = {stats->median, stats->low, stats->high, stats->min, stats->p95};
	double rate = facts_rate(timing, stats->median);
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		html_table_number(table, times[i], facts_time(times[i], (char[FACTS_TIME]){0}));
	html_table_format(table, rate, "%.4g", rate);
}

static void steady_cells(struct html_table *table, const struct timing_entry *entry)
{
	const struct timing_steady *steady = &entry->steady;
	char figure[STEADY_FIGURE];
	html_table_number(table, steady->watts > 0.0 ? steady->watts : NAN,
					  steady_watts(entry, figure));
	html_table_number(table, steady->mhz > 0.0 ? steady->mhz : NAN, steady_mhz(entry, figure));
	html_table_number(table, steady->joules > 0.0 ? steady->joules : NAN,
					  steady_joules(entry, figure));
}

static void percent_cells(struct html_table *table, const struct timing_result *timing,
						  const struct timing_entry *entry, bool span)
{
	struct facts_reference references[FACTS_REFERENCES];
	facts_references(timing, references);
	for (int y = 0; y < FACTS_REFERENCES && references[y].label != NULL; y++) {
		double percent = facts_percent_of(timing, entry, references[y].label, span);
		html_table_format(table, percent > 0.0 ? percent : NAN, "%.1f%%", percent);
	}
}

static void relation_cell(struct html_table *table, const struct timing_entry *fused,
						  const struct timing_entry *entry, bool span)
{
	char relation[COMPARE_RELATION] = "";
	if (entry != fused)
		compare_relation(relation, fused, entry, span);
	html_table_text(table, relation);
}

/* `fused`: of a comparison, the file that all others stand beside; else NULL. */
static void table_print(FILE *out, const struct timing_result *timing,
						const struct timing_entry *fused)
{
	struct html_column columns[COLUMNS_MAX] = {
		{"", COLUMN_NAME},           {"Median, us", COLUMN_NUMBER},
		{"95% from", COLUMN_NUMBER}, {"to", COLUMN_NUMBER},
		{"Least", COLUMN_NUMBER},    {"95th percentile", COLUMN_NUMBER},
		{"TFLOP/s", COLUMN_NUMBER}};
	struct facts_reference references[FACTS_REFERENCES];
	struct html_table table;
	char names[FACTS_REFERENCES][64], label[FACTS_LABEL], caption[96];
	bool span = facts_use_span(timing);
	size_t count = 7;
	columns[0].name = "Entry";
	columns[6].name = facts_rate_unit(timing);
	facts_references(timing, references);
	if (timing_is_steady(timing)) {
		columns[count++] = (struct html_column){"Watts", COLUMN_NUMBER};
		columns[count++] = (struct html_column){"MHz", COLUMN_NUMBER};
		columns[count++] = (struct html_column){"Joules", COLUMN_NUMBER};
	}
	for (int y = 0; y < FACTS_REFERENCES && references[y].label != NULL && fused == NULL; y++) {
		snprintf(names[y], sizeof names[y], "Of %s", references[y].name);
		columns[count++] = (struct html_column){names[y], COLUMN_NUMBER};
	}
	if (fused != NULL)
		columns[count++] = (struct html_column){"The fused kernel beside it", COLUMN_SENTENCE};
	snprintf(caption, sizeof caption, "Microseconds %s; 95%%: interval of the median",
			 facts_times_are(timing));
	html_table_open(&table, out, caption, columns, count);
	for (size_t i = 0; i < timing->count; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		if (fused != NULL && entry != fused && entry != compare_plain(timing, fused) &&
			timing_is_file(entry))
			continue;
		facts_label_of(timing, entry, label);
		html_table_row(&table, entry->role == TIMING_FILE);
		html_table_text(&table, label);
		if (!entry->ran)
			continue;
		times_cells(&table, timing, entry, span);
		if (timing_is_steady(timing))
			steady_cells(&table, entry);
		if (fused == NULL)
			percent_cells(&table, timing, entry, span);
		else
			relation_cell(&table, fused, entry, span);
	}
	html_table_close(&table);
}

/* ---- the plot --------------------------------------------------------------------------- */

/* The file that takes the least time; NULL when none was measured. */
static const struct timing_entry *fastest_file(const struct timing_result *timing, bool span)
{
	const struct timing_entry *fastest = NULL;
	for (size_t i = 0; i < timing->count; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		if (entry->role == TIMING_FILE && entry->ran &&
			(fastest == NULL ||
			 facts_stats(entry, span)->median < facts_stats(fastest, span)->median))
			fastest = entry;
	}
	return fastest;
}

static void finding_format(const struct timing_result *timing, char *out, size_t capacity)
{
	bool span = facts_use_span(timing);
	const struct timing_entry *own = fastest_file(timing, span);
	const struct timing_entry *library = overall_library(timing);
	if (own == NULL) {
		snprintf(out, capacity, "No file was measured.");
		return;
	}
	const struct timing_stats *stats = facts_stats(own, span);
	int used = snprintf(out, capacity, "%s takes %s us (95%% interval %s to %s)", own->label,
						facts_time(stats->median, (char[FACTS_TIME]){0}),
						facts_time(stats->low, (char[FACTS_TIME]){0}),
						facts_time(stats->high, (char[FACTS_TIME]){0}));
	if (library == NULL)
		snprintf(out + used, capacity - (size_t)used, ".");
	else
		snprintf(out + used, capacity - (size_t)used,
				 "; %s, the fastest library, %s us: %.3f times as fast.", library->label,
				 facts_time(facts_stats(library, span)->median, (char[FACTS_TIME]){0}),
				 overall_ratio(timing, own));
}

unsigned html_series(enum timing_role role)
{
	return role == TIMING_FILE ? 0 : role == TIMING_FILE_PLAIN ? 1 : PLOT_SERIES - 1;
}

void html_timing_figure(FILE *out, const char *title, const struct timing_result *timing)
{
	char finding[512], labels[INTERVALS_MOST][FACTS_LABEL];
	struct html_interval rows[INTERVALS_MOST];
	size_t count = 0;
	bool span = facts_use_span(timing);
	for (size_t i = 0; i < timing->count && count < INTERVALS_MOST; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		if (!entry->ran)
			continue;
		facts_label_of(timing, entry, labels[count]);
		rows[count] = (struct html_interval){labels[count], html_series(entry->role),
											 *facts_stats(entry, span)};
		count++;
	}
	finding_format(timing, finding, sizeof finding);
	html_figure_open(out, title, finding);
	if (count > 0)
		html_intervals(out, finding, rows, count);
	html_figure_close(out);
}

/* ---- what there is to say ------------------------------------------------------------------ */

static void stream_print(FILE *out, const struct timing_result *timing)
{
	struct strbuf line = {0};
	steady_bursts(timing, &line);
	if (line.length > 0)
		html_paragraph(out, "quiet", strbuf_text(&line));
	steady_blocks(timing, &line);
	if (line.length > 0)
		html_paragraph(out, "quiet", strbuf_text(&line));
	if (steady_unsettled(timing))
		html_paragraph(out, "note", "Warning: " STEADY_UNSETTLED ".");
	strbuf_release(&line);
}

static void accuracy_print(FILE *out, const struct timing_result *timing)
{
	char line[256];
	stream_print(out, timing);
	facts_clocks(line, sizeof line, timing);
	if (line[0] != '\0')
		html_paragraph(out, "quiet", line);
	char floor[COMPARE_FLOOR];
	compare_floor_line(floor, &timing->floor);
	if (floor[0] != '\0')
		html_paragraph(out, "quiet", floor);
	snprintf(line, sizeof line, "The clock was held down while measuring (%s).",
			 timing->throttle_reason);
	if (timing->throttled)
		html_paragraph(out, "note", line);
	snprintf(line, sizeof line,
			 "A median is uncertain by %.1f%%: measure again on a quiet machine.",
			 facts_widest_percent(timing));
	if (timing->wide)
		html_paragraph(out, "note", line);
}

static void entries_print(FILE *out, const struct timing_result *timing)
{
	struct strbuf line = {0};
	bool span = facts_use_span(timing);
	seal_confirmed(timing, &line);
	if (line.length > 0)
		html_paragraph(out, "quiet", strbuf_text(&line));
	for (size_t i = 0; i < timing->count; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		seal_doubt(entry, span, &line);
		if (line.length > 0)
			html_paragraph(out, "note", strbuf_text(&line));
		strbuf_setf(&line, "%s was not measured: %s", entry->label, entry->detail);
		if (!entry->ran)
			html_paragraph(out, entry->role == TIMING_LIBRARY ? "quiet" : "note bad",
						   strbuf_text(&line));
		struct strbuf wrong = {0};
		overall_wrong(entry, &wrong);
		strbuf_setf(&line, "%s: %s.", entry->label, strbuf_text(&wrong));
		if (entry->ran && wrong.length > 0)
			html_paragraph(out, "note bad", strbuf_text(&line));
		strbuf_release(&wrong);
	}
	overall_chosen(timing, &line);
	if (line.length > 0)
		html_paragraph(out, "note", strbuf_text(&line));
	strbuf_release(&line);
}

#define KERNEL_COLUMNS 150

static void kernels_block(FILE *out, const struct timing_result *timing)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	if (memory == NULL)
		return;
	kernels_print(memory, KERNEL_COLUMNS, timing);
	fclose(memory);
	if (text[0] != '\0') {
		html_details_open(out, "Kernels of a call");
		html_block(out, text);
		html_details_close(out);
	}
	free(text);
}

static void data_print(FILE *out, const struct timing_result *timing,
					   const struct timing_entry *fused)
{
	char shape[128], summary[256], label[FACTS_LABEL] = "";
	facts_timed_shape(shape, sizeof shape, timing);
	if (fused != NULL)
		facts_label(fused, label);
	snprintf(summary, sizeof summary, "%s%sTimes at %s", label, fused != NULL ? ": " : "", shape);
	fputs("<details class=\"data\" open><summary>", out);
	html_text(out, summary);
	fputs("</summary>\n", out);
	table_print(out, timing, fused);
	html_details_close(out);
}

void html_timing_data(FILE *out, const struct timing_result *timing)
{
	if (!facts_is_comparison(timing))
		data_print(out, timing, NULL);
	for (size_t i = 0; i < timing->count && facts_is_comparison(timing); i++)
		if (timing->entries[i].role == TIMING_FILE)
			data_print(out, timing, &timing->entries[i]);
	accuracy_print(out, timing);
	entries_print(out, timing);
	kernels_block(out, timing);
}
