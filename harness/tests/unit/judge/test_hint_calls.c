/* links: judge */
/* Hints about calls, of judgements that are made up here; on a GPU, as the fixtures have those of
 * the emulated one. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/hints/hints.h"
#include "process/protocol.h"

#define CASES 5

struct made_up {
	struct judgement judgement;
	struct case_result cases[CASES];
	char output[CASES][512];
	enum device_kind device;
	uint64_t memory_bytes;
};

/* All cases fail in the same way, and say nothing. */
static struct made_up *made_up(enum verdict verdict)
{
	struct made_up *out = calloc(1, sizeof *out);
	out->device = DEVICE_CUDA;
	out->judgement.verdict = verdict;
	out->judgement.count = CASES;
	out->judgement.cases = out->cases;
	for (size_t i = 0; i < CASES; i++) {
		out->cases[i].verdict = verdict;
		out->cases[i].output = out->output[i];
	}
	return out;
}

/* Whether one of its hints has these words. */
static bool says(struct made_up *made, const char *words)
{
	bool found = false;
	hints_find(&(struct hint_context){.judgement = &made->judgement,
									  .source = "",
									  .problem = problem_find("gemm-f16"),
									  .device = made->device,
									  .memory_bytes = made->memory_bytes},
			   &made->judgement);
	for (size_t i = 0; i < made->judgement.hint_count; i++)
		found = found || strstr(made->judgement.hints[i], words) != NULL;
	return found;
}

static void fail_with(struct made_up *made, const char *error)
{
	snprintf(made->cases[0].facts.error, sizeof made->cases[0].facts.error, "%s", error);
}

Test(hint_calls, codes_of_a_gpu_are_explained)
{
	struct made_up *made = made_up(VERDICT_RUNTIME_ERROR);
	cr_assert(!says(made, ""));
	fail_with(made, "cudaErrorLaunchOutOfResources");
	cr_assert(says(made, "__launch_bounds__"));
	cr_assert(!says(made, "solve() goes on"));
	made->cases[0].checked = true;
	cr_assert(says(made, "solve() goes on after cudaErrorLaunchOutOfResources"));
	fail_with(made, "cudaErrorInvalidValue");
	cr_assert(says(made, "--device emu says which call"));
	fail_with(made, "cudaErrorIllegalAddress");
	cr_assert(says(made, "the operand that it missed"));
	fail_with(made, "cudaErrorIllegalAddresses");
	cr_assert(!says(made, "the operand that it missed"));
	fail_with(made, "cudaErrorIllegalAddress");
	made->device = DEVICE_EMULATED;
	cr_assert(!says(made, "the operand that it missed"));
	free(made);
}

Test(hint_calls, the_first_failing_case_counts)
{
	struct made_up *made = made_up(VERDICT_RUNTIME_ERROR);
	fail_with(made, "cudaErrorMisalignedAddress");
	made->cases[0].verdict = VERDICT_ACCEPTED;
	cr_assert(!says(made, "no multiple of the access's size"));
	made->cases[0].verdict = VERDICT_RUNTIME_ERROR;
	cr_assert(says(made, "no multiple of the access's size"));
	free(made);
}

Test(hint_calls, memory_must_be_kept_by_each_call)
{
	struct made_up *made = made_up(VERDICT_ACCEPTED);
	made->judgement.verdict = made->cases[3].verdict = VERDICT_RUNTIME_ERROR;
	made->cases[4].verdict = VERDICT_NOT_RUN;
	snprintf(made->cases[3].facts.failed, 64, "cudaMalloc: 400 bytes, while ...");
	for (int i = 0; i < 3; i++)
		made->cases[i].facts.kept_bytes = 100;
	cr_assert(says(made, "never frees, 300 bytes in 3 calls"));
	made->memory_bytes = 1000;
	cr_assert(says(made, "never frees, 300 bytes in 3 calls"));
	made->memory_bytes = 2000; /* which other processes may have taken */
	cr_assert(!says(made, "never frees"));
	made->device = DEVICE_EMULATED;
	cr_assert(says(made, "never frees, 300 bytes in 3 calls"));
	made->device = DEVICE_CUDA;
	made->memory_bytes = 0;
	made->cases[1].facts.kept_bytes = 0; /* a workspace that is kept */
	cr_assert(!says(made, "never frees"));
	made->cases[1].facts.kept_bytes = 100;
	made->cases[3].facts.failed[0] = '\0'; /* memory is not what it failed for */
	cr_assert(!says(made, "never frees"));
	free(made);
}

