#include "cli/words.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/reader.h"

#define SIZES "sizes are given together, as in --shape 1024x512x64"
#define JUDGED "a file is judged so: gemmjudge judge mine.cu"
#define NVCC "flags of nvcc are given so: --nvcc-flags \"-lineinfo -DTILE=64\""
#define DEVICE_DECIDES                                                                             \
	"nvcc compiles for the GPU that runs it (--device); more flags go into --nvcc-flags \"...\""

/* Of options: the thing has no option of its own, or the word has another value than its row says.
 */
const struct meaning words_without_option[] = {
	{"arch sm gencode gpu-architecture gpu-arch compute-capability cc target arch=*", NULL,
	 DEVICE_DECIDES},
	{"O0 O1 O2 O3 G D* I* L* Xptxas* Xcompiler* lineinfo use-fast-math maxrregcount* cflags "
	 "cuda-flags ptxas-options* extra-cuda-cflags",
	 NULL, NVCC},
	{"m n k mnk size problem-size problem-shape dim dims input-size", NULL, SIZES},
	{"batch batch-size batch-count num-batches", NULL,
	 "the batch is the first size of --shape 32x256x256x256"},
	{"lda ldb ldc layout layouts transa transb trans-a trans-b transpose", NULL,
	 "operands lie as 'gemmjudge list problems' says"},
	{"dtype dtypes type precision a-type b-type c-type accumulator-type data-type", NULL,
	 "the problem has the types, as in --problem gemm-f16"},
	{"iterations iters iter repeat repeats reps runs loops num-runs n-iter num-iters min-samples "
	 "samples "
	 "profiling-iterations num-trials num-perf-trials",
	 NULL, "calls are repeated until their median is certain; --budget S bounds the seconds"},
	{"warmup warm-up warmups warmup-iterations warmup-iters warmup-runs num-warmup n-warmup", NULL,
	 "the first calls of each pass are never timed, and there is nothing to set"},
	{"file source solution input i f submission", NULL, JUDGED},
	{"verify verification verification-enabled validate correctness check-correctness", NULL,
	 "judge checks every result, and bench those of timed calls"},
	{"no-verify no-check skip-check skip-verify benchmark-only no-validate", NULL,
	 "only timed are files so: gemmjudge bench mine.cu"},
	{"cpu emulator emulated simulate", "--device emu", NULL},
	{"cublas baseline baselines providers reference compare-to", NULL,
	 "bench and judge time cuBLAS and cuBLASLt beside every file by themselves"},
	{"flush flush-l2 cold-cache clear-cache l2-flush", NULL,
	 "the L2 cache is swept before every pass"},
	{"lock-clocks clocks clock power", NULL, "clocks are read and shown, not set"},
	{"leaderboard mode", NULL, "'gemmjudge leaderboard' shows the fastest files of this machine"},
	{NULL, NULL, NULL},
};

const struct meaning words_without_command[] = {
	{"profile prof ncu nsys", "judge mine.cu --under \"ncu --set full\"", NULL},
	{"sanitize memcheck", "judge mine.cu --sanitize memcheck", NULL},
	{"version", "--version", NULL},
	{NULL, NULL, NULL},
};

const char *words_option(char out[SUGGEST_TEXT], const char *word)
{
	char name[80];
	for (size_t i = 0; i < option_row_count; i++) {
		const struct row *row = &option_rows[i];
		const char *value = row->also_value != NULL ? row->also_value : row->value;
		if (!suggest_means(row->also, word))
			continue;
		snprintf(name, sizeof name, "--%s%s%s", row->name, value != NULL ? " " : "",
				 value != NULL ? value : "");
		return suggest_meant(out, name, row->also_says);
	}
	return suggest_meaning(out, words_without_option, word);
}

const char *words_command(char out[SUGGEST_TEXT], const char *word)
{
	for (size_t i = 0; subcommands[i] != NULL; i++)
		if (suggest_means(subcommands[i]->also, word))
			return suggest_meant(out, subcommands[i]->name, NULL);
	return suggest_meaning(out, words_without_command, word);
}
