/* gemmjudge tune: which values of a solution's constants suit a shape. */
#include "cli/tune.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/random.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/gpu_choice.h"
#include "cli/outputs.h"
#include "cli/tune_files.h"
#include "judge/options/device_request.h"
#include "report/report.h"
#include "tune/model.h"

#define TOP 10        /* of one shape */
#define TOP_OF_MANY 1 /* of each of several */

/* How many of the best ranked are shown; SIZE_MAX: all. */
static bool top_of(const struct options *options, size_t shapes, size_t *out, struct error *err)
{
	uint64_t number = 0;
	*out = shapes > 1 ? TOP_OF_MANY : TOP;
	if (options->top == NULL)
		return true;
	bool all = strcmp(options->top, "all") == 0;
	if (!all && (!number_whole(options->top, SCHEDULES_MAX, &number) || number == 0))
		return error_set(err, "--top '%s': a whole number from 1 to %u, or all, is needed",
						 options->top, SCHEDULES_MAX);
	*out = all ? SIZE_MAX : (size_t)number;
	return true;
}

/* Neither only ranked nor only judged. */
static bool measures(const struct options *options)
{
	return !options->model_only && !options->judge_ranked;
}

static bool measuring_holds(const struct options *options, struct error *err)
{
	if (options->judge.device.text != NULL && options->judge.device.count != 1)
		return error_set(err, "--device %s: schedules are measured on one GPU; name that one",
						 options->judge.device.text);
	return !device_request_seems_emulated(&options->judge.device) || error_set(err, TUNE_NO_TIME);
}

/* What contradicts itself, or is not there. */
static bool options_hold(const struct options *options, struct error *err)
{
	if (options->argument_count != 1)
		return error_set(err, options->argument_count == 0
								  ? "name the solution file to tune (--help shows the usage)"
								  : "tune takes one file at a time");
	if (strcmp(options->arguments[0], JUDGE_STDIN) == 0)
		return error_set(err, "tune reads a file, not stdin: name it");
	if (options->judge_ranked && options->judge.shape_count > 1)
		return error_set(err, "--judge judges the schedules of one --shape");
	return tune_files_hold(options, err) && (!measures(options) || measuring_holds(options, err));
}

/* The problem, the shapes and the constants. With --judge a suite says what is judged, and not at
 * which shapes. */
static bool read_file(struct tuned *tuned, struct error *err)
{
	struct judge_options judge = tuned->options->judge;
	judge.mode = JUDGE_TIMES;
	judge.cases = 0;
	if (tuned->options->judge_ranked)
		judge.suite_count = 0;
	return plan_make(&judge, tuned->file, &tuned->plan, err) &&
		   space_read(tuned->file, tuned->plan.problem, &tuned->space, err);
}

/* Which constants have one value in all schedules that are shown. */
static uint32_t find_shared(const struct tuned_shape *shape)
{
	const struct ranked *ranking = &shape->ranking;
	uint32_t shared = shape->shown > 1 ? UINT32_MAX : 0;
	for (size_t i = 1; i < shape->shown; i++)
		for (size_t c = 0; c < ranking->list.constants; c++)
			if (ranking->list.items[ranked_at(ranking, i)].values[c] !=
				ranking->list.items[ranked_at(ranking, 0)].values[c])
				shared &= ~((uint32_t)1 << c);
	return shared;
}

/* Ranks the schedules of every shape; false with err where no shape has any. */
static bool rank_all(struct tuned *tuned, struct error *err)
{
	size_t top, fit = 0;
	tuned->shapes = calloc(tuned->plan.count, sizeof *tuned->shapes);
	if (tuned->shapes == NULL)
		return error_set(err, "out of memory");
	tuned->shape_count = tuned->plan.count;
	if (!top_of(tuned->options, tuned->shape_count, &top, err))
		return false;
	for (size_t i = 0; i < tuned->shape_count; i++) {
		struct tuned_shape *shape = &tuned->shapes[i];
		struct error why;
		shape->test = &tuned->plan.cases[i];
		shape->fits = ranked_make(&tuned->space, &tuned->gpu, shape->test, &shape->ranking, &why);
		if (shape->fits &&
			!model_rank(&shape->ranking, &tuned->gpu, tuned->plan.problem, shape->test))
			return error_set(err, "out of memory");
		fit += shape->fits;
		if (!shape->fits)
			snprintf(shape->why, sizeof shape->why, "%s", why.message);
		shape->shown = shape->ranking.list.count < top ? shape->ranking.list.count : top;
		shape->shared = find_shared(shape);
	}
	return fit > 0 || error_set(err, "%s", tuned->shapes[0].why);
}

