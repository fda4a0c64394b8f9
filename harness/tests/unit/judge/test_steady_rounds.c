/* links: judge compile process testcases base */
/* A steady stream of made-up processes on a made-up GPU: who is asked for what, and when blocks
 * count. Its clock moves by what is asked for alone. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "judge/timing/meter.h"
#include "judge/timing/steady.h"

#define ENTRANTS 3
#define SETS 12

static struct made {
	double now;
	double warm;     /* seconds after which the power stays */
	char asked[400]; /* "a" a lead, "A" a block that counts, "b" ... of the others; lower case
						where the block does not end with the set aside */
	uint32_t aside;  /* of the last request */
	size_t leads, resets, checks;
	size_t fails_at[ENTRANTS]; /* which request of it fails; 0: none */
	size_t requests[ENTRANTS];
	size_t wrong;    /* the entrant whose outputs are wrong, counted from 1 */
	double stops_at; /* seconds; 0: nobody does */
	struct lane lanes[ENTRANTS];
	bool metering;
} made;

static double made_seconds(void)
{
	return made.now;
}

static bool made_stopped(const struct run *run)
{
	(void)run;
	return made.stops_at > 0.0 && made.now >= made.stops_at;
}

static bool made_reset(struct referee_link *referee, uint64_t fresh, struct error *err)
{
	(void)referee, (void)err;
	cr_expect_neq(fresh, 0, "inputs are drawn anew");
	made.resets++;
	return true;
}

static void made_begin(struct meter *meter, struct clocks *clocks)
{
	(void)meter, (void)clocks;
	made.metering = true;
}

/* Power goes up by 20 W a second until it is warm. */
static struct metered made_end(struct meter *meter)
{
	(void)meter;
	double watts = 700 - 20 * (made.now < made.warm ? made.warm - made.now : 0);
	made.metering = false;
	return (struct metered){.seconds = STEADY_BLOCK_SECONDS,
							.joules = watts * STEADY_BLOCK_SECONDS,
							.watts = watts,
							.mhz = 1400};
}

/* Entrant i makes 1000, 2000 or 3000 calls in the seconds of a block. */
static struct outcome made_stream(struct contestant_link *link, struct contestant_stream asked,
								  double timeout, uint64_t *calls, double *seconds)
{
	size_t entrant = 0;
	while (link != &made.lanes[entrant].contestant)
		entrant++;
	bool block = asked.seconds == STEADY_BLOCK_SECONDS;
	cr_expect(block || asked.seconds == STEADY_LEAD_SECONDS);
	cr_expect(made.metering == block, "a lead is not metered");
	cr_expect(asked.aside < SETS && (!block || asked.aside == made.aside), "the lead's own set");
	cr_expect(block || !asked.ends);
	cr_expect_eq(timeout, 10);
	made.leads += !block;
	made.aside = asked.aside;
	made.now += asked.seconds;
	size_t used = strlen(made.asked);
	if (block && used + 1 < sizeof made.asked)
		made.asked[used] = (char)((asked.ends ? 'A' : 'a') + (int)entrant);
	*calls = 0;
	*seconds = 0;
	if (++made.requests[entrant] == made.fails_at[entrant])
		return (struct outcome){
			.verdict = VERDICT_RUNTIME_ERROR, .detail = "CUDA error 700", .dead = true};
	*calls = 1000 * (entrant + 1);
	*seconds = asked.seconds;
	return (struct outcome){.verdict = VERDICT_ACCEPTED};
}

static bool made_check(const struct lane_check *check, uint32_t set, struct lane *lane,
					   struct timing_entry *entry, struct error *err)
{
	(void)check, (void)err;
	made.checks++;
	cr_expect_eq(set, made.aside, "what only the last call wrote");
	if (made.wrong > 0 && lane == &made.lanes[made.wrong - 1])
		lane_failed(entry, (struct outcome){.verdict = VERDICT_WRONG_ANSWER});
	return true;
}

#define clock_seconds made_seconds
#define run_stopped made_stopped
#define referee_link_reset made_reset
#define meter_begin made_begin
#define meter_end made_end
#define contestant_link_stream made_stream
#define lane_check(...) made_check(__VA_ARGS__)
#include "judge/timing/steady.c" /* NOLINT(bugprone-suspicious-include) */

static struct timing_entry entries[ENTRANTS];

