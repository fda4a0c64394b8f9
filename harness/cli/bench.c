/* gemmjudge bench: only times, several solutions side by side. */
#include "cli/batch.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/input.h"

static int bench(const char *program, struct options *options)
{
	struct error err = {{0}};
	if (options->batch.requests != NULL)
		return batch_command("bench", options);
	options->judge.mode = JUDGE_TIMES;
	if (!input_take(options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	return command_run(program, options);
}

const struct subcommand subcommand_bench = {
	.name = "bench",
	.also = "time benchmark perf measure speed",
	.takes = "FILE...",
	.summary = "only time them, side by side, over several shapes",
	.usage = "usage: gemmjudge bench FILE... [OPTION...]\n"
			 "       gemmjudge bench --batch FILE [--through COMMAND] [OPTION...]\n"
			 "\n"
			 "Times solutions side by side, in alternation with cuBLAS and cuBLASLt, over one "
			 "or several shapes. Needs a GPU. Results of the timed calls are checked. "
			 "With --batch, lines of JSON ask for times, and lines of JSON answer.\n"
			 "\n"
			 "  gemmjudge bench a.cu b.cu --problem gemm-f16 --shape 4096x4096x4096\n",
	.run = bench,
};
