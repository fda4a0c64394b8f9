#include "judge/confirm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "judge/floor.h"
#include "judge/groups.h"
#include "judge/yardstick.h"
#include "process/jail.h"

#define PASSES_MIN 4u /* of a file, each with one of the yardstick */
#define PASSES_LIBRARY 2u
#define PASSES_MAX 24u
#define SERIES_SECONDS 2.5 /* no pass of an entry begins after so many */
/* The device cannot serve another context in between for less. */
#define DISTURBED_MICROSECONDS 60.0
#define WAY_SPREAD 15.0    /* microseconds; by so much the machine may be slower for a while */
#define REVEAL_SPREAD 20.0 /* microseconds; what the reveal of a group may differ by */
/* How exactly the outside sees: measured, harness/README.md. */
#define UNCERTAIN_MICROSECONDS 5.0
#define UNCERTAIN_SHARE 0.03
#define UNCERTAIN_MOST 0.25 /* of a time that is still told */
#define DISTURBED_SHARE 0.1 /* a library's own clock says so much more than the outside */

bool confirm_wanted(const struct run *run)
{
	const struct judge_options *options = run->options;
	return (options->sealed || options->mode == JUDGE_CHECKS ||
			(options->required & JAIL_SEALED) != 0) &&
		   (options->without & JAIL_SEALED) == 0;
}

bool confirm_possible(const struct device_choice *device, struct error *err)
{
	struct yardstick *yardstick = calloc(1, sizeof *yardstick);
	if (yardstick == NULL)
		return error_set(err, "out of memory");
	bool can = yardstick_open(yardstick, device, 0, LANE_FIRST_SECONDS, err) &&
			   (yardstick->link.can_seal || error_set(err, "%s", yardstick->link.unsealed));
	confirm_end(yardstick);
	return can;
}

#define WORK_BEFORE 50.0

static bool yardstick_start(struct run *run, struct yardstick *yardstick,
							const struct problem *problem, const struct timing_result *result,
							struct error *err)
{
	struct sealed_plan plan = {.problem = problem, .test = &result->test};
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	struct sealed_times way = {0};
	groups_plan_small(run, &plan);
	if (!yardstick_open(yardstick, &run->referee.device, run->memory_limit,
						run->timeout + LANE_FIRST_SECONDS, err))
		return false;
	if (!yardstick->link.can_seal)
		snprintf(yardstick->lacking, sizeof yardstick->lacking, "%s", yardstick->link.unsealed);
	else if (!yardstick_alone(run, yardstick, &plan, WORK_BEFORE + YARDSTICK_WAY, &way, &outcome,
							  err))
		return false;
	yardstick->before = way.call;
	if (outcome.refused)
		snprintf(yardstick->lacking, sizeof yardstick->lacking, "%.399s", outcome.detail);
	return true;
}

bool confirm_begin(struct run *run, const struct problem *problem,
				   const struct timing_result *result, struct yardstick **out, struct error *err)
{
	*out = NULL;
	if (!confirm_wanted(run))
		return true;
	struct yardstick *yardstick = calloc(1, sizeof *yardstick);
	if (yardstick == NULL)
		return error_set(err, "out of memory");
	*out = yardstick;
	return yardstick_start(run, yardstick, problem, result, err);
}

void confirm_end(struct yardstick *yardstick)
{
	if (yardstick != NULL)
		yardstick_close(yardstick);
	free(yardstick);
}

/* ---- entries ---------------------------------------------------------------------- */

static bool is_library(const struct timing_entry *entry)
{
	return entry->role == TIMING_LIBRARY;
}

/* Passes of an entry, each with one of the yardstick that followed at once. */
struct measured {
	struct sealed_plan plan;
	uint32_t count;
	struct sealed_times entry[PASSES_MAX], way[PASSES_MAX];
};

/* How much longer a call may seem than it says. */
static double allowance(double microseconds)
{
	return fmax(UNCERTAIN_MICROSECONDS, UNCERTAIN_SHARE * microseconds);
}

/* What a pass says of a call and of the way. A group of one call is revealed and called as one: the
 * work could begin with the reveal. */
