#include "report/ranking.h"

#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/facts.h"
#include "report/overall.h"
#include "report/wrap.h"

#define NAME_LEAST 16 /* columns of a file's name */
#define TIE 1.01      /* as the store has it: runs of one file differ by as much */

/* ---- order ------------------------------------------------------------- */

static int name_order(const struct ranking_row *a, const struct ranking_row *b)
{
	int order = strcmp(a->item->file, b->item->file);
	return order != 0 ? order : a->item < b->item ? -1 : a->item > b->item;
}

static int verdict_order(const struct ranking_row *a, const struct ranking_row *b)
{
	if (a->item->verdict != b->item->verdict)
		return a->item->verdict < b->item->verdict ? -1 : 1;
	return name_order(a, b);
}

/* Each problem by itself; what has no time comes after what has one. */
static int speed_order(const struct ranking_row *a, const struct ranking_row *b)
{
	int order = strcmp(a->item->problem, b->item->problem);
	if (order != 0)
		return a->item->problem[0] == '\0' ? 1 : b->item->problem[0] == '\0' ? -1 : order;
	if (a->microseconds != b->microseconds)
		return b->microseconds == 0.0 ||
					   (a->microseconds > 0.0 && a->microseconds < b->microseconds)
				   ? -1
				   : 1;
	return verdict_order(a, b);
}

static int by_verdict(const void *a, const void *b)
{
	return verdict_order(a, b);
}

static int by_speed(const void *a, const void *b)
{
	return speed_order(a, b);
}

/* ---- rows -------------------------------------------------------------- */

static void row_time(struct ranking_row *row)
{
	const struct timing_result *timing = &row->item->timing;
	if (row->item->verdict != VERDICT_ACCEPTED || !row->item->has_timing || timing->count == 0 ||
		!timing->entries[0].ran)
		return;
	const struct timing_entry *entry = &timing->entries[0];
	const struct timing_stats *stats = facts_stats(entry, facts_use_span(timing));
	row->microseconds = stats->median;
	row->low = stats->low;
	row->high = stats->high;
	row->confirmed = entry->seal.state == SEAL_CONFIRMED || entry->seal.state == SEAL_HOST_SIDE;
	row->ratio = overall_ratio(timing, entry);
}

static const struct judgement *first_of_content(const struct judgement_list *list, size_t i)
{
	const char *content = list->items[i].content;
	for (size_t j = 0; j < i && content[0] != '\0'; j++)
		if (strcmp(list->items[j].content, content) == 0)
			return &list->items[j];
	return NULL;
}

/* Of rows that are sorted by speed. */
static void rows_rank(struct ranking *ranking)
{
	const struct ranking_row *leader = NULL; /* the first of its rank */
	unsigned place = 0;
	for (size_t i = 0; i < ranking->count; i++) {
		struct ranking_row *row = &ranking->rows[i];
		if (leader != NULL && strcmp(leader->item->problem, row->item->problem) != 0) {
			leader = NULL;
			place = 0;
		}
		if (!(row->microseconds > 0.0) || !row->confirmed)
			continue;
		place++;
		bool tied = leader != NULL &&
					(row->low <= leader->high || row->microseconds <= TIE * leader->microseconds);
		row->rank = tied ? leader->rank : place;
		if (!tied)
			leader = row;
	}
}

struct ranking ranking_make(const struct judgement_list *list)
{
	struct ranking ranking = {0};
	if (list->bench_count > 0 || list->compare)
		return ranking;
	ranking.rows = calloc(list->count + 1, sizeof *ranking.rows);
	if (ranking.rows == NULL)
		return ranking;
	ranking.count = list->count;
	const char *problem = "";
	for (size_t i = 0; i < list->count; i++) {
		struct ranking_row *row = &ranking.rows[i];
		row->item = &list->items[i];
		row->same = first_of_content(list, i);
		row_time(row);
		ranking.timed = ranking.timed || row->microseconds > 0.0;
		if (row->item->problem[0] == '\0')
			continue;
		ranking.problems =
			ranking.problems || (problem[0] != '\0' && strcmp(problem, row->item->problem) != 0);
		problem = row->item->problem;
	}
	qsort(ranking.rows, ranking.count, sizeof *ranking.rows, ranking.timed ? by_speed : by_verdict);
	rows_rank(&ranking);
	return ranking;
}

