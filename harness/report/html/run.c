/* The page of a run: what was asked, all verdicts, then each file. */
#include "report/html/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judgement/layers.h"
#include "report/facts.h"
#include "report/html/page.h"
#include "report/html/table.h"
#include "report/overall.h"
#include "report/ranking.h"
#include "report/report.h"

#define COLUMNS_MAX 10

static const char *name_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	return slash != NULL ? slash + 1 : file;
}

/* ---- the head ----------------------------------------------------------------- */

/* The run's verdicts in a line. */
static void title_format(const struct judgement_list *list, char *out, size_t capacity)
{
	size_t accepted = 0;
	for (size_t i = 0; i < list->count; i++)
		accepted += list->items[i].verdict == VERDICT_ACCEPTED;
	if (list->bench_count > 0 && accepted == list->count)
		snprintf(out, capacity, "%zu solution%s timed at %zu shape%s", list->count,
				 list->count > 1 ? "s" : "", list->bench_count, list->bench_count > 1 ? "s" : "");
	else if (list->count == 1)
		snprintf(out, capacity, "%.255s: %s", name_of(list->items[0].file),
				 verdict_name(list->items[0].verdict));
	else
		snprintf(out, capacity, "%zu of %zu solutions accepted", accepted, list->count);
}

static const struct judgement *first_run(const struct judgement_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].was_run)
			return &list->items[i];
	return NULL;
}

/* Whether the same layers of the jail held for all files that were run. */
static bool same_guarantees(const struct judgement_list *list)
{
	const struct judgement *first = first_run(list);
	bool same = true;
	for (size_t i = 0; i < list->count; i++)
		same = same && (!list->items[i].was_run || list->items[i].layers == first->layers);
	return same;
}

/* The problem of all files; NULL where they have several. */
static const char *common_problem(const struct judgement_list *list)
{
	const char *common = "";
	for (size_t i = 0; i < list->count; i++) {
		const char *problem = list->items[i].problem; /* "": of a bad file */
		if (common[0] != '\0' && problem[0] != '\0' && strcmp(common, problem) != 0)
			return NULL;
		common = problem[0] != '\0' ? problem : common;
	}
	return common;
}

static void facts_print(FILE *out, const struct judgement_list *list)
{
	const struct run_description *facts = &list->facts;
	char seed[24], flags[1024], layers[LAYERS_TEXT];
	char *cases = facts_cases(facts);
	snprintf(seed, sizeof seed, "0x%llx", (unsigned long long)facts->seed);
	html_facts_open(out);
	html_fact(out, "Problem", common_problem(list) != NULL ? common_problem(list) : "");
	html_fact(out, "Started", facts->started);
	html_fact(out, "Cases", cases != NULL ? cases : "");
	free(cases);
	html_fact(out, "Seed", seed);
	html_fact(out, "Tolerance", facts->tolerance[0] != '\0' ? facts->tolerance : "bound");
	html_fact(out, "Epilogue", facts->epilogue);
	html_fact(out, "nvcc flags", facts_nvcc_flags(facts, flags, sizeof flags));
	html_fact(out, "Under", facts->tool);
	if (first_run(list) != NULL && same_guarantees(list))
		html_fact(out, "Guarantees", layers_print(first_run(list)->layers, layers));
	html_facts_close(out);
	html_paragraph(out, "quiet", "The same again:");
	html_command(out, facts->command);
}

static void head_print(FILE *out, const struct judgement_list *list, const char *title)
{
	char warning[256], device[FACTS_DEVICE], shared[FACTS_SHARED];
	facts_device(&list->facts, device);
	fputs("<header>\n", out);
	html_heading(out, 1, NULL, title);
	if (device[0] != '\0')
		html_paragraph(out, "quiet", device);
	if (facts_shared(&list->facts, shared)[0] != '\0')
		html_paragraph(out, "quiet", shared);
	fputs("</header>\n", out);
	if (list->facts.interrupted)
		html_paragraph(out, "note", "Interrupted: this is what was done until then.");
	if (overall_gpu_wrong(warning, sizeof warning, list))
		html_paragraph(out, "note bad", warning);
	facts_print(out, list);
}

/* ---- all verdicts ---------------------------------------------------------------- */

/* Whether the file has a section of its own: of one that is right, `bench` has the times alone. */
static bool has_section(const struct judgement_list *list, const struct judgement *item)
{
	return list->bench_count == 0 || item->verdict != VERDICT_ACCEPTED;
}

static void file_cell(struct html_table *table, const struct judgement_list *list,
					  const struct judgement *item)
{
	char address[32];
	snprintf(address, sizeof address, "#file-%zu", (size_t)(item - list->items) + 1);
	if (has_section(list, item))
		html_table_link(table, address, item->file);
	else
		html_table_text(table, item->file);
}

/* Which columns there is something to say in. */
struct shown {
	bool cases, times, problems, same, refused;
};

