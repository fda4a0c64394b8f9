/* links: judge compile jail process testcases base */
/* What passes say of a call's time, on machines that are made up here: quiet and unsteady ones,
 * honest files and others. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/timing/host_time.h"

#define RUNS 400

/* A machine: microseconds that a call takes besides its work, and by how much that differs. */
struct machine {
	double overhead, release;
	double jitter;    /* of each group, upwards; now and then ten times as much */
	double processes; /* of each process's releases, either way */
};

static double uniform(void)
{
	static unsigned long long state = 1;
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / 9007199254740992.0;
}

static double disturbed(const struct machine *machine)
{
	double more = -log(1 - uniform()) * machine->jitter;
	return uniform() < 0.1 ? 10 * more : more;
}

static struct sealed_times times_of(const struct machine *machine, double work, double release)
{
	struct sealed_times times = {.count = 2};
	for (uint32_t i = 0; i < times.count; i++)
		times.groups[i] =
			(struct sealed_group){.release = release + disturbed(machine),
								  .call = machine->overhead + work + disturbed(machine)};
	return times;
}

/* A file whose calls take so long, and whose process says `claim`, and `idle` of calls between
 * events. */
static struct timing_entry judged_idle(const struct machine *machine, uint32_t calls, double work,
									   double claim, double idle, uint32_t passes)
{
	struct timing_entry entry = {.ran = true,
								 .span = {.samples = 100, .median = claim},
								 .event = {.samples = 30, .median = idle},
								 .passes = {.count = 2, .microseconds = {100, 101}}};
	struct sealed_series *series = calloc(1, sizeof *series);
	double own = machine->release + (2 * uniform() - 1) * machine->processes;
	series->plan.calls = calls;
	while (series->count < passes) {
		series->entry[series->count] = times_of(machine, work, own);
		series->overhead[series->count++] = times_of(machine, 0, machine->release);
	}
	const struct overhead_bound bound = {.before = machine->overhead + machine->jitter,
										 .after = {.release = machine->release + machine->jitter,
												   .call = machine->overhead + machine->jitter}};
	const struct host_time seen = host_time_of(series, &bound);
	host_time_judge(&seen, &entry);
	if (entry.seal.state == SEAL_HOST_SIDE)
		cr_assert(host_time_passes(series, &bound, &seen, &entry.passes));
	free(series);
	return entry;
}

static struct timing_entry judged(const struct machine *machine, uint32_t calls, double work,
								  double claim, uint32_t passes)
{
	return judged_idle(machine, calls, work, claim, claim, passes);
}

static const struct machine quiet = {.overhead = 38, .release = 90, .jitter = 0.7, .processes = 5};
static const struct machine unsteady = {
	.overhead = 45, .release = 150, .jitter = 4, .processes = 20};

struct tally {
	int confirmed, outside, uncertain, too_fast, slowed;
	double least; /* that was shown of a time that ranks */
};

static struct tally tally_idle(const struct machine *machine, uint32_t calls, double work,
							   double claim, double idle, uint32_t passes)
{
	struct tally tally = {.least = INFINITY};
	for (int i = 0; i < RUNS; i++) {
		struct timing_entry entry = judged_idle(machine, calls, work, claim, idle, passes);
		double shown = timing_shown(&entry, true)->median;
		if (entry.seal.state != SEAL_UNCERTAIN)
			tally.least = fmin(tally.least, shown);
		tally.slowed += entry.seal.slowed;
		tally.confirmed += entry.seal.state == SEAL_CONFIRMED;
		tally.outside += entry.seal.state == SEAL_HOST_SIDE;
		tally.uncertain += entry.seal.state == SEAL_UNCERTAIN;
		tally.too_fast += entry.seal.state != SEAL_UNCERTAIN && shown < 0.97 * work;
	}
	return tally;
}

static struct tally tally_of(const struct machine *machine, uint32_t calls, double work,
							 double claim, uint32_t passes)
{
	return tally_idle(machine, calls, work, claim, claim, passes);
}

