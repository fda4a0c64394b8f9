#include "judge/confirm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "judge/floor.h"
#include "judge/sealed.h"
#include "process/buffers.h"
#include "process/jail.h"

#define PASSES 4u
#define SERIES_SECONDS 0.5        /* no pass begins after so many */
#define MEMORY_SHARE 0.125        /* of the device's, for the sets of a pass */
#define ROUNDS 3                  /* of passes, at most */
#define GROUPS 3u                 /* of a pass */
#define GROUPS_OF_ONE 6u          /* where each is a single call */
#define ALONE_MICROSECONDS 2000.0 /* so long a call stands alone in its group */
#define BATCH_MARGIN 1.5   /* to compute all sets of a group takes so much longer than its calls */
#define WAY 40e-6          /* about: what a call takes besides its work */
#define YARDSTICK_MAX 2e-3 /* seconds; what the way takes hardly changes beyond */
/* How exactly the outside sees: measured, harness/README.md. */
#define UNCERTAIN_MICROSECONDS 5.0
#define UNCERTAIN_SHARE 0.03
#define UNCERTAIN_MOST 0.25 /* of a time that is still told */
#define DISTURBED_SHARE 0.1 /* a library's own clock says so much more than the outside */
#define LARGER_MICROSECONDS 60.0
#define LARGER_STEPS 6

bool confirm_wanted(const struct run *run)
{
	const struct judge_options *options = run->options;
	return (options->sealed || options->mode == JUDGE_CHECKS ||
			(options->required & JAIL_SEALED) != 0) &&
		   (options->without & JAIL_SEALED) == 0;
}

static double bytes_of(const struct run *run, const struct problem *problem,
					   const struct test_case *test)
{
	struct buffers buffers;
	struct arena arena = {.sets = 1};
	buffers_of_case(problem, test, run_chain(run), &buffers);
	buffers_lay_out(&buffers, &arena);
	return (double)arena.set_stride;
}

static uint32_t power_of_two(double least)
{
	uint32_t power = 1;
	while (power < least && power < 2 * GROUP_MAX)
		power *= 2;
	return power;
}

/* How many calls a group has, of how many sets: so many that to compute all of them, as fast as the
 * GPU can, takes longer than the calls in sight. Where that would be too many, and for long calls,
 * a group is one call on one set. */
static void groups_plan(const struct run *run, const struct timing_result *result,
						double microseconds, double floor, struct sealed_plan *plan)
{
	double bytes = bytes_of(run, plan->problem, &result->test);
	double room = MEMORY_SHARE * (double)run->referee.facts.memory_bytes / bytes - 1.0;
	double ratio = floor > 0 ? fmax(2.0, BATCH_MARGIN * microseconds / floor) : INFINITY;
	plan->groups = GROUPS;
	plan->passes = PASSES;
	for (plan->calls = SEALED_CALLS_MAX; plan->calls > 1; plan->calls /= 2) {
		if (microseconds > ALONE_MICROSECONDS || !isfinite(ratio))
			continue;
		plan->group = power_of_two(plan->calls * ratio);
		if (plan->group <= GROUP_MAX && plan->groups * plan->group <= room)
			return;
	}
	plan->group = 1;
	plan->groups = GROUPS_OF_ONE;
	while (plan->groups > 2 && plan->groups > room)
		plan->groups--;
}

/* ---- the yardstick -------------------------------------------------------------- */

struct yardstick {
	struct contestant_link link;
	char library[PATHS_MAX];
	double before; /* the way of a call, in microseconds, before any file's process began */
};

/* What there is besides the work in a group like this, by a yardstick of about the same work. */
struct way {
	double call;   /* of each call */
	double reveal; /* of the group: what nine of ten do not exceed */
	double spread;
};

static bool yardstick_way(struct run *run, struct yardstick *yardstick,
						  const struct sealed_plan *like, double microseconds, struct way *way,
						  struct error *err)
{
	double work = fmin(fmax(microseconds * 1e-6 - WAY, 1e-6), YARDSTICK_MAX);
	struct sealed_series series = {0};
	struct sealed_plan plan = *like;
	struct outcome outcome;
	plan.entrant = NULL;
	plan.checks = false;
	plan.nanoseconds = (int32_t)(work * 1e9);
	bool ok = sealed_run(run, &yardstick->link, &plan, &series, &outcome, err) &&
			  (outcome.verdict == VERDICT_ACCEPTED ||
			   error_set(err, "the yardstick failed: %.900s", outcome.detail));
	way->call = sealed_quantile(&series.call, 0.25) - work * 1e6;
	way->spread = sealed_quantile(&series.call, 0.5) - sealed_quantile(&series.call, 0.0);
	way->reveal = sealed_quantile(&series.reveal, 0.9);
	sealed_free(&series);
	return ok;
}

