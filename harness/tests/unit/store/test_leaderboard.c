/* links: store; timeout: 60 */
/* Who is faster, and who ranks. */
#include <criterion/criterion.h>
#include <math.h>
#include <unistd.h>

#include "leaderboard_fixture.h"
#include "report/report.h"
#include "store/leaderboard.h"
#include "store/pairs.h"

TestSuite(leaderboard, .init = begin, .fini = end);

/* What a file is compared with is nobody's judgement: neither in the store nor in the report. */
Test(leaderboard, baselines_of_the_user_are_times_of_no_file)
{
	struct error err;
	struct judgement_list list = fixture_judged("a.cu", "aaaa");
	static const enum timing_role roles[] = {TIMING_FILE, TIMING_FILE_PLAIN, TIMING_LIBRARY,
											 TIMING_BASELINE, TIMING_PROGRAM};
	const size_t count = sizeof roles / sizeof *roles;
	list.compare = true;
	list.bench_count = 1;
	list.bench = calloc(1, sizeof *list.bench);
	list.bench[0] = fixture_timing("a.cu", 512, 5.0, SEAL_NONE);
	list.bench[0].count = count;
	list.bench[0].entries = realloc(list.bench[0].entries, count * sizeof(struct timing_entry));
	for (size_t i = 0; i < count; i++) {
		list.bench[0].entries[i] = list.bench[0].entries[0];
		list.bench[0].entries[i].role = roles[i];
	}
	char report[sizeof path + 8];
	snprintf(report, sizeof report, "%s.json", path);
	cr_assert(report_save(report, report_json, &list, &err), "%s", err.message);
	struct measured_list reported;
	cr_assert(measured_read_report(report, &reported, &err), "%s", err.message);
	unlink(report);
	fixture_append(path, list, "compare");
	struct measured_list stored = fixture_all(path);
	cr_expect_eq(reported.items[0].time_count, 2);
	cr_expect_eq(stored.items[0].time_count, 2);
	measured_list_free(&reported);
	measured_list_free(&stored);
}

/* ---- ranks ------------------------------------------------------------------------------ */

Test(leaderboard, ties_within_noise_share_a_rank)
{
	fixture_append(path, fixture_timed("slow.cu", "c", 20.0, SEAL_CONFIRMED), "judge");
	fixture_append(path, fixture_timed("b.cu", "b", 10.05, SEAL_CONFIRMED), "judge");
	fixture_append(path, fixture_timed("a.cu", "a", 10.0, SEAL_CONFIRMED), "judge");
	fixture_append(path, fixture_timed("d.cu", "d", 10.4, SEAL_CONFIRMED), "judge");
	struct leaderboard all = made();
	cr_assert_eq(all.board_count, 1);
	const struct board *board = &all.boards[0];
	const struct {
		const char *content;
		size_t rank;
	} wanted[] = {{"a", 1}, {"b", 1}, {"d", 3}, {"c", 4}};
	cr_assert_eq(board->count, 4);
	for (size_t i = 0; i < 4; i++) {
		cr_expect_str_eq(board->leaders[i].run->content, wanted[i].content);
		cr_expect_eq(board->leaders[i].rank, wanted[i].rank, "%s has rank %zu", wanted[i].content,
					 board->leaders[i].rank);
	}
	cr_expect_eq(all.left_out_count, 0);
	leaderboard_free(&all);
}

Test(leaderboard, the_best_run_of_a_content_counts_once)
{
	fixture_append(path, fixture_timed("a.cu", "a", 12.0, SEAL_CONFIRMED), "judge");
	fixture_append(path, fixture_timed("copy.cu", "a", 10.0, SEAL_CONFIRMED), "judge");
	fixture_append(path, fixture_timed("a.cu", "a", 11.0, SEAL_CONFIRMED), "judge");
	struct leaderboard all = made();
	cr_assert_eq(all.boards[0].count, 1);
	cr_expect_eq(all.boards[0].leaders[0].run->id, 2);
	leaderboard_free(&all);
}

