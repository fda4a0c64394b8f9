/* The shapes that a run names, or that its mode has, as cases of a problem. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_SUBMISSION_SHAPES_H
#define GEMMJUDGE_JUDGE_SUBMISSION_SHAPES_H

#include "judge/run/run.h"

/* A shape of the run as the problem has it; an error names the line of a file. */
bool shapes_fit(const struct judge_options *options, const struct problem *problem,
				const struct shape_text *text, struct shape *out, struct error *err);

/* The case of a shape; of NULL, the problem's large one. */
bool shapes_case(const struct judge_options *options, const struct problem *problem,
				 const struct shape_text *text, struct test_case *out, struct error *err);

/* All that are timed side by side: those of the run, each at every value of its sweep; where it
 * names none, what its mode has. Owned by the caller; NULL with err. */
struct test_case *shapes_cases(const struct judge_options *options, const struct problem *problem,
							   size_t *count, struct error *err);

#endif
