#include "judge/timing/steady.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/random.h"
#include "judge/timing/meter.h"

/* ---- what blocks say ------------------------------------------------------------------ */

static bool same(double before, double now)
{
	return fabs(now - before) <= STEADY_SETTLED * before;
}

bool steady_settled(const struct steady_block *before, const struct steady_block *now, size_t count)
{
	bool settled = true;
	for (size_t i = 0; i < count; i++) {
		const struct steady_block *a = &before[i], *b = &now[i];
		bool metered = b->watts > 0.0 || b->mhz > 0.0;
		settled = settled && same(a->watts, b->watts) && same(a->mhz, b->mhz) &&
				  (metered || same(a->microseconds, b->microseconds));
	}
	return settled;
}

static double of_block(const struct steady_block *block, size_t member)
{
	const double members[] = {block->microseconds, block->joules, block->watts, block->mhz};
	return members[member];
}

static struct timing_stats stats_of_member(const struct steady_block *blocks, size_t count,
										   size_t member)
{
	struct samples samples = {0};
	bool ok = true;
	for (size_t i = 0; i < count && ok; i++) {
		float value = (float)of_block(&blocks[i], member);
		ok = samples_add(&samples, &value, 1);
	}
	struct timing_stats stats = {0};
	if (ok)
		stats = stats_of(&samples);
	samples_free(&samples);
	return stats;
}

struct timing_steady steady_of(const struct steady_block *blocks, size_t count)
{
	struct timing_steady out = {.time = stats_of_member(blocks, count, 0),
								.joules = stats_of_member(blocks, count, 1).median,
								.watts = stats_of_member(blocks, count, 2).median,
								.mhz = stats_of_member(blocks, count, 3).median};
	for (size_t i = 0; i < count; i++)
		out.calls += blocks[i].calls;
	return out;
}

/* ---- blocks ---------------------------------------------------------------------------- */

struct steady {
	const struct lane_check *check;
	struct lane *lanes;
	struct timing_result *out;
	struct clocks *clocks;
	struct steady_block *blocks; /* of each entry, for each round; then two rounds of warming up */
};

static struct steady_block *round_of(const struct steady *steady, size_t round)
{
	return &steady->blocks[round * steady->out->count];
}

/* Back-to-back calls of one entrant; where they fail its entry does, and *calls is 0. */
static void calls_make(const struct steady *steady, size_t entry, struct contestant_stream asked,
					   uint64_t *calls, double *seconds)
{
	struct lane *lane = &steady->lanes[entry];
	struct outcome outcome = contestant_link_stream(&lane->contestant, asked,
													steady->check->run->timeout, calls, seconds);
	if (outcome.verdict == VERDICT_ACCEPTED && *calls > 0 && *seconds > 0.0)
		return;
	*calls = 0;
	if (outcome.verdict == VERDICT_ACCEPTED)
		outcome = (struct outcome){.verdict = VERDICT_RUNTIME_ERROR,
								   .detail = "solve() broke the channel to the judge"};
	lane->running = !outcome.dead;
	lane_failed(&steady->out->entries[entry], outcome);
}

/* A set that only the last call gets is drawn for each block: what is checked is one call's work,
 * also where a call adds to what the result holds. */
static bool block_make(const struct steady *steady, size_t entry, bool counts,
					   struct steady_block *block, struct error *err)
{
	const struct lane_check *check = steady->check;
	struct timing_entry *result = &steady->out->entries[entry];
	uint64_t fresh, drawn;
	if (!random_draw(&fresh, err) || !random_draw(&drawn, err) ||
		!referee_link_reset(&check->run->referee, fresh, err))
		return false;
	struct contestant_stream asked = {.seconds = STEADY_LEAD_SECONDS,
									  .aside = (uint32_t)(drawn % check->run->referee.arena.sets)};
	double seconds = 0.0;
	*block = (struct steady_block){0};
	calls_make(steady, entry, asked, &block->calls, &seconds);
	if (!result->ran)
		return true;
	asked.seconds = STEADY_BLOCK_SECONDS;
	asked.ends = counts;
	struct meter meter;
	meter_begin(&meter, steady->clocks);
	calls_make(steady, entry, asked, &block->calls, &seconds);
	const struct metered metered = meter_end(&meter);
	if (!result->ran)
		return true;
	block->microseconds = 1e6 * seconds / (double)block->calls;
	block->joules = metered.joules / (double)block->calls;
	block->watts = metered.watts;
	block->mhz = metered.mhz;
	return !counts || lane_check(check, asked.aside, &steady->lanes[entry], result, err);
}

static bool round_make(const struct steady *steady, bool counts, struct steady_block *blocks,
					   struct error *err)
{
	for (size_t i = 0; i < steady->out->count; i++)
		if (steady->out->entries[i].ran && !block_make(steady, i, counts, &blocks[i], err))
			return false;
	return true;
}

static bool warm_up(const struct steady *steady, struct error *err)
{
	struct timing_result *out = steady->out;
	const struct run *run = steady->check->run;
	double start = clock_seconds();
	for (size_t done = 0; !run_stopped(run); done++) {
		struct steady_block *now = round_of(steady, STEADY_ROUNDS + done % 2);
		struct steady_block *before = round_of(steady, STEADY_ROUNDS + (done + 1) % 2);
		if (!round_make(steady, false, now, err))
			return false;
		for (size_t i = 0; i < out->count; i++)
			if (!out->entries[i].ran)
				before[i] = now[i] = (struct steady_block){0};
		out->warm_up = clock_seconds() - start;
		out->settled = done > 0 && steady_settled(before, now, out->count);
		if (out->settled || (done > 0 && out->warm_up >= STEADY_WARM_UP_SECONDS))
			break;
	}
	return true;
}

/* Its blocks are then the passes by which two runs are compared. */
static bool entry_finish(const struct steady *steady, size_t entry, size_t rounds,
						 struct error *err)
{
	struct timing_entry *result = &steady->out->entries[entry];
	struct steady_block blocks[STEADY_ROUNDS];
	if (!result->ran || rounds == 0)
		return true;
	for (size_t round = 0; round < rounds; round++)
		blocks[round] = round_of(steady, round)[entry];
	result->steady = steady_of(blocks, rounds);
	result->passes.count = 0;
	for (size_t round = 0; round < rounds; round++)
		result->passes.microseconds[result->passes.count++] = (float)blocks[round].microseconds;
	return result->steady.time.samples == rounds || error_set(err, "out of memory for samples");
}

bool steady_measure(const struct lane_check *check, struct lane *lanes, struct timing_result *out,
					struct clocks *clocks, struct error *err)
{
	struct steady steady = {.check = check, .lanes = lanes, .out = out, .clocks = clocks};
	steady.blocks = calloc((STEADY_ROUNDS + 2) * out->count + 1, sizeof *steady.blocks);
	if (steady.blocks == NULL)
		return error_set(err, "out of memory for blocks");
	double start = clock_seconds();
	size_t rounds = 0;
	bool ok = warm_up(&steady, err);
	while (ok && rounds < STEADY_ROUNDS && !run_stopped(check->run)) {
		ok = round_make(&steady, true, round_of(&steady, rounds), err);
		rounds += ok;
	}
	if (rounds == 0) /* interrupted: what counts are the bursts */
		out->warm_up = 0.0;
	for (size_t i = 0; i < out->count && ok; i++)
		ok = entry_finish(&steady, i, rounds, err);
	out->seconds += clock_seconds() - start;
	free(steady.blocks);
	return ok;
}