Test(leaderboard, what_was_not_confirmed_or_broke_a_rule_never_ranks)
{
	fixture_append(path, fixture_timed("a.cu", "unsealed", 1.0, SEAL_NONE), "bench");
	fixture_append(path, fixture_timed("a.cu", "uncertain", 1.0, SEAL_UNCERTAIN), "judge");
	fixture_append(path, fixture_timed("a.cu", "cheat", 1.0, SEAL_CONFIRMED), "judge");
	struct judgement_list list = fixture_timed("a.cu", "cheat", 1.0, SEAL_CONFIRMED);
	list.items[0].verdict = VERDICT_RULE_VIOLATION;
	fixture_append(path, list, "judge");
	fixture_append(path, fixture_timed("a.cu", "lucky", 1.0, SEAL_CONFIRMED), "judge");
	list = fixture_judged("a.cu", "lucky");
	list.items[0].verdict = VERDICT_WRONG_ANSWER;
	fixture_append(path, list, "judge");
	list = fixture_timed("a.cu", "loose", 1.0, SEAL_CONFIRMED);
	strcpy(list.facts.tolerance, "leetgpu");
	fixture_append(path, list, "judge");
	fixture_append(path, fixture_judged("a.cu", "untimed"), "judge");
	fixture_append(path, fixture_timed("a.cu", "outside", 5.0, SEAL_HOST_SIDE), "judge");
	fixture_append(path, fixture_timed("a.cu", "good", 5.5, SEAL_CONFIRMED), "judge");
	struct leaderboard all = made();
	cr_assert_eq(all.boards[0].count, 2);
	cr_expect_str_eq(all.boards[0].leaders[0].run->content, "good");
	cr_expect_str_eq(all.boards[0].leaders[1].run->content, "outside"); /* 1.2 * 5 us */
	cr_expect_eq(all.boards[0].leaders[1].time->median, 6.0);
	cr_expect_eq(all.boards[0].unconfirmed, 2, "unsealed and uncertain, not %zu",
				 all.boards[0].unconfirmed);
	cr_assert_eq(all.left_out_count, 6);
	is_left_out(&all, 0, "unsealed", "its time was not confirmed");
	is_left_out(&all, 1, "uncertain", "its time was not confirmed");
	is_left_out(&all, 2, "cheat", "broke a rule");
	is_left_out(&all, 3, "lucky", "had a wrong answer");
	is_left_out(&all, 4, "loose", "judged with another tolerance");
	is_left_out(&all, 5, "untimed", "not timed");
	leaderboard_free(&all);
}

static struct judgement_list broken(const char *file)
{
	struct judgement_list list = fixture_timed(file, "a", 1.0, SEAL_CONFIRMED);
	list.items[0].verdict = VERDICT_RULE_VIOLATION;
	return list;
}

static const char *const hostile_flags[] = {"-include", "hostile.h", NULL};

/* A copy, and the file itself with a stage or a flag of somebody else, break a rule. */
Test(leaderboard, a_file_is_not_disgraced_by_what_others_do_with_it)
{
	fixture_append(path, fixture_timed("a.cu", "a", 1.0, SEAL_CONFIRMED), "judge");
	struct judgement_list fused = fixture_timed("a.cu", "a", 1.0, SEAL_CONFIRMED);
	strcpy(fused.facts.epilogue, "./stage.cuh");
	strcpy(fused.facts.epilogue_content, "e1");
	fixture_append(path, fused, "judge");
	fixture_append(path, broken("copy.cu"), "judge");
	struct judgement_list list = broken("a.cu");
	list.facts.nvcc_flags = hostile_flags;
	fixture_append(path, list, "judge");
	list = broken("a.cu");
	strcpy(list.facts.epilogue, "./stage.cuh");
	strcpy(list.facts.epilogue_content, "e2");
	fixture_append(path, list, "judge");
	struct leaderboard all = made();
	cr_assert_eq(all.board_count, 2);
	cr_expect_eq(all.boards[0].count, 1);
	cr_expect_eq(all.boards[1].count, 1);
	cr_assert_eq(all.left_out_count, 1);
	is_left_out(&all, 0, "a", "broke a rule");
	cr_expect_str_eq(all.left_out[0].run->file, "copy.cu");
	leaderboard_free(&all);
	fixture_append(path, broken("a.cu"), "judge"); /* by itself */
	all = made();
	cr_expect_eq(all.board_count, 1);
	cr_expect_str_eq(all.boards[0].run->epilogue, "./stage.cuh");
	leaderboard_free(&all);
}

