#include "judge/timing/confirm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "judge/timing/calibration.h"
#include "judge/timing/groups.h"
#include "judge/timing/host_time.h"
#include "judgement/floor.h"
#include "process/jail.h"

#define PASSES_MIN 4u /* of a file, each with one of the calibration kernel */
#define PASSES_LIBRARY 2u
#define SERIES_SECONDS 2.5 /* no pass of an entry begins after so many */
#define WHOLES 4u          /* passes of a file to a result that is looked at as a whole */

bool confirm_wanted(const struct run *run)
{
	const struct judge_options *options = run->options;
	return (options->sealed || options->mode == JUDGE_CHECKS ||
			(options->required & LAYER_SEALED) != 0) &&
		   (options->without & LAYER_SEALED) == 0;
}

bool confirm_possible(const struct device_choice *device, struct error *err)
{
	struct calibration *calibration = calloc(1, sizeof *calibration);
	if (calibration == NULL)
		return error_set(err, "out of memory");
	bool can = calibration_open(calibration, device, 0, LANE_FIRST_SECONDS, err) &&
			   (calibration->link.can_seal || error_set(err, "%s", calibration->link.unsealed));
	confirm_end(calibration);
	return can;
}

#define WORK_BEFORE 50.0

/* The round-trip overhead while no file has a process; or why there can be no sealed calls. */
static bool calibration_before(struct run *run, struct calibration *calibration,
							   const struct problem *problem, const struct timing_result *result,
							   struct error *err)
{
	struct sealed_plan plan = {.problem = problem, .test = &result->test};
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	struct sealed_group overhead = {0};
	calibration->unavailable[0] = '\0';
	groups_plan_small(run, &plan);
	if (!calibration->link.can_seal)
		snprintf(calibration->unavailable, sizeof calibration->unavailable, "%s",
				 calibration->link.unsealed);
	else if (!calibration_overhead(run, calibration, &plan, WORK_BEFORE + CALIBRATION_OVERHEAD,
								   &overhead, &outcome, err))
		return false;
	calibration->before = overhead.call;
	if (outcome.refused)
		snprintf(calibration->unavailable, sizeof calibration->unavailable, "%.399s",
				 outcome.detail);
	return true;
}

bool confirm_begin(struct run *run, const struct problem *problem,
				   const struct timing_result *result, struct calibration **calibration,
				   struct error *err)
{
	if (!confirm_wanted(run))
		return true;
	if (*calibration == NULL) {
		*calibration = calloc(1, sizeof **calibration);
		if (*calibration == NULL)
			return error_set(err, "out of memory");
		if (!calibration_open(*calibration, &run->referee.device, run->memory_limit,
							  run->timeout + LANE_FIRST_SECONDS, err))
			return false;
	}
	return calibration_before(run, *calibration, problem, result, err);
}

void confirm_end(struct calibration *calibration)
{
	if (calibration != NULL)
		calibration_close(calibration);
	free(calibration);
}

/* ---- entries ---------------------------------------------------------------------- */

static bool is_library(const struct timing_entry *entry)
{
	return entry->role == TIMING_LIBRARY;
}

/* What bounds the overhead without the calibration kernel's last turn. */
static struct overhead_bound way_before(const struct calibration *calibration)
{
	return (struct overhead_bound){.before = calibration->before, .after.release = INFINITY};
}

static struct host_time seen_by_now(const struct sealed_series *series,
									const struct calibration *calibration)
{
	const struct overhead_bound bound = way_before(calibration);
	return host_time_of(series, &bound);
}

/* One pass of the entry, and one of the calibration kernel, while the entry's process stands still.
 */
static bool pair_of(struct run *run, struct calibration *calibration, struct lane *lane,
					struct timing_entry *entry, struct sealed_series *series,
					struct outcome *outcome, struct error *err)
{
	uint32_t i = series->count;
	bool ran = sealed_run(run, &lane->contestant, &series->plan, &series->entry[i], outcome, err);
	entry->seal.calls += series->entry[i].calls;
	entry->seal.passes++;
	if (!ran)
		return false;
	if (outcome->verdict != VERDICT_ACCEPTED)
		return true;
	child_pause(lane->contestant.child);
	child_move(calibration->link.child,
			   lane->contestant.child); /* the same CPU: the same overhead */
	bool ok =
		calibration_pass(run, calibration, &series->plan, true, sealed_mean(&series->entry[i]).call,
						 &series->overhead[i], outcome, err);
	child_continue(lane->contestant.child);
	series->count += ok && !outcome->refused;
	return ok;
}

/* In groups that suit calls of so many microseconds; goes on for longer where a call seems to take
 * longer than its process says: the machine may be busy for a while. */