Test(outside, honest_times_are_confirmed_on_a_quiet_machine)
{
	static const double works[] = {25, 60, 175, 600, 1500};
	for (int i = 0; i < 5; i++)
		for (uint32_t calls = 2; calls <= 8; calls *= 2) {
			struct tally tally = tally_of(&quiet, calls, works[i], works[i], 4);
			cr_expect_geq(tally.confirmed, RUNS * 95 / 100, "%g us, %u calls: %d of %d", works[i],
						  calls, tally.confirmed, RUNS);
		}
	/* a long call is a group of its own */
	cr_expect_geq(tally_of(&quiet, 1, 3000, 3000, 4).confirmed, RUNS * 95 / 100);
}

/* Whatever trick makes the process say a tenth less. */
Test(outside, a_tenth_cannot_be_hidden)
{
	static const struct machine *const machines[] = {&quiet, &unsteady};
	static const double works[] = {100, 175, 450, 1500, 5000};
	static const uint32_t calls[] = {1, 2, 8}, passes[] = {4, 24};
	for (int m = 0; m < 2; m++)
		for (int w = 0; w < 5; w++)
			for (int c = 0; c < 3; c++)
				for (int p = 0; p < 2; p++) {
					struct tally tally =
						tally_of(machines[m], calls[c], works[w], 0.9 * works[w], passes[p]);
					cr_expect_leq(tally.too_fast, RUNS / 100, "%s, %g us, %u calls, %u passes: %d",
								  m == 0 ? "quiet" : "unsteady", works[w], calls[c], passes[p],
								  tally.too_fast);
				}
}

/* A single call behind its own release: what processes differ by is not taken for a difference. */
Test(outside, honest_times_are_not_disputed_on_an_unsteady_machine)
{
	struct tally single = tally_of(&unsteady, 1, 175, 175, 8);
	cr_expect_leq(single.outside, RUNS * 5 / 100, "%d", single.outside);
	cr_expect_geq(single.uncertain, RUNS / 2, "%d", single.uncertain);
	struct tally grouped = tally_of(&unsteady, 4, 175, 175, 16);
	cr_expect_leq(grouped.outside, RUNS * 2 / 100, "%d", grouped.outside);
	cr_expect_geq(grouped.confirmed, RUNS * 85 / 100, "%d", grouped.confirmed);
}

/* What is shown then, and what a rank test takes: no less than the time. */
Test(outside, lies_are_shown_with_their_time)
{
	for (int i = 0; i < RUNS; i++) {
		struct timing_entry entry = judged(&unsteady, 4, 175, 0.6, 12);
		cr_expect_eq(entry.seal.state, SEAL_HOST_SIDE);
		cr_expect_geq(entry.seal.shown.median, 0.97 * 175);
		cr_expect_geq(entry.passes.count, 12u);
		cr_expect_geq(entry.seal.shown.high, entry.seal.shown.median);
	}
}

Test(outside, no_time_below_the_floor_is_confirmed)
{
	struct timing_entry entry = {
		.ran = true, .span = {.samples = 100, .median = 90}, .seal.floor = 100};
	const struct host_time seen = {.time = 90, .scatter = 1, .uncertainty = 2};
	host_time_judge(&seen, &entry);
	cr_expect_eq(entry.seal.state, SEAL_UNCERTAIN);
	entry.seal.floor = 89;
	host_time_judge(&seen, &entry);
	cr_expect_eq(entry.seal.state, SEAL_CONFIRMED);
}

/* A library says what it says, unless somebody slowed it down. */
Test(outside, a_library_is_believed)
{
	struct timing_entry entry = {
		.ran = true, .role = TIMING_LIBRARY, .span = {.samples = 100, .median = 200}};
	struct host_time seen = {.time = 215, .scatter = 1, .uncertainty = 2};
	host_time_judge(&seen, &entry);
	cr_expect_eq(entry.seal.state, SEAL_CONFIRMED);
	seen.time = 170;
	host_time_judge(&seen, &entry);
	cr_expect_eq(entry.seal.state, SEAL_HOST_SIDE);
}