/* A suite that asks for more (NaN where beta is 0) is no reason. */
Test(leaderboard, a_wrong_answer_in_a_suite_is_of_that_run_alone)
{
	fixture_append(path, fixture_timed("a.cu", "a", 1.0, SEAL_CONFIRMED), "judge");
	struct judgement_list list = fixture_judged("a.cu", "a");
	list.items[0].verdict = VERDICT_WRONG_ANSWER;
	list.facts.suites = (const char *const[]){"blas-strict", NULL};
	fixture_append(path, list, "judge");
	struct leaderboard all = made();
	cr_expect_eq(all.boards[0].count, 1);
	leaderboard_free(&all);
}

Test(leaderboard, shapes_devices_and_epilogues_have_boards_of_their_own)
{
	struct judgement_list list = fixture_timed("a.cu", "a", 10.0, SEAL_UNCERTAIN);
	list.items[0].has_larger = true;
	list.items[0].larger = fixture_timing("a.cu", 2048, 80.0, SEAL_CONFIRMED);
	fixture_append(path, list, "judge");
	fixture_append(path, fixture_timed("b.cu", "b", 10.0, SEAL_CONFIRMED), "judge");
	fixture_append(path, fixture_timed("c.cu", "c", 10.0, SEAL_CONFIRMED), "judge");
	list = fixture_timed("d.cu", "d", 3.0, SEAL_CONFIRMED);
	strcpy(list.facts.device.name, "NVIDIA B200");
	fixture_append(path, list, "judge");
	list = fixture_timed("e.cu", "e", 3.0, SEAL_CONFIRMED);
	strcpy(list.facts.epilogue, "bias");
	fixture_append(path, list, "judge");
	struct leaderboard all = made();
	cr_assert_eq(all.board_count, 4);
	size_t main_ones = 0;
	for (size_t i = 0; i < all.board_count; i++)
		main_ones += all.boards[i].main;
	cr_expect_eq(main_ones, 3);
	cr_expect_str_eq(all.boards[0].run->device, "NVIDIA B200");
	cr_expect(!all.boards[1].main, "2048 has one, 1024 has two");
	cr_expect_eq(all.boards[2].count, 2);
	cr_expect_str_eq(all.boards[3].run->epilogue, "bias");
	leaderboard_free(&all);
}

/* ---- differences ------------------------------------------------------------------------- */

static uint64_t state = 88172645463325252u;

/* Uniform in [0, 1): Marsaglia's xorshift. */
static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) * 0x1p-53;
}

static double normal(void)
{
	return sqrt(-2.0 * log(1.0 - uniform())) * cos(2.0 * M_PI * uniform());
}

/* A run: its own level, as clocks and placement have it, and passes around that. */
static void draw_run(double median, struct measured_time *out, double *passes, size_t count)
{
	double level = median * (1.0 + 0.002 * normal());
	*out = (struct measured_time){.passes = passes, .pass_count = count, .clock = "span"};
	for (size_t i = 0; i < count; i++)
		passes[i] = level * (1.0 + 0.003 * normal() + (uniform() < 0.1 ? 0.02 : 0.0));
	out->median = level;
	out->low = 0.998 * level;
	out->high = 1.002 * level;
}