static void times_of(const struct measured *measured, uint32_t i, double way_most,
					 double reveal_most, float *call, float *way)
{
	const struct sealed_times *entry = &measured->entry[i], *other = &measured->way[i];
	double spread = other->excess > DISTURBED_MICROSECONDS ? 0 : WAY_SPREAD;
	bool alone = measured->plan.calls == 1;
	*call = (float)(entry->call + (alone ? entry->reveal : 0));
	*way = (float)(fmin(other->call, way_most + spread) +
				   (alone ? fmin(other->reveal, reveal_most + spread) : 0));
}

/* How long a call takes: what a quarter of the passes do not exceed, less the same of the
 * yardstick's, for whatever disturbs a pass makes it longer. Passes of the yardstick while the
 * file's process was there count for no more than those before and after, and what machines differ
 * by from second to second; and for no more than those where something came in between: the file
 * could have done that. INFINITY where memory is short: nothing is confirmed then. */
static double outside_of(const struct measured *measured, double before, struct sealed_times after,
						 double *spread)
{
	struct samples calls = {0}, ways = {0}, reveals = {0};
	bool alone = measured->plan.calls == 1, there = true;
	float apart[] = {(float)before, (float)after.call};
	if (!alone)
		there = samples_add(&ways, apart, 2);
	for (uint32_t i = 0; i < measured->count; i++) {
		float call, way, late = (float)(measured->entry[i].reveal - measured->way[i].reveal);
		times_of(measured, i, fmax(before, after.call), after.reveal, &call, &way);
		there = there && samples_add(&calls, &call, 1) && samples_add(&ways, &way, 1) &&
				samples_add(&reveals, &late, 1);
	}
	double late = alone ? 0 : samples_quantile(&reveals, 0.5) - REVEAL_SPREAD;
	double outside = samples_quantile(&calls, 0.25) - samples_quantile(&ways, 0.25) +
					 fmax(late, 0) / fmax(measured->plan.calls, 1);
	*spread = samples_quantile(&calls, 0.5) - samples_quantile(&calls, 0.0);
	samples_free(&calls);
	samples_free(&ways);
	samples_free(&reveals);
	return there ? fmax(outside, 0) : INFINITY;
}

/* What is known of the way without the yardstick's last turn. */
static struct sealed_times way_before(const struct yardstick *yardstick)
{
	return (struct sealed_times){.call = yardstick->before, .reveal = INFINITY};
}

static double seen_by_now(const struct measured *measured, const struct yardstick *yardstick)
{
	double ignored;
	return outside_of(measured, yardstick->before, way_before(yardstick), &ignored);
}

/* One pass of the entry, and one of the yardstick, while the entry's process stands still. */
static bool pair_of(struct run *run, struct yardstick *yardstick, struct lane *lane,
					struct timing_entry *entry, struct measured *measured, struct outcome *outcome,
					struct error *err)
{
	uint32_t i = measured->count;
	bool ran =
		sealed_run(run, &lane->contestant, &measured->plan, &measured->entry[i], outcome, err);
	entry->seal.calls += measured->entry[i].calls;
	entry->seal.passes++;
	if (!ran)
		return false;
	if (outcome->verdict != VERDICT_ACCEPTED)
		return true;
	child_pause(lane->contestant.child);
	bool ok = yardstick_pass(run, yardstick, &measured->plan, measured->entry[i].call,
							 &measured->way[i], outcome, err);
	child_continue(lane->contestant.child);
	measured->count += ok && !outcome->refused;
	return ok;
}

/* In groups that suit calls of so many microseconds; goes on for longer where a call seems to take
 * longer than its process says: the machine may be busy for a while. */
