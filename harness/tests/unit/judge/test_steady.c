/* links: judge compile process testcases base; label: threads */
/* What blocks of a steady stream say, and when they begin to count; NVML is made up. */
#include <criterion/criterion.h>
#include <math.h>
#include <time.h>

#include "judge/timing/meter.h"
#include "judge/timing/steady.h"

/* ---- settling ------------------------------------------------------------------------- */

static bool settled(struct steady_block before, struct steady_block now)
{
	const struct steady_block still = {100, 0.07, 700, 1400, 5000};
	return steady_settled((const struct steady_block[]){still, before},
						  (const struct steady_block[]){still, now}, 2);
}

Test(steady, settles_when_power_and_clock_of_all_entrants_stay)
{
	const struct steady_block block = {.microseconds = 200, .watts = 690, .mhz = 1400};
	struct steady_block now = block;
	cr_expect(settled(block, now));
	now.watts = 696.5;
	now.mhz = 1387;
	cr_expect(settled(block, now), "both by less than a percent");
	now.watts = 697.5;
	cr_expect_not(settled(block, now), "the power went up");
	now.watts = 682;
	cr_expect_not(settled(block, now), "the power went down");
	now.watts = 690;
	now.mhz = 1385;
	cr_expect_not(settled(block, now), "the clock fell");
}

Test(steady, settles_by_the_time_where_nvml_says_nothing)
{
	const struct steady_block unknown = {.microseconds = 200}, slower = {.microseconds = 203};
	const struct steady_block known = {.microseconds = 200, .watts = 300, .mhz = 1980};
	struct steady_block later = known;
	cr_expect(settled(unknown, unknown));
	cr_expect_not(settled(unknown, slower));
	later.microseconds = 260;
	cr_expect(settled(known, later), "a short call's time may scatter for ever");
	later.watts = NAN;
	cr_expect_not(settled(known, later));
	cr_expect_not(settled(unknown, known), "the first reading is no settled one");
}

/* ---- statistics ------------------------------------------------------------------------ */

Test(steady, an_entrant_has_the_medians_of_its_blocks)
{
	const struct steady_block blocks[] = {{224, 0.158, 700, 1395, 3000},
										  {221, 0.156, 698, 1380, 3100},
										  {226, 0.159, 702, 1410, 2900},
										  {223, 0.157, 699, 1365, 3050},
										  {290, 0.250, 710, 1500, 2400}};
	const struct timing_steady steady = steady_of(blocks, 5);
	cr_expect_eq(steady.time.samples, 5);
	cr_expect_eq(steady.time.median, 224);
	cr_expect(steady.time.min == 221 && steady.time.low == 221 && steady.time.high == 290);
	cr_expect_float_eq(steady.joules, 0.158, 1e-6);
	cr_expect_eq(steady.watts, 700);
	cr_expect_eq(steady.mhz, 1395);
	cr_expect_eq(steady.calls, 14450);
	const struct timing_steady none = steady_of(blocks, 0);
	cr_expect(none.time.samples == 0 && none.time.median == 0.0 && none.calls == 0);
}

/* The time that counts is the stream's, whatever bursts and seals say. */
Test(steady, its_time_counts)
{
	struct timing_entry entry = {.ran = true,
								 .span = {.samples = 40, .median = 179},
								 .event = {.samples = 10, .median = 183},
								 .seal = {.state = SEAL_HOST_SIDE, .shown = {70, .median = 300}}};
	struct timing_result timing = {.count = 1, .entries = &entry};
	cr_expect_not(timing_is_steady(&timing));
	cr_expect_eq(timing_shown(&entry, true)->median, 300);
	entry.steady.time = (struct timing_stats){.samples = 5, .median = 224};
	cr_expect(timing_is_steady(&timing));
	cr_expect_eq(timing_shown(&entry, true)->median, 224);
	cr_expect_eq(timing_shown(&entry, false)->median, 224);
	cr_expect_eq(timing_own(&entry)->median, 179, "of bursts");
}

/* ---- the meter -------------------------------------------------------------------------- */

/* A device that takes 500 W, counted by its own clock; its SM clock falls at every look. */
static struct made {
	unsigned long long millijoules;
	unsigned mhz, looks;
	int counts, refuses; /* CUDA's and NVML's codes are 0 where all is well */
} made;

