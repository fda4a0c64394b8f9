/* links: judge compile process testcases base; timeout: 120 */
/* Times of libraries that the files of a batch share: what is kept, under which key, how long, and
 * what others find of it who were killed while they wrote. */
#define _GNU_SOURCE /* memfd_create() */
#include <criterion/criterion.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "judge/run/timing_lock.h"
#include "judgement/layers.h"

#include "judge/timing/kept.c" /* NOLINT(bugprone-suspicious-include) */

static int make(void)
{
	const struct judge_options options = {.mode = JUDGE_CHECKS, .file_count = 2};
	int store = kept_open(&options, 0);
	cr_assert_gt(store, STDERR_FILENO);
	return store;
}

static struct kept_key key_named(const char *name)
{
	struct kept_key key = {{0}};
	snprintf(key.text, sizeof key.text, "%s", name);
	return key;
}

static struct timing_entry entries[2];

/* cuBLAS takes so many microseconds, and cuBLASLt 10 less. */
static struct kept_times times_of(double microseconds, double when)
{
	for (int i = 0; i < 2; i++) {
		double median = microseconds - 10 * i;
		entries[i] = (struct timing_entry){
			.ran = true,
			.role = TIMING_LIBRARY,
			.span = {.samples = 48, .median = median, .low = median - 2, .high = median + 2},
			.passes = {.count = 2, .microseconds = {100, 101}}};
		strcpy(entries[i].label, i == 0 ? "cuBLAS" : "cuBLASLt");
	}
	return (struct kept_times){
		.when = when,
		.result = {.count = 2, .entries = entries, .sm_clock_mhz_median = 1980, .sets = 10}};
}

/* The median of cuBLAS under the key; 0: there is none. */
static double found(int store, const char *name)
{
	const struct kept_key key = key_named(name);
	struct kept_times times;
	double median = 0;
	if (kept_find(store, &key, &times) && times.result.count == 2)
		median = times.result.entries[0].span.median;
	free(times.result.entries);
	return median;
}

static void add(int store, const char *name, double microseconds, double when)
{
	const struct kept_key key = key_named(name);
	const struct kept_times times = times_of(microseconds, when);
	kept_add(store, &key, &times);
}

Test(kept, times_are_found_by_their_key_as_they_were)
{
	int store = make();
	const struct kept_key key = key_named("a");
	struct kept_times times;
	cr_expect(!kept_find(store, &key, &times));
	cr_expect_null(times.result.entries);
	add(store, "a", 180, 5);
	add(store, "b", 300, 6);
	cr_assert(kept_find(store, &key, &times));
	cr_expect(times.when == 5 && times.result.count == 2 && times.result.sets == 10 &&
			  times.result.sm_clock_mhz_median == 1980);
	times_of(180, 5);
	const char *bytes = (const char *)times.result.entries;
	cr_expect_eq(memcmp(bytes, (const char *)entries, sizeof entries), 0);
	free(times.result.entries);
	cr_expect_eq(found(store, "b"), 300);
	cr_expect_eq(found(store, "c"), 0);
	add(store, "a", 190, 70);
	cr_expect_eq(found(store, "a"), 190, "in the place of the older ones");
	cr_expect_eq(found(store, "b"), 300);
	close(store);
}

Test(kept, the_oldest_makes_room)
{
	int store = make();
	char name[16];
	for (int i = 0; i < SLOTS + 1; i++) {
		snprintf(name, sizeof name, "%d", i);
		add(store, name, 100 + i, i == 3 ? 1 : 10 + i);
	}
	cr_expect_eq(found(store, "3"), 0);
	cr_expect_eq(found(store, "0"), 100);
	cr_expect_eq(found(store, "32"), 132);
	close(store);
}

Test(kept, what_is_half_written_counts_as_nothing)
{
	struct slot *slot = calloc(1, sizeof *slot);
	int store = make();
	add(store, "a", 180, 5);
	cr_assert_eq(pread(store, slot, sizeof *slot, 0), (ssize_t)sizeof *slot);
	slot->entries[0].span.median = 90;
	cr_assert_gt(pwrite(store, slot, sizeof *slot / 2, 0), 0);
	cr_expect_eq(found(store, "a"), 0, "half of another record");
	add(store, "a", 181, 6);
	cr_expect_eq(found(store, "a"), 181);
	cr_assert_eq(ftruncate(store, (off_t)sizeof *slot - 1), 0);
	cr_expect_eq(found(store, "a"), 0, "it ends early");
	slot->result.count = KEPT_LIBRARIES + 1;
	sum_of(slot, slot->sum);
	cr_assert_gt(pwrite(store, slot, sizeof *slot, 0), 0);
	cr_expect_eq(found(store, "a"), 0, "more entries than there are");
	free(slot);
	close(store);
}

