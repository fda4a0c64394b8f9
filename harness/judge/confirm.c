#include "judge/confirm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/paths.h"
#include "judge/floor.h"
#include "judge/sealed.h"
#include "process/buffers.h"
#include "process/jail.h"

#define PASSES_MIN 4u /* of a file, each with one of the yardstick */
#define PASSES_LIBRARY 2u
#define PASSES_MAX 12u
#define PASSES_APART 3u           /* of the yardstick, before and after */
#define SERIES_SECONDS 1.0        /* no pass of an entry begins after so many */
#define MEMORY_SHARE 0.125        /* of the device's, for the sets of a pass */
#define MEMORY_MOST 6e9           /* bytes */
#define GROUPS 3u                 /* of a pass */
#define GROUPS_OF_ONE 6u          /* where each is a single call */
#define ALONE_MICROSECONDS 2000.0 /* so long a call stands alone in its group */
#define BATCH_MARGIN 1.5 /* to compute all sets of a group takes so much longer than its calls */
/* The device cannot serve another context in between for less. */
#define DISTURBED_MICROSECONDS 60.0
#define WAY_SPREAD 15.0    /* microseconds; by so much the machine may be slower for a while */
#define REVEAL_SPREAD 20.0 /* microseconds; what the reveal of a group may differ by */
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

/* How many sets a pass may have. */
static double room_of(const struct run *run, const struct problem *problem,
					  const struct test_case *test)
{
	double most = fmin(MEMORY_SHARE * (double)run->referee.facts.memory_bytes, MEMORY_MOST);
	return most / bytes_of(run, problem, test) - 1.0;
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
	double room = room_of(run, plan->problem, &result->test);
	double ratio = floor > 0 ? fmax(2.0, BATCH_MARGIN * microseconds / floor) : INFINITY;
	plan->groups = GROUPS;
	plan->passes = 1;
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
	double before;     /* the way of a call, in microseconds, before any file's process began */
	char lacking[400]; /* why there are no sealed calls; "" where there are */
};

