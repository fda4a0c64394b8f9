/* What one call of a solution makes an emulated GPU do, without looking at its results. */
#ifndef GEMMJUDGE_JUDGE_COUNT_H
#define GEMMJUDGE_JUDGE_COUNT_H

#include "compile/compile.h"
#include "judge/options/options.h"

struct count_request {
	/* one file; of the rest count the problem, nvcc's flags, the epilogue, emulate, sample,
	 * by_line, limits and layers of the jail */
	const struct judge_options *options;
	const struct test_case *test;
	const char *architecture; /* that nvcc compiles for, machine code too: "90a" */
};

struct counted {
	struct compiled compiled;   /* may be COMPILE_OK where the call went wrong */
	struct judgement judgement; /* its verdict is ACCEPTED where the call was well; its counters */
};

/* Compiles the file and calls it once; JUDGE_DONE, with a verdict. Otherwise err says why nothing
 * could be done. To be freed with count_free() in any case. */
enum judge_status judge_count(const struct count_request *request,
							  const struct judge_progress *progress, struct counted *out,
							  struct error *err);
void count_free(struct counted *counted);

#endif
