/* gemmjudge judge: is it right, and how fast is it? */
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/watch.h"

static int judge(const char *program, struct options *options)
{
	struct judge_options *asked = &options->judge;
	struct error err = {{0}};
	asked->mode = JUDGE_CHECKS;
	bool shapes = asked->shape_count > 0;
	if (shapes && asked->suite_count > 0)
		error_set(&err, "--shape and --suite both say which sizes are judged; give one of them");
	else if (shapes && (asked->max_dim > 0 || asked->multiple > 1 || asked->sizes != 0))
		error_set(&err, "%s is for sizes that are drawn, and --shape names them",
				  asked->max_dim > 0    ? "--max-dim"
				  : asked->multiple > 1 ? "--multiple-of"
										: "--sizes");
	else if (asked->cases > 0 && asked->suite_count > 0)
		error_set(&err, "--cases counts generated cases; a suite has its own");
	else if (asked->sizes != CASE_SIZES_MIXED && asked->suite_count > 0)
		error_set(&err, "--sizes says how generated cases are drawn; a suite has its own");
	else if (asked->sanitize != NULL && asked->under != NULL)
		error_set(&err, "--sanitize and --under: a solution runs under one tool at a time");
	else if (input_take(options, &err))
		return options->watch ? watch_run(program, options) : command_run(program, options);
	return cli_fail(EXIT_BAD_INPUT, &err);
}

const struct subcommand subcommand_judge = {
	.name = "judge",
	.takes = "FILE...",
	.summary = "compile, check and time solutions; say what they are worth",
	.usage = "usage: gemmjudge judge FILE|FOLDER... [OPTION...]\n"
			 "\n"
			 "Compiles each solution, runs it on many cases, compares every result with a\n"
			 "reference of higher precision, and times it on a large case (on a GPU). Of a\n"
			 "folder, all .cu files in it and below. A bad file does not stop the others.\n"
			 "\n"
			 "  gemmjudge judge solutions/gemm_f16/02_tiled.cu\n"
			 "  gemmjudge judge -p gemm-f16 - <mine.cu\n"
			 "  gemmjudge judge -p gemm-f16 class/ --md class.md\n"
			 "  gemmjudge judge mine.cu --problem gemm-f16 --shape 4096x4096x1024\n"
			 "  gemmjudge judge mine.cu --problem gemm-f16 --suite edges --json result.json\n",
	.run = judge,
};
