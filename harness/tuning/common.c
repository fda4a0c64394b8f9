/* Tuning over several shapes: the one schedule that suits them all best. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tuning/tuning.h"

#define WINNERS_MAX (TRIALS_TOGETHER - 1) /* the file's defaults are measured beside them */

/* Different winners of the shapes. */
struct winners {
	size_t count;
	size_t shapes[WINNERS_MAX]; /* where each won */
	const int64_t *values[WINNERS_MAX];
};

/* Logarithms of times, summed over the shapes. */
struct sums {
	double winners[WINNERS_MAX], standard, best;
	size_t shapes, with_standard;
};

static const int64_t *winner_of(const struct tuning_shape *shape)
{
	const struct tuning_found *found = &shape->found;
	return found->search.right
			   ? shape->ranking.list.items[found->candidates[found->search.best]].values
			   : NULL;
}

/* Whether a schedule meets the constraints of all shapes. */
static bool fits_all(const struct tuning *tuning, const int64_t *values)
{
	const size_t bytes = tuning->space.constant_count * sizeof *values;
	for (size_t i = 0; i < tuning->shape_count; i++) {
		const struct schedule_list *list = &tuning->shapes[i].ranking.list;
		size_t k = 0;
		while (k < list->count && memcmp(list->items[k].values, values, bytes) != 0)
			k++;
		if (k == list->count)
			return false;
	}
	return true;
}

static void find_winners(const struct tuning *tuning, struct winners *out)
{
	const size_t bytes = tuning->space.constant_count * sizeof *out->values[0];
	out->count = 0;
	for (size_t i = 0; i < tuning->shape_count && out->count < WINNERS_MAX; i++) {
		const int64_t *values = winner_of(&tuning->shapes[i]);
		bool suits = values != NULL && fits_all(tuning, values);
		for (size_t k = 0; k < out->count && suits; k++)
			suits = memcmp(values, out->values[k], bytes) != 0;
		if (!suits)
			continue;
		out->shapes[out->count] = i;
		out->values[out->count++] = values;
	}
}

/* The winners are variants 0 and on, the file's defaults come behind them. */
static bool compile(struct tuning *tuning, const struct winners *winners, double until,
					struct error *err)
{
	struct schedule_flags flags[TRIALS_TOGETHER];
	const char *lists[TRIALS_TOGETHER][JUDGE_FLAGS_MAX + SPACE_CONSTANTS_MAX + 1] = {{NULL}};
	const char *const *pointers[TRIALS_TOGETHER];
	const struct judge_options *judge = tuning->request.judge;
	int64_t standard[SPACE_CONSTANTS_MAX];
	size_t ready;
	for (size_t i = 0; i < tuning->space.constant_count; i++)
		standard[i] = tuning->space.constants[i].standard;
	for (size_t i = 0; i <= winners->count; i++) {
		schedule_flags(&tuning->space, i < winners->count ? winners->values[i] : standard,
					   &flags[i]);
		memcpy(lists[i], judge->compile.nvcc_flags,
			   judge->compile.nvcc_flag_count * sizeof lists[i][0]);
		for (size_t k = 0; k < flags[i].count; k++)
			lists[i][judge->compile.nvcc_flag_count + k] = flags[i].text[k];
		pointers[i] = lists[i];
	}
	bool ok = trials_compile(tuning->trials, pointers, winners->count + 1, err);
	/* flags are the compilers' until all of them are done */
	for (size_t i = 0; i <= winners->count && ok; i++)
		ok = trials_ready(tuning->trials, i, 1, until > 0 ? until : HUGE_VAL, &ready, err);
	trials_settle(tuning->trials);
	return ok;
}

static void add_shape(struct sums *sums, const struct timing_result *timing, size_t winners,
					  const struct tuning_found *found)
{
	double times[TRIALS_TOGETHER] = {0};
	if (!found->search.right)
		return;
	for (size_t i = 0; i < timing->count; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		times[i] = entry->ran ? timing_shown(entry, entry->span.samples > 0)->median : 0;
		if (i < winners && !(times[i] > 0))
			return;
	}
	for (size_t i = 0; i < winners; i++)
		sums->winners[i] += log(times[i]);
	sums->best += log(tuning_best_time(found));
	sums->shapes++;
	if (times[winners] > 0) {
		sums->standard += log(times[winners]);
		sums->with_standard++;
	}
}

static bool time_all(struct tuning *tuning, size_t winners, double until, struct sums *sums,
					 struct error *err)
{
	size_t variants[TRIALS_TOGETHER];
	for (size_t i = 0; i <= winners; i++)
		variants[i] = i;
	for (size_t i = 0; i < tuning->shape_count && !tuning_stopped(tuning); i++) {
		struct timing_result timing;
		const double now = clock_seconds(), left = (double)(tuning->shape_count - i);
		if (until > 0 && now > until)
			break;
		const struct trials_round round = {.test = tuning->shapes[i].test,
										   .variants = variants,
										   .count = winners + 1,
										   .deadline =
											   until > 0 ? now + (until - now) / left : now + 1.0};
		if (!trials_time(tuning->trials, &round, &timing, err))
			return false;
		add_shape(sums, &timing, winners, &tuning->shapes[i].found);
		free(timing.entries);
	}
	return true;
}

bool tuning_find_common(struct tuning *tuning, double until, struct error *err)
{
	struct winners winners;
	struct sums sums = {0};
	size_t best = 0;
	find_winners(tuning, &winners);
	if (winners.count == 0)
		return true;
	if (!compile(tuning, &winners, until, err) ||
		!time_all(tuning, winners.count, until, &sums, err))
		return false;
	for (size_t i = 1; i < winners.count; i++)
		if (sums.winners[i] < sums.winners[best])
			best = i;
	const double count = (double)sums.shapes;
	if (sums.shapes == tuning->shape_count)
		tuning->common =
			(struct tuning_common){.values = winners.values[best],
								   .loss = exp((sums.winners[best] - sums.best) / count),
								   .gain = sums.with_standard == sums.shapes
											   ? exp((sums.standard - sums.winners[best]) / count)
											   : 0};
	return true;
}
