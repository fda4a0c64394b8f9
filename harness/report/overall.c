#include "report/overall.h"

#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/clean.h"
#include "report/facts.h"
#include "report/wrap.h"

static double median_of(const struct timing_result *timing, const struct timing_entry *entry)
{
	return entry->ran ? facts_stats(entry, facts_use_span(timing))->median : 0.0;
}

static const struct timing_entry *fastest_library(const struct timing_result *timing, bool wrong)
{
	const struct timing_entry *fastest = NULL;
	for (size_t i = 0; i < timing->count; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		if (entry->role != TIMING_LIBRARY || (timing_leaves_bound(entry) && !wrong) ||
			!(median_of(timing, entry) > 0.0))
			continue;
		if (fastest == NULL || median_of(timing, entry) < median_of(timing, fastest))
			fastest = entry;
	}
	return fastest;
}

const struct timing_entry *overall_library(const struct timing_result *timing)
{
	return fastest_library(timing, false);
}

const struct timing_entry *overall_library_of_all(const struct timing_result *timing)
{
	return fastest_library(timing, true);
}

/* Its calls ask the device for nothing (alpha = 0, beta = 1): it has no device span, where
 * others have. */
static bool runs_nothing(const struct timing_result *timing, const struct timing_entry *entry)
{
	bool spans = false;
	for (size_t i = 0; i < timing->count; i++)
		spans = spans || timing->entries[i].span.samples > 0;
	return spans && entry->ran && entry->activities == 0 && entry->span.samples == 0;
}

double overall_ratio(const struct timing_result *timing, const struct timing_entry *entry)
{
	const struct timing_entry *library = overall_library(timing);
	double own = median_of(timing, entry);
	if (library != NULL && runs_nothing(timing, library) && runs_nothing(timing, entry))
		return 1.0; /* between their events is noise */
	return library != NULL && own > 0.0 ? median_of(timing, library) / own : 0.0;
}

bool overall_gpu_wrong(char *out, size_t capacity, const struct judgement_list *list)
{
	uint64_t misses = 0;
	const char *library = NULL;
	for (size_t b = 0; b < list->bench_count && list->facts.epilogue[0] == '\0'; b++) {
		const struct timing_result *timing = &list->bench[b];
		/* Where one library is right, the GPU is. */
		const bool exact = timing->test.exact && overall_library(timing) == NULL;
		for (size_t i = 0; i < timing->count && exact; i++) {
			const struct timing_entry *entry = &timing->entries[i];
			if (entry->role != TIMING_LIBRARY || entry->wrong == 0)
				continue;
			if (library == NULL) /* one will do */
				library = entry->label;
			if (strcmp(entry->label, library) == 0)
				misses += entry->wrong;
		}
	}
	if (misses == 0)
		return false;
	snprintf(out, capacity,
			 "this GPU computes wrongly: %s itself misses %llu element%s of exact cases; the "
			 "results of this run are not to be trusted",
			 library, (unsigned long long)misses, misses > 1 ? "s" : "");
	return true;
}

void overall_wrong(const struct timing_entry *entry, struct strbuf *out)
{
	strbuf_clear(out);
	if (!timing_leaves_bound(entry))
		return;
	if (entry->wrong == 0)
		strbuf_addf(out, "all errors together are %.3g times the most that sums in f32 may have",
					entry->rms_ratio);
	else if (entry->compared >= entry->wrong)
		strbuf_addf(out, "%.2g%% of its results",
					100.0 * (double)entry->wrong / (double)entry->compared);
	else
		strbuf_addf(out, "%llu of its results", (unsigned long long)entry->wrong);
	if (entry->wrong > 0)
		strbuf_addf(out, " leave the error bound, by up to %.3g times", entry->worst_ratio);
	if (entry->cause[0] != '\0')
		strbuf_addf(out, ": %s", entry->cause);
}

void overall_chosen(const struct timing_result *timing, struct strbuf *out)
{
	const struct timing_entry *right = overall_library(timing);
	const struct timing_entry *all = overall_library_of_all(timing);
	char time[FACTS_TIME];
	strbuf_clear(out);
	if (all == NULL || all == right)
		return;
	if (right != NULL)
		strbuf_addf(
			out,
			"compared with %s, %s us, the fastest library whose results keep the error bound; ",
			right->label, facts_time(median_of(timing, right), time));
	else
		strbuf_addf(out, "compared with no library: none keeps the error bound; ");
	strbuf_addf(out, "%s, which does not, takes %s us", all->label,
				facts_time(median_of(timing, all), time));
}

static bool same_problem(const struct judgement_list *list, size_t a, size_t b)
{
	return strcmp(list->bench[a].problem, list->bench[b].problem) == 0;
}

/* Entry `entry` of every timing of the problem that timing `first` is the first of. */
static void collect(const struct judgement_list *list, size_t first, size_t entry,
					struct overall *out)
{
	double sum = 0.0;
	*out = (struct overall){.problem = list->bench[first].problem,
							.label = list->bench[first].entries[entry].label};
	for (size_t b = first; b < list->bench_count; b++) {
		const struct timing_result *timing = &list->bench[b];
		if (!same_problem(list, first, b) || entry >= timing->count)
			continue;
		double ratio = overall_ratio(timing, &timing->entries[entry]);
		out->not_measured += !timing->entries[entry].ran;
		if (!(ratio > 0.0))
			continue;
		sum += log(ratio);
		out->slow += ratio < OVERALL_SLOW;
		if (out->shapes++ == 0 || ratio < out->worst) {
			out->worst = ratio;
			out->worst_at = timing;
		}
	}
	out->mean = out->shapes > 0 ? exp(sum / (double)out->shapes) : 0.0;
}