/* As seen on an H100: cuBLAS at 4096x4096x4096, where the GPU needs 128 us. */
static enum seal_state state_of_library(double time, double uncertainty)
{
	struct timing_entry entry = {.ran = true,
								 .role = TIMING_LIBRARY,
								 .span = {.samples = 100, .median = 182},
								 .seal.floor = 128.4};
	const struct host_time seen = {time, uncertainty, uncertainty};
	host_time_judge(&seen, &entry);
	const struct timing_stats *shown = timing_shown(&entry, true);
	cr_expect_eq(shown == &entry.span, entry.seal.state != SEAL_HOST_SIDE);
	cr_expect_geq(shown->low, shown == &entry.span ? 0 : entry.seal.floor);
	return entry.seal.state;
}

Test(outside, a_library_is_not_replaced_by_noise)
{
	cr_expect_neq(state_of_library(136, 46), SEAL_HOST_SIDE);
	cr_expect_neq(state_of_library(147, 34), SEAL_HOST_SIDE);
	cr_expect_neq(state_of_library(136, 30), SEAL_HOST_SIDE);
	cr_expect_neq(state_of_library(230, 40), SEAL_HOST_SIDE);
	cr_expect_eq(state_of_library(230, 8), SEAL_HOST_SIDE, "host work that no span has");
	cr_expect_eq(state_of_library(136, 8), SEAL_HOST_SIDE, "somebody slowed it down");
	cr_expect_eq(state_of_library(90, 3), SEAL_UNCERTAIN, "an error of measurement");
}

Test(outside, more_passes_tell_of_a_library_in_doubt)
{
	const struct timing_entry entry = {.role = TIMING_LIBRARY,
									   .span = {.samples = 100, .median = 182}};
	cr_expect(host_time_doubts_library(&(struct host_time){136, 46, 46}, &entry));
	cr_expect(host_time_doubts_library(&(struct host_time){230, 46, 46}, &entry));
	cr_expect_not(host_time_doubts_library(&(struct host_time){175, 46, 46}, &entry));
}

/* An interval reaches no lower than the GPU's peak allows. */
Test(outside, no_interval_begins_below_the_floor)
{
	struct timing_entry entry = {
		.ran = true, .span = {.samples = 100, .median = 60}, .seal.floor = 128.4};
	const struct host_time seen = {.time = 160, .scatter = 50, .uncertainty = 50};
	host_time_judge(&seen, &entry);
	cr_assert_eq(entry.seal.state, SEAL_HOST_SIDE);
	const struct timing_stats *shown = timing_shown(&entry, true);
	cr_expect(shown->low == 128.4 && shown->min == 128.4, "%g", shown->low);
	timing_keep_possible(&entry);
	cr_expect(entry.ran, "what counts is possible");
}

/* Nobody's, whatever the sealed calls say. */
Test(outside, a_time_that_beats_the_peak_is_no_time)
{
	static const enum timing_role roles[] = {TIMING_FILE, TIMING_LIBRARY, TIMING_PROGRAM};
	for (int i = 0; i < 3; i++)
		for (int state = SEAL_NONE; state <= SEAL_UNCERTAIN; state++)
			for (int possible = 0; possible < 2; possible++) {
				const double median = possible ? 128.5 : 128.3;
				struct timing_entry entry = {
					.ran = true,
					.role = roles[i],
					.span = {.samples = 100, .median = median, .min = 126},
					.event = {.samples = 10, .median = 140},
					.tflops = 1000,
					.passes = {.count = 3, .microseconds = {127, 128.5f, 129}},
					.seal = {.state = (enum seal_state)state,
							 .floor = 128.4,
							 .shown = {.samples = 4, .median = median}}};
				timing_keep_possible(&entry);
				cr_expect_eq(entry.ran, possible);
				cr_expect_eq(entry.verdict, VERDICT_ACCEPTED, "it is nobody's fault");
				cr_expect_eq(entry.passes.count, possible ? 2 : 0);
				cr_expect_eq(strstr(entry.detail, "error of measurement") != NULL, !possible);
				if (!possible)
					cr_expect(entry.span.samples + entry.event.samples + entry.seal.shown.samples ==
								  0 &&
							  entry.tflops == 0);
			}
}

/* ---- what ranks ------------------------------------------------------------------------- */

