#include "judge/confirm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/paths.h"
#include "judge/floor.h"
#include "judge/sealed.h"
#include "process/buffers.h"
#include "process/jail.h"

#define PASSES 8u
#define PASS_SECONDS 0.1   /* at most, of calls */
#define SERIES_SECONDS 0.6 /* at most, with all that belongs to it */
#define SETS_MIN 4u
#define MEMORY_SHARE 0.125 /* of the device's, for the sets of a pass */
#define WAY 85e-6          /* about: what a call takes besides its work */
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

/* As many sets as a pass may have, for calls of so many seconds. */
static uint32_t sets_for(const struct run *run, const struct problem *problem,
						 const struct test_case *test, double seconds)
{
	double room = MEMORY_SHARE * (double)run->referee.facts.memory_bytes;
	double sets = fmin(PASS_SECONDS / (seconds + WAY), SEALED_SETS_MAX);
	sets = fmin(fmax(sets, SETS_MIN), room / bytes_of(run, problem, test) - 1.0);
	return sets < 1 ? 1 : (uint32_t)sets;
}

/* ---- the yardstick -------------------------------------------------------------- */

struct yardstick {
	struct contestant_link link;
	char library[PATHS_MAX];
	bool open;
};

static bool yardstick_open(struct run *run, struct yardstick *yardstick, struct error *err)
{
	char build[PATHS_MAX];
	if (yardstick->open)
		return true;
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
	yardstick->open = outcome.verdict == VERDICT_ACCEPTED;
	return yardstick->open ||
		   error_set(err, "the yardstick does not start: %.900s", outcome.detail);
}

/* What a call takes besides its work, for one of so many microseconds in all; in *spread, how
 * surely. */