/* Eight judges write and read; each is killed in the midst of that. */
Test(kept, killed_judges_leave_whole_records)
{
	const struct timespec moment = {.tv_nsec = 30000000};
	int store = make();
	pid_t judges[8];
	add(store, "5", 500, 1);
	for (int i = 0; i < 8; i++) {
		judges[i] = fork();
		cr_assert_geq(judges[i], 0);
		for (double when = 2; judges[i] == 0; when++) {
			add(store, "5", 500, when);
			double median = found(store, "5");
			if (median != 500 && median != 0)
				_exit(1);
		}
	}
	nanosleep(&moment, NULL);
	for (int i = 0; i < 8; i++) {
		int status;
		kill(judges[i], SIGKILL);
		cr_assert_eq(waitpid(judges[i], &status, 0), judges[i]);
		cr_expect(WIFSIGNALED(status), "found what nobody wrote");
		add(store, "6", 600 + i, 1);
		cr_expect_eq(found(store, "6"), 600 + i, "nobody who is gone holds a lock");
	}
	close(store);
}

Test(kept, what_is_no_good_for_other_files_is_not_kept)
{
	static const char *const names[] = {"wide", "held down", "slowed", "failed", "none"};
	const struct kept_key key = key_named("a");
	int store = make();
	for (int i = 0; i < 5; i++) {
		struct kept_times times = times_of(180, 5);
		times.result.wide = i == 0;
		times.result.throttled = i == 1;
		entries[1].seal.slowed = i == 2;
		entries[1].ran = i != 3;
		entries[1].verdict = i == 3 ? VERDICT_RUNTIME_ERROR : VERDICT_ACCEPTED;
		times.result.count = i == 4 ? 0 : 2;
		kept_add(store, &key, &times);
		cr_expect_eq(found(store, "a"), 0, "%s", names[i]);
	}
	const struct kept_times times = times_of(180, 5);
	entries[1].ran = false;
	entries[1].verdict = VERDICT_COMPILE_ERROR;
	kept_add(store, &key, &times);
	cr_expect_eq(found(store, "a"), 180, "a library that has no such epilogue has none tomorrow");
	close(store);
}

/* ---- keys ---------------------------------------------------------------------------- */

static struct setting {
	struct judge_options options;
	struct run run;
	struct test_case test;
	struct entrant entrants[2];
	struct lane lanes[2];
	char library[64];
} now;

static void write_library(const char *content)
{
	FILE *file = fopen(now.library, "w");
	cr_assert_not_null(file);
	cr_assert_geq(fputs(content, file), 0);
	fclose(file);
}

static void setting_begin(void)
{
	static const struct shape shape = {{1, 512, 256, 128, 1}};
	static const float scalars[] = {1, 0};
	now = (struct setting){.options = {.mode = JUDGE_CHECKS},
						   .run = {.options = &now.options, .time_budget = 3},
						   .test = case_of_shape(problem_find("sgemm"), &shape, scalars, 1)};
	snprintf(now.library, sizeof now.library, "/tmp/test_kept.%d", (int)getpid());
	write_library("code");
	for (int i = 0; i < 2; i++) {
		now.entrants[i] = (struct entrant){.label = "cuBLAS", .library = now.library};
		now.lanes[i].entrant = &now.entrants[i];
	}
	strcpy(now.run.referee.facts.pci_bus_id, "0000:01:00.0");
}

static struct kept_key key_now(void)
{
	const struct lane_check what = {
		.run = &now.run, .problem = problem_find("sgemm"), .test = &now.test};
	struct kept_key key;
	cr_assert(kept_key_of(&what, now.lanes, 2, &key));
	return key;
}

static struct kept_key first;

static bool differs(void)
{
	const struct kept_key key = key_now();
	unlink(now.library);
	bool out = memcmp(&key, &first, sizeof key) != 0;
	setting_begin();
	return out;
}