static bool yardstick_open(struct yardstick *yardstick, const struct device_choice *device,
						   size_t memory_limit, double timeout, struct error *err)
{
	char build[PATHS_MAX];
	if (!paths_build(build, err) ||
		!paths_join(yardstick->library, build, "libexec/yardstick.so", err))
		return false;
	yardstick->link = (struct contestant_link){.device = device,
											   .library = yardstick->library,
											   .problem = PROBLEM_YARDSTICK,
											   .memory_limit = memory_limit,
											   .timeout = timeout,
											   .timed = true};
	struct outcome outcome = contestant_link_open(&yardstick->link);
	return outcome.verdict == VERDICT_ACCEPTED ||
		   error_set(err, "the yardstick of sealed calls does not start: %.900s", outcome.detail);
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

/* What a pass gave, in microseconds. */
struct pass_times {
	double call;    /* mean of its groups */
	double reveal;  /* of a group */
	bool disturbed; /* somebody else was on the device */
};

static double mean_of(const struct samples *samples)
{
	double sum = 0;
	for (size_t i = 0; i < samples->count; i++)
		sum += samples->at[i];
	return samples->count > 0 ? sum / (double)samples->count : 0;
}

/* One pass; false with err when the referee cannot go on. */
static bool pass_of(struct run *run, struct contestant_link *link, const struct sealed_plan *plan,
					struct timing_seal *seal, struct pass_times *out, struct outcome *outcome,
					struct error *err)
{
	struct sealed_series series = {0};
	bool ok = sealed_run(run, link, plan, &series, outcome, err);
	*out = (struct pass_times){mean_of(&series.call), mean_of(&series.reveal),
							   series.excess > DISTURBED_MICROSECONDS};
	if (seal != NULL) {
		seal->calls += series.calls;
		seal->passes += series.passes;
	}
	sealed_free(&series);
	return ok;
}

/* What there is besides the work, in a pass like this one, by calls of about as many microseconds.
 */
static bool yardstick_pass(struct run *run, struct yardstick *yardstick,
						   const struct sealed_plan *like, double microseconds,
						   struct pass_times *out, struct outcome *outcome, struct error *err)
{
	double work = fmin(fmax(microseconds * 1e-6 - WAY, 1e-6), YARDSTICK_MAX);
	struct sealed_plan plan = *like;
	plan.entrant = NULL;
	plan.checks = false;
	plan.nanoseconds = (int32_t)(work * 1e9);
	bool ok = pass_of(run, &yardstick->link, &plan, NULL, out, outcome, err) &&
			  (outcome->verdict == VERDICT_ACCEPTED || outcome->refused ||
			   error_set(err, "the yardstick failed: %.900s", outcome->detail));
	out->call -= work * 1e6;
	return ok;
}

/* The middle one of several passes, by itself. */
static bool yardstick_alone(struct run *run, struct yardstick *yardstick,
							const struct sealed_plan *like, double microseconds, double *way,
							struct outcome *outcome, struct error *err)
{
	struct samples ways = {0};
	bool ok = true;
	*outcome = (struct outcome){.verdict = VERDICT_ACCEPTED};
	for (uint32_t i = 0; i < PASSES_APART && ok && !outcome->refused; i++) {
		struct pass_times times;
		ok = yardstick_pass(run, yardstick, like, microseconds, &times, outcome, err);
		float call = (float)times.call;
		ok = ok && (samples_add(&ways, &call, 1) || error_set(err, "out of memory"));
	}
	*way = sealed_quantile(&ways, 0.5);
	samples_free(&ways);
	return ok;
}

#define SETS_BEFORE 8u /* of a group; and so many calls */
#define WORK_BEFORE 50.0

static bool yardstick_start(struct run *run, struct yardstick *yardstick,
							const struct problem *problem, const struct timing_result *result,
							struct error *err)
{
	struct sealed_plan plan = {
		.problem = problem, .test = &result->test, .passes = 1, .groups = GROUPS};
	double room = room_of(run, problem, &result->test);
	plan.group = plan.calls = GROUPS * SETS_BEFORE < room ? SETS_BEFORE : 1;
	plan.groups = plan.group == 1 && room < GROUPS ? 2 : GROUPS;
	if (!yardstick_open(yardstick, &run->referee.device, run->memory_limit,
						run->timeout + LANE_FIRST_SECONDS, err))
		return false;
	if (!yardstick->link.can_seal)
		return true;
	return yardstick_alone(run, yardstick, &plan, WORK_BEFORE + WAY * 1e6, &yardstick->before, err);
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

/* Passes of an entry, each with one of the yardstick that followed at once. */
struct measured {
	struct sealed_plan plan;
	uint32_t count;
	struct pass_times entry[PASSES_MAX], way[PASSES_MAX];
};

/* How much longer a call may seem than it says. */
static double allowance(double microseconds)
{
	return fmax(UNCERTAIN_MICROSECONDS, UNCERTAIN_SHARE * microseconds);
}

static bool is_there(const struct samples *samples, uint32_t count)
{
	return samples->count == count;
}

/* How long a call takes: what a quarter of the passes do not exceed, less the same of the
 * yardstick's, for whatever disturbs a pass makes it longer. Passes of the yardstick while the
 * file's process was there count for no more than `way_most` and what machines differ by from
 * second to second, and for no more than way_most where something came in between: the file could
 * have done that. */
static double outside_of(const struct measured *measured, double before, double after,
						 double *spread)
{
	struct samples calls = {0}, ways = {0}, reveals = {0};
	float apart[] = {(float)before, (float)after};
	samples_add(&ways, apart, 2);
	for (uint32_t i = 0; i < measured->count; i++) {
		const struct pass_times *entry = &measured->entry[i], *way = &measured->way[i];
		double most = fmax(before, after) + (way->disturbed ? 0 : WAY_SPREAD);
		float call = (float)entry->call, other = (float)fmin(way->call, most);
		float reveal = (float)(entry->reveal - way->reveal);
		samples_add(&calls, &call, 1);
		samples_add(&ways, &other, 1);
		samples_add(&reveals, &reveal, 1);
	}
	double outside = INFINITY; /* memory is short: nothing is confirmed */
	if (is_there(&calls, measured->count) && is_there(&ways, measured->count + 2) &&
		is_there(&reveals, measured->count)) {
		double late = sealed_quantile(&reveals, 0.5) - REVEAL_SPREAD;
		outside = sealed_quantile(&calls, 0.25) - sealed_quantile(&ways, 0.25) +
				  fmax(late, 0) / measured->plan.calls;
	}
	*spread = sealed_quantile(&calls, 0.5) - sealed_quantile(&calls, 0.0);
	samples_free(&calls);
	samples_free(&ways);
	samples_free(&reveals);
	return fmax(outside, 0);
}

/* One pass of the entry, and one of the yardstick, while the entry's process stands still. */
static bool pair_of(struct run *run, struct yardstick *yardstick, struct lane *lane,
					struct timing_entry *entry, struct measured *measured, struct outcome *outcome,
					struct error *err)
{
	uint32_t i = measured->count;
	if (!pass_of(run, &lane->contestant, &measured->plan, &entry->seal, &measured->entry[i],
				 outcome, err))
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
						 struct timing_entry *entry, const struct timing_result *result,
						 double microseconds, struct measured *measured, struct outcome *outcome,
						 struct error *err)
{
	double claim = claim_of(entry)->median, began = clock_seconds(), ignored;
	groups_plan(run, result, microseconds, entry->seal.floor, &measured->plan);
	measured->count = 0;
	while (measured->count < PASSES_MAX) {
		uint32_t passes = measured->count;
		if (passes >= 2 && clock_seconds() - began > SERIES_SECONDS)
			break;
		double seen = outside_of(measured, yardstick->before, yardstick->before, &ignored);
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
	double claim = claim_of(entry)->median, ignored;
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
	if (lane->running &&
		!entry_passes(run, yardstick, lane, entry, result, claim, measured, &outcome, err))
		return false;
	double seen = outside_of(measured, yardstick->before, yardstick->before, &ignored);
	if (outcome.verdict == VERDICT_ACCEPTED && measured->plan.calls > 1 &&
		seen > 1.5 * claim + allowance(claim) &&
		!entry_passes(run, yardstick, lane, entry, result, seen, measured, &outcome, err))
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
	double claim = claim_of(entry)->median;
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

static bool entry_confirm(struct run *run, struct yardstick *yardstick,
						  const struct measured *measured, struct timing_entry *entry,
						  struct error *err)
{
	double after = yardstick->before;
	struct outcome outcome;
	if (!entry->ran || measured->count == 0)
		return true;
	if (!is_library(entry) && !yardstick_alone(run, yardstick, &measured->plan,
											   measured->entry[0].call, &after, &outcome, err))
		return false;
	if (after == 0) /* no memory any more */
		after = yardstick->before;
	entry->seal.outside = outside_of(measured, yardstick->before, after, &entry->seal.uncertainty);
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
	struct measured *measured = calloc(count, sizeof *measured);
	if (measured == NULL)
		return error_set(err, "out of memory");
	bool ok = entries_run(run, problem, yardstick, lanes, count, result, measured, err);
	for (size_t i = 0; i < count; i++)
		ok = ok && entry_confirm(run, yardstick, &measured[i], &result->entries[i], err);
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
