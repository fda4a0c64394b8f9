#include "judge/timing/confirm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "judge/timing/calibration.h"
#include "judge/timing/groups.h"
#include "judge/timing/host_time.h"
#include "judgement/floor.h"
#include "process/cpu.h"
#include "process/jail.h"

#define PASSES_MIN 4u /* of a file, each with one of the calibration kernel */
#define PASSES_TO_TELL 2u
#define GROUPS_TO_TELL 8u /* of single calls; the least passes of larger ones have as many */
/* No pass of an entry begins after so many seconds: where the time is confirmed as it stands, this
 * share of what timing took before, within these bounds; else the most. */
#define SERIES_SHARE 0.4
#define SERIES_LEAST 0.5
#define SERIES_MOST 2.5
#define PLANS_MOST 4u /* of groups, until they suit the host-side time; then each is one call */
#define WHOLES 4u     /* passes of a file to a result that is looked at as a whole */
/* Where groups are single calls, which need half as many passes, twice as much is looked at. */
#define WHOLES_OF_ONE 2u
#define ROWS_OF_ONE (2 * SEALED_ROWS)
#define BEFORE_SECONDS 60.0 /* so long the overhead before a file holds for the next ones, too */

bool confirm_wanted(const struct run *run)
{
	const struct judge_options *options = run->options;
	return (options->timing.sealed || options->mode == JUDGE_CHECKS ||
			(options->limits.required & LAYER_SEALED) != 0) &&
		   (options->limits.without & LAYER_SEALED) == 0;
}

bool confirm_possible(const struct device_choice *device, struct error *err)
{
	struct calibration *calibration = calloc(1, sizeof *calibration);
	if (calibration == NULL)
		return error_set(err, "out of memory");
	calibration_start(calibration, device, NULL, NULL, 0, LANE_FIRST_SECONDS);
	bool can =
		calibration_wait(calibration, err) &&
		(calibration->link.jail.can_seal || error_set(err, "%s", calibration->link.jail.unsealed));
	confirm_end(calibration);
	return can;
}

#define WORK_BEFORE 50.0

/* The overhead before a file bounds it only until that after it is measured: what was measured
 * before another file, at the same shape, on the same CPU and a moment ago, does as well. */
static bool knows_overhead(const struct calibration *calibration, const struct problem *problem,
						   const struct shape *shape)
{
	return calibration->before_at > 0.0 &&
		   clock_seconds() - calibration->before_at < BEFORE_SECONDS &&
		   calibration->problem == problem &&
		   memcmp(&calibration->shape, shape, sizeof *shape) == 0;
}

/* The round-trip overhead while no file has a process; or why there can be no sealed calls. */
static bool calibration_before(struct run *run, struct calibration *calibration,
							   const struct problem *problem, const struct timing_result *result,
							   struct error *err)
{
	struct sealed_plan plan = {.problem = problem, .test = &result->test};
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	struct sealed_group overhead = {0};
	if (knows_overhead(calibration, problem, &result->test.shape))
		return true;
	calibration->unavailable[0] = '\0';
	calibration->before_at = 0.0;
	calibration->cpu = cpu_draw();
	if (!child_hold(calibration->link.child, calibration->cpu))
		calibration->cpu = CPU_NONE;
	groups_plan_small(run, &plan);
	plan = calibration_plan(&plan, false, WORK_BEFORE + CALIBRATION_OVERHEAD);
	if (!calibration->link.jail.can_seal)
		snprintf(calibration->unavailable, sizeof calibration->unavailable, "%s",
				 calibration->link.jail.unsealed);
	else if (!calibration_overhead(run, calibration, &plan, &overhead, &outcome, err))
		return false;
	calibration->before = overhead.call;
	calibration->problem = problem;
	calibration->shape = result->test.shape;
	if (calibration->link.jail.can_seal && !outcome.refused)
		calibration->before_at = clock_seconds();
	if (outcome.refused)
		text_format(calibration->unavailable, sizeof calibration->unavailable, "%s",
					outcome.detail);
	return true;
}

