/* links: judge report compile jail process testcases base */
/* What sealed calls are made of before there is a GPU, and how what they say is told: groups,
 * larger shapes, floors, quantiles; lines and JSON of a report. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/timing/confirm.h"
#include "judge/timing/groups.h"
#include "judge/timing/host_time.h"
#include "judgement/floor.h"
#include "judgement/layers.h"
#include "report/report.h"
#include "report/seal.h"

/* An H200, as it tells of itself. */
static struct run run_on_h200(void)
{
	struct run run = {0};
	struct device_properties *facts = &run.referee.facts;
	snprintf(facts->architecture, sizeof facts->architecture, "90a");
	facts->multiprocessors = 132;
	facts->memory_bytes = 141ull << 30;
	facts->l2_bytes = 60u << 20;
	facts->sm_clock_khz = 1980000;
	facts->memory_bytes_per_second = 4.8e12;
	return run;
}

static struct timing_result timing_of(const char *problem, int m, int n, int k)
{
	struct timing_result timing = {.test.shape = {{1, m, n, k, 1}}};
	snprintf(timing.problem, sizeof timing.problem, "%s", problem);
	return timing;
}

static struct test_case product(int m, int n, int k)
{
	return timing_of("gemm-f16", m, n, k).test;
}

/* The tricks that answer the judge themselves, on a GPU alone, know the messages by heart. */
Test(sealed, messages_are_as_long_as_tricks_believe)
{
	static const char where[] = "harness/tests/cheats/peek.cuh and time_takeover.cu";
	cr_expect_eq(sizeof(struct message), 1032u, "%s: PEEK_HEAD", where);
	cr_expect_eq(sizeof(struct contestant_reply), 2680u, "%s, replies.cuh: REPLY", where);
	cr_expect_eq(sizeof(struct contestant_time_reply), 19364u, "%s: TIME_REPLY", where);
	cr_expect_eq(offsetof(struct contestant_time_reply, calls), 1620u, "%s: TIME_TEXTS", where);
	cr_expect_eq(sizeof(struct contestant_call_reply), 1640u, "%s: answer_call()", where);
	cr_expect(MESSAGE_CONTESTANT_CASE == 102 && MESSAGE_CONTESTANT_END == 108, "%s", where);
}

/* ---- quantiles and floors ------------------------------------------------------------ */

Test(sealed, quantiles_are_samples)
{
	struct samples samples = {0};
	const float values[] = {50, 10, 40, 20, 30};
	cr_assert_eq(samples_quantile(&samples, 0.5), 0.0, "of none");
	cr_assert(samples_add(&samples, values, 5));
	cr_assert_eq(samples_quantile(&samples, 0.0), 10.0);
	cr_assert_eq(samples_quantile(&samples, 0.25), 20.0);
	cr_assert_eq(samples_quantile(&samples, 0.5), 30.0);
	cr_assert_eq(samples_quantile(&samples, 1.0), 50.0);
	cr_assert(samples_add(&samples, (const float[]){1}, 1));
	cr_assert_eq(samples_quantile(&samples, 0.0), 1.0, "sorted anew");
	samples_free(&samples);
	cr_assert(samples_add(&samples, (const float[]){7}, 1));
	for (double share = 0; share <= 1; share += 0.25)
		cr_assert_eq(samples_quantile(&samples, share), 7.0, "of one");
	samples_free(&samples);
}

Test(sealed, floors_are_operations_over_peak_or_bytes_over_bandwidth)
{
	struct run run = run_on_h200();
	struct device_properties *facts = &run.referee.facts;
	struct timing_result timing = timing_of("gemm-f16", 1024, 1024, 1024);
	double peak = 4096.0 * 132 * 1.98e9;
	cr_assert_float_eq(floor_of(facts, &timing), 2.0 * 1024 * 1024 * 1024 / peak * 1e6, 1e-9);
	cr_assert_float_eq(floor_of(facts, &timing), 2.0, 0.1, "microseconds");
	timing = timing_of("sgemm", 1024, 1024, 1024); /* half as many a clock of 32 bits */
	cr_assert_float_eq(floor_of(facts, &timing), 4.0 * 1024 * 1024 * 1024 / peak * 1e6, 1e-9);
	timing = timing_of("gemv-f32", 4096, 1, 8192);
	double bytes = 4.0 * (4096.0 * 8192 + 8192); /* what is written may stay in the L2 cache */
	cr_assert_float_eq(floor_of(facts, &timing), bytes / 4.8e12 * 1e6, 1e-9);
	timing = timing_of("gemm-f16", 8192, 8192, 16);
	bytes = 2.0 * (2 * 8192.0 * 16 + 8192.0 * 8192) - facts->l2_bytes;
	cr_assert_float_eq(floor_of(facts, &timing), bytes / 4.8e12 * 1e6, 1e-9, "where it has room");
	timing.test.scalar[SCALAR_BETA] = 1;
	bytes += 2.0 * 8192.0 * 8192; /* and is read before */
	cr_assert_float_eq(floor_of(facts, &timing), bytes / 4.8e12 * 1e6, 1e-9);
	timing = timing_of("gemv-f32", 4096, 1, 8192);
	facts->memory_bytes_per_second = 0;
	cr_assert_lt(floor_of(facts, &timing), 1.0, "of the operations alone");
	*facts = (struct device_properties){.name = "emulated GPU"};
	cr_assert_eq(floor_of(facts, &timing), 0.0, "nothing is known");
}

