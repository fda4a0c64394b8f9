/* Submissions that are compiled in parts (compile/in_parts.h): only those that their cases need.
 * Which these are, the file says itself, on an emulated GPU that is like the run's. Internal to
 * submission.c. */
#ifndef GEMMJUDGE_JUDGE_SUBMISSION_IN_PARTS_H
#define GEMMJUDGE_JUDGE_SUBMISSION_IN_PARTS_H

#include "judge/submission/submission.h"

/* Makes s->compiled of the parts that its cases need, with machine code where that is asked for.
 * False: it is to be compiled as a whole, as the run wants that, or the file is no such file, or
 * not all went well. s->unasked says why solution_part() gave no answer; why nvcc refused an object
 * what the whole comes to says. */
bool in_parts_make(const struct run *run, struct submission *s,
				   const struct compile_options *options);

/* Adds those that other cases need: submission_supply(). False: they cannot be had, and what the
 * whole comes to says why. */
bool in_parts_add(const struct run *run, struct submission *s,
				  const struct compile_options *options, const struct test_case *tests,
				  size_t count, bool *changed);

#endif