#define DIFFERS(change)                                                                            \
	do {                                                                                           \
		change;                                                                                    \
		cr_expect(differs(), "%s", #change);                                                       \
	} while (0)

Test(kept, a_key_is_of_all_that_times_depend_on)
{
	setting_begin();
	first = key_now();
	DIFFERS(now.test.shape.size[SIZE_M] = 1024);
	DIFFERS(now.test.scalar[SCALAR_BETA] = 1);
	DIFFERS(now.test.values[0].distribution = VALUES_ZERO);
	DIFFERS(strcpy(now.run.referee.facts.pci_bus_id, "0000:02:00.0"));
	DIFFERS(strcpy(now.run.referee.facts.library, "cuBLAS 13.2.0"));
	DIFFERS(now.options.timing.thorough = true);
	DIFFERS(now.options.limits.without = LAYER_SEALED);
	DIFFERS(now.options.tolerance.text = "leetgpu");
	DIFFERS(now.run.time_budget = 1);
	DIFFERS(now.entrants[1].mode = LIBRARY_ACCURATE);
	DIFFERS(now.entrants[1].label = "cuBLASLt");
	DIFFERS(now.entrants[1].library = NULL);
	DIFFERS(write_library("other code"));
	unlink(now.library);
}

Test(kept, a_key_is_of_no_seed_and_no_name)
{
	setting_begin();
	first = key_now();
	now.test.seed = 99;
	strcpy(now.test.name, "other");
	cr_expect(!differs());
	unlink(now.library);
	const struct lane_check what = {
		.run = &now.run, .problem = problem_find("sgemm"), .test = &now.test};
	struct kept_key key;
	cr_expect(!kept_key_of(&what, now.lanes, 2, &key), "there is no such file");
}

/* ---- whether they hold ----------------------------------------------------------------- */

Test(kept, times_hold_for_a_minute_and_at_their_clock)
{
	const struct kept_times times = times_of(180, 100);
	struct timing_result file = {.sm_clock_mhz_median = 1980};
	cr_expect(kept_hold(&times, 100) && kept_hold(&times, 160) && !kept_hold(&times, 160.1));
	cr_expect(kept_hold_at(&times, &file));
	file.sm_clock_mhz_median = 1965;
	cr_expect(kept_hold_at(&times, &file));
	file.sm_clock_mhz_median = 1950;
	cr_expect(!kept_hold_at(&times, &file));
	file.sm_clock_mhz_median = 2005;
	cr_expect(!kept_hold_at(&times, &file));
}

/* What the line says of a library that took 180 us and takes so many now; "": nothing. */
static const char *drift_to(double microseconds, double half_width)
{
	static char line[KEPT_DRIFT_TEXT];
	static struct timing_entry old[2];
	struct kept_times before = times_of(180, 100);
	memcpy(old, entries, sizeof old);
	before.result.entries = old;
	struct kept_times times = times_of(microseconds, 175);
	for (int i = 0; i < 2; i++) {
		entries[i].span.low = entries[i].span.median - half_width;
		entries[i].span.high = entries[i].span.median + half_width;
	}
	line[0] = '\0';
	bool drifts = kept_drift(&before, &times, line);
	cr_expect_eq(drifts, line[0] != '\0');
	return line;
}

Test(kept, drift_is_told_where_intervals_are_apart)
{
	cr_expect_str_eq(drift_to(180, 2), "");
	cr_expect_str_eq(drift_to(181.5, 0.1), "", "less than 1%%");
	cr_expect_str_eq(drift_to(186, 9), "", "the intervals allow it");
	cr_expect_str_eq(drift_to(189, 2),
					 "cuBLASLt takes 179 us now and took 170 us 75 s ago (+5.3%): ratios to "
					 "libraries of files in between are uncertain by that");
	cr_expect_not_null(strstr(drift_to(171, 2), "cuBLASLt takes 161 us now"));
}

/* ---- the store of a run ------------------------------------------------------------------ */

Test(kept, a_run_of_several_files_has_a_store)
{
	struct judge_options options = {.mode = JUDGE_CHECKS, .file_count = 1};
	cr_expect_eq(kept_open(&options, 0), 0);
	options.file_count = 2;
	int store = kept_open(&options, 0);
	cr_assert_gt(store, STDERR_FILENO);
	cr_expect_eq(fcntl(store, F_GETFD), FD_CLOEXEC);
	close(store);
	options.timing.untimed = true;
	cr_expect_eq(kept_open(&options, 0), 0);
	options = (struct judge_options){.mode = JUDGE_TIMES, .file_count = 2};
	cr_expect_eq(kept_open(&options, 0), 0);
}

/* While another judge of the batch takes times, and has locked the file for that. */
Test(kept, judges_of_a_batch_have_a_store_in_common)
{
	const struct judge_options options = {.mode = JUDGE_CHECKS, .file_count = 1};
	int batch = memfd_create("beside", MFD_CLOEXEC);
	int lock = timing_lock_open(dup(batch)), other = timing_lock_open(dup(batch));
	cr_assert(lock > STDERR_FILENO && other > STDERR_FILENO && lock != other);
	int store = kept_open(&options, lock), others = kept_open(&options, other);
	cr_assert(store > STDERR_FILENO && others > STDERR_FILENO);
	cr_expect_eq(fcntl(store, F_GETFD), FD_CLOEXEC, "no child of ours inherits it");
	timing_lock_begin(lock);
	add(store, "a", 180, 5);
	cr_expect(timing_lock_is_held(other));
	cr_expect_eq(found(others, "a"), 180);
	add(others, "a", 190, 6);
	cr_expect_eq(found(store, "a"), 190);
	timing_lock_end(lock);
	cr_expect(!timing_lock_is_held(other));
	cr_expect_eq(found(0, "a"), 0, "no store is allowed");
	add(0, "a", 180, 5);
}