/* ---- groups ----------------------------------------------------------------------------- */

static struct sealed_plan plan_for(const struct run *run, const struct test_case *test,
								   double microseconds, double floor)
{
	struct sealed_plan plan = {.problem = problem_find("gemm-f16"), .test = test};
	groups_plan(run, microseconds, floor, &plan);
	cr_assert(plan.group >= 1 && plan.group <= GROUP_MAX && plan.calls >= 1 &&
			  plan.calls <= plan.group && plan.calls <= SEALED_CALLS_MAX && plan.groups >= 2 &&
			  plan.groups <= SEALED_GROUPS_MAX);
	return plan;
}

/* The chance that of `computed` sets of the group at least `hits` are among those called. */
static double chance(const struct sealed_plan *plan, uint32_t computed, uint32_t hits)
{
	double below = 0;
	for (uint32_t h = 0; h < hits; h++) { /* hypergeometric, by logarithms */
		uint32_t missed = plan->calls - h;
		if (h > computed || missed > plan->group - computed)
			continue;
		below += exp(lgamma(computed + 1.0) - lgamma(h + 1.0) - lgamma(computed - h + 1.0) +
					 lgamma(plan->group - computed + 1.0) - lgamma(missed + 1.0) -
					 lgamma(plan->group - computed - missed + 1.0) + lgamma(plan->calls + 1.0) +
					 lgamma(plan->group - plan->calls + 1.0) - lgamma(plan->group + 1.0));
	}
	return 1 - below;
}

/* The least time of a group's calls that a quarter of the groups can have, over that of the calls
 * themselves, for whoever computes some sets ahead at the GPU's best. */
static double best_ahead(const struct sealed_plan *plan, double ratio)
{
	double best = 1;
	for (uint32_t hits = 2; hits <= plan->calls; hits++) {
		uint32_t computed = hits, above = plan->group;
		while (computed < above) { /* the fewest of which as many are called often enough */
			uint32_t middle = computed + (above - computed) / 2;
			if (chance(plan, middle, hits) >= 0.25)
				above = middle;
			else
				computed = middle + 1;
		}
		double ahead = fmax(computed / ratio, 1); /* one call of the file's is as long */
		best = fmin(best, (ahead + plan->calls - hits) / plan->calls);
	}
	return best;
}

/* To compute sets ahead takes longer than the calls, however fast, and however lucky. */
Test(sealed, groups_are_not_worth_computing_ahead)
{
	struct run run = run_on_h200();
	const struct test_case test = product(256, 256, 256);
	uint32_t seen[SEALED_CALLS_MAX + 1] = {0};
	for (double floor = 0.1; floor < 100; floor *= 1.7)
		for (double slower = 1; slower < 4000; slower *= 1.15) {
			double microseconds = floor * slower;
			struct sealed_plan plan = plan_for(&run, &test, microseconds, floor);
			seen[plan.calls]++;
			if (plan.calls == 1)
				continue;
			cr_assert_geq(plan.group * floor, 1.5 * plan.calls * microseconds,
						  "%u calls of %u sets: %g us, at least %g", plan.calls, plan.group,
						  microseconds, floor);
			cr_assert_geq(best_ahead(&plan, slower), 0.99, "%u calls of %u sets: %g times",
						  plan.calls, plan.group, slower);
			cr_assert_leq(microseconds, 2000.0);
			cr_assert_geq(plan.group, 2 * plan.calls, "not all of them are called");
		}
	cr_assert(seen[8] > 0 && seen[4] > 0 && seen[2] > 0 && seen[1] > 0);
}