/* NULL where memory is short. */
static struct calibration *calibration_new(const struct run *run)
{
	struct calibration *calibration = calloc(1, sizeof *calibration);
	if (calibration != NULL)
		calibration_start(calibration, &run->referee.device, &run->spends,
						  &run->options->calibration, run->memory_limit,
						  run->timeout + LANE_FIRST_SECONDS);
	return calibration;
}

void confirm_ahead(struct run *run)
{
	struct calibration_share *share = run->calibrations;
	if (run->options->calibration.channel >
		0) /* others may be using it, until we have the GPU alone */
		return;
	if (run->calibration != NULL || run->referee.device.kind != DEVICE_CUDA ||
		run->options->timing.untimed || tool_words(&run->tool) != NULL || !confirm_wanted(run))
		return;
	if (share == NULL) {
		run->calibration = calibration_new(run);
		return;
	}
	pthread_mutex_lock(&share->held);
	if (share->at == NULL)
		share->at = calibration_new(run);
	run->calibration = share->at;
	pthread_mutex_unlock(&share->held);
}

void confirm_ahead_end(struct run *run)
{
	if (run->calibrations == NULL)
		confirm_end(run->calibration);
	run->calibration = NULL;
}

void confirm_share(struct calibration_share *share)
{
	*share = (struct calibration_share){.at = NULL};
	pthread_mutex_init(&share->held, NULL);
}

void confirm_share_end(struct calibration_share *share)
{
	confirm_end(share->at);
	pthread_mutex_destroy(&share->held);
}

void confirm_ahead_wait(const struct run *run)
{
	struct error told_by_confirm_begin;
	if (run->calibration != NULL)
		calibration_wait(run->calibration, &told_by_confirm_begin);
}

