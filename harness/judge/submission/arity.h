/* Whether a file's solve() takes as many arguments as its problem calls it with. extern "C" hides
 * that from the linker: one more, and the last holds what happens to lie there. */
#ifndef GEMMJUDGE_JUDGE_SUBMISSION_ARITY_H
#define GEMMJUDGE_JUDGE_SUBMISSION_ARITY_H

#include "base/error.h"
#include "testcases/problem.h"

/* False only where the file's text leaves no doubt that it does not; then err says what it takes.
 */
bool arity_fits(const struct problem *problem, const char *source, struct error *err);

#endif