/* A kernel that is much slower than the GPU could be is measured in groups, too: what a group of
 * one call takes besides is less certain. */
Test(sealed, slow_kernels_have_groups_of_several_calls)
{
	struct run run = run_on_h200();
	const struct test_case small = product(1024, 1024, 1024), middle = product(1536, 1536, 1536);
	cr_assert_eq(plan_for(&run, &small, 175, 2.0).calls, 4u);
	cr_assert_geq(plan_for(&run, &middle, 450, 6.8).calls, 2u);
}

/* A call that takes `work`, of a file that says `claim`, and computes sets of a group ahead where
 * that takes less: the host-side time, by groups that follow from it. */
static double seen_of(const struct run *run, const struct test_case *test, double work,
					  double claim, double floor)
{
	double planned = host_time_planned(claim, floor);
	struct host_time seen = {0};
	for (int plan = 0; plan < 10; plan++) {
		struct sealed_plan groups = plan_for(run, test, planned, floor);
		seen.time = groups.calls == 1 ? work : work * best_ahead(&groups, work / floor);
		if (groups.calls == 1 || !host_time_other_groups(&seen, planned))
			break;
		planned = host_time_planned(seen.time, floor);
	}
	return seen.time;
}

/* Whatever the process says. */
Test(sealed, groups_follow_from_the_host_side_time)
{
	struct run run = run_on_h200();
	const struct test_case small = product(256, 256, 256), large = product(2048, 2048, 2048);
	for (double work = 20; work < 1000; work *= 1.4)
		for (double floor = 1; floor < work; floor *= 1.8)
			for (double claim = 0.1; claim < 1.1 * work; claim *= 1.4) {
				cr_assert_geq(seen_of(&run, &small, work, claim, floor), 0.97 * work,
							  "%g us, at least %g, claimed %g", work, floor, claim);
				cr_assert_geq(seen_of(&run, &large, work, claim, floor), 0.97 * work,
							  "large: %g us, at least %g, claimed %g", work, floor, claim);
			}
}

/* What is drawn for each pass costs time: fewer calls where many would need much memory. */
Test(sealed, groups_are_small_where_they_can_be)
{
	struct run run = run_on_h200();
	const struct test_case middle = product(2048, 2048, 2048);
	struct sealed_plan plan = plan_for(&run, &middle, 105, 17);
	cr_assert(plan.calls == 4 && plan.groups == 3 && plan.groups * plan.group * 25.2e6 < 5e9,
			  "%u calls of %u sets", plan.calls, plan.group);
	struct sealed_plan gemv = {.problem = problem_find("gemv-f32")};
	const struct test_case large = timing_of("gemv-f32", 16384, 1, 16384).test;
	gemv.test = &large;
	groups_plan(&run, 282, 250, &gemv); /* 1 GB a set */
	cr_assert(gemv.calls == 2 && gemv.group == 4 && gemv.groups == 3, "%u of %u", gemv.calls,
			  gemv.group);
}

Test(sealed, groups_of_one_where_there_is_no_other_way)
{
	struct run run = run_on_h200();
	const struct test_case test = product(256, 256, 256), large = product(32768, 32768, 32768);
	struct sealed_plan plan = plan_for(&run, &test, 3.0, 2.0);
	cr_assert(plan.calls == 8 && plan.group == 32, "%u of %u", plan.calls, plan.group);
	plan = plan_for(&run, &test, 2000.1, 1000); /* long */
	cr_assert(plan.calls == 1 && plan.group == 1 && plan.groups == 6);
	plan = plan_for(&run, &test, 500, 0); /* of an unknown floor */
	cr_assert(plan.calls == 1 && plan.group == 1);
	plan = plan_for(&run, &test, 1900, 0.01); /* far from it */
	cr_assert(plan.calls == 1 && plan.group == 1);
	plan = plan_for(&run, &large, 1500, 1400); /* 6 GB for each */
	cr_assert(plan.calls == 1 && plan.group == 1 && plan.groups == 2);
}