bool confirm_begin(struct run *run, const struct problem *problem,
				   const struct timing_result *result, struct calibration **calibration,
				   struct error *err)
{
	if (!confirm_wanted(run))
		return true;
	if (*calibration == NULL)
		*calibration = calibration_new(run);
	if (*calibration == NULL)
		return error_set(err, "out of memory");
	return calibration_wait(*calibration, err) &&
		   calibration_before(run, *calibration, problem, result, err);
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

/* An entry of a shape, and its sealed calls. */
struct sealed_entry {
	struct run *run;
	const struct problem *problem;
	struct calibration *calibration;
	const struct timing_result *result; /* that the entry is of */
	struct lane *lane;
	struct timing_entry *entry;
	struct sealed_series *series;
};

/* What bounds the overhead without the calibration kernel's last turn. */
static struct overhead_bound overhead_before(const struct calibration *calibration)
{
	return (struct overhead_bound){.before = calibration->before, .after.release = INFINITY};
}

static struct host_time seen_by_now(const struct sealed_entry *one)
{
	const struct overhead_bound bound = overhead_before(one->calibration);
	return host_time_of(one->series, &bound);
}

/* Sealed calls are not possible with this entry, which says why. */
static void cannot_seal(struct outcome *outcome, const char *why)
{
	*outcome = (struct outcome){.verdict = VERDICT_NOT_RUN, .refused = true};
	snprintf(outcome->detail, sizeof outcome->detail, "%s", why);
}

/* One pass of the entry; a file's on the CPU where the calibration kernel's process is. */
static bool entry_pass(const struct sealed_entry *one, struct outcome *outcome, struct error *err)
{
	struct contestant_link *contestant = &one->lane->contestant;
	struct sealed_series *series = one->series;
	struct sealed_times *times = &series->entry[series->count];
	int cpu = one->calibration->cpu;
	bool held = cpu != CPU_NONE && !is_library(one->entry);
	if (held && !child_hold(contestant->child, cpu)) {
		cannot_seal(outcome, "its process cannot be held on a CPU");
		return true;
	}
	bool ran = sealed_run(one->run, contestant, &series->plan, times, outcome, err);
	one->entry->seal.calls += times->calls;
	one->entry->seal.passes++;
	if (ran && outcome->verdict == VERDICT_ACCEPTED && held &&
		!child_is_held(contestant->child, cpu))
		cannot_seal(outcome, "its process left the CPU on which it was to be timed");
	return ran;
}

/* One pass of the entry, and one of the calibration kernel, while the entry's process stands still.
 */
static bool pair_of(const struct sealed_entry *one, struct outcome *outcome, struct error *err)
{
	struct sealed_series *series = one->series;
	uint32_t i = series->count;
	if (!entry_pass(one, outcome, err))
		return false;
	if (outcome->verdict != VERDICT_ACCEPTED)
		return true;
	const struct sealed_plan plan =
		calibration_plan(&series->plan, true, sealed_mean(&series->entry[i]).call);
	child_pause(one->lane->contestant.child);
	bool ok =
		calibration_pass(one->run, one->calibration, &plan, &series->overhead[i], outcome, err);
	child_continue(one->lane->contestant.child);
	series->count += ok && !outcome->refused;
	return ok;
}

static double series_seconds(const struct timing_result *result)
{
	return fmin(fmax(SERIES_SHARE * result->seconds, SERIES_LEAST), SERIES_MOST);
}

/* A group of one call leaves nothing to chance, and of slow calls the scatter is small beside what
 * is allowed: so many groups as others have at the least confirm it, where they do, in fewer
 * passes. */
static bool single_calls_confirm(const struct sealed_series *series, const struct host_time *seen,
								 double expected)
{
	return series->plan.calls == 1 && series->count >= PASSES_TO_TELL &&
		   series->count * (series->plan.groups - 1) >= GROUPS_TO_TELL &&
		   host_time_confirms(seen, expected) && host_time_settled(seen, expected);
}

/* Whether passes have told enough, or will not. As long as they do not confirm what the process
 * says they have all the time there is: the machine may be busy for a while. */
static bool passes_enough(const struct sealed_entry *one, double planned, double elapsed)
{
	const struct sealed_series *series = one->series;
	const struct host_time seen = seen_by_now(one);
	double expected = host_time_expected(one->entry);
	if (series->count >= PASSES_TO_TELL && elapsed > SERIES_MOST)
		return true;
	if (series->count < PASSES_MIN)
		return single_calls_confirm(series, &seen, expected);
	return (elapsed > series_seconds(one->result) && host_time_confirms(&seen, expected)) ||
		   host_time_settled(&seen, expected) ||
		   (series->plan.calls > 1 && host_time_other_groups(&seen, planned));
}

/* In groups that suit calls of so many microseconds. */
static bool entry_passes(const struct sealed_entry *one, double planned, struct outcome *outcome,
						 struct error *err)
{
	struct sealed_series *series = one->series;
	double began = clock_seconds();
	groups_plan(one->run, planned, one->entry->seal.floor, &series->plan);
	const bool single = series->plan.calls == 1;
	series->plan.wholes = single ? WHOLES_OF_ONE : WHOLES;
	series->plan.rows = single ? ROWS_OF_ONE : SEALED_ROWS;
	series->count = 0;
	while (series->count < SERIES_PASSES_MAX &&
		   !passes_enough(one, planned, clock_seconds() - began)) {
		if (!pair_of(one, outcome, err))
			return false;
		if (outcome->verdict != VERDICT_ACCEPTED)
			break;
	}
	return true;
}

/* Groups follow from the host-side time: where it is longer than they were planned for, they are
 * made anew for that, since all of their sets could have been computed as a whole. What the process
 * says is no more than where that begins. */
static bool file_passes(const struct sealed_entry *one, struct outcome *outcome, struct error *err)
{
	double floor = one->entry->seal.floor;
	double planned = host_time_planned(timing_own(one->entry)->median, floor);
	for (uint32_t plan = 0; plan <= PLANS_MOST; plan++) {
		if (!entry_passes(one, planned, outcome, err))
			return false;
		const struct host_time seen = seen_by_now(one);
		if (outcome->verdict != VERDICT_ACCEPTED || one->series->plan.calls == 1 ||
			!host_time_other_groups(&seen, planned))
			return true;
		planned = plan + 1 < PLANS_MOST ? host_time_planned(seen.time, floor) : INFINITY;
	}
	return true;
}

/* A pass of a library on the sets of the file before, with an overhead of its passes, the last
 * first: what these differ by is part of the uncertainty. */
static bool pass_after(const struct sealed_entry *one, const struct sealed_series *others,
					   struct outcome *outcome, struct error *err)
{
	struct sealed_series *series = one->series;
	if (!entry_pass(one, outcome, err))
		return false;
	if (outcome->verdict != VERDICT_ACCEPTED)
		return true;
	series->overhead[series->count] =
		others->overhead[others->count - 1 - series->count % others->count];
	series->count++;
	return true;
}

/* One pass tells whether somebody slowed a library down; where it seems so, more of them have to
 * agree. It is ours: it may have the sets of a file that is gone, and needs no pass of the
 * calibration kernel but that file's, in the same groups. */
static bool library_passes(const struct sealed_entry *one, const struct sealed_series *others,
						   struct outcome *outcome, struct error *err)
{
	struct sealed_series *series = one->series;
	struct sealed_plan *plan = &series->plan;
	groups_plan(one->run, timing_own(one->entry)->median, one->entry->seal.floor, plan);
	if (others != NULL) {
		plan->group = others->plan.group;
		plan->calls = others->plan.calls;
		plan->groups = others->plan.groups;
		plan->again = true;
	}
	bool doubted = true;
	while (doubted && series->count < PASSES_MIN && outcome->verdict == VERDICT_ACCEPTED &&
		   !outcome->refused) {
		if (!(others != NULL ? pass_after(one, others, outcome, err) : pair_of(one, outcome, err)))
			return false;
		const struct host_time seen = seen_by_now(one);
		doubted = host_time_doubts_library(&seen, one->entry);
	}
	return true;
}

/* `others`: passes of the file before, whose sets the referee has, or NULL. */
static bool entry_run(const struct sealed_entry *one, const struct sealed_series *others,
					  struct error *err)
{
	struct run *run = one->run;
	struct lane *lane = one->lane;
	struct timing_entry *entry = one->entry;
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	bool ok = true;
	one->series->plan =
		(struct sealed_plan){.problem = one->problem,
							 .test = &one->result->test,
							 .entrant = lane->entrant,
							 .checks = !is_library(entry),
							 .tolerance = tolerance_of(&run->options->tolerance, one->problem)};
	if (!lane->running)
		outcome = contestant_link_open(&lane->contestant);
	lane->running = outcome.verdict == VERDICT_ACCEPTED;
	if (lane->running)
		ok = is_library(entry) ? library_passes(one, others, &outcome, err)
							   : file_passes(one, &outcome, err);
	if (!ok)
		return false;
	lane->running = lane->running && !outcome.dead;
	if (outcome.refused && outcome.verdict == VERDICT_NOT_RUN) {
		text_format(entry->seal.why, sizeof entry->seal.why, "%s", outcome.detail);
		one->series->count = 0;
	} else if (outcome.verdict != VERDICT_ACCEPTED) {
		lane_failed(entry, outcome);
	}
	return true;
}

/* A file's process is gone by now. The sets of its last pass are there, and in no process but the
 * referee's. */
static bool entry_confirm(const struct sealed_entry *one, struct error *err)
{
	const struct sealed_series *series = one->series;
	struct timing_entry *entry = one->entry;
	struct overhead_bound bound = overhead_before(one->calibration);
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	if (!entry->ran || series->count == 0)
		return true;
	const struct sealed_plan plan =
		calibration_plan(&series->plan, true, sealed_mean(&series->entry[0]).call);
	if (!is_library(entry) &&
		!calibration_overhead(one->run, one->calibration, &plan, &bound.after, &outcome, err))
		return false;
	if (outcome.refused) /* no memory any more */
		bound = overhead_before(one->calibration);
	const struct host_time seen = host_time_of(series, &bound);
	host_time_judge(&seen, entry);
	return entry->seal.state != SEAL_HOST_SIDE ||
		   host_time_passes(series, &bound, &seen, &entry->passes) ||
		   error_set(err, "out of memory for samples");
}

/* Files first, each without the others; then what is ours. */
static bool entries_run(const struct sealed_entry *all, size_t count, struct error *err)
{
	bool ok = true;
	const struct sealed_series *others = NULL;
	for (size_t i = 1; i < count; i++)
		if (!is_library(all[i].entry))
			lane_close(all[i].lane);
	for (int ours = 0; ours < 2; ours++)
		for (size_t i = 0; i < count && ok; i++) {
			const struct sealed_entry *one = &all[i];
			if (is_library(one->entry) != (ours == 1) || !one->entry->ran)
				continue;
			ok = entry_run(one, others, err);
			if (!is_library(one->entry))
				lane_close(one->lane);
			ok = ok && entry_confirm(one, err);
			if (!is_library(one->entry)) /* of one that failed half-way nobody knows the sets */
				others = one->series->count > 0 && one->entry->ran ? one->series : NULL;
		}
	return ok;
}

void confirm_require(const struct run *run, struct timing_result *result)
{
	for (size_t i = 0; i < result->count; i++) {
		struct timing_entry *entry = &result->entries[i];
		struct outcome outcome = {.verdict = VERDICT_NOT_RUN};
		if ((run->options->limits.required & LAYER_SEALED) == 0 || !entry->ran ||
			is_library(entry) || entry->seal.state != SEAL_NONE)
			continue;
		text_format(outcome.detail, sizeof outcome.detail,
					"--require: its times are not sealed: %s", entry->seal.why);
		lane_failed(entry, outcome);
	}
}

/* Where the device cannot seal any calls, all files are without. */
static bool can_where_required(const struct run *run, const struct calibration *calibration,
							   struct error *err)
{
	return calibration->link.jail.can_seal || (run->options->limits.required & LAYER_SEALED) == 0 ||
		   error_set(err, "--require: no times can be sealed: %s", calibration->unavailable);
}

bool confirm(struct run *run, const struct problem *problem, struct calibration *calibration,
			 struct lane *lanes, struct timing_result *result, struct error *err)
{
	if (calibration == NULL)
		return true;
	for (size_t i = 0; i < result->count; i++)
		snprintf(result->entries[i].seal.why, sizeof result->entries[i].seal.why, "%s",
				 calibration->unavailable);
	bool ok = can_where_required(run, calibration, err);
	if (ok && calibration->unavailable[0] == '\0') {
		struct sealed_series *series = calloc(result->count + 1, sizeof *series);
		struct sealed_entry *all = calloc(result->count + 1, sizeof *all);
		for (size_t i = 0; all != NULL && i < result->count; i++)
			all[i] = (struct sealed_entry){
				run, problem, calibration, result, &lanes[i], &result->entries[i], &series[i]};
		ok = series != NULL && all != NULL ? entries_run(all, result->count, err)
										   : error_set(err, "out of memory");
		free(all);
		free(series);
	}
	confirm_require(run, result);
	return ok;
}

/* ---- without times ------------------------------------------------------------------ */

#define SETS_WITHOUT_TIMES 4u
#define CALLS_WITHOUT_TIMES 2u

bool confirm_without_times(const struct case_run *one, struct outcome *outcome, struct error *err)
{
	struct sealed_times ignored;
	const struct sealed_plan plan = {.problem = one->problem,
									 .test = one->test,
									 .entrant = one->entrant,
									 .group = SETS_WITHOUT_TIMES,
									 .calls = CALLS_WITHOUT_TIMES,
									 .groups = 2,
									 .checks = true,
									 .rows = SEALED_ROWS,
									 .wholes = 1,
									 .tolerance = one->tolerance};
	return sealed_run(one->run, one->contestant, &plan, &ignored, outcome, err);
}