Test(hint_calls, what_does_not_end)
{
	struct made_up *made = made_up(VERDICT_TIME_LIMIT);
	snprintf(made->output[0], sizeof made->output[0], FAULT_ON_DEVICE "\n");
	cr_assert(says(made, "a kernel does not end"));
	made->device = DEVICE_EMULATED;
	cr_assert(!says(made, "a kernel does not end"));
	snprintf(made->output[0], sizeof made->output[0], FAULT_IN_SOLVE "\n");
	cr_assert(says(made, "no kernel is at work"));
	snprintf(made->output[0], sizeof made->output[0],
			 FAULT_IN_SOLVE "\nemulated GPU: kernel look at<3>, block (0,0,0), thread (1,0,0): bra "
							"at a b.cu:12" FAULT_STILL_RUNS ": 7 warp instructions\n");
	cr_assert(says(made, "kernel look at<3> is at a b.cu:12 when"), "%s", made->judgement.hints[0]);
	cr_assert(!says(made, "no kernel is at work"));
	cr_assert(says(made, "(--timeout SECONDS gives it more)"));
	snprintf(made->output[0], sizeof made->output[0],
			 "emulated GPU: kernel k, block (0,0,0), thread (1,0,0): bra at b.cu:9" FAULT_NEVER_ENDS
			 ": 7 warp instructions in this launch, and 6 are the most\n");
	cr_assert(says(made, "kernel k is at b.cu:9 when it has taken all its instructions"));
	cr_assert(says(made, "(--steps N gives it more)"));
	/* nothing would help one that is proven to wait for ever */
	snprintf(made->output[0], sizeof made->output[0],
			 "emulated GPU: kernel k, block (0,0,0), thread (1,0,0): ld at b.cu:9" FAULT_NEVER_ENDS
			 ": what it reads in a loop nobody writes, all blocks that are left wait: 7 warp "
			 "instructions in this block\n");
	cr_assert(says(made, "kernel k waits at b.cu:9 for what never comes"));
	cr_assert(!says(made, "--steps"));
	free(made);
}

Test(hint_calls, names_are_whole_however_long)
{
	struct made_up *made = made_up(VERDICT_TIME_LIMIT);
	char kernel[300], said[400];
	made->device = DEVICE_EMULATED;
	memset(kernel, 'k', sizeof kernel);
	kernel[sizeof kernel - 1] = '\0';
	snprintf(
		made->output[0], sizeof made->output[0],
		"emulated GPU: kernel %s, block (0,0,0), thread (1,0,0): bra at b.cu:9" FAULT_STILL_RUNS
		": 7 warp instructions\n",
		kernel);
	snprintf(said, sizeof said, "kernel %s is at b.cu:9 when its time is over", kernel);
	cr_assert(says(made, said), "%s", made->judgement.hints[0]);
	free(made);
}

Test(hint_calls, lines_of_a_liar_do_no_harm)
{
	static const char *const lines[] = {
		FAULT_STILL_RUNS,
		"kernel " FAULT_STILL_RUNS,
		"kernel x, block (" FAULT_STILL_RUNS,
		"kernel at , block ( at " FAULT_STILL_RUNS,
		" at kernel x" FAULT_STILL_RUNS ", block ( at \n",
		" at kernel x" FAULT_NEVER_ENDS ", block ( at \n",
		"\n\n at at at , block (kernel kernel " FAULT_STILL_RUNS,
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct made_up *made = made_up(VERDICT_TIME_LIMIT);
		made->device = DEVICE_EMULATED;
		snprintf(made->output[0], sizeof made->output[0], "%s", lines[i]);
		says(made, "kernel");
		cr_assert(made->judgement.hint_count <= 1);
		free(made);
	}
	struct made_up *made = made_up(VERDICT_RUNTIME_ERROR);
	memset(made->cases[0].facts.advice, 'x', sizeof made->cases[0].facts.advice - 1);
	cr_assert(says(made, "xxx"));
	cr_assert(strlen(made->judgement.hints[0]) < HINT_TEXT);
	free(made);
}