/* The sets of a pass, and one behind them. */
Test(sealed, groups_stay_within_memory)
{
	struct run run = run_on_h200();
	for (int size = 64; size <= 16384; size *= 2)
		for (double microseconds = 3; microseconds < 2000; microseconds *= 3) {
			const struct test_case test = product(size, size, size);
			double bytes = 3.0 * 2 * size * size, most = fmin(16e9, (double)(141ull << 30) / 8);
			struct sealed_plan plan = plan_for(&run, &test, microseconds, microseconds / 3);
			double sets = plan.groups * plan.group + 1.0;
			cr_assert(plan.groups == 2 || bytes * sets <= most, "%d: %g sets", size, sets);
			groups_plan_small(&run, &plan);
			sets = plan.groups * plan.group + 1.0;
			cr_assert(plan.calls == plan.group && plan.groups >= 2);
			cr_assert(plan.groups == 2 || bytes * sets <= most, "%d: %g small sets", size, sets);
		}
}

/* ---- larger shapes ---------------------------------------------------------------------- */

Test(sealed, a_larger_shape_has_the_same_proportions)
{
	struct run run = run_on_h200();
	const struct problem *problem = problem_find("gemm-f16");
	struct test_case test = product(1024, 512, 2048), out;
	cr_assert(groups_larger(&run, problem, &test, 8.0, &out)); /* 8 times as long is enough */
	cr_assert_arr_eq(out.shape.size, ((int32_t[]){1, 2048, 1024, 4096, 1}), sizeof(int32_t[5]));
	cr_assert(groups_larger(&run, problem, &test, 7.0, &out)); /* 56 us are not */
	cr_assert_arr_eq(out.shape.size, ((int32_t[]){1, 4096, 2048, 8192, 1}), sizeof(int32_t[5]));
	test = timing_of("batched-f16", 64, 64, 64).test;
	test.shape.size[SIZE_BATCH] = 5;
	cr_assert(groups_larger(&run, problem_find("batched-f16"), &test, 10.0, &out));
	cr_assert_arr_eq(out.shape.size, ((int32_t[]){5, 128, 128, 128, 1}), sizeof(int32_t[5]));
	test = timing_of("gemv-f32", 1024, 1, 1024).test;
	cr_assert(groups_larger(&run, problem_find("gemv-f32"), &test, 4.0, &out));
	cr_assert_arr_eq(out.shape.size, ((int32_t[]){1, 4096, 1, 4096, 1}), sizeof(int32_t[5]));
}

Test(sealed, there_is_not_always_a_larger_shape)
{
	struct run run = run_on_h200();
	const struct problem *problem = problem_find("gemm-f16");
	struct test_case test = product(1024, 1024, 1024), out;
	cr_assert_not(groups_larger(&run, problem, &test, 1e-6, &out), "not in six steps");
	run.referee.facts.memory_bytes = 200u << 20;
	cr_assert_not(groups_larger(&run, problem, &test, 8.0, &out), "no memory");
	run = run_on_h200();
	test = product(16, 65536, 16); /* no referee takes more */
	cr_assert_not(groups_larger(&run, problem, &test, 8.0, &out), "no such sizes: %d",
				  out.shape.size[SIZE_N]);
}

/* ---- what is told ------------------------------------------------------------------------ */

static struct timing_entry entry_with(enum seal_state state)
{
	struct timing_entry entry = {.ran = true,
								 .label = "a.cu",
								 .span = {.samples = 100, .median = 10.25},
								 .event = {.samples = 100, .median = 15.5}};
	entry.seal = (struct timing_seal){.state = state,
									  .host_side = 303.4,
									  .uncertainty = 9.06,
									  .floor = 2.5,
									  .idle = 11.5,
									  .least = 298.1,
									  .calls = 48,
									  .passes = 6};
	if (state == SEAL_HOST_SIDE)
		entry.seal.shown = (struct timing_stats){.samples = 12, .median = 303.4};
	return entry;
}

Test(sealed, what_counts_is_the_outside_where_it_says_more)
{
	for (int state = SEAL_NONE; state <= SEAL_UNCERTAIN; state++) {
		struct timing_entry entry = entry_with((enum seal_state)state);
		bool outside = state == SEAL_HOST_SIDE;
		cr_assert_eq(timing_shown(&entry, true), outside ? &entry.seal.shown : &entry.span);
		cr_assert_eq(timing_shown(&entry, false), outside ? &entry.seal.shown : &entry.event);
	}
}

static void says(struct timing_entry entry, bool span, const char *confirmed, const char *doubt)
{
	struct timing_result timing = {.count = 1, .entries = &entry};
	struct strbuf line = {0};
	seal_confirmed(&timing, &line);
	cr_expect_str_eq(strbuf_text(&line), confirmed);
	seal_doubt(&entry, span, &line);
	cr_expect_str_eq(strbuf_text(&line), doubt);
	strbuf_release(&line);
}