static struct timing_result measured(size_t count)
{
	struct run run = {.timeout = 10};
	struct error err;
	struct clocks clocks = {.library = NULL};
	struct timing_result out = {.count = count, .entries = entries, .seconds = 3};
	run.referee.arena.sets = SETS;
	for (size_t i = 0; i < count; i++)
		entries[i] = (struct timing_entry){.ran = true, .passes.count = 9};
	cr_assert(steady_measure(&(struct lane_check){.run = &run}, made.lanes, &out, &clocks, &err),
			  "%s", err.message);
	return out;
}

Test(steady_rounds, entrants_take_turns_after_two_rounds_that_are_alike)
{
	const struct timing_result out = measured(2);
	cr_expect_str_eq(made.asked, "abab"
								 "ABABABABAB");
	cr_expect(out.settled);
	cr_expect_float_eq(out.warm_up, 4.0, 1e-9);
	cr_expect_float_eq(out.seconds, 3 + 14.0, 1e-9);
	cr_expect(made.resets == 14 && made.leads == 14 && made.checks == 10);
	for (size_t i = 0; i < 2; i++) {
		const struct timing_steady *steady = &entries[i].steady;
		const double calls = 1000.0 * (double)(i + 1);
		cr_expect(entries[i].ran && steady->time.samples == STEADY_ROUNDS);
		cr_expect_float_eq(steady->time.median, 700000 / calls, 1e-3);
		cr_expect_float_eq(steady->joules, 490 / calls, 1e-6);
		cr_expect(steady->watts == 700 && steady->mhz == 1400);
		cr_expect_eq(steady->calls, (uint64_t)calls * STEADY_ROUNDS);
		cr_expect_eq(entries[i].passes.count, STEADY_ROUNDS, "blocks in place of passes");
		cr_expect_float_eq(entries[i].passes.microseconds[4], 700000 / calls, 1e-3);
	}
}

/* 20 W a second are 40 W from round to round, of 700; until it is warm, or for ten seconds. */
Test(steady_rounds, blocks_count_when_the_power_has_settled)
{
	made.warm = 7;
	struct timing_result out = measured(2);
	cr_expect(out.settled);
	cr_expect_float_eq(out.warm_up, 10.0, 1e-9, "%g", out.warm_up);
	cr_expect_eq(entries[0].steady.watts, 700);
	memset(&made, 0, sizeof made);
	made.warm = 1000;
	out = measured(2);
	cr_expect_not(out.settled);
	cr_expect_float_eq(out.warm_up, 10.0, 1e-9, "%g", out.warm_up);
	cr_expect_eq(entries[0].steady.time.samples, STEADY_ROUNDS, "and it counts all the same");
}

Test(steady_rounds, an_entrant_that_fails_goes_on_no_more)
{
	made.fails_at[0] = 3; /* the lead of its second block */
	made.fails_at[1] = 8; /* its second block that counts */
	measured(3);
	cr_expect_str_eq(made.asked, "abcbc"
								 "BCBCCCC");
	cr_expect(!entries[0].ran && !entries[1].ran && entries[2].ran);
	cr_expect_eq(entries[0].verdict, VERDICT_RUNTIME_ERROR);
	cr_expect_str_eq(entries[0].detail, "runtime_error: CUDA error 700");
	cr_expect(entries[0].steady.time.samples == 0 && entries[1].steady.time.samples == 0);
	cr_expect_eq(entries[2].steady.time.samples, STEADY_ROUNDS);
}

Test(steady_rounds, an_output_of_each_block_is_looked_at)
{
	made.wrong = 2;
	measured(2);
	cr_expect_str_eq(made.asked, "abab"
								 "ABAAAA");
	cr_expect_eq(entries[1].verdict, VERDICT_WRONG_ANSWER);
	cr_expect(entries[0].ran && entries[0].steady.time.samples == STEADY_ROUNDS);
}

Test(steady_rounds, interrupted_it_has_whole_rounds_or_nothing)
{
	made.stops_at = 3;
	struct timing_result out = measured(2);
	cr_expect_str_eq(made.asked, "abab", "the round at hand ends");
	cr_expect(!timing_is_steady(&out) && out.warm_up == 0.0 && entries[0].ran);
	cr_expect_eq(entries[0].passes.count, 9, "of the bursts");
	memset(&made, 0, sizeof made);
	made.stops_at = 7;
	out = measured(2);
	cr_expect_str_eq(made.asked, "abab"
								 "ABAB");
	cr_expect_eq(entries[1].steady.time.samples, 2);
}

Test(steady_rounds, nobody_who_runs_is_no_work)
{
	struct timing_result out = measured(0);
	cr_expect_str_eq(made.asked, "");
	cr_expect_not(timing_is_steady(&out));
}
