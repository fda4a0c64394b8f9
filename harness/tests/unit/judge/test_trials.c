/* links: judge compile process testcases base */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/paths.h"
#include "judge/trials.h"

/* FAULT=2 does not compile, FAULT=1 computes something else, FAULT=3 dies. */
static const char *const variants[][3] = {
	{"-DBLOCK_M=16"}, {"-DFAULT=2"}, {"-DBLOCK_M=32", "-DFAULT=1"}, {"-DBLOCK_M=8"}, {"-DFAULT=3"}};
#define VARIANTS (sizeof variants / sizeof *variants)
#define SECONDS 100.0

static struct error err;
static char file[PATHS_MAX];
static const char *files[] = {file};
static struct trials *trials;

static struct judge_options options_for(const char *name)
{
	struct judge_options options = {
		.files = files, .file_count = 1, .problem = problem_find("sgemm"), .cases.seed = 1};
	char source[PATHS_MAX];
	cr_assert(paths_source(source, &err) && paths_join(file, source, name, &err));
	cr_assert(device_list_parse("emu", &options.device, &err));
	return options;
}

static void open_trials(const struct judge_options *options)
{
	const char *const *flags[VARIANTS];
	enum judge_status status;
	for (size_t i = 0; i < VARIANTS; i++)
		flags[i] = variants[i];
	trials = trials_open(options, NULL, &status, &err);
	cr_assert_not_null(trials, "%s", err.message);
	cr_assert(trials_compile(trials, flags, VARIANTS, &err), "%s", err.message);
}

static struct timing_result time_these(const size_t *numbers, size_t count, double seconds)
{
	const struct shape shape = {{1, 32, 32, 32, 1}};
	const float scalars[] = {1, 0};
	const struct test_case test = case_of_shape(problem_find("sgemm"), &shape, scalars, 1);
	const struct trials_round round = {.test = &test,
									   .variants = numbers,
									   .count = count,
									   .passes = 3,
									   .deadline = clock_seconds() + seconds};
	struct timing_result result;
	cr_assert(trials_time(trials, &round, &result, &err), "%s", err.message);
	cr_assert(result.count == count);
	return result;
}

static void judged(size_t variant, double seconds, enum verdict verdict)
{
	struct judgement judgement;
	cr_assert(trials_check(trials, variant, (struct trials_cases){2, 32}, clock_seconds() + seconds,
						   &judgement, &err),
			  "%s", err.message);
	cr_expect(judgement.verdict == verdict, "%zu: %s, %s", variant, verdict_name(judgement.verdict),
			  judgement.detail);
	judgement_free(&judgement);
}

/* On the emulated GPU as far as to the time, which it has not. */
Test(trials, are_compiled_timed_and_judged)
{
	struct judge_options options = options_for("harness/tests/fixtures/tuned.cu");
	enum device_kind kind;
	size_t ready;
	open_trials(&options);
	cr_expect(trials_device(trials, &kind)->name[0] != '\0' && kind == DEVICE_EMULATED);
	cr_assert(trials_ready(trials, 0, VARIANTS, clock_seconds() + SECONDS, &ready, &err));
	cr_expect(ready >= 1 && ready <= VARIANTS);

	static const size_t all[] = {3, 1, 0}, some[] = {0, 3}, other[] = {2};
	struct timing_result result = time_these(all, 3, SECONDS);
	cr_expect(result.entries[1].verdict == VERDICT_COMPILE_ERROR);
	for (size_t i = 0; i < 3; i += 2) {
		cr_expect(result.entries[i].verdict == VERDICT_RUNTIME_ERROR);
		cr_expect(strstr(result.entries[i].detail, "no time") != NULL, "%s",
				  result.entries[i].detail);
	}
	free(result.entries);
	result = time_these(some, 2, SECONDS); /* in the same processes */
	cr_expect(result.entries[0].verdict == VERDICT_RUNTIME_ERROR);
	free(result.entries);
	result = time_these(other, 1, SECONDS);
	cr_expect(result.entries[0].verdict == VERDICT_RUNTIME_ERROR);
	free(result.entries);

	/* Opened side by side, each fails for itself. */
	static const size_t beside[] = {4, 0, 3, 4, 2};
	result = time_these(beside, 5, SECONDS);
	for (size_t i = 0; i < 5; i++)
		cr_expect(strstr(result.entries[i].detail, beside[i] == 4 ? "signal" : "no time") != NULL,
				  "%zu: %s", i, result.entries[i].detail);
	free(result.entries);

	trials_settle(trials);
	judged(0, SECONDS, VERDICT_ACCEPTED);
	judged(1, SECONDS, VERDICT_COMPILE_ERROR);
	judged(2, SECONDS, VERDICT_WRONG_ANSWER);
	judged(3, -1, VERDICT_NOT_RUN);
	trials_close(trials);
}

Test(trials, nothing_waits_beyond_a_deadline)
{
	struct judge_options options = options_for("harness/tests/fixtures/tuned.cu");
	char unheard_of[64];
	snprintf(unheard_of, sizeof unheard_of, "-DNEVER_%.0f", clock_seconds() * 1e9);
	const char *const fresh[] = {unheard_of, NULL};
	const char *const *flags[] = {fresh};
	static const size_t first[] = {0};
	size_t ready = 1;
	double begun = clock_seconds();
	open_trials(&options);
	cr_assert(trials_compile(trials, flags, 1, &err), "%s", err.message); /* the others are gone */
	cr_assert(trials_ready(trials, 0, 1, clock_seconds(), &ready, &err));
	cr_expect(ready == 0);
	struct timing_result result = time_these(first, 1, -1);
	cr_expect(result.entries[0].verdict == VERDICT_NOT_RUN);
	free(result.entries);
	trials_close(trials);
	cr_expect(clock_seconds() - begun < 60);
}

Test(trials, a_file_that_is_not_there)
{
	struct judge_options options = options_for("no_such.cu");
	const char *const none[] = {NULL};
	const char *const *flags[] = {none};
	enum judge_status status;
	trials = trials_open(&options, NULL, &status, &err);
	cr_assert_not_null(trials);
	cr_expect(!trials_compile(trials, flags, 1, &err));
	cr_expect(strstr(err.message, "no_such.cu") != NULL, "%s", err.message);
	trials_close(trials);
}