#define SETS_BEFORE 8u /* of a group; and so many calls */
#define WORK_BEFORE 50.0

static bool yardstick_start(struct run *run, struct yardstick *yardstick,
							const struct problem *problem, const struct timing_result *result,
							struct error *err)
{
	char build[PATHS_MAX];
	struct way way;
	struct sealed_plan plan = {.problem = problem, .test = &result->test, .passes = PASSES};
	double room = MEMORY_SHARE * (double)run->referee.facts.memory_bytes /
				  bytes_of(run, problem, &result->test);
	plan.groups = GROUPS;
	plan.group = plan.calls = GROUPS * SETS_BEFORE < room ? SETS_BEFORE : 1;
	plan.seconds = SERIES_SECONDS;
	if (!paths_build(build, err) ||
		!paths_join(yardstick->library, build, "libexec/yardstick.so", err))
		return false;
	yardstick->link = (struct contestant_link){.device = &run->referee.device,
											   .library = yardstick->library,
											   .problem = PROBLEM_YARDSTICK,
											   .memory_limit = run->memory_limit,
											   .timeout = run->timeout + LANE_FIRST_SECONDS,
											   .timed = true,
											   .without = run->options->without};
	struct outcome outcome = contestant_link_open(&yardstick->link);
	if (outcome.verdict != VERDICT_ACCEPTED)
		return error_set(err, "the yardstick of sealed calls does not start: %.900s",
						 outcome.detail);
	if (!yardstick->link.can_seal)
		return true;
	if (!yardstick_way(run, yardstick, &plan, WORK_BEFORE + WAY * 1e6, &way, err))
		return false;
	yardstick->before = way.call;
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
		contestant_link_close(&yardstick->link);
	free(yardstick);
}

/* ---- entries ---------------------------------------------------------------------- */

static const struct timing_stats *claim_of(const struct timing_entry *entry)
{
	return entry->span.samples > 0 ? &entry->span : &entry->event;
}

static bool is_library(const struct timing_entry *entry)
{
	return entry->role == TIMING_LIBRARY;
}

/* What is known of an entry before the yardstick. */
struct measured {
	struct sealed_plan plan;
	struct sealed_series series;
};

/* About how long a call takes, as far as is known before the yardstick's last turn. */
static double seen_by_now(const struct yardstick *yardstick, struct measured *measured)
{
	return sealed_quantile(&measured->series.call, 0.25) - yardstick->before;
}

/* How much longer a call may seem than it says. */
static double allowance(double microseconds)
{
	return fmax(UNCERTAIN_MICROSECONDS, UNCERTAIN_SHARE * microseconds);
}

/* Passes in groups that suit calls of so many microseconds; more of them where a call seems to take
 * longer: the machine may have been busy for a while. */
static bool entry_passes(struct run *run, const struct yardstick *yardstick, struct lane *lane,
						 struct timing_entry *entry, const struct timing_result *result,
						 double microseconds, struct measured *measured, struct outcome *outcome,
						 struct error *err)
{
	double claim = claim_of(entry)->median;
	sealed_free(&measured->series);
	measured->series = (struct sealed_series){0};
	groups_plan(run, result, microseconds, entry->seal.floor, &measured->plan);
	for (int round = 0; round < ROUNDS; round++) {
		if (!sealed_run(run, &lane->contestant, &measured->plan, &measured->series, outcome, err))
			return false;
		double seen = seen_by_now(yardstick, measured);
		if (outcome->verdict != VERDICT_ACCEPTED || seen > 1.5 * claim + allowance(claim) ||
			seen < claim + 0.5 * allowance(claim) || is_library(entry))
			return true;
	}
	return true;
}

/* Where it took much longer than it says, the groups are made anew for that: else it could have
 * computed them as a whole. */