static int made_clock(void *device, int type, unsigned *mhz)
{
	cr_assert(device == &made && type == 1); /* SM */
	*mhz = made.mhz - 10 * made.looks++;
	return made.refuses;
}

static int made_power(void *device, unsigned *milliwatts)
{
	(void)device;
	*milliwatts = 500000;
	return made.refuses;
}

static int made_energy(void *device, unsigned long long *millijoules)
{
	(void)device;
	*millijoules = made.millijoules += 50000;
	return made.counts;
}

static struct clocks made_nvml(void)
{
	made = (struct made){.millijoules = 1000, .mhz = 1410};
	return (struct clocks){
		.device = &made, .clock_info = made_clock, .power = made_power, .energy = made_energy};
}

/* So many looks of the thread. */
static struct metered metered_for(struct clocks *clocks, int looks)
{
	const struct timespec pause = {.tv_nsec = (long)(METER_SECONDS * (looks + 0.5) * 1e9)};
	struct meter meter;
	meter_begin(&meter, clocks);
	nanosleep(&pause, NULL);
	return meter_end(&meter);
}

Test(steady, energy_is_what_the_counter_moved_by)
{
	struct clocks clocks = made_nvml();
	const struct metered metered = metered_for(&clocks, 4);
	cr_expect_float_eq(metered.joules, 50.0, 1e-9);
	cr_expect_float_eq(metered.watts, 50.0 / metered.seconds, 1e-9);
	cr_expect(metered.seconds >= 4 * METER_SECONDS && metered.seconds < 60);
	cr_expect(metered.mhz < 1410 && metered.mhz > 1410 - 10.0 * made.looks, "%g", metered.mhz);
	cr_expect_eq(clocks.mhz.count, made.looks, "the timing has these clocks, too");
	cr_expect_leq(made.looks * METER_SECONDS, metered.seconds, "no look after the end");
	clocks_close(&clocks);
}

Test(steady, energy_is_the_powers_where_there_is_no_counter)
{
	for (int lacking = 0; lacking < 2; lacking++) {
		struct clocks clocks = made_nvml();
		if (lacking == 1)
			clocks.energy = NULL;
		made.counts = 3; /* NVML_ERROR_NOT_SUPPORTED */
		const struct metered metered = metered_for(&clocks, 2);
		cr_expect_eq(metered.watts, 500);
		cr_expect_float_eq(metered.joules, 500 * metered.seconds, 1e-9);
		clocks_close(&clocks);
	}
}

Test(steady, nothing_is_known_without_nvml)
{
	struct clocks none = {0}, refusing = made_nvml();
	struct metered metered = metered_for(&none, 1);
	cr_expect(metered.joules == 0.0 && metered.watts == 0.0 && metered.mhz == 0.0);
	cr_expect(metered.seconds > 0.0);
	made.refuses = made.counts = 3;
	metered = metered_for(&refusing, 2);
	cr_expect(metered.joules == 0.0 && metered.watts == 0.0 && metered.mhz == 0.0);
	cr_expect_eq(refusing.mhz.count, 0);
	clocks_close(&refusing);
}

/* A stream's power holds its clock down: that is what is measured. Heat is another matter. */
static int made_reasons(void *device, unsigned long long *bits)
{
	(void)device;
	*bits = made.looks > 2 ? 0x4 | 0x20 : 0x4;
	return 0;
}

Test(steady, a_power_cap_is_no_slowdown_of_a_stream)
{
	for (int heat = 0; heat < 2; heat++)
		for (int steady = 0; steady < 2; steady++) {
			struct clocks clocks = made_nvml();
			struct timing_result timing = {.count = 0};
			clocks.reasons = made_reasons;
			clocks.power_cap_expected = steady;
			for (int looks = 0; looks < (heat ? 3 : 1); looks++)
				cr_expect_gt(clocks_sample(&clocks), 0.0);
			clocks_report(&clocks, &timing);
			cr_expect_str_eq(timing.throttle_reason, steady && heat ? "temperature"
													 : steady       ? ""
													 : heat         ? "power cap, temperature"
																	: "power cap");
			cr_expect_eq(timing.throttled, !steady || heat);
			clocks_begin(&clocks);
			cr_expect(clocks.mhz.count == 0 && clocks.seen == 0);
			clocks_close(&clocks);
		}
}