static bool yardstick_way(struct run *run, struct yardstick *yardstick,
						  const struct problem *problem, const struct test_case *test,
						  uint32_t sets, double microseconds, double *way, double *spread,
						  struct error *err)
{
	double work = fmin(fmax(microseconds * 1e-6 - WAY, 1e-6), YARDSTICK_MAX);
	struct sealed_series series = {0};
	struct outcome outcome;
	const struct sealed_plan plan = {.problem = problem,
									 .test = test,
									 .sets = sets,
									 .passes = PASSES,
									 .seconds = SERIES_SECONDS,
									 .nanoseconds = (int32_t)(work * 1e9)};
	bool ok = yardstick_open(run, yardstick, err) &&
			  sealed_run(run, &yardstick->link, &plan, &series, &outcome, err) &&
			  (outcome.verdict == VERDICT_ACCEPTED ||
			   error_set(err, "the yardstick failed: %.900s", outcome.detail));
	*way = sealed_time(&series, spread) - work * 1e6;
	samples_free(&series.passes);
	return ok;
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

/* Sealed passes of one entry; seal.outside has the way in it as yet. */
static bool entry_run(struct run *run, const struct problem *problem, struct lane *lane,
					  struct timing_entry *entry, const struct test_case *test, uint32_t sets,
					  struct error *err)
{
	struct sealed_series series = {0};
	struct outcome outcome = {.verdict = VERDICT_ACCEPTED};
	const struct sealed_plan plan = {.problem = problem,
									 .test = test,
									 .entrant = lane->entrant,
									 .sets = sets,
									 .passes = PASSES,
									 .seconds = SERIES_SECONDS,
									 .checks = !is_library(entry),
									 .tolerance = tolerance_of(&run->options->tolerance, problem)};
	if (!lane->running)
		outcome = contestant_link_open(&lane->contestant);
	lane->running = outcome.verdict == VERDICT_ACCEPTED;
	if (lane->running && !lane->contestant.can_seal) {
		snprintf(entry->seal.why, sizeof entry->seal.why, "%s", lane->contestant.unsealed);
		return true;
	}
	if (lane->running && !sealed_run(run, &lane->contestant, &plan, &series, &outcome, err)) {
		samples_free(&series.passes);
		return false;
	}
	lane->running = lane->running && !outcome.dead;
	entry->seal.calls = series.calls;
	entry->seal.passes = (uint32_t)series.passes.count;
	entry->seal.outside = sealed_time(&series, &entry->seal.uncertainty);
	samples_free(&series.passes);
	if (outcome.verdict != VERDICT_ACCEPTED)
		lane_failed(entry, outcome);
	return true;
}

/* What the outside and the process say, put together. */
static void entry_judge(const struct run *run, const struct timing_result *result,
						struct timing_entry *entry)
{
	struct timing_seal *seal = &entry->seal;
	double claim = claim_of(entry)->median;
	double least = fmax(UNCERTAIN_MICROSECONDS, UNCERTAIN_SHARE * seal->outside);
	double below = is_library(entry) ? least + DISTURBED_SHARE * claim : INFINITY;
	seal->uncertainty = fmax(least, seal->uncertainty);
	seal->floor = floor_of(&run->referee.facts, result);
	seal->outside = fmax(seal->outside, 0.0);
	if (seal->outside > claim + seal->uncertainty || seal->outside < claim - below)
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

static bool entry_confirm(struct run *run, const struct problem *problem,
						  struct yardstick *yardstick, uint32_t sets, struct timing_result *result,
						  struct timing_entry *entry, struct error *err)
{
	double way = 0, spread = 0;
	if (!entry->ran || entry->seal.passes == 0)
		return true;
	if (!yardstick_way(run, yardstick, problem, &result->test, sets, entry->seal.outside, &way,
					   &spread, err))
		return false;
	entry->seal.outside -= way;
	entry->seal.uncertainty += spread;
	entry_judge(run, result, entry);
	return true;
}

/* All have the same sets: what the way takes depends on how large they are. */
static uint32_t sets_of(const struct run *run, const struct problem *problem,
						const struct timing_result *result)
{
	double longest = 0;
	for (size_t i = 0; i < result->count; i++)
		if (result->entries[i].ran)
			longest = fmax(longest, claim_of(&result->entries[i])->median);
	return sets_for(run, problem, &result->test, longest * 1e-6);
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

bool confirm(struct run *run, const struct problem *problem, struct lane *lanes, size_t count,
			 struct timing_result *result, struct error *err)
{
	struct yardstick yardstick = {0};
	bool ok = true;
	if (!confirm_wanted(run))
		return true;
	uint32_t sets = sets_of(run, problem, result);
	/* files first, each without the others, then what is ours */
	for (size_t i = 0; i < count; i++)
		if (!is_library(&result->entries[i]) && i > 0)
			lane_close(&lanes[i]);
	for (int ours = 0; ours < 2; ours++)
		for (size_t i = 0; i < count && ok; i++) {
			struct timing_entry *entry = &result->entries[i];
			if (is_library(entry) != (ours == 1) || !entry->ran)
				continue;
			ok = entry_run(run, problem, &lanes[i], entry, &result->test, sets, err);
			if (!is_library(entry))
				lane_close(&lanes[i]);
		}
	for (size_t i = 0; i < count && ok; i++)
		ok = entry_confirm(run, problem, &yardstick, sets, result, &result->entries[i], err);
	contestant_link_close(&yardstick.link);
	return ok && sealed_where_required(run, result, err);
}

/* ---- without times, and a larger shape --------------------------------------------- */

#define CALLS_WITHOUT_TIMES 3u

bool confirm_without_times(struct run *run, const struct problem *problem,
						   const struct entrant *entrant, struct contestant_link *link,
						   const struct test_case *test, struct outcome *outcome, struct error *err)
{
	struct sealed_series series = {0};
	const struct sealed_plan plan = {.problem = problem,
									 .test = test,
									 .entrant = entrant,
									 .sets = CALLS_WITHOUT_TIMES,
									 .passes = 1,
									 .checks = true,
									 .tolerance = tolerance_of(&run->options->tolerance, problem)};
	bool ok = sealed_run(run, link, &plan, &series, outcome, err);
	samples_free(&series.passes);
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
		if (!grew || bytes_of(run, problem, out) * (SETS_MIN + 1.0) > room)
			return false;
		if (microseconds * shape_terms(&out->shape) / terms >= LARGER_MICROSECONDS)
			return true;
	}
	return false;
}
