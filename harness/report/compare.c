#include "report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/facts.h"
#include "report/kernels.h"
#include "report/overall.h"
#include "report/steady.h"
#include "report/wrap.h"

#define LABEL_COLUMNS 24
#define TEXT_COLUMNS 80

#define COMPARE_UNCHECKED "by its own word: not checked"

static bool measured(const struct timing_entry *entry, bool span)
{
	return entry != NULL && entry->ran && facts_stats(entry, span)->median > 0.0;
}

struct compare_ratio compare_speed_up(const struct timing_entry *own,
									  const struct timing_entry *other, bool span)
{
	if (!measured(own, span) || !measured(other, span))
		return (struct compare_ratio){0};
	const struct timing_stats *a = facts_stats(own, span), *b = facts_stats(other, span);
	return (struct compare_ratio){b->median / a->median, b->low / a->high, b->high / a->low};
}

struct compare_ratio compare_cost(const struct timing_entry *fused,
								  const struct timing_entry *plain, bool span)
{
	struct compare_ratio ratio = compare_speed_up(plain, fused, span);
	if (!(ratio.value > 0.0))
		return ratio;
	return (struct compare_ratio){100.0 * (ratio.value - 1.0), 100.0 * (ratio.low - 1.0),
								  100.0 * (ratio.high - 1.0)};
}

const struct timing_entry *compare_plain(const struct timing_result *timing,
										 const struct timing_entry *fused)
{
	/* The files come once fused, in order, and then once more without. */
	size_t files = 0;
	while (files < timing->count && timing->entries[files].role == TIMING_FILE)
		files++;
	size_t index = (size_t)(fused - timing->entries) + files;
	return index < timing->count && timing->entries[index].role == TIMING_FILE_PLAIN
			   ? &timing->entries[index]
			   : NULL;
}

static bool is_other(const struct timing_entry *fused, const struct timing_entry *plain,
					 const struct timing_entry *entry)
{
	return entry != fused && (entry == plain || !timing_is_file(entry));
}

void compare_relation(char out[COMPARE_RELATION], const struct timing_entry *fused,
					  const struct timing_entry *other, bool span)
{
	bool plain = other->role == TIMING_FILE_PLAIN;
	struct compare_ratio ratio =
		plain ? compare_cost(fused, other, span) : compare_speed_up(fused, other, span);
	if (!measured(fused, span) || !measured(other, span))
		snprintf(out, COMPARE_RELATION, "-");
	else if (plain)
		snprintf(out, COMPARE_RELATION, "fusing costs %.1f%% (%.1f to %.1f), %.2f us", ratio.value,
				 ratio.low, ratio.high,
				 facts_stats(fused, span)->median - facts_stats(other, span)->median);
	else if (other->role == TIMING_PROGRAM)
		snprintf(out, COMPARE_RELATION, "%.2fx as fast, " COMPARE_UNCHECKED, ratio.value);
	else
		snprintf(out, COMPARE_RELATION, "%.2fx as fast (%.2f to %.2f)", ratio.value, ratio.low,
				 ratio.high);
}

double compare_floor(const struct timing_floor *floor)
{
	return fmax(floor->special, fmax(floor->instructions, floor->bytes));
}

void compare_floor_line(char out[COMPARE_FLOOR], const struct timing_floor *floor)
{
	out[0] = '\0';
	if (!floor->known)
		return;
	int used = snprintf(out, COMPARE_FLOOR,
						"floor of the chain: %.2f us (special functions %.2f, instructions "
						"%s%.2f, operands %.2f); of the product: %.2f us",
						compare_floor(floor), floor->special, floor->branches ? "up to " : "",
						floor->instructions, floor->bytes, floor->product);
	if (floor->uncounted[0] != '\0')
		snprintf(out + used, COMPARE_FLOOR - (size_t)used,
				 "; instructions of %s are not in it: nobody counted them", floor->uncounted);
}

/* ---- text ---------------------------------------------------------------------- */

/* A name in a column, to its left or (below 0) to its right. Returns the columns that it took. */
static int label_print(FILE *out, const char *label, int columns)
{
	char *clean = clean_line(label);
	const char *shown = clean != NULL ? clean : "";
	int own = wrap_columns(shown, strlen(shown));
	int blanks = abs(columns) > own ? abs(columns) - own : 0;
	fprintf(out, "%*s%s%*s", columns < 0 ? blanks : 0, "", shown, columns > 0 ? blanks : 0, "");
	free(clean);
	return own + blanks;
}

