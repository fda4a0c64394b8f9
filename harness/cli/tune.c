/* gemmjudge tune: which values of a solution's constants suit a shape. */
#include "tuning/tuning.h"

#include <string.h>

#include "base/number.h"
#include "base/random.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/gpu_choice.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/written_files.h"
#include "judge/options/device_list.h"
#include "report/report.h"
#include "store/place.h"

/* How many of the best ranked are shown; 0: not said, SIZE_MAX: all. */
static bool top_of(const struct options *options, size_t *out, struct error *err)
{
	uint64_t number = 0;
	if (options->tune.top == NULL)
		return true;
	bool all = strcmp(options->tune.top, "all") == 0;
	if (!all && (!number_whole(options->tune.top, SCHEDULES_MAX, &number) || number == 0))
		return error_set(err, "--top '%s': a whole number from 1 to %u, or all, is needed",
						 options->tune.top, SCHEDULES_MAX);
	*out = all ? SIZE_MAX : (size_t)number;
	return true;
}

static enum tuning_mode mode_of(const struct options *options)
{
	return options->tune.judges       ? TUNING_CHECKS
		   : options->tune.model_only ? TUNING_RANKS
									  : TUNING_MEASURES;
}

static bool measuring_holds(const struct options *options, struct error *err)
{
	if (options->judge.device.text != NULL && options->judge.device.count != 1)
		return error_set(err, "--device %s: schedules are measured on one GPU; name that one",
						 options->judge.device.text);
	return !device_list_seems_emulated(&options->judge.device) || error_set(err, TUNING_NO_TIME);
}

/* Refuses options that contradict each other, and files that are not there. */
static bool options_hold(const struct options *options, struct error *err)
{
	if (options->argument_count != 1)
		return error_set(err, options->argument_count == 0
								  ? "name the solution file to tune (--help shows the usage)"
								  : "tune takes one file at a time");
	if (strcmp(options->arguments[0], JUDGE_STDIN) == 0)
		return error_set(err, "tune reads a file, not stdin: name it");
	if (options->tune.judges && options->judge.shapes.count > 1)
		return error_set(err, "--judge judges the schedules of one --shape");
	return mode_of(options) != TUNING_MEASURES || measuring_holds(options, err);
}

/* ---- who looks on ---------------------------------------------------------------------- */

static void note(void *context, const char *line)
{
	(void)context;
	cli_tell(line);
}

static void done(void *context, size_t done, size_t all)
{
	struct progress *line = context;
	progress_close(line);
	line->files = all;
	line->files_done = done;
}

/* ---- the command ----------------------------------------------------------------------- */

/* Where is remembered what is measured; "": nowhere. */
static void find_store(const struct options *options, char out[PATHS_MAX])
{
	struct error why;
	out[0] = '\0';
	if (options->store.none || store_place(options->store.file, out, &why))
		return;
	error_prefix(&why, "not remembered");
	cli_tell(why.message);
}

static bool export_table(const struct tuning *tuning, const struct options *options, FILE *out,
						 struct error *err)
{
	char store[PATHS_MAX];
	if (options->tune.table == NULL)
		return true;
	return store_needed(options->store.file, store, err)
			   ? tuning_export(tuning, store, options->tune.table, out, err)
			   : error_prefix(err, "--export");
}

/* Why the judge cannot go on. */
static int fail(enum judge_status status, const struct error *err)
{
	return cli_fail(status == JUDGE_BAD_INPUT ? EXIT_BAD_INPUT : EXIT_CANNOT_RUN, err);
}

static int find(struct tuning *tuning, const struct options *options, FILE *out)
{
	struct error err;
	char store[PATHS_MAX];
	bool right = true;
	enum judge_status ended = JUDGE_DONE;
	if (tuning->request.mode == TUNING_RANKS) {
		tuning_show(tuning, out);
	} else if (tuning->request.mode == TUNING_CHECKS) {
		ended = tuning_check(tuning, out, &right, &err);
	} else {
		find_store(options, store);
		ended = tuning_measure(tuning, store, out, &right, &err);
	}
	return ended != JUDGE_DONE ? fail(ended, &err) : right ? EXIT_ACCEPTED : EXIT_NOT_ACCEPTED;
}

