/* links: judge compile process testcases base; label: threads */
/* Who makes which passes, of made-up processes on a made-up GPU: calls of a pass, results that are
 * compared, libraries' times that several files have in common. Its clock moves by what is asked
 * for alone. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "judge/timing/clocks.h"
#include "judge/timing/confirm.h"
#include "judge/timing/kept.h"
#include "judge/timing/timer.h"
#include "process/buffers.h"

#define ENTRANTS 3 /* a file and two libraries */
#define MOST 400

static struct made {
	double now;
	double takes[ENTRANTS]; /* microseconds of a call */
	double first[ENTRANTS]; /* of the first call; 0: the same */
	double mhz;
	char asked[MOST]; /* "f", "b" and "l" a pass of the file, cuBLAS, cuBLASLt; capitals: of events
					   */
	struct contestant_time last[ENTRANTS];
	size_t calls[ENTRANTS];
	uint64_t fresh; /* of the last reset */
	size_t inputs;  /* that were drawn, different ones */
	char rows[MOST];
	size_t cases, confirmed;
	char notes[600];
	bool file_runs; /* its process is there */
} made;

static const char letters[ENTRANTS][2] = {"fF", "bB", "lL"};

static double made_seconds(void)
{
	return made.now;
}

static size_t entrant_of(const struct contestant_link *link)
{
	const struct lane *lane =
		(const struct lane *)((const char *)link - offsetof(struct lane, contestant));
	return lane->entrant->role == TIMING_FILE ? 0 : lane->entrant->label[6] == '\0' ? 1 : 2;
}

static void append(char text[MOST], char letter)
{
	size_t used = strlen(text);
	if (used + 1 < MOST)
		text[used] = letter;
}

static bool made_case(struct referee_link *link, const char *problem, const struct test_case *test,
					  const struct chain *chain, uint32_t sets, struct error *err)
{
	(void)problem, (void)test, (void)chain, (void)err;
	link->arena.sets = sets;
	made.cases++;
	return true;
}

static bool made_reset(struct referee_link *link, uint64_t fresh, struct error *err)
{
	(void)link, (void)err;
	made.inputs += fresh != made.fresh;
	made.fresh = fresh;
	made.now += 1e-3;
	return true;
}

/* Times differ by a thousandth. */
static struct outcome made_time(struct contestant_link *link, struct contestant_time request,
								double timeout, struct contestant_time_reply *reply)
{
	size_t i = entrant_of(link);
	(void)timeout;
	made.last[i] = request;
	made.calls[i] += request.warmups + request.calls;
	append(made.asked, letters[i][request.method == TIME_EVENT]);
	reply->calls = request.calls;
	for (uint32_t k = 0; k < request.calls; k++)
		reply->microseconds[k] = (float)(made.takes[i] * (1 + 1e-3 * (k % 2)));
	made.now += 1e-6 * made.takes[i] * (request.warmups + request.calls);
	return (struct outcome){.verdict = VERDICT_ACCEPTED};
}

static void made_open(struct run *run, struct lane *const *lanes, size_t count,
					  const struct test_case *test, struct outcome *outcomes)
{
	(void)run, (void)test;
	for (size_t i = 0; i < count; i++) {
		size_t entrant = entrant_of(&lanes[i]->contestant);
		double first = made.first[entrant];
		lanes[i]->running = lanes[i]->loaded = true;
		lanes[i]->call = first > 0 ? first : made.takes[entrant];
		made.file_runs = made.file_runs || entrant == 0;
		outcomes[i] = (struct outcome){.verdict = VERDICT_ACCEPTED};
	}
}

static void made_take(struct lane *lane, const struct run *run, const struct problem *problem,
					  const struct entrant *entrant)
{
	(void)run, (void)problem;
	*lane = (struct lane){.entrant = entrant};
}

static void made_close(struct lane *lane)
{
	bool file = lane->entrant != NULL && lane->entrant->role == TIMING_FILE;
	made.file_runs = made.file_runs && !file;
	lane->running = false;
}

static bool made_check(const struct lane_check *check, uint32_t set, struct lane *lane,
					   struct timing_entry *entry, struct error *err)
{
	size_t i = entrant_of(&lane->contestant);
	(void)err;
	cr_expect(set >= made.last[i].warmups && set < made.last[i].warmups + made.last[i].calls,
			  "a timed call's");
	entry->compared++;
	if (i == 0)
		append(made.rows, check->rows == 0 ? 'W' : check->rows == 32 ? 'r' : '?');
	made.now += 1e-3;
	return true;
}

static void made_report(struct clocks *clocks, struct timing_result *out)
{
	(void)clocks;
	out->sm_clock_mhz_median = made.mhz;
}

static bool made_confirm(struct run *run, const struct problem *problem,
						 struct calibration *calibration, struct lane *lanes,
						 struct timing_result *result, struct error *err)
{
	(void)run, (void)problem, (void)calibration, (void)lanes, (void)err;
	made.confirmed += result->count;
	return true;
}