static struct shown shown_of(const struct judgement_list *list, const struct ranking *ranking)
{
	struct shown shown = {.times = ranking->timed, .problems = common_problem(list) == NULL};
	for (size_t i = 0; i < list->count; i++) {
		shown.cases = shown.cases || list->items[i].count > 0;
		shown.refused = shown.refused || facts_refused(&list->items[i]);
	}
	for (size_t i = 0; i < ranking->count; i++)
		shown.same = shown.same || ranking->rows[i].same != NULL;
	return shown;
}

static void columns_open(struct html_table *table, FILE *out, struct shown shown,
						 struct html_column columns[COLUMNS_MAX])
{
	size_t count = 0;
	if (shown.times)
		columns[count++] = (struct html_column){"Rank", COLUMN_NUMBER};
	columns[count++] = (struct html_column){"File", COLUMN_NAME};
	columns[count++] = (struct html_column){"Verdict", COLUMN_SHORT};
	if (shown.times) {
		columns[count++] = (struct html_column){"Time, us", COLUMN_NUMBER};
		columns[count++] = (struct html_column){"Ratio", COLUMN_NUMBER};
	}
	if (shown.cases) {
		columns[count++] = (struct html_column){"Cases", COLUMN_NUMBER};
		columns[count++] = (struct html_column){"Worst error / bound", COLUMN_NUMBER};
	}
	if (shown.problems)
		columns[count++] = (struct html_column){"Problem", COLUMN_SHORT};
	if (shown.refused)
		columns[count++] = (struct html_column){"The compiler says", COLUMN_SENTENCE};
	if (shown.same)
		columns[count++] = (struct html_column){"Same source as", COLUMN_WORDS};
	html_table_open(table, out,
					shown.times
						? "Ratio: time of the fastest library over the file's own; above 1 the "
						  "file is faster. A time that sealed calls did not confirm has no rank."
					: shown.cases ? "Cases: accepted of all"
								  : "Outputs of the timed calls were checked",
					columns, count);
}

static void row_print(struct html_table *table, const struct judgement_list *list,
					  const struct ranking_row *row, struct shown shown)
{
	const struct judgement *item = row->item;
	const struct case_result *worst = facts_worst_case(item);
	double ratio = worst != NULL ? worst->check.worst_ratio : NAN;
	html_table_row(table, 0);
	if (shown.times)
		html_table_format(table, row->rank > 0 ? row->rank : NAN, "%u", row->rank);
	file_cell(table, list, item);
	html_table_cell_open(table);
	html_verdict(table->out, item->verdict);
	html_table_cell_close(table);
	if (shown.times) {
		html_table_number(table, row->microseconds > 0.0 ? row->microseconds : NAN,
						  facts_time(row->microseconds, (char[FACTS_TIME]){0}));
		html_table_format(table, row->ratio > 0.0 ? row->ratio : NAN, "%.3f", row->ratio);
	}
	if (shown.cases) {
		html_table_format(table, item->count > 0 ? (double)item->accepted : NAN, "%zu/%zu",
						  item->accepted, item->count);
		html_table_format(table, ratio, "%.3g", ratio);
	}
	if (shown.problems)
		html_table_text(table, item->problem);
	if (shown.refused) {
		char reason[FACTS_REASON];
		html_table_text(table, facts_refused(item) ? facts_reason(item, reason) : "");
	}
	if (shown.same)
		html_table_text(table, row->same != NULL ? row->same->file : "");
}

static void verdicts_print(FILE *out, const struct judgement_list *list)
{
	struct ranking ranking = ranking_make(list);
	struct shown shown = shown_of(list, &ranking);
	struct html_column columns[COLUMNS_MAX];
	struct html_table table;
	html_heading(out, 2, "verdicts", "Verdicts");
	columns_open(&table, out, shown, columns);
	for (size_t i = 0; i < ranking.count; i++)
		row_print(&table, list, &ranking.rows[i], shown);
	for (size_t i = 0; i < list->count && ranking.count == 0; i++) /* of bench */
		row_print(&table, list, &(struct ranking_row){.item = &list->items[i]}, shown);
	html_table_close(&table);
	ranking_free(&ranking);
}

void report_html(const struct judgement_list *list, FILE *out)
{
	char title[300];
	title_format(list, title, sizeof title);
	html_open(out, title, list->facts.version);
	head_print(out, list, title);
	if (list->count > 1 || list->bench_count > 0)
		verdicts_print(out, list);
	html_side_by_side(out, list);
	html_shapes(out, list);
	bool same = same_guarantees(list);
	for (size_t i = 0; i < list->count; i++)
		if (has_section(list, &list->items[i]))
			html_judged(out, list, i + 1, !same);
	if (list->facts.device_kind == DEVICE_EMULATED)
		html_paragraph(out, "quiet", "No time is shown: the device is an emulated GPU.");
	html_close(out, list->facts.version);
}