/* Of a hundred pairs of runs, how many were found to be so. */
static int found(double ratio, size_t count, enum difference_kind kind)
{
	int found = 0;
	for (int i = 0; i < 100; i++) {
		double passes[2][64];
		struct measured_time a, b;
		draw_run(100.0, &a, passes[0], count);
		draw_run(100.0 * ratio, &b, passes[1], count);
		found += difference_of(&a, &b, 1).kind == kind;
	}
	return found;
}

Test(leaderboard, what_runs_differ_by_is_noise_and_three_percent_are_not)
{
	for (size_t count = 6; count <= 48; count *= 2) {
		cr_expect_geq(found(1.0, count, DIFFERENCE_NONE), 95);
		cr_expect_geq(found(1.03, count, DIFFERENCE_SLOWER), 95);
		cr_expect_geq(found(1.0 / 1.03, count, DIFFERENCE_FASTER), 95);
	}
}

Test(leaderboard, too_few_passes_are_judged_by_the_intervals)
{
	double passes[2][64];
	struct measured_time a, b;
	draw_run(100.0, &a, passes[0], 3);
	draw_run(104.0, &b, passes[1], 3);
	struct difference difference = difference_of(&a, &b, 1);
	cr_expect_not(difference.ranked);
	cr_expect_eq(difference.kind, DIFFERENCE_SLOWER);
	b.low = a.low; /* a wide one */
	cr_expect_eq(difference_of(&a, &b, 1).kind, DIFFERENCE_NONE);
	/* six passes are enough for one shape, and not for a hundred */
	draw_run(100.0, &a, passes[0], 6);
	draw_run(104.0, &b, passes[1], 6);
	cr_expect(difference_of(&a, &b, 1).ranked);
	cr_expect_not(difference_of(&a, &b, 100).ranked);
	strcpy(b.clock, "event");
	cr_expect_not(difference_of(&a, &b, 1).ranked);
	cr_expect(difference_of(&a, &b, 1).clocks_differ);
}

/* ---- pairs --------------------------------------------------------------------------------- */

Test(leaderboard, what_differs_besides_is_said)
{
	struct error err;
	fixture_append(path, fixture_timed("a.cu", "a", 10.0, SEAL_CONFIRMED), "judge");
	struct judgement_list list = fixture_timed("a.cu", "b", 10.5, SEAL_CONFIRMED);
	strcpy(list.facts.device.driver, "999.1");
	list.items[0].timing.sm_clock_mhz_median = 1500;
	list.items[0].timing.throttled = true;
	fixture_time(&list.items[0].timing.entries[1], 10.5, SEAL_CONFIRMED); /* the library, too */
	fixture_append(path, list, "judge");
	struct measured_list runs = fixture_all(path);
	struct pair pair;
	cr_assert(pair_make(&runs.items[0], &runs.items[1], &pair, &err));
	cr_expect_eq(pair.slower, 1);
	cr_expect_float_eq(pair.mean, 1.05, 1e-6);
	const char *const parts[] = {"the driver differs: none in A, 999.1 in B",
								 "1980 MHz in A, 1500 MHz in B", "slowed down while B",
								 "cuBLAS itself took 1.050 times as long in B"};
	cr_assert_eq(pair.note_count, 4);
	for (size_t i = 0; i < 4; i++)
		cr_expect_not_null(strstr(pair.notes[i], parts[i]), "%s", pair.notes[i]);
	pair_free(&pair);
	cr_assert(pair_make_named(&runs.items[0], &runs.items[1], "before", "now", &pair, &err));
	cr_expect_str_eq(pair.notes[0], "the driver differs: none in before, 999.1 in now");
	cr_expect_not_null(strstr(pair.notes[2], "while now was timed"), "%s", pair.notes[2]);
	pair_free(&pair);
	measured_list_free(&runs);
}