/* A claim within the allowance is confirmed, and gains no more than what the host cannot tell. */
Test(outside, a_claim_within_the_allowance_gains_next_to_nothing)
{
	static const double works[] = {60, 175, 600, 1500};
	for (int i = 0; i < 4; i++) {
		double less = fmax(4.5, 0.028 * works[i]);
		struct tally tally = tally_of(&quiet, 4, works[i], works[i] - less, 8);
		cr_expect_gt(tally.confirmed, RUNS / 2, "%g us: %d", works[i], tally.confirmed);
		cr_expect_geq(tally.least, works[i] - 3.5, "%g us: %g, claimed %g", works[i], tally.least,
					  works[i] - less);
	}
}

/* What ranks is moved as a whole, and its passes with it. */
Test(outside, a_claim_is_moved_with_its_interval_and_its_passes)
{
	struct timing_entry entry = {
		.ran = true,
		.span = {.samples = 100, .median = 100, .min = 98, .p95 = 104, .low = 99, .high = 101},
		.passes = {.count = 2, .microseconds = {99, 102}}};
	const struct host_time seen = {.time = 104.5, .scatter = 1, .uncertainty = 2.5};
	host_time_judge(&seen, &entry);
	cr_assert_eq(entry.seal.state, SEAL_CONFIRMED);
	const struct timing_stats *shown = timing_shown(&entry, true);
	cr_assert_float_eq(shown->median, 102, 1e-9);
	cr_assert(shown->low == 101 && shown->high == 103 && shown->min == 100 && shown->p95 == 106);
	cr_assert_eq(shown->samples, 100u);
	cr_assert(entry.passes.microseconds[0] == 101 && entry.passes.microseconds[1] == 104);
	cr_assert_eq(entry.span.median, 100, "the claim stays");

	entry.seal = (struct timing_seal){0};
	entry.role = TIMING_LIBRARY;
	host_time_judge(&seen, &entry);
	cr_assert_eq(timing_shown(&entry, true), &entry.span, "a library's word is trusted");
}

/* Host work before the first kernel is in a sealed call and in one between events: an honest file
 * that has some is confirmed, and counts with its host-side time. */
Test(outside, calls_onto_an_idle_gpu_confirm)
{
	struct tally tally = tally_idle(&quiet, 4, 130, 120, 132, 4);
	cr_expect_geq(tally.confirmed, RUNS * 95 / 100, "%d", tally.confirmed);
	cr_expect_geq(tally.least, 128.5, "%g", tally.least);
	tally = tally_of(&quiet, 4, 130, 120, 4);
	cr_expect_eq(tally.confirmed, 0, "by its spans alone it is not: %d", tally.confirmed);
}

/* Whoever forges both is shown with the host-side time, confirmed or not. */
Test(outside, calls_onto_an_idle_gpu_hide_nothing)
{
	static const double claims[] = {0.3, 0.5, 0.6, 0.8, 0.88, 0.9};
	for (int m = 0; m < 2; m++)
		for (int i = 0; i < 6; i++)
			for (double work = 100; work < 2000; work *= 2) {
				struct tally tally =
					tally_idle(m == 0 ? &quiet : &unsteady, 4, work, claims[i] * work, work, 12);
				cr_expect_leq(tally.too_fast, RUNS / 100, "%g of %g us: %d", claims[i], work,
							  tally.too_fast);
				if (claims[i] < 0.7)
					cr_expect_eq(tally.confirmed, 0, "%g of %g us: %d", claims[i], work,
								 tally.confirmed);
			}
}

/* Somebody slowed it down while all had a process. It has no time that counts, and is told so; a
 * difference as runs of one file have it is none. */
Test(outside, a_file_that_was_slowed_down_is_not_confirmed)
{
	struct tally tally = tally_of(&quiet, 4, 175, 200, 4);
	cr_expect(tally.slowed == RUNS && tally.uncertain == RUNS, "%d, %d", tally.slowed,
			  tally.uncertain);
	tally = tally_of(&quiet, 4, 95, 100, 4);
	cr_expect_leq(tally.slowed, RUNS / 20, "%d", tally.slowed);
	cr_expect_geq(tally.confirmed, RUNS * 95 / 100, "%d", tally.confirmed);
}