void ranking_free(struct ranking *ranking)
{
	free(ranking->rows);
	*ranking = (struct ranking){0};
}

/* ---- tables ------------------------------------------------------------ */

/* "-" where there is none; "?" behind a time that nothing confirms. */
static void cells_fill(const struct ranking_row *row, char rank[16], char time[32], char ratio[32],
					   char cases[48])
{
	snprintf(rank, 16, row->rank > 0 ? "%u" : "-", row->rank);
	snprintf(time, 32, row->microseconds > 0.0 ? "%.2f%s" : "-", row->microseconds,
			 row->confirmed ? "" : "?");
	snprintf(ratio, 32, row->ratio > 0.0 ? "%.3f" : "-", row->ratio);
	snprintf(cases, 48, row->item->count > 0 ? "%zu/%zu" : "-", row->item->accepted,
			 row->item->count);
}

/* Of a name that is too long its end, which tells most; the whole one stands at its verdict. */
static void name_print(const char *name, int room, FILE *out)
{
	char *clean = clean_line(name);
	const char *from = clean;
	if (clean == NULL)
		return;
	int columns = wrap_columns(clean, strlen(clean));
	if (columns > room) {
		fputs("...", out);
		for (room -= 3; columns > room; columns--)
			do
				from++;
			while ((*from & 0xC0) == 0x80); /* within a character */
	}
	fputs(from, out);
	free(clean);
}

#define REASON_INDENT 4

static void row_print(const struct ranking *ranking, const struct ranking_row *row, int width,
					  FILE *out)
{
	char rank[16], time[32], ratio[32], cases[48];
	int used = 0;
	cells_fill(row, rank, time, ratio, cases);
	if (ranking->timed)
		used += fprintf(out, "  %4s %9s %6s", rank, time, ratio);
	used += fprintf(out, "  %7s  %-14s ", cases, verdict_name(row->item->verdict));
	if (ranking->problems)
		used += fprintf(out, "%-11s ", row->item->problem[0] != '\0' ? row->item->problem : "-");
	name_print(row->item->file, width - used > NAME_LEAST ? width - used : NAME_LEAST, out);
	fputc('\n', out);
	if (facts_refused(row->item)) { /* its messages may be pages above */
		char reason[FACTS_REASON];
		fprintf(out, "%*s", REASON_INDENT, "");
		wrap_print(out, width, REASON_INDENT, REASON_INDENT, facts_reason(row->item, reason));
	}
}

/* Prints the timed shapes, once for each problem. */
static void shapes_print(const struct ranking *ranking, int width, FILE *out)
{
	for (size_t i = 0; i < ranking->count; i++) {
		const struct judgement *item = ranking->rows[i].item;
		bool first = ranking->rows[i].microseconds > 0.0;
		for (size_t j = 0; j < i && first; j++)
			first = !(ranking->rows[j].microseconds > 0.0) ||
					strcmp(ranking->rows[j].item->problem, item->problem) != 0;
		if (!first)
			continue;
		char shape[128], line[256];
		facts_timed_shape(shape, sizeof shape, &item->timing);
		snprintf(line, sizeof line, "%s, %s: microseconds %s, and speed beside the fastest library",
				 item->problem, shape, facts_times_are(&item->timing));
		wrap_print(out, width, 0, 0, line);
	}
}

/* What the tables of single files would say of their own accuracy, counted. */
static void doubts_print(const struct ranking *ranking, int width, FILE *out)
{
	size_t unconfirmed = 0, throttled = 0, wide = 0;
	char line[160];
	for (size_t i = 0; i < ranking->count; i++) {
		const struct ranking_row *row = &ranking->rows[i];
		if (!(row->microseconds > 0.0))
			continue;
		unconfirmed += !row->confirmed;
		throttled += row->item->timing.throttled;
		wide += row->item->timing.wide;
	}
	if (unconfirmed > 0)
		wrap_print(out, width, 0, 2,
				   "? not confirmed by sealed calls, and without a rank for that: --time with a "
				   "larger shape takes times that can be (--verbose says why)");
	if (throttled > 0) {
		snprintf(line, sizeof line,
				 "warning: the clock was held down while %zu file%s measured (--verbose)",
				 throttled, throttled > 1 ? "s were" : " was");
		wrap_print(out, width, 0, 2, line);
	}
	if (wide > 0) {
		snprintf(line, sizeof line,
				 "warning: the medians of %zu file%s are uncertain; measure again on a quiet "
				 "machine (--verbose)",
				 wide, wide > 1 ? "s" : "");
		wrap_print(out, width, 0, 2, line);
	}
}

