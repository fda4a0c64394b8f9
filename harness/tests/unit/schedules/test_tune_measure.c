/* links: cli */
/* gemmjudge tune with a GPU that is made up here, in place of judge/trials.c. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "judge/trials.h"

struct trials {
	size_t count;
	const char *const *const *flags;
	struct device_properties facts;
};

/* How the GPU behaves; one test after the other, each in a process of its own. */
static struct {
	double slow;         /* what all times are multiplied by */
	size_t timed;        /* entries, in all rounds; libraries do not count */
	size_t interrupt_at; /* SIGINT after so many; 0: never */
	size_t breaks_at;    /* the device goes; 0: never */
	double seconds_each; /* that an entry takes */
	bool emulated, refuses, never_ready;
} gpu = {.slow = 1};

static int64_t constant(const struct trials *trials, size_t variant, const char *name)
{
	size_t length = strlen(name);
	for (const char *const *flag = trials->flags[variant]; *flag != NULL; flag++)
		if (strncmp(*flag, "-D", 2) == 0 && strncmp(*flag + 2, name, length) == 0 &&
			(*flag)[2 + length] == '=')
			return atoll(*flag + 3 + length);
	return -1;
}

struct trials *trials_open(const struct judge_options *options,
						   const struct judge_progress *progress, enum judge_status *status,
						   struct error *err)
{
	(void)options, (void)progress;
	*status = JUDGE_CANNOT_RUN;
	if (gpu.refuses) {
		error_set(err, "no usable NVIDIA GPU");
		return NULL;
	}
	struct trials *trials = calloc(1, sizeof *trials);
	trials->facts = (struct device_properties){.multiprocessors = 132,
											   .l2_bytes = 60 << 20,
											   .sm_clock_khz = 1980000,
											   .architecture = "90a"};
	snprintf(trials->facts.name, sizeof trials->facts.name, "NVIDIA H200");
	snprintf(trials->facts.driver, sizeof trials->facts.driver, "580.1");
	return trials;
}

const struct device_properties *trials_device(const struct trials *trials, enum device_kind *kind)
{
	*kind = gpu.emulated ? DEVICE_EMULATED : DEVICE_CUDA;
	return &trials->facts;
}

const char *trials_nvcc(const struct trials *trials)
{
	(void)trials;
	return "13.0.88";
}

void trials_close(struct trials *trials)
{
	free(trials);
}

bool trials_compile(struct trials *trials, const char *const *const *flags, size_t count,
					struct error *err)
{
	(void)err;
	trials->flags = flags;
	trials->count = count;
	return true;
}

void trials_settle(struct trials *trials)
{
	(void)trials;
}

bool trials_prepare_libraries(struct trials *trials, struct error *err)
{
	(void)trials, (void)err;
	return true;
}

bool trials_ready(struct trials *trials, size_t first, size_t most, double deadline, size_t *ready,
				  struct error *err)
{
	(void)err;
	*ready = gpu.never_ready || clock_seconds() > deadline ? 0
			 : trials->count - first < most                ? trials->count - first
														   : most;
	return true;
}

static void time_entry(struct timing_entry *entry, double microseconds)
{
	entry->ran = true;
	entry->span = (struct timing_stats){.samples = 64,
										.median = microseconds,
										.min = microseconds,
										.low = 0.995 * microseconds,
										.high = 1.005 * microseconds};
}

/* The larger the tile the better, but for tall ones; FAULT=2 does not compile. */
static void time_variant(const struct trials *trials, size_t variant, const struct test_case *test,
						 struct timing_entry *entry)
{
	double m = (double)constant(trials, variant, "BLOCK_M");
	double n = (double)constant(trials, variant, "BLOCK_N");
	double thread = (double)constant(trials, variant, "THREAD_N");
	double base = (double)test->shape.size[SIZE_M] / 10;
	if (constant(trials, variant, "FAULT") == 2) {
		entry->verdict = VERDICT_COMPILE_ERROR;
		snprintf(entry->detail, sizeof entry->detail, "nvcc refused the file");
		return;
	}
	time_entry(entry, gpu.slow * base * (1 + 16 / m + 32 / n + (thread == 2 ? 0 : 0.3)));
	if (constant(trials, variant, "FAULT") == 1)
		entry->span.median *= 0.5; /* who computes less is faster */
}