static bool made_begin(struct run *run, const struct problem *problem,
					   const struct timing_result *result, struct calibration **calibration,
					   struct error *err)
{
	(void)run, (void)problem, (void)result, (void)calibration, (void)err;
	return true;
}

static void made_note(const struct run *run, const char *line)
{
	(void)run;
	snprintf(made.notes + strlen(made.notes), sizeof made.notes - strlen(made.notes), "%s\n", line);
}

static bool made_holds(const struct contestant_link *link, struct error *err)
{
	(void)link, (void)err;
	return true;
}

#define clock_seconds made_seconds
#define referee_link_case made_case
#define referee_link_reset made_reset
#define contestant_link_time made_time
#define contestant_link_holds made_holds
#define lane_open_all made_open
#define lane_take made_take
#define lane_close made_close
#define lane_check(...) made_check(__VA_ARGS__)
#define clocks_report made_report
#define confirm made_confirm
#define confirm_begin made_begin
#define run_note made_note
#include "judge/timing/timer.c" /* NOLINT(bugprone-suspicious-include) */

static struct judge_options options = {.mode = JUDGE_CHECKS};
static const struct shape large = {{1, 4096, 4096, 4096, 1}};

static const struct entrant entrants[ENTRANTS] = {
	{.label = "x.cu", .library = "/etc/passwd", .role = TIMING_FILE},
	{.label = "cuBLAS", .library = "/etc/passwd", .role = TIMING_LIBRARY, .is_reference = true},
	{.label = "cuBLASLt", .library = "/etc/passwd", .role = TIMING_LIBRARY, .is_reference = true}};

/* One file with its libraries, as `judge` times it; what was asked before is forgotten. */
static struct timing_result judged_at(int kept, const struct shape *shape)
{
	static const float scalars[] = {1, 0};
	const struct problem *problem = problem_find("sgemm");
	const struct test_case test = case_of_shape(problem, shape, scalars, 1);
	struct run run = {.options = &options, .time_budget = 3, .timeout = 10, .kept = kept};
	struct timing_result out;
	struct error err;
	run.referee.facts.l2_bytes = 60u << 20;
	run.referee.facts.memory_bytes = 141ull << 30;
	made.asked[0] = made.rows[0] = made.notes[0] = '\0';
	memset(made.asked, 0, sizeof made.asked);
	memset(made.rows, 0, sizeof made.rows);
	memset(made.calls, 0, sizeof made.calls);
	made.cases = made.confirmed = made.inputs = 0;
	made.fresh = 0;
	struct timer *timer = timer_open(&run, problem, entrants, ENTRANTS, &err);
	cr_assert_not_null(timer);
	cr_assert(timer_case(timer, &test, &out, &err), "%s", err.message);
	timer_close(timer);
	cr_assert_eq(out.count, ENTRANTS);
	for (size_t i = 0; i < ENTRANTS; i++) {
		cr_expect_str_eq(out.entries[i].label, entrants[i].label);
		cr_expect(out.entries[i].ran && out.entries[i].tflops > 0);
	}
	return out;
}

static struct timing_result judged(int kept)
{
	return judged_at(kept, &large);
}

static void begin(double file, double cublas, double cublaslt)
{
	made = (struct made){.now = 1000, .takes = {file, cublas, cublaslt}, .mhz = 1980};
}

/* ---- passes -------------------------------------------------------------------------- */

Test(timer, a_slow_file_makes_fewer_calls_on_the_same_inputs)
{
	begin(15000, 180, 2700);
	struct timing_result out = judged(0);
	cr_expect_str_eq(made.asked, "fblLBFfbllbffblLBFfbllbf");
	cr_expect_eq(made.inputs, 8, "drawn for each round, not for each pass");
	cr_expect_eq(made.calls[0], 8 * 2, "two calls and none before them");
	cr_expect_eq(made.calls[1], 8 * 10);
	cr_expect_eq(made.calls[2], 8 * 7, "20 ms");
	cr_expect(out.entries[0].span.samples == 12 && out.entries[0].event.samples == 4);
	cr_expect(out.entries[1].span.samples == 48 && out.entries[2].span.samples == 36);
	cr_expect_eq(out.entries[0].passes.count, 6);
	cr_expect(!out.wide);
	free(out.entries);
}

/* Loading and tuning take tens of milliseconds: what a call takes is seen in its first pass. */
Test(timer, a_first_call_that_was_slow_shortens_one_pass)
{
	begin(180, 170, 175);
	made.first[0] = 40000;
	struct timing_result out = judged(0);
	cr_expect_eq(made.calls[0], 2 + 7 * 10);
	cr_expect_eq(made.calls[1], 8 * 10);
	cr_expect_eq(out.entries[0].span.samples, 2 + 5 * 8);
	free(out.entries);
}

