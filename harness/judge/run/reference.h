/* The reference of a problem of a file: compiled once, and run in a process of its own for each set
 * whose results are checked. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_REFERENCE_H
#define GEMMJUDGE_JUDGE_RUN_REFERENCE_H

#include "compile/compile.h"
#include "judge/options/options.h"
#include "judge/run/contestant_link.h"
#include "judge/run/referee_link.h"

struct reference {
	const struct problem *problem; /* that it is compiled for; NULL: none yet */
	struct compiled compiled;
	struct contestant_setup setup; /* of its process */
	struct contestant_link link;
};

/* What a reference is run for. All is borrowed. */
struct case_of_reference {
	const struct judge_options *options;
	const struct problem *problem;
	const struct test_case *test;
};

/* Sees to it that the referee has the bounds of the set of its case; of a row of problem.c there is
 * nothing to do. False with err, in one line, where the problem's own file is wrong, or the machine
 * has no room for it. */
bool reference_run(struct reference *reference, struct referee_link *referee,
				   const struct case_of_reference *of, uint32_t set, struct error *err);

/* Which faults of its steps make the last check's result what it is (judgement/wrong.h,
 * step_faults), before anything else is asked of the referee; 0 where none is known. */
bool reference_explain(struct reference *reference, struct referee_link *referee,
					   const struct case_of_reference *of, uint64_t *step_faults,
					   struct error *err);
void reference_close(struct reference *reference);

#endif