static bool entry_passes(struct run *run, struct yardstick *yardstick, struct lane *lane,
						 struct timing_entry *entry, double microseconds, struct measured *measured,
						 struct outcome *outcome, struct error *err)
{
	double claim = timing_own(entry)->median, began = clock_seconds();
	groups_plan(run, microseconds, entry->seal.floor, &measured->plan);
	measured->count = 0;
	while (measured->count < PASSES_MAX) {
		uint32_t passes = measured->count;
		if (passes >= 2 && clock_seconds() - began > SERIES_SECONDS)
			break;
		double seen = seen_by_now(measured, yardstick);
		bool settled =
			seen < claim + 0.5 * allowance(claim) || seen > 1.5 * claim + allowance(claim);
		if (passes >= PASSES_MIN && settled)
			break;
		if (passes >= PASSES_LIBRARY && is_library(entry))
			break;
		if (!pair_of(run, yardstick, lane, entry, measured, outcome, err))
			return false;
		if (outcome->verdict != VERDICT_ACCEPTED)
			break;
	}
	return true;
}

/* Where it took much longer than it says, the groups are made anew for that: else it could have
 * computed them as a whole. */
static bool entry_run(struct run *run, const struct problem *problem, struct yardstick *yardstick,
					  struct lane *lane, struct timing_entry *entry,
					  const struct timing_result *result, struct measured *measured,
					  struct error *err)
{
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	double claim = timing_own(entry)->median;
	measured->plan =
		(struct sealed_plan){.problem = problem,
							 .test = &result->test,
							 .entrant = lane->entrant,
							 .checks = !is_library(entry),
							 .tolerance = tolerance_of(&run->options->tolerance, problem)};
	entry->seal.floor = floor_of(&run->referee.facts, result);
	if (!lane->running)
		outcome = contestant_link_open(&lane->contestant);
	lane->running = outcome.verdict == VERDICT_ACCEPTED;
	if (lane->running && !entry_passes(run, yardstick, lane, entry, claim, measured, &outcome, err))
		return false;
	double seen = seen_by_now(measured, yardstick);
	if (outcome.verdict == VERDICT_ACCEPTED && measured->plan.calls > 1 &&
		seen > 1.5 * claim + allowance(claim) &&
		!entry_passes(run, yardstick, lane, entry, seen, measured, &outcome, err))
		return false;
	lane->running = lane->running && !outcome.dead;
	if (outcome.refused && outcome.verdict == VERDICT_NOT_RUN) {
		snprintf(entry->seal.why, sizeof entry->seal.why, "%.399s", outcome.detail);
		measured->count = 0;
	} else if (outcome.verdict != VERDICT_ACCEPTED) {
		lane_failed(entry, outcome);
	}
	return true;
}

/* What the outside and the process say, put together. */
static void entry_judge(struct timing_entry *entry)
{
	struct timing_seal *seal = &entry->seal;
	double claim = timing_own(entry)->median;
	double least = allowance(seal->outside);
	/* a library's word is trusted, but somebody else may have slowed it down while it was timed */
	double above = is_library(entry) ? INFINITY : least;
	double below = is_library(entry) ? least + DISTURBED_SHARE * claim : INFINITY;
	seal->uncertainty = fmax(least, seal->uncertainty);
	if (seal->outside > claim + above || seal->outside < claim - below)
		seal->state = SEAL_OUTSIDE;
	else if (claim < seal->floor || seal->uncertainty > UNCERTAIN_MOST * claim)
		seal->state = SEAL_UNCERTAIN;
	else
		seal->state = SEAL_CONFIRMED;
	seal->shown = (struct timing_stats){.samples = seal->calls,
										.median = seal->outside,
										.min = fmax(seal->outside - seal->uncertainty, 0),
										.p95 = seal->outside + seal->uncertainty,
										.low = fmax(seal->outside - seal->uncertainty, 0),
										.high = seal->outside + seal->uncertainty};
}

/* What the passes say that the time was taken from: their quarter is that time. */
static bool passes_from_outside(const struct measured *measured, double before,
								struct sealed_times after, struct timing_entry *entry)
{
	struct samples calls = {0};
	float times[PASSES_MAX], way;
	for (uint32_t i = 0; i < measured->count; i++)
		times_of(measured, i, fmax(before, after.call), after.reveal, &times[i], &way);
	if (!samples_add(&calls, times, measured->count))
		return false;
	float more = (float)(samples_quantile(&calls, 0.25) - entry->seal.outside);
	entry->passes.count = 0;
	for (uint32_t i = 0; i < measured->count; i++)
		passes_add(&entry->passes, (float[]){times[i] - more}, 1);
	samples_free(&calls);
	return true;
}