static bool entry_passes(struct run *run, struct calibration *calibration, struct lane *lane,
						 struct timing_entry *entry, double microseconds,
						 struct sealed_series *series, struct outcome *outcome, struct error *err)
{
	double claim = timing_own(entry)->median, began = clock_seconds();
	groups_plan(run, microseconds, entry->seal.floor, &series->plan);
	series->count = 0;
	while (series->count < SERIES_PASSES_MAX) {
		uint32_t passes = series->count;
		if (passes >= 2 && clock_seconds() - began > SERIES_SECONDS)
			break;
		const struct host_time seen = seen_by_now(series, calibration);
		if (passes >= PASSES_MIN &&
			(host_time_settled(&seen, claim) || host_time_other_groups(&seen, microseconds)))
			break;
		if (passes >= PASSES_LIBRARY && is_library(entry))
			break;
		if (!pair_of(run, calibration, lane, entry, series, outcome, err))
			return false;
		if (outcome->verdict != VERDICT_ACCEPTED)
			break;
	}
	return true;
}

/* Where it took much longer than it says, the groups are made anew for that: else it could have
 * computed them as a whole. */
static bool entry_run(struct run *run, const struct problem *problem,
					  struct calibration *calibration, struct lane *lane,
					  struct timing_entry *entry, const struct timing_result *result,
					  struct sealed_series *series, struct error *err)
{
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	double claim = timing_own(entry)->median;
	series->plan =
		(struct sealed_plan){.problem = problem,
							 .test = &result->test,
							 .entrant = lane->entrant,
							 .checks = !is_library(entry),
							 .wholes = WHOLES,
							 .tolerance = tolerance_of(&run->options->tolerance, problem)};
	entry->seal.floor = floor_of(&run->referee.facts, result);
	if (!lane->running)
		outcome = contestant_link_open(&lane->contestant);
	lane->running = outcome.verdict == VERDICT_ACCEPTED;
	if (lane->running && !entry_passes(run, calibration, lane, entry, claim, series, &outcome, err))
		return false;
	const struct host_time seen = seen_by_now(series, calibration);
	if (outcome.verdict == VERDICT_ACCEPTED && series->plan.calls > 1 &&
		host_time_other_groups(&seen, claim) &&
		!entry_passes(run, calibration, lane, entry, seen.time, series, &outcome, err))
		return false;
	lane->running = lane->running && !outcome.dead;
	if (outcome.refused && outcome.verdict == VERDICT_NOT_RUN) {
		snprintf(entry->seal.why, sizeof entry->seal.why, "%.399s", outcome.detail);
		series->count = 0;
	} else if (outcome.verdict != VERDICT_ACCEPTED) {
		lane_failed(entry, outcome);
	}
	return true;
}

static bool entry_confirm(struct run *run, struct calibration *calibration,
						  const struct sealed_series *series, struct timing_entry *entry,
						  struct error *err)
{
	struct overhead_bound bound = way_before(calibration);
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	if (!entry->ran || series->count == 0)
		return true;
	if (!is_library(entry) &&
		!calibration_overhead(run, calibration, &series->plan, sealed_mean(&series->entry[0]).call,
							  &bound.after, &outcome, err))
		return false;
	if (outcome.refused) /* no memory any more */
		bound = way_before(calibration);
	const struct host_time seen = host_time_of(series, &bound);
	host_time_judge(&seen, entry);
	return entry->seal.state != SEAL_OUTSIDE ||
		   host_time_passes(series, &bound, &seen, &entry->passes) ||
		   error_set(err, "out of memory for samples");
}

static bool sealed_where_required(const struct run *run, const struct timing_result *result,
								  struct error *err)
{
	for (size_t i = 0; i < result->count; i++) {
		const struct timing_entry *entry = &result->entries[i];
		if (entry->ran && !is_library(entry) && entry->seal.state == SEAL_NONE &&
			(run->options->required & LAYER_SEALED) != 0)
			return error_set(err, "--require: the times of %.60s are not sealed: %.399s",
							 entry->label, entry->seal.why);
	}
	return true;
}

/* Files first, each without the others; then what is ours. */
static bool entries_run(struct run *run, const struct problem *problem,
						struct calibration *calibration, struct lane *lanes, size_t count,
						struct timing_result *result, struct sealed_series *series,
						struct error *err)
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
			ok = entry_run(run, problem, calibration, &lanes[i], entry, result, &series[i], err);
			if (!is_library(entry))
				lane_close(&lanes[i]);
		}
	return ok;
}

bool confirm(struct run *run, const struct problem *problem, struct calibration *calibration,
			 struct lane *lanes, size_t count, struct timing_result *result, struct error *err)
{
	if (calibration == NULL)
		return true;
	for (size_t i = 0; i < count; i++)
		snprintf(result->entries[i].seal.why, sizeof result->entries[i].seal.why, "%s",
				 calibration->unavailable);
	if (calibration->unavailable[0] != '\0')
		return sealed_where_required(run, result, err);
	struct sealed_series *series = calloc(count + 1, sizeof *series);
	if (series == NULL)
		return error_set(err, "out of memory");
	bool ok = entries_run(run, problem, calibration, lanes, count, result, series, err);
	for (size_t i = 0; i < count; i++)
		ok = ok && entry_confirm(run, calibration, &series[i], &result->entries[i], err);
	free(series);
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
									 .wholes = 1,
									 .tolerance = tolerance_of(&run->options->tolerance, problem)};
	return sealed_run(run, link, &plan, &ignored, outcome, err);
}