/* A claim that is confirmed counts as no less than the host-side time allows; it may be shown by
 * another clock that says more. */
Test(sealed, what_counts_is_no_less_than_the_host_side_time_allows)
{
	struct timing_entry entry = entry_with(SEAL_CONFIRMED);
	entry.seal.shown = (struct timing_stats){.samples = 12, .median = 12.5};
	cr_assert_eq(timing_shown(&entry, true), &entry.seal.shown);
	cr_assert_eq(timing_shown(&entry, false), &entry.event, "15.5 us between events");
	says(entry, true,
		 "confirmed by sealed calls: a.cu (host-side time 303 +-9.1 us; its process says 10.2, "
		 "12.5 counts)",
		 "");
	entry.seal.state = SEAL_UNCERTAIN;
	cr_assert_eq(timing_shown(&entry, true), &entry.span);
	entry.seal.slowed = true;
	says(entry, true, "",
		 "a.cu: not confirmed: its calls took less alone than beside others, who slowed it down: "
		 "judge it again by itself (303 +-9.1 us)");
}

Test(sealed, a_line_for_each_state)
{
	struct timing_entry entry = entry_with(SEAL_NONE);
	says(entry, true, "", "");
	snprintf(entry.seal.why, sizeof entry.seal.why, "the driver does not");
	says(entry, true, "", "a.cu: not confirmed: the driver does not");
	says(entry_with(SEAL_CONFIRMED), true,
		 "confirmed by sealed calls: a.cu (host-side time 303 +-9.1 us)", "");
	says(entry_with(SEAL_HOST_SIDE), true, "",
		 "a.cu: its process says 10.2 us; its host-side time is 303 us (+-9.1), which is "
		 "shown");
	says(entry_with(SEAL_HOST_SIDE), false, "",
		 "a.cu: its process says 15.5 us; its host-side time is 303 us (+-9.1), which is "
		 "shown");
	says(entry_with(SEAL_UNCERTAIN), true, "",
		 "a.cu: not confirmed: too short for a host-side time (303 +-9.1 us)");
	entry = entry_with(SEAL_HOST_SIDE); /* figures that beat the GPU's peak are not shown */
	entry.seal.floor = 20;
	says(entry, true, "",
		 "a.cu: its process says less than the GPU needs; its host-side time is 303 us (+-9.1), "
		 "which is shown");
	entry = entry_with(SEAL_UNCERTAIN);
	entry.seal.floor = 350;
	says(entry, true, "",
		 "a.cu: not confirmed: its host-side time is an error of measurement, less than the GPU "
		 "needs");
	for (int state = SEAL_NONE; state <= SEAL_UNCERTAIN; state++) {
		entry = entry_with((enum seal_state)state);
		entry.ran = false;
		says(entry, true, "", "");
	}
}

Test(sealed, one_line_for_all_that_are_confirmed)
{
	struct timing_entry entries[40];
	struct timing_result timing = {.count = 3, .entries = entries};
	struct strbuf line = {0};
	for (int i = 0; i < 40; i++)
		entries[i] = entry_with(SEAL_CONFIRMED);
	entries[1].seal.state = SEAL_HOST_SIDE;
	snprintf(entries[2].label, sizeof entries[2].label, "cuBLAS");
	entries[2].seal.host_side = 12.34;
	seal_confirmed(&timing, &line);
	cr_assert_str_eq(strbuf_text(&line),
					 "confirmed by sealed calls: a.cu (host-side time 303 +-9.1 us), cuBLAS "
					 "(host-side time 12.3 +-9.1 us)");
	timing.count = 40; /* all of them, however many they are */
	seal_confirmed(&timing, &line);
	size_t commas = 0;
	for (const char *at = strbuf_text(&line); *at != '\0'; at++)
		commas += *at == ',';
	cr_assert_eq(commas, 38);
	strbuf_release(&line);
}

static json_t *sealed_in(const struct timing_entry *entry, json_t **root)
{
	struct timing_entry one = *entry;
	struct judgement item = {.file = "a.cu", .problem = "gemm-f16", .has_timing = true};
	const struct judgement_list list = {.count = 1, .items = &item};
	char *text = NULL;
	size_t size;
	item.timing = timing_of("gemm-f16", 1024, 1024, 1024);
	item.timing.count = 1;
	item.timing.entries = &one;
	FILE *out = open_memstream(&text, &size);
	report_json(&list, out);
	fclose(out);
	*root = json_loads(text, 0, NULL);
	cr_assert_not_null(*root, "%s", text);
	free(text);
	json_t *timed = json_object_get(json_array_get(json_object_get(*root, "results"), 0), "timing");
	return json_array_get(json_object_get(timed, "entries"), 0);
}