bool trials_time(struct trials *trials, const struct trials_round *round, struct timing_result *out,
				 struct error *err)
{
	*out = (struct timing_result){.test = *round->test,
								  .count = round->count + (round->libraries ? 1 : 0)};
	if (gpu.breaks_at > 0 && gpu.timed >= gpu.breaks_at)
		return error_set(err, "the GPU fell off the bus");
	out->entries = calloc(out->count, sizeof *out->entries);
	cr_assert(round->count <= TRIALS_TOGETHER);
	for (size_t i = 0; i < round->count; i++) {
		cr_assert(round->variants[i] < trials->count);
		time_variant(trials, round->variants[i], round->test, &out->entries[i]);
		usleep((useconds_t)(gpu.seconds_each * 1e6));
		gpu.timed++;
	}
	if (round->libraries) {
		struct timing_entry *library = &out->entries[round->count];
		library->role = TIMING_LIBRARY;
		snprintf(library->label, sizeof library->label, "cuBLAS");
		time_entry(library, (double)round->test->shape.size[SIZE_M] / 10);
	}
	if (gpu.interrupt_at > 0 && gpu.timed >= gpu.interrupt_at)
		raise(SIGINT);
	return true;
}

bool trials_check(struct trials *trials, size_t variant, struct trials_cases cases, double deadline,
				  struct judgement *out, struct error *err)
{
	(void)deadline, (void)err;
	bool wrong = constant(trials, variant, "FAULT") == 1;
	*out = (struct judgement){.verdict = wrong ? VERDICT_WRONG_ANSWER : VERDICT_ACCEPTED,
							  .count = cases.count,
							  .cases = calloc(cases.count, sizeof *out->cases),
							  .accepted = wrong ? 0 : cases.count};
	return true;
}

/* ---- running it ------------------------------------------------------------------------- */

static char folder[64], file[PATHS_MAX];