/* Whether the same file stands in list->items[first..i), too: it was named twice. */
static bool is_repeated(const struct judgement_list *list, size_t first, size_t i)
{
	for (size_t j = first; j < i; j++)
		if (strcmp(list->items[j].file, list->items[i].file) == 0)
			return true;
	return false;
}

/* "a.cu, b.cu", all that have the content of list->items[i], if it is the first of several. NULL
 * where it is not, and where memory runs out; owned by the caller. */
static char *same_names(const struct judgement_list *list, size_t i)
{
	const char *content = list->items[i].content;
	char *names = NULL;
	size_t size, count = 0;
	if (content[0] == '\0' || first_of_content(list, i) != NULL)
		return NULL;
	FILE *out = open_memstream(&names, &size);
	for (size_t j = i; j < list->count && out != NULL; j++)
		if (strcmp(list->items[j].content, content) == 0 && !is_repeated(list, i, j)) {
			fputs(count++ > 0 ? ", " : "", out);
			clean_print_line(out, list->items[j].file);
		}
	if (out == NULL || fclose(out) != 0 || count < 2) {
		free(names);
		return NULL;
	}
	return names;
}

static void sames_print(const struct judgement_list *list, int width, FILE *out)
{
	static const char lead[] = "  the same source: ";
	for (size_t i = 0; i < list->count; i++) {
		char *names = same_names(list, i);
		if (names == NULL)
			continue;
		fputs(lead, out);
		wrap_print(out, width, (int)strlen(lead), 4, names);
		free(names);
	}
}

void ranking_text(const struct judgement_list *list, int width, FILE *out)
{
	struct ranking ranking = {0};
	if (list->count >= RANKING_FILES)
		ranking = ranking_make(list);
	if (ranking.count == 0)
		return;
	fputc('\n', out);
	shapes_print(&ranking, width, out);
	if (ranking.timed)
		fprintf(out, "  %4s %9s %6s", "rank", "median", "/best");
	fprintf(out, "  %7s  %-14s %s%s\n", "cases", "verdict", ranking.problems ? "problem     " : "",
			"file");
	for (size_t i = 0; i < ranking.count; i++)
		if (!facts_never_run(ranking.rows[i].item))
			row_print(&ranking, &ranking.rows[i], width, out);
	doubts_print(&ranking, width, out);
	sames_print(list, width, out);
	ranking_free(&ranking);
}

void ranking_markdown(const struct judgement_list *list, FILE *out)
{
	struct ranking ranking = {0};
	if (list->count >= RANKING_FILES)
		ranking = ranking_make(list);
	if (ranking.count == 0)
		return;
	fputs("\n## Ranking\n\n| Rank | File | Problem | Verdict | Cases | Median us | Of the fastest "
		  "library |\n|--:|---|---|---|--:|--:|--:|\n",
		  out);
	for (size_t i = 0; i < ranking.count; i++) {
		const struct ranking_row *row = &ranking.rows[i];
		char rank[16], time[32], ratio[32], cases[48];
		cells_fill(row, rank, time, ratio, cases);
		fprintf(out, "| %s | ", rank);
		clean_print_cell(out, row->item->file);
		fprintf(out, " | %s | %s | %s | %s | %s |\n", row->item->problem,
				verdict_name(row->item->verdict), cases, time, ratio);
	}
	for (size_t i = 0; i < list->count; i++) {
		char *names = same_names(list, i);
		if (names == NULL)
			continue;
		fputs("\nThe same source: ", out);
		clean_print_cell(out, names);
		fputs(".\n", out);
		free(names);
	}
	ranking_free(&ranking);
}
