/* gemmjudge judge: is it right, and how fast is it? */
#include "cli/batch.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/watch.h"

static int judge(const char *program, struct options *options)
{
	struct error err = {{0}};
	if (options->batch.requests != NULL)
		return batch_command("judge", options);
	options->judge.mode = JUDGE_CHECKS;
	options->judge.emulation.uses = options->output.verbose || options->output.html != NULL ||
									options->judge.compile.keep != NULL;
	if (!input_take(options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	return options->watch.on ? watch_run(program, options) : command_run(program, options);
}

const struct subcommand subcommand_judge = {
	.name = "judge",
	.also = "run eval evaluate check verify validate grade test correctness compile build",
	.takes = "FILE...",
	.summary = "compile, check and time solutions; say what they are worth",
	.usage = "usage: gemmjudge judge FILE|FOLDER... [OPTION...]\n"
			 "       gemmjudge judge --batch FILE [--through COMMAND] [OPTION...]\n"
			 "\n"
			 "Compiles each solution, runs it on many cases, compares every result with a "
			 "reference of higher precision, and times it on a large case (on a GPU). Of a "
			 "folder, all .cu files in it and below. A bad file does not stop the others. "
			 "With --batch, lines of JSON ask for judgements, and lines of JSON answer.\n"
			 "\n"
			 "  gemmjudge judge solutions/gemm_f16/02_tiled.cu\n"
			 "  gemmjudge judge -p gemm-f16 - <mine.cu\n"
			 "  gemmjudge judge -p gemm-f16 class/ --md class.md\n"
			 "  gemmjudge judge mine.cu --problem gemm-f16 --shape 4096x4096x1024\n"
			 "  gemmjudge judge mine.cu --problem gemm-f16 --suite edges --json result.json\n",
	.run = judge,
};