Test(timer, a_result_of_each_pass_is_compared_and_some_as_a_whole)
{
	size_t wholes = 0, passes = 0;
	for (int i = 0; i < 40; i++) {
		begin(15000, 180, 180);
		struct timing_result out = judged(0);
		cr_expect_eq(strlen(made.rows), 8);
		cr_expect_eq(made.rows[0], 'W', "the first");
		cr_expect_null(strchr(made.rows, '?'));
		for (const char *row = made.rows + 1; *row != '\0'; row++, passes++)
			wholes += *row == 'W';
		free(out.entries);
	}
	/* 280 drawn with a probability of a quarter: 70 +- 7.2 */
	cr_expect(passes == 280 && wholes > 30 && wholes < 110, "%zu of %zu", wholes, passes);
}

/* ---- libraries' times that files have in common --------------------------------------- */

static int make_store(void)
{
	const struct judge_options several = {.mode = JUDGE_CHECKS, .file_count = 2};
	int store = kept_open(&several, 0);
	cr_assert_gt(store, 0);
	return store;
}

static bool libraries_asked(void)
{
	return strpbrk(made.asked, "bBlL") != NULL;
}

Test(timer, a_second_file_is_timed_by_itself)
{
	int store = make_store();
	begin(15000, 180, 175);
	struct timing_result out = judged(store);
	cr_expect_str_eq(made.asked, "blLBbllbblLBbllbfFfffFff", "the libraries first, without it");
	cr_expect_eq(out.libraries_age, 0);
	free(out.entries);
	made.now += 30;
	made.takes[0] = 9000;
	made.takes[1] = 99; /* nobody looks */
	out = judged(store);
	cr_expect_str_eq(made.asked, "fFfffFff");
	cr_expect(made.cases == 1 && made.confirmed == 1, "no sealed call of a library");
	cr_expect(out.libraries_age > 30 && out.libraries_age < 32, "%g", out.libraries_age);
	cr_expect_float_eq(out.entries[0].span.median, 9000, 9);
	cr_expect_float_eq(out.entries[1].span.median, 180, 1);
	cr_expect_float_eq(out.entries[2].span.median, 175, 1);
	cr_expect_str_eq(made.notes, "");
	free(out.entries);
	close(store);
}

Test(timer, no_file_is_there_while_kept_times_are_taken)
{
	int store = make_store();
	begin(180, 180, 175);
	free(judged(store).entries);
	made.mhz = 1900;
	free(judged(store).entries);
	cr_expect_str_eq(made.asked, "fFfffFffblLBbllbblLBbllb");
	cr_expect(!made.file_runs);
	close(store);
}

Test(timer, old_times_are_taken_again_and_drift_is_told)
{
	int store = make_store();
	begin(15000, 180, 175);
	free(judged(store).entries);
	made.now += KEPT_SECONDS;
	made.takes[1] = 190;
	struct timing_result out = judged(store);
	cr_expect(libraries_asked());
	cr_expect_eq(out.libraries_age, 0);
	cr_expect_float_eq(out.entries[1].span.median, 190, 1);
	cr_expect_not_null(strstr(made.notes, "cuBLAS takes 190.1 us now and took 180.1 us"), "%s",
					   made.notes);
	free(out.entries);
	free(judged(store).entries);
	cr_expect(!libraries_asked(), "they are kept anew");
	cr_expect_str_eq(made.notes, "");
	close(store);
}

Test(timer, times_at_another_clock_are_taken_again_after_the_file)
{
	int store = make_store();
	begin(15000, 180, 175);
	free(judged(store).entries);
	made.mhz = 1755;
	made.takes[1] = 203;
	struct timing_result out = judged(store);
	cr_expect_str_eq(made.asked, "fFfffFffblLBbllbblLBbllb");
	cr_expect_eq(out.libraries_age, 0);
	cr_expect_float_eq(out.entries[1].span.median, 203, 1);
	cr_expect_not_null(strstr(made.notes, "cuBLAS takes"));
	free(out.entries);
	made.now += 5;
	out = judged(store);
	cr_expect(!libraries_asked() && out.libraries_age == 5);
	free(out.entries);
	close(store);
}

Test(timer, other_shapes_and_other_commands_share_nothing)
{
	static const struct shape other = {{1, 4096, 4096, 2048, 1}};
	int store = make_store();
	begin(15000, 180, 175);
	free(judged(store).entries);
	free(judged_at(store, &other).entries);
	cr_expect(libraries_asked(), "another shape");
	free(judged(store).entries);
	cr_expect(!libraries_asked());
	options.mode = JUDGE_TIMES;
	free(judged(store).entries);
	cr_expect(libraries_asked(), "bench times them side by side");
	options.mode = JUDGE_CHECKS;
	free(judged(0).entries);
	cr_expect(libraries_asked(), "no store");
	close(store);
}
