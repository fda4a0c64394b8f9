/* Which calls show whether bits stay the same. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_CASES_BITS_PLAN_H
#define GEMMJUDGE_JUDGE_CASES_BITS_PLAN_H

#include "judge/run/run.h"

/* Calls on the same input, the first one among them. One result in 20 that is another one shows in
 * four of five files at 32 calls. */
#define BITS_CALLS 31

struct bits_plan {
	struct test_case repeated;
	uint32_t sets; /* of its buffers, at most RUN_CALLS_MAX; 0: nothing is to be asked */
	/* Of the same N and K, and ascending in M, at least two; 0: rows are not to be asked about. */
	struct test_case rows[BITS_ROWS_MAX];
	uint32_t row_count;
	uint32_t base; /* which of these the others are compared with */
	int32_t to;    /* where rows of the base stand, too, in the largest one; 0: nowhere */
	char why[BITS_WHY];
};

/* What a plan follows from. */
struct bits_asked {
	const struct judge_options *options;
	enum device_kind device;
	const struct problem *problem;
	const struct chain *chain;         /* NULL: none */
	const struct judgement *judgement; /* of an accepted file, with its cases */
	bool atomics;                      /* the file has some */
	double seconds;                    /* that all calls may take */
};

/* Cases that the file has to be right on: with generated cases of all sizes that the problem has,
 * with suites and given shapes only as far as these go, in steps that all of them are multiples of.
 */
void bits_plan_make(const struct bits_asked *asked, struct bits_plan *out);

#endif