static int find_and_write(struct tuning *tuning, const struct options *options)
{
	FILE *out = written_files_take_stdout(options) ? stderr : stdout;
	struct error err;
	int status = find(tuning, options, out);
	for (size_t i = 0; i < tuning->shape_count; i++)
		if (!tuning->shapes[i].fits)
			status = EXIT_BAD_INPUT;
	if (!export_table(tuning, options, out, &err))
		status = cli_fail(EXIT_CANNOT_RUN, &err);
	if (options->output.json != NULL &&
		!report_save_any(options->output.json, tuning_json, tuning, &err))
		status = cli_fail(EXIT_CANNOT_RUN, &err);
	return status;
}

/* The device, or the GPU that is only ranked for. The exit status. */
static int find_gpu(struct tuning *tuning, const struct options *options)
{
	struct error err;
	bool at_hand;
	if (tuning->request.mode != TUNING_RANKS)
		command_watch_interrupts();
	if (tuning->request.mode == TUNING_MEASURES) {
		enum judge_status status = tuning_open_device(tuning, &err);
		return status == JUDGE_DONE ? EXIT_ACCEPTED : fail(status, &err);
	}
	return gpu_choice(options, &tuning->gpu, &at_hand, &err)
			   ? EXIT_ACCEPTED
			   : cli_fail(options->gpu != NULL ? EXIT_BAD_INPUT : EXIT_CANNOT_RUN, &err);
}

static int tune(const char *program, struct options *options)
{
	(void)program;
	struct error err = {{0}};
	struct tuning tuning;
	struct progress line;
	struct tuning_request request = {.judge = &options->judge,
									 .mode = mode_of(options),
									 .time_limit = options->tune.time_limit,
									 .exhaustive = options->tune.exhaustive,
									 .verbose = options->output.verbose};
	const struct tuning_watch watch = {.steps = {.step = progress_step,
												 .note = note,
												 .stop = command_interrupted,
												 .context = &line},
									   .line = progress_line,
									   .done = done};
	options->judge.files = options->arguments;
	options->judge.file_count = options->argument_count;
	if (!options_hold(options, &err) || !top_of(options, &request.top, &err) ||
		(!options->has_seed && !random_draw(&options->judge.cases.seed, &err)))
		return cli_fail(EXIT_BAD_INPUT, &err);
	progress_open(&line, options);
	int status = EXIT_ACCEPTED;
	if (!tuning_open(&tuning, &request, &watch, &err))
		status = cli_fail(EXIT_BAD_INPUT, &err);
	else if ((status = find_gpu(&tuning, options)) != EXIT_ACCEPTED)
		; /* it has told why */
	else if (!tuning_rank(&tuning, &err))
		status = cli_fail(EXIT_BAD_INPUT, &err);
	else
		status = find_and_write(&tuning, options);
	progress_close(&line);
	tuning_free(&tuning);
	command_end_interrupted();
	return status;
}

const struct subcommand subcommand_tune = {
	.name = "tune",
	.also = "autotune optimize optimise search",
	.takes = "FILE",
	.summary = "choose the constants that a solution lets others choose",
	.usage =
		"usage: gemmjudge tune FILE [OPTION...]\n"
		"\n"
		"A solution declares in its first lines which of its constants may be chosen "
		"(// tune BLOCK_M = 128 : 64 128 256; see harness/schedules/README.md). Enumerates the "
		"values that meet its constraints on a GPU at a shape, ranks them, measures the "
		"best ranked within a budget, and judges the fastest. What was measured is "
		"remembered: the same command goes on where it was interrupted, and judge, bench "
		"and compare --tuned use what was chosen. Without a GPU there are --model-only "
		"and --judge.\n"
		"\n"
		"  gemmjudge tune mine.cu -p sgemm --shape 4096x4096x4096 --time-limit 120\n"
		"  gemmjudge tune mine.cu -p sgemm --shape 4096x4096x4096 --gpu a100 --model-only\n"
		"  gemmjudge tune mine.cu -p sgemm --judge --top 20\n",
	.run = tune,
};