static bool entry_confirm(struct run *run, struct yardstick *yardstick,
						  const struct measured *measured, struct timing_entry *entry,
						  struct error *err)
{
	struct sealed_times after = way_before(yardstick);
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	if (!entry->ran || measured->count == 0)
		return true;
	if (!is_library(entry) && !yardstick_alone(run, yardstick, &measured->plan,
											   measured->entry[0].call, &after, &outcome, err))
		return false;
	if (outcome.refused) /* no memory any more */
		after = way_before(yardstick);
	entry->seal.outside = outside_of(measured, yardstick->before, after, &entry->seal.uncertainty);
	entry_judge(entry);
	return entry->seal.state != SEAL_OUTSIDE ||
		   passes_from_outside(measured, yardstick->before, after, entry) ||
		   error_set(err, "out of memory for samples");
}

static bool sealed_where_required(const struct run *run, const struct timing_result *result,
								  struct error *err)
{
	for (size_t i = 0; i < result->count; i++) {
		const struct timing_entry *entry = &result->entries[i];
		if (entry->ran && !is_library(entry) && entry->seal.state == SEAL_NONE &&
			(run->options->required & JAIL_SEALED) != 0)
			return error_set(err, "--require: the times of %.60s are not sealed: %.399s",
							 entry->label, entry->seal.why);
	}
	return true;
}

/* Files first, each without the others; then what is ours. */
static bool entries_run(struct run *run, const struct problem *problem, struct yardstick *yardstick,
						struct lane *lanes, size_t count, struct timing_result *result,
						struct measured *measured, struct error *err)
{
	bool ok = true;
	for (size_t i = 1; i < count; i++)
		if (!is_library(&result->entries[i]))
			lane_close(&lanes[i]);
	for (int ours = 0; ours < 2; ours++)
		for (size_t i = 0; i < count && ok; i++) {
			struct timing_entry *entry = &result->entries[i];
			if (is_library(entry) != (ours == 1) || !entry->ran)
				continue;
			ok = entry_run(run, problem, yardstick, &lanes[i], entry, result, &measured[i], err);
			if (!is_library(entry))
				lane_close(&lanes[i]);
		}
	return ok;
}

bool confirm(struct run *run, const struct problem *problem, struct yardstick *yardstick,
			 struct lane *lanes, size_t count, struct timing_result *result, struct error *err)
{
	if (yardstick == NULL)
		return true;
	for (size_t i = 0; i < count; i++)
		snprintf(result->entries[i].seal.why, sizeof result->entries[i].seal.why, "%s",
				 yardstick->lacking);
	if (yardstick->lacking[0] != '\0')
		return sealed_where_required(run, result, err);
	struct measured *measured = calloc(count + 1, sizeof *measured);
	if (measured == NULL)
		return error_set(err, "out of memory");
	bool ok = entries_run(run, problem, yardstick, lanes, count, result, measured, err);
	for (size_t i = 0; i < count; i++)
		ok = ok && entry_confirm(run, yardstick, &measured[i], &result->entries[i], err);
	free(measured);
	return ok && sealed_where_required(run, result, err);
}

/* ---- without times ------------------------------------------------------------------ */

#define SETS_WITHOUT_TIMES 4u
#define CALLS_WITHOUT_TIMES 2u

bool confirm_without_times(struct run *run, const struct problem *problem,
						   const struct entrant *entrant, struct contestant_link *link,
						   const struct test_case *test, struct outcome *outcome, struct error *err)
{
	struct sealed_times ignored;
	const struct sealed_plan plan = {.problem = problem,
									 .test = test,
									 .entrant = entrant,
									 .group = SETS_WITHOUT_TIMES,
									 .calls = CALLS_WITHOUT_TIMES,
									 .groups = 2,
									 .checks = true,
									 .tolerance = tolerance_of(&run->options->tolerance, problem)};
	return sealed_run(run, link, &plan, &ignored, outcome, err);
}