static void row_print(FILE *out, const struct timing_result *timing,
					  const struct timing_entry *fused, const struct timing_entry *entry, bool span)
{
	char label[FACTS_LABEL], relation[COMPARE_RELATION] = "";
	const struct timing_stats *stats = facts_stats(entry, span);
	facts_label(entry, label);
	if (!measured(entry, span)) {
		fputs("  ", out);
		int column = 3 + label_print(out, label, LABEL_COLUMNS);
		fputc(' ', out);
		char why[sizeof entry->detail + 16];
		snprintf(why, sizeof why, "not measured: %s", entry->detail);
		wrap_print(out, TEXT_COLUMNS, column, column, why);
		return;
	}
	if (entry != fused)
		compare_relation(relation, fused, entry, span);
	char width[16] = "-"; /* of one time */
	if (entry->role != TIMING_PROGRAM)
		snprintf(width, sizeof width, "%.2f%%", facts_half_width_percent(stats));
	fputs("  ", out);
	label_print(out, label, LABEL_COLUMNS);
	fprintf(out, " %8.2f %6s %7.1f%s%s\n", stats->median, width, facts_rate(timing, stats->median),
			relation[0] != '\0' ? "  " : "", relation);
	struct strbuf wrong = {0};
	overall_wrong(entry, &wrong);
	if (wrong.length > 0)
		fprintf(out, "  %*s ", LABEL_COLUMNS, "");
	if (wrong.length > 0)
		wrap_print(out, TEXT_COLUMNS, LABEL_COLUMNS + 3, LABEL_COLUMNS + 3, strbuf_text(&wrong));
	strbuf_release(&wrong);
}

/* What there is besides the times of a steady stream. */
static void stream_print_text(FILE *out, const struct timing_result *timing)
{
	static void (*const says[])(const struct timing_result *,
								struct strbuf *) = {steady_energies, steady_bursts, steady_blocks};
	struct strbuf line = {0};
	for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
		says[i](timing, &line);
		if (line.length > 0)
			wrap_print(out, TEXT_COLUMNS, fprintf(out, "  "), 4, strbuf_text(&line));
	}
	if (steady_unsettled(timing))
		fputs("  warning: " STEADY_UNSETTLED "\n", out);
	strbuf_release(&line);
}

static void shape_print_text(FILE *out, const struct timing_result *timing)
{
	char shape[128], clocks[128], floor[COMPARE_FLOOR];
	bool span = facts_use_span(timing);
	facts_timed_shape(shape, sizeof shape, timing);
	fprintf(out, "\n%s %s\n", timing->problem, shape);
	fprintf(out, "  %-*s %8s %6s %7s  %s\n", LABEL_COLUMNS,
			timing_is_steady(timing) ? "(in a steady stream)"
			: span                   ? "(device span, in bursts)"
									 : "(events, in bursts)",
			"us", "+-", facts_rate_unit(timing), "the fused kernel");
	for (size_t f = 0; f < timing->count && timing->entries[f].role == TIMING_FILE; f++) {
		const struct timing_entry *fused = &timing->entries[f];
		const struct timing_entry *plain = compare_plain(timing, fused);
		row_print(out, timing, fused, fused, span);
		for (size_t i = 0; i < timing->count; i++)
			if (is_other(fused, plain, &timing->entries[i]))
				row_print(out, timing, fused, &timing->entries[i], span);
	}
	stream_print_text(out, timing);
	compare_floor_line(floor, &timing->floor);
	if (floor[0] != '\0')
		wrap_print(out, TEXT_COLUMNS, fprintf(out, "  "), 4, floor);
	facts_clocks(clocks, sizeof clocks, timing);
	if (clocks[0] != '\0')
		fprintf(out, "  %s\n", clocks);
	if (timing->throttled)
		fprintf(out, "  warning: the clock was held down while measuring (%s)\n",
				timing->throttle_reason);
	if (timing->wide)
		fputs("  warning: a median is uncertain; measure again on a quiet machine\n", out);
}

/* What the files are compared with, and was measured at some shape. */
static bool in_overview(const struct judgement_list *list, size_t entry)
{
	bool ran = false;
	for (size_t b = 0; b < list->bench_count; b++)
		ran = ran || (entry < list->bench[b].count && list->bench[b].entries[entry].ran);
	return ran && !timing_is_file(&list->bench[0].entries[entry]);
}