Test(leaderboard, the_last_runs_on_one_device_are_compared)
{
	fixture_append(path, fixture_timed("a.cu", "a", 10.0, SEAL_CONFIRMED), "judge");
	struct judgement_list list = fixture_timed("b.cu", "b", 10.0, SEAL_CONFIRMED);
	strcpy(list.facts.device.name, "NVIDIA B200");
	fixture_append(path, list, "judge");
	struct measured_list runs = fixture_all(path), a = {1, &runs.items[0]}, b = {1, &runs.items[1]};
	const struct measured *one, *other;
	cr_expect_not(pair_choose(&a, &b, true, &one, &other));
	cr_expect(pair_choose(&a, &b, false, &one, &other));
	cr_expect_not(pair_choose(&a, &a, false, &one, &other), "with itself");
	cr_expect(pair_choose(&runs, &a, true, &one, &other) == false);
	measured_list_free(&runs);
}

/* ---- without times ---------------------------------------------------------------------- */

Test(leaderboard, without_times_correctness_ranks)
{
	fixture_append(path, judged_with("half", 1), "judge");
	fixture_append(path, judged_with("none", 0), "judge");
	fixture_append(path, judged_with("right", 2), "judge");
	fixture_append(path, judged_with("right, too", 2), "judge");
	struct judgement_list list = judged_with("cheat", 2);
	list.items[0].verdict = VERDICT_RULE_VIOLATION;
	fixture_append(path, list, "judge");
	struct leaderboard all = made();
	static const struct {
		const char *content;
		size_t rank;
	} wanted[] = {{"right", 1}, {"right, too", 1}, {"half", 3}, {"none", 4}};
	cr_assert_eq(all.standing_count, 4);
	for (size_t i = 0; i < 4; i++) {
		cr_expect_str_eq(all.standings[i].run->content, wanted[i].content);
		cr_expect_eq(all.standings[i].rank, wanted[i].rank);
	}
	leaderboard_free(&all);
}

/* The plain run counts, also where the one with the flag came later. */
Test(leaderboard, ranks_by_correctness_are_not_taken_by_a_flag)
{
	fixture_append(path, judged_with("a", 2), "judge");
	struct judgement_list list = judged_with("a", 2);
	list.items[0].verdict = VERDICT_RULE_VIOLATION;
	list.facts.nvcc_flags = hostile_flags;
	fixture_append(path, list, "judge");
	struct leaderboard all = made();
	cr_assert_eq(all.standing_count, 1);
	cr_expect_eq(all.standings[0].run->id, 1);
	cr_expect_eq(all.left_out_count, 1);
	leaderboard_free(&all);
}

Test(leaderboard, a_time_that_counts_ends_ranks_by_correctness)
{
	fixture_append(path, judged_with("right", 2), "judge");
	fixture_append(path, fixture_timed("a.cu", "timed", 10.0, SEAL_CONFIRMED), "judge");
	struct leaderboard all = made();
	cr_expect_eq(all.standing_count, 0);
	cr_expect_eq(all.left_out_count, 1);
	cr_expect_float_eq(measured_rate(all.boards[0].time), 2.0 * 1024 * 1024 * 1024 / 10.0 * 1e-6,
					   1e-6);
	cr_expect_str_eq(measured_rate_unit(all.boards[0].time), "TFLOP/s");
	leaderboard_free(&all);
}

/* A claim within the allowance, confirmed and moved up: it does not rank before an honest one. */
Test(leaderboard, a_claim_ranks_by_what_the_host_side_time_allows)
{
	struct judgement_list claims = fixture_timed("claims.cu", "cccc", 100.0, SEAL_CONFIRMED);
	struct timing_entry *entry = &claims.items[0].timing.entries[0];
	entry->seal.shown = entry->span;
	entry->seal.shown.median = 103.0;
	entry->seal.shown.low = 102.8;
	entry->seal.shown.high = 103.2;
	for (uint32_t i = 0; i < entry->passes.count; i++)
		entry->passes.microseconds[i] += 3.0f;
	fixture_append(path, claims, "judge");
	fixture_append(path, fixture_timed("honest.cu", "hhhh", 101.0, SEAL_CONFIRMED), "judge");
	struct leaderboard all = made();
	cr_assert(all.board_count == 1 && all.boards[0].count == 2);
	cr_expect_str_eq(all.boards[0].leaders[0].run->content, "hhhh");
	cr_expect_float_eq(all.boards[0].leaders[1].time->median, 103.0, 1e-9);
	cr_expect_eq(all.boards[0].leaders[1].rank, 2u);
	leaderboard_free(&all);
}