static void begin(void)
{
	struct error err;
	char source[PATHS_MAX];
	cr_assert(paths_source(source, &err) &&
			  paths_join(file, source, "harness/tests/fixtures/tuned.cu", &err));
	strcpy(folder, "/tmp/test-tune-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	setenv("GEMMJUDGE_STORE", "s.db", 1);
}

static void end(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	cr_expect_eq(system(command), 0);
}

TestSuite(tune_measure, .init = begin, .fini = end);

/* Runs it with these words behind FILE; stdout and stderr go to files. The exit status. */
static int tune(const char *words)
{
	char text[1024], *argv[64] = {"tune", file, "--device", "cuda", "--problem", "sgemm"};
	int argc = 6;
	struct options options;
	struct error err;
	snprintf(text, sizeof text, "%s", words);
	for (char *rest = text, *word; (word = strtok_r(rest, " ", &rest)) != NULL;)
		argv[argc++] = word;
	argv[argc] = NULL;
	gpu.timed = 0;
	cr_assert(options_parse(argc, argv, &options, &err), "%s", err.message);
	fflush(stdout);
	cr_assert(freopen("out", "w", stdout) != NULL && freopen("err", "w", stderr) != NULL);
	int status = subcommand_tune.run("gemmjudge", &options);
	fflush(stdout);
	fflush(stderr);
	return status;
}

static const char *read_all(const char *name)
{
	static char text[65536];
	FILE *in = fopen(name, "r");
	size_t length = in != NULL ? fread(text, 1, sizeof text - 1, in) : 0;
	text[length] = '\0';
	if (in != NULL)
		fclose(in);
	return text;
}

static void holds(const char *name, const char *text)
{
	cr_expect(strstr(read_all(name), text) != NULL, "\"%s\" was expected in: %s", text,
			  read_all(name));
}

static void holds_not(const char *name, const char *text)
{
	cr_expect(strstr(read_all(name), text) == NULL, "\"%s\" was not expected in: %s", text,
			  read_all(name));
}

/* BLOCK_M=32 BLOCK_N=64 THREAD_N=2 is the best; with FAULT=1 it would be. */
Test(tune_measure, the_best_right_one_is_found)
{
	cr_expect_eq(tune("--shape 1024x1024x1024"), EXIT_ACCEPTED);
	holds("out", "best: 204.8 us with BLOCK_M=32 BLOCK_N=64 THREAD_N=2 FAULT=0");
	holds("out", "1.500 times as fast as the file's defaults");
	holds("out", "0.500 of the\n  speed of cuBLAS");
	holds("out", "; 8: does not compile; 8: wrong results");
	holds("out", "judged on 8 cases: accepted");
	cr_expect_str_eq(read_all("err"), "");
}

Test(tune_measure, a_second_run_measures_only_what_was_best)
{
	cr_expect_eq(tune("--shape 1024x1024x1024"), EXIT_ACCEPTED);
	const size_t first = gpu.timed;
	cr_expect_eq(tune("--shape 1024x1024x1024 --json j"), EXIT_ACCEPTED);
	cr_expect(gpu.timed < first / 2, "%zu, then %zu", first, gpu.timed);
	holds("out", "times of 41 are of an earlier run");
	holds("j", "\"of_an_earlier_run\": 41");
	holds("j", "\"over_defaults\": 1.5");

	gpu.slow = 1.2; /* the clocks fell */
	cr_expect_eq(tune("--shape 1024x1024x1024"), EXIT_ACCEPTED);
	holds("out", "; times of an earlier run differ: not used;");
	holds("out", "best: 245.8 us with BLOCK_M=32 BLOCK_N=64 THREAD_N=2 FAULT=0");

	cr_expect_eq(tune("--shape 1024x1024x1024 --no-store"), EXIT_ACCEPTED);
	holds_not("out", "earlier run");
}

Test(tune_measure, an_interrupted_one_shows_the_best_so_far_and_goes_on_later)
{
	gpu.interrupt_at = 12;
	pid_t child = fork();
	if (child == 0)
		_exit(tune("--shape 1024x1024x1024 --json j")); /* ends by SIGINT itself */
	int status;
	waitpid(child, &status, 0);
	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	holds("out", ", interrupted");
	holds("out", "best: ");
	holds("out", "its results were not judged");
	holds("j", "\"ended\": \"interrupted\"");
	gpu.interrupt_at = 0;
	cr_expect_eq(tune("--shape 1024x1024x1024"), EXIT_ACCEPTED);
	holds("out", "are of an earlier run");
	holds("out", "best: 204.8 us with BLOCK_M=32 BLOCK_N=64 THREAD_N=2 FAULT=0");
}

Test(tune_measure, the_budget_is_kept)
{
	gpu.seconds_each = 0.1;
	double begun = clock_seconds();
	cr_expect_eq(tune("--shape 1024x1024x1024 --time-limit 2"), EXIT_ACCEPTED);
	double took = clock_seconds() - begun;
	cr_expect(took < 2.5, "%g s", took);
	holds("out", "the time was up");
	holds("out", "best: ");
	holds_not("out", "cuBLAS"); /* compiling it could take longer than all of it */
}

Test(tune_measure, no_time_at_all)
{
	gpu.never_ready = true;
	cr_expect_eq(tune("--shape 1024x1024x1024 --time-limit 0.1"), EXIT_NOT_ACCEPTED);
	holds("out", "nothing was compiled in this time: --time-limit S gives it more");
}

Test(tune_measure, several_shapes_and_one_for_all)
{
	cr_expect_eq(tune("--shape 1024x1024x1024 --shape 512x64x64 --shape 2048x16x8 --json j"),
				 EXIT_ACCEPTED);
	holds("out", "one for all 3 shapes: BLOCK_M=32 BLOCK_N=32 THREAD_N=2 FAULT=0");
	holds("j", "\"common\": {");
	holds("out", "1.160 times as long as the best of each, by geometric mean");
	holds("out", "defaults take 1.200 times as long as it");
}

Test(tune_measure, what_the_orders_are_worth)
{
	cr_expect_eq(tune("--shape 1024x1024x1024 --shape 512x512x64 --exhaustive --json j"),
				 EXIT_ACCEPTED);
	holds("out", "over 2 shapes where every schedule was tried:");
	holds("out", "thesis   has the best in its first 10 at 2 of 2; they reach 100.0% of it");
	holds("j", "\"best_in_first_ten\": 2");
}

Test(tune_measure, a_device_that_goes)
{
	gpu.breaks_at = 20;
	cr_expect_eq(tune("--shape 1024x1024x1024"), EXIT_CANNOT_RUN);
	holds("err", "gemmjudge: the GPU fell off the bus\n");
	holds("out", "best: ");
	gpu.breaks_at = 0;
	cr_expect_eq(tune("--shape 1024x1024x1024"), EXIT_ACCEPTED);
	holds("out", "are of an earlier run");
}

Test(tune_measure, no_device)
{
	gpu.refuses = true;
	cr_expect_eq(tune("--shape 1024x1024x1024"), EXIT_CANNOT_RUN);
	holds("err", "gemmjudge: no usable NVIDIA GPU\n");
	gpu.refuses = false;
	gpu.emulated = true;
	cr_expect_eq(tune("--shape 1024x1024x1024"), EXIT_CANNOT_RUN);
	holds("err", "gemmjudge: the emulated GPU has no time to tune by");
}

Test(tune_measure, a_store_that_is_none)
{
	FILE *out = fopen("s.db", "w");
	fputs("this is no database", out);
	fclose(out);
	cr_expect_eq(tune("--shape 1024x1024x1024"), EXIT_ACCEPTED);
	holds("err", "gemmjudge: not remembered: s.db is no store of gemmjudge; it stays as it is\n");
	holds("out", "best: 204.8 us");
	cr_expect_str_eq(read_all("s.db"), "this is no database");
}