Test(sealed, json_for_each_state)
{
	static const char *const names[] = {"none", "confirmed", "host_side", "not_confirmed"};
	for (int state = SEAL_NONE; state <= SEAL_UNCERTAIN; state++) {
		struct timing_entry entry = entry_with((enum seal_state)state);
		json_t *root, *timed = sealed_in(&entry, &root), *seal = json_object_get(timed, "sealed");
		cr_assert_str_eq(json_string_value(json_object_get(seal, "state")), names[state]);
		cr_assert_null(json_object_get(seal, "why"));
		double shown = json_number_value(json_object_get(timed, "microseconds"));
		cr_assert_float_eq(shown, state == SEAL_HOST_SIDE ? 303.4 : 10.25, 1e-6);
		if (state == SEAL_NONE) {
			cr_assert_null(json_object_get(seal, "host_side"));
		} else {
			cr_assert_float_eq(json_number_value(json_object_get(seal, "host_side")), 303.4, 1e-6);
			cr_assert_float_eq(json_number_value(json_object_get(seal, "uncertainty")), 9.06, 1e-6);
			cr_assert_float_eq(json_number_value(json_object_get(seal, "floor")), 2.5, 1e-6);
			cr_assert_float_eq(json_number_value(json_object_get(seal, "idle")), 11.5, 1e-6);
			cr_assert_float_eq(json_number_value(json_object_get(seal, "least")), 298.1, 1e-6);
			cr_assert(json_is_false(json_object_get(seal, "slowed")));
			cr_assert_eq(json_integer_value(json_object_get(seal, "calls")), 48);
			cr_assert_eq(json_integer_value(json_object_get(seal, "passes")), 6);
		}
		json_decref(root);
	}
	struct timing_entry moved = entry_with(SEAL_CONFIRMED);
	json_t *all, *counted;
	moved.seal.shown = (struct timing_stats){.samples = 100, .median = 12.5, .low = 12, .high = 13};
	counted = sealed_in(&moved, &all);
	cr_assert_float_eq(json_number_value(json_object_get(counted, "microseconds")), 12.5, 1e-6);
	cr_assert_float_eq(json_number_value(json_object_get(counted, "low_us")), 12, 1e-6);
	cr_assert_str_eq(json_string_value(json_object_get(counted, "clock")), "span");
	const json_t *claim = json_object_get(json_object_get(counted, "span"), "median_us");
	cr_assert_float_eq(json_number_value(claim), 10.25, 1e-6);
	json_decref(all);
	struct timing_entry entry = entry_with(SEAL_NONE);
	snprintf(entry.seal.why, sizeof entry.seal.why, "the driver does not");
	json_t *root, *timed = sealed_in(&entry, &root), *seal = json_object_get(timed, "sealed");
	cr_assert_str_eq(json_string_value(json_object_get(seal, "why")), "the driver does not");
	json_decref(root);
}

/* ---- --require -------------------------------------------------------------------------- */

/* A file whose calls could not be sealed (its process had taken the device's memory, say) fails by
 * itself; others, and libraries, are as they were. */
Test(sealed, a_file_without_sealed_times_fails_alone)
{
	struct timing_entry entries[] = {entry_with(SEAL_NONE), entry_with(SEAL_CONFIRMED),
									 entry_with(SEAL_NONE), entry_with(SEAL_UNCERTAIN)};
	struct judge_options options = {.limits.required = LAYER_SEALED};
	struct run run = {.options = &options};
	struct timing_result result = {.entries = entries, .count = 4};
	entries[2].role = TIMING_LIBRARY;
	snprintf(entries[0].seal.why, sizeof entries[0].seal.why, "out of device memory");
	confirm_require(&run, &result);
	cr_assert(!entries[0].ran && entries[0].verdict == VERDICT_NOT_RUN);
	cr_assert_str_eq(entries[0].detail,
					 "not_run: --require: its times are not sealed: out of device memory");
	for (int i = 1; i < 4; i++)
		cr_assert(entries[i].ran, "%d", i);
	entries[0] = entry_with(SEAL_NONE);
	options.limits.required = LAYER_CALLS;
	confirm_require(&run, &result);
	cr_assert(entries[0].ran, "nobody asked for sealed times");
}