static bool entry_run(struct run *run, const struct problem *problem,
					  const struct yardstick *yardstick, struct lane *lane,
					  struct timing_entry *entry, const struct timing_result *result,
					  struct measured *measured, struct error *err)
{
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	double claim = claim_of(entry)->median;
	measured->plan =
		(struct sealed_plan){.problem = problem,
							 .test = &result->test,
							 .entrant = lane->entrant,
							 .seconds = SERIES_SECONDS,
							 .checks = !is_library(entry),
							 .tolerance = tolerance_of(&run->options->tolerance, problem)};
	entry->seal.floor = floor_of(&run->referee.facts, result);
	if (!lane->running)
		outcome = contestant_link_open(&lane->contestant);
	lane->running = outcome.verdict == VERDICT_ACCEPTED;
	if (lane->running && !lane->contestant.can_seal) {
		snprintf(entry->seal.why, sizeof entry->seal.why, "%s", lane->contestant.unsealed);
		return true;
	}
	if (lane->running &&
		!entry_passes(run, yardstick, lane, entry, result, claim, measured, &outcome, err))
		return false;
	double seen = seen_by_now(yardstick, measured);
	if (outcome.verdict == VERDICT_ACCEPTED && measured->plan.calls > 1 &&
		seen > 1.5 * claim + allowance(claim) &&
		!entry_passes(run, yardstick, lane, entry, result, seen, measured, &outcome, err))
		return false;
	lane->running = lane->running && !outcome.dead;
	entry->seal.calls = measured->series.calls;
	entry->seal.passes = measured->series.passes;
	if (outcome.verdict != VERDICT_ACCEPTED)
		lane_failed(entry, outcome);
	return true;
}

/* What the outside and the process say, put together. */
static void entry_judge(struct timing_entry *entry)
{
	struct timing_seal *seal = &entry->seal;
	double claim = claim_of(entry)->median;
	double least = allowance(seal->outside);
	/* a library's word is trusted, but somebody else may have slowed it down while it was timed */
	double above = is_library(entry) ? INFINITY : fmax(least, seal->uncertainty);
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

static bool entry_confirm(struct run *run, struct yardstick *yardstick, struct measured *measured,
						  struct timing_entry *entry, struct error *err)
{
	struct sealed_series *series = &measured->series;
	struct way way;
	if (!entry->ran || series->call.count == 0)
		return true;
	double call = sealed_quantile(&series->call, 0.25);
	if (!yardstick_way(run, yardstick, &measured->plan, call, &way, err))
		return false;
	double late = fmax(sealed_quantile(&series->reveal, 0.5) - way.reveal, 0);
	entry->seal.outside =
		fmax(call - fmin(way.call, yardstick->before) + late / measured->plan.calls, 0);
	entry->seal.uncertainty =
		way.spread + sealed_quantile(&series->call, 0.5) - sealed_quantile(&series->call, 0.0);
	entry_judge(entry);
	return true;
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
static bool entries_run(struct run *run, const struct problem *problem,
						const struct yardstick *yardstick, struct lane *lanes, size_t count,
						struct timing_result *result, struct measured *measured, struct error *err)
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
	struct measured *measured = calloc(count, sizeof *measured);
	if (measured == NULL)
		return error_set(err, "out of memory");
	bool ok = entries_run(run, problem, yardstick, lanes, count, result, measured, err);
	for (size_t i = 0; i < count; i++) {
		ok = ok && entry_confirm(run, yardstick, &measured[i], &result->entries[i], err);
		sealed_free(&measured[i].series);
	}
	free(measured);
	return ok && sealed_where_required(run, result, err);
}

/* ---- without times, and a larger shape --------------------------------------------- */

#define SETS_WITHOUT_TIMES 4u
#define CALLS_WITHOUT_TIMES 2u

bool confirm_without_times(struct run *run, const struct problem *problem,
						   const struct entrant *entrant, struct contestant_link *link,
						   const struct test_case *test, struct outcome *outcome, struct error *err)
{
	struct sealed_series series = {0};
	const struct sealed_plan plan = {.problem = problem,
									 .test = test,
									 .entrant = entrant,
									 .group = SETS_WITHOUT_TIMES,
									 .calls = CALLS_WITHOUT_TIMES,
									 .groups = 2,
									 .passes = 1,
									 .checks = true,
									 .tolerance = tolerance_of(&run->options->tolerance, problem)};
	bool ok = sealed_run(run, link, &plan, &series, outcome, err);
	sealed_free(&series);
	return ok;
}

bool confirm_larger(const struct run *run, const struct problem *problem,
					const struct test_case *test, double microseconds, struct test_case *out)
{
	double terms = shape_terms(&test->shape);
	double room = MEMORY_SHARE * (double)run->referee.facts.memory_bytes;
	*out = *test;
	for (int step = 0; step < LARGER_STEPS; step++) {
		bool grew = false;
		for (size_t i = 0; i < problem_sizes(problem); i++)
			for (int size = 0; size < SIZE_COUNT; size++)
				if ((problem->sizes[i].is & 1u << size) != 0 && size != SIZE_BATCH &&
					size != SIZE_GROUP) {
					out->shape.size[size] *= 2;
					grew = true;
				}
		if (!grew || bytes_of(run, problem, out) * (2 * GROUPS_OF_ONE) > room)
			return false;
		if (microseconds * shape_terms(&out->shape) / terms >= LARGER_MICROSECONDS)
			return true;
	}
	return false;
}