/* One line a shape: what all of the tables come to. */
static void overview_print(FILE *out, const struct judgement_list *list, size_t file)
{
	const struct timing_result *first = &list->bench[0];
	char label[FACTS_LABEL];
	facts_label(&first->entries[file], label);
	fputc('\n', out);
	clean_print_line(out, label);
	fprintf(out, ", by shape\n  %-20s %9s %8s %8s %8s", "MxNxK", "us", "cost", "cost, us", "floor");
	for (size_t i = 0; i < first->count; i++)
		if (in_overview(list, i)) {
			fputc(' ', out);
			label_print(out, first->entries[i].label, -17);
			fputc(first->entries[i].role == TIMING_PROGRAM ? '*' : ' ', out);
		}
	fputc('\n', out);
	for (size_t b = 0; b < list->bench_count; b++) {
		const struct timing_result *timing = &list->bench[b];
		if (file >= timing->count || strcmp(timing->problem, first->problem) != 0)
			continue;
		const struct timing_entry *fused = &timing->entries[file];
		const struct timing_entry *plain = compare_plain(timing, fused);
		bool span = facts_use_span(timing);
		char shape[SHAPE_TEXT];
		shape_print(problem_find(timing->problem), &timing->test.shape, shape);
		fprintf(out, "  %-20s", shape);
		if (measured(fused, span))
			fprintf(out, " %9.2f", facts_stats(fused, span)->median);
		else
			fprintf(out, " %9s", "-");
		if (measured(fused, span) && measured(plain, span))
			fprintf(out, " %7.1f%% %8.2f", compare_cost(fused, plain, span).value,
					facts_stats(fused, span)->median - facts_stats(plain, span)->median);
		else
			fprintf(out, " %8s %8s", "-", "-");
		if (timing->floor.known)
			fprintf(out, " %8.2f", compare_floor(&timing->floor));
		else
			fprintf(out, " %8s", "-");
		for (size_t i = 0; i < timing->count; i++) {
			if (!in_overview(list, i))
				continue;
			double value = compare_speed_up(fused, &timing->entries[i], span).value;
			if (value > 0.0)
				fprintf(out, " %16.2fx ", value);
			else
				fprintf(out, " %17s ", "-");
		}
		fputc('\n', out);
	}
	for (size_t i = 0; i < first->count; i++)
		if (in_overview(list, i) && first->entries[i].role == TIMING_PROGRAM) {
			fputs("  * ", out);
			clean_print_line(out, first->entries[i].label);
			fputs(", " COMPARE_UNCHECKED "\n", out);
		}
}

void compare_text(const struct judgement_list *list, bool kernels, FILE *out)
{
	for (size_t i = 0; i < list->bench_count; i++) {
		shape_print_text(out, &list->bench[i]);
		if (kernels)
			kernels_print(out, TEXT_COLUMNS, &list->bench[i]);
	}
	for (size_t f = 0; list->bench_count > 1 && f < list->bench[0].count; f++)
		if (list->bench[0].entries[f].role == TIMING_FILE)
			overview_print(out, list, f);
}

/* ---- markdown --------------------------------------------------------------------- */

static void row_markdown(FILE *out, const struct timing_result *timing,
						 const struct timing_entry *fused, const struct timing_entry *entry,
						 bool span)
{
	char label[FACTS_LABEL], relation[COMPARE_RELATION] = "";
	const struct timing_stats *stats = facts_stats(entry, span);
	facts_label(entry, label);
	fputs("| ", out);
	clean_print_cell(out, label);
	if (!measured(entry, span)) {
		fputs(" | | | | not measured: ", out);
		clean_print_cell(out, entry->detail);
		fputs(" |\n", out);
		return;
	}
	if (entry != fused)
		compare_relation(relation, fused, entry, span);
	fprintf(out, " | %.2f | %.2f - %.2f | %.4g | %s |\n", stats->median, stats->low, stats->high,
			facts_rate(timing, stats->median), relation);
}

void compare_markdown(const struct judgement_list *list, bool kernels, FILE *out)
{
	for (size_t b = 0; b < list->bench_count; b++) {
		const struct timing_result *timing = &list->bench[b];
		bool span = facts_use_span(timing);
		char shape[128], floor[COMPARE_FLOOR];
		facts_timed_shape(shape, sizeof shape, timing);
		fprintf(out,
				"\n### %s, %s\n\n"
				"| | median us | 95%% interval | %s | the fused kernel beside it |\n"
				"|---|--:|--:|--:|---|\n",
				timing->problem, shape, facts_rate_unit(timing));
		for (size_t f = 0; f < timing->count && timing->entries[f].role == TIMING_FILE; f++) {
			const struct timing_entry *fused = &timing->entries[f];
			const struct timing_entry *plain = compare_plain(timing, fused);
			row_markdown(out, timing, fused, fused, span);
			for (size_t i = 0; i < timing->count; i++)
				if (is_other(fused, plain, &timing->entries[i]))
					row_markdown(out, timing, fused, &timing->entries[i], span);
		}
		fprintf(out, "\n%s; SM clock %.0f MHz (lowest %.0f, limit %.0f)%s%s.\n",
				facts_times_title(timing), timing->sm_clock_mhz_median, timing->sm_clock_mhz_min,
				timing->sm_clock_mhz_limit,
				timing->throttled ? "; **the clock was throttled**" : "",
				timing->wide ? "; **the interval is wide**" : "");
		steady_markdown(timing, out);
		compare_floor_line(floor, &timing->floor);
		if (floor[0] != '\0')
			fprintf(out, "\nThe %s.\n", floor);
		if (kernels)
			kernels_markdown(out, timing);
	}
}