/* ---- compilers and libraries ------------------------------------------------------------- */

/* A file's only run, compiled by this nvcc and beside this cuBLAS. */
static void append_made(const char *content, const char *nvcc, const char *library)
{
	struct judgement_list list = fixture_timed("a.cu", content, 10.0, SEAL_CONFIRMED);
	strcpy(list.facts.nvcc, nvcc);
	strcpy(list.facts.device.library, library);
	fixture_append(path, list, "judge");
}

static void board_says(enum board_version kind, const char *expected)
{
	struct leaderboard all = made();
	char line[BOARD_VERSIONS] = "";
	cr_assert_eq(all.board_count, 1);
	cr_expect_eq(board_versions(&all.boards[0], kind, line), expected[0] != '\0');
	cr_expect_str_eq(line, expected);
	leaderboard_free(&all);
}

Test(leaderboard, tells_which_times_are_of_which_compiler_and_library)
{
	append_made("aaaa", "13.0.88", "cuBLAS 13.1.0");
	append_made("bbbb", "", "cuBLAS 13.1.0");
	board_says(BOARD_NVCC, "");
	board_says(BOARD_LIBRARY, "");
	append_made("cccc", "13.5.37", "cuBLAS 13.10.0");
	append_made("dddd", "13.0.88", "cuBLAS 13.10.0");
	board_says(BOARD_NVCC, "not all of one nvcc: 13.0.88 (#1, #4), unknown (#2), 13.5.37 (#3)");
	board_says(BOARD_LIBRARY,
			   "not all beside one library: cuBLAS 13.1.0 (#1, #2), cuBLAS 13.10.0 (#3, #4)");
}

static const char *notes_of(const struct pair *pair)
{
	static char all[PAIR_NOTES_MAX * PAIR_NOTE];
	all[0] = '\0';
	for (size_t i = 0; i < pair->note_count; i++)
		strcat(strcat(all, pair->notes[i]), "\n");
	return all;
}

Test(leaderboard, pairs_tell_of_another_compiler_and_library)
{
	struct error err;
	struct pair pair;
	append_made("aaaa", "13.0.88", "cuBLAS 13.1.0");
	append_made("bbbb", "13.5.37", "cuBLAS 13.10.0");
	append_made("cccc", "", "");
	struct measured_list runs = fixture_all(path);
	struct measured_time *time = &runs.items[1].times[0];
	time->library_microseconds *= 1.5;
	cr_assert(pair_make(&runs.items[0], &runs.items[1], &pair, &err), "%s", err.message);
	cr_expect_str_eq(notes_of(&pair), "nvcc differs: 13.0.88 in A, 13.5.37 in B\n"
									  "the library differs: cuBLAS 13.1.0 in A, cuBLAS 13.10.0 in "
									  "B\n"
									  "cuBLAS itself took 1.500 times as long in B as in A: that "
									  "much is the machine's, or the other version's\n");
	pair_free(&pair);
	cr_assert(pair_make(&runs.items[0], &runs.items[2], &pair, &err), "%s", err.message);
	cr_expect_str_eq(notes_of(&pair), "", "what nobody knows is no difference");
	pair_free(&pair);
	strcpy(runs.items[0].device_kind, "emulated");
	strcpy(runs.items[1].device_kind, "emulated");
	time->library_microseconds /= 1.5;
	cr_assert(pair_make(&runs.items[0], &runs.items[1], &pair, &err), "%s", err.message);
	cr_expect_str_eq(notes_of(&pair), "nvcc differs: 13.0.88 in A, 13.5.37 in B\n");
	pair_free(&pair);
	measured_list_free(&runs);
}