bool overall_next(const struct judgement_list *list, size_t *at, struct overall *out)
{
	size_t index = 0;
	for (size_t b = 0; b < list->bench_count; b++) {
		bool first = true;
		for (size_t before = 0; before < b; before++)
			first = first && !same_problem(list, before, b);
		for (size_t e = 0; first && e < list->bench[b].count; e++) {
			if (list->bench[b].entries[e].role != TIMING_FILE || index++ != *at)
				continue;
			collect(list, b, e, out);
			(*at)++;
			return true;
		}
	}
	return false;
}

void overall_sentence(struct strbuf *out, const struct overall *overall)
{
	char shape[128];
	strbuf_setf(out, "%s: ", overall->label);
	if (overall->shapes == 0) {
		strbuf_add(out, "nothing to compare it with");
	} else {
		facts_timed_shape(shape, sizeof shape, overall->worst_at);
		strbuf_addf(out,
					"%.3f times as fast as the fastest library%s (geometric mean of %zu "
					"shape%s); worst %.3f at %s; ",
					overall->mean, timing_is_steady(overall->worst_at) ? " in a steady stream" : "",
					overall->shapes, overall->shapes > 1 ? "s" : "", overall->worst, shape);
		if (overall->slow > 0)
			strbuf_addf(out, "%zu below %g", overall->slow, OVERALL_SLOW);
		else
			strbuf_addf(out, "none below %g", OVERALL_SLOW);
	}
	if (overall->not_measured > 0)
		strbuf_addf(out, "; %zu NOT MEASURED", overall->not_measured);
}

static void row_print(const struct timing_result *timing, const struct timing_entry *entry,
					  int width, FILE *out)
{
	char shape[SHAPE_TEXT];
	struct strbuf line = {0};
	bool span = facts_use_span(timing);
	const struct timing_entry *library = overall_library(timing);
	shape_print(problem_find(timing->problem), &timing->test.shape, shape);
	strbuf_addf(&line, "%-15s", shape);
	if (!entry->ran) {
		strbuf_addf(&line, " %s not measured: %s", entry->label, entry->detail);
		wrap_print(out, width, 0, 2, strbuf_text(&line));
		strbuf_release(&line);
		return;
	}
	const struct timing_stats *own = facts_stats(entry, span);
	strbuf_addf(&line, " %9.2f %4.1f%%", own->median, facts_half_width_percent(own));
	if (library != NULL) {
		const struct timing_stats *theirs = facts_stats(library, span);
		strbuf_addf(&line, " %9.2f %4.1f%% %-8.15s %7.3f", theirs->median,
					facts_half_width_percent(theirs), library->label, overall_ratio(timing, entry));
	}
	strbuf_addf(&line, "  %s", entry->label);
	fputs("  ", out);
	clean_print_line(out, strbuf_text(&line)); /* a long name stands last: the columns hold */
	strbuf_release(&line);
	fputc('\n', out);
}

/* What the full tables would say of their own accuracy, counted. */
static void warnings_print(const struct judgement_list *list, FILE *out)
{
	size_t wide = 0, throttled = 0, wrong = 0;
	for (size_t b = 0; b < list->bench_count; b++) {
		const struct timing_result *timing = &list->bench[b];
		bool leaves = false;
		wide += timing->wide;
		throttled += timing->throttled;
		for (size_t e = 0; e < timing->count; e++)
			leaves = leaves || (timing->entries[e].ran && timing_leaves_bound(&timing->entries[e]));
		wrong += leaves;
	}
	if (wide > 0)
		fprintf(out, "  warning: a median is uncertain by more than 1%% at %zu shape%s\n", wide,
				wide > 1 ? "s" : "");
	if (throttled > 0)
		fprintf(out, "  warning: the clock was held down at %zu shape%s\n", throttled,
				throttled > 1 ? "s" : "");
	if (wrong > 0)
		fprintf(out, "  a library's results leave the error bound at %zu shape%s\n", wrong,
				wrong > 1 ? "s" : "");
}

void overall_table(const struct judgement_list *list, int width, FILE *out)
{
	const char *problem = "";
	char legend[SHAPE_TEXT];
	for (size_t b = 0; b < list->bench_count; b++) {
		const struct timing_result *timing = &list->bench[b];
		if (strcmp(timing->problem, problem) != 0)
			fprintf(out,
					"\n%s, microseconds %s (--verbose: a table each)\n  %-15s %9s %5s %9s %5s %-8s "
					"%7s\n",
					timing->problem, facts_times_are(timing),
					shape_legend(problem_find(timing->problem), legend), "file", "+-", "library",
					"+-", "", "ratio");
		problem = timing->problem;
		for (size_t e = 0; e < timing->count && timing->entries[e].role == TIMING_FILE; e++)
			row_print(timing, &timing->entries[e], width, out);
	}
	warnings_print(list, out);
}
