/* gemmjudge compare: what does a fused epilogue gain? */
#include "cli/cli.h"
#include "cli/command.h"

static int compare(const char *program, struct options *options)
{
	struct judge_options *asked = &options->judge;
	struct error err;
	asked->mode = JUDGE_COMPARES;
	if (asked->epilogue == NULL) {
		error_set(&err, "which epilogue is to be compared? Say it with --epilogue ('gemmjudge list "
						"epilogues' shows the stages)");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	return command_run(program, options);
}

const struct subcommand subcommand_compare = {
	.name = "compare",
	.takes = "FILE...",
	.summary = "what a fused epilogue gains over a library and a kernel",
	.usage = "usage: gemmjudge compare FILE... --epilogue CHAIN [OPTION...]\n"
			 "\n"
			 "Measures what fusing an epilogue into a kernel gains, in alternation: each file "
			 "with the epilogue fused and without any; cuBLAS and the best of cuBLASLt, each "
			 "with one more kernel for the epilogue; and cuBLASLt's own epilogue where it has "
			 "it. Needs a GPU. Without --shape or --suite: 8192x8192x8192, 8192x8192x1024, "
			 "then 4096x4096 with K from 64 to 8192, which --over K has alone.\n"
			 "\n"
			 "  gemmjudge compare solutions/gemm_f16/hopper.cu --epilogue bias,gelu \\\n"
			 "      --md result.md --svg result.svg\n"
			 "  gemmjudge compare solutions/gemm_f16/hopper.cu --epilogue silu --over K \\\n"
			 "      --baseline theirs.cu --baseline \"./their-bench {m} {n} {k}\"\n",
	.run = compare,
};