static void tuned_free(struct tuned *tuned)
{
	trials_close(tuned->trials);
	for (size_t i = 0; i < tuned->shape_count; i++) {
		ranked_free(&tuned->shapes[i].ranking);
		search_free(&tuned->shapes[i].found.search);
		free(tuned->shapes[i].found.candidates);
	}
	free(tuned->shapes);
	free(tuned->checks);
	space_free(&tuned->space);
	plan_free(&tuned->plan);
}

static int show_and_check(struct tuned *tuned)
{
	const struct options *options = tuned->options;
	FILE *out = outputs_take_stdout(options) ? stderr : stdout;
	struct error err;
	int status = EXIT_ACCEPTED;
	if (!tune_files_read(tuned, out, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	if (options->judge_ranked)
		status = tune_check(tuned, out);
	else if (tuned->measures)
		status = tune_measure(tuned, out);
	else
		tune_show(tuned, out);
	for (size_t i = 0; i < tuned->shape_count; i++)
		if (!tuned->shapes[i].fits)
			status = EXIT_BAD_INPUT;
	if (!tune_files_write(tuned, out, &err))
		status = cli_fail(EXIT_CANNOT_RUN, &err);
	if (options->json != NULL && !report_save_any(options->json, tune_json, tuned, &err))
		status = cli_fail(EXIT_CANNOT_RUN, &err);
	return status;
}

static int tune(const char *program, struct options *options)
{
	(void)program;
	struct error err = {{0}};
	struct tuned tuned = {
		.options = options, .begun = clock_seconds(), .measures = measures(options)};
	bool at_hand;
	options->judge.files = options->arguments;
	options->judge.file_count = options->argument_count;
	if (!options_hold(options, &err) ||
		(!options->has_seed && !random_draw(&options->judge.seed, &err)))
		return cli_fail(EXIT_BAD_INPUT, &err);
	tuned.file = options->arguments[0];
	int status = EXIT_BAD_INPUT;
	if (!read_file(&tuned, &err))
		cli_fail(status, &err);
	else if (tuned.measures && (status = tune_open_device(&tuned)) != EXIT_ACCEPTED)
		; /* it has told why */
	else if (!tuned.measures && !gpu_choice(options, &tuned.gpu, &at_hand, &err))
		status = cli_fail(options->gpu != NULL ? EXIT_BAD_INPUT : EXIT_CANNOT_RUN, &err);
	else if (!rank_all(&tuned, &err))
		status = cli_fail(EXIT_BAD_INPUT, &err);
	else
		status = show_and_check(&tuned);
	tuned_free(&tuned);
	command_end_interrupted();
	return status;
}

const struct subcommand subcommand_tune = {
	.name = "tune",
	.takes = "FILE",
	.summary = "choose the constants that a solution lets others choose",
	.usage = "usage: gemmjudge tune FILE [OPTION...]\n"
			 "\n"
			 "A solution declares in its first lines which of its constants may be chosen\n"
			 "(// tune BLOCK_M = 128 : 64 128 256; see harness/tune/README.md). Enumerates the\n"
			 "values that meet its constraints on a GPU at a shape, ranks them, measures the\n"
			 "best ranked within a budget, and judges the fastest. What was measured is\n"
			 "remembered: the same command goes on where it was interrupted, and judge, bench\n"
			 "and compare --tuned use what was chosen. Without a GPU there are --model-only\n"
			 "and --judge.\n"
			 "\n"
			 "  gemmjudge tune mine.cu -p sgemm --shape 4096x4096x4096 --time-limit 120\n"
			 "  gemmjudge tune mine.cu -p sgemm --shape 4096x4096x4096 --gpu a100 --model-only\n"
			 "  gemmjudge tune mine.cu -p sgemm --judge --top 20\n",
	.run = tune,
};
