/* What follows from the sizes of a problem of a file. */
#ifndef GEMMJUDGE_TESTCASES_DERIVE_H
#define GEMMJUDGE_TESTCASES_DERIVE_H

#include "testcases/problem.h"

/* Sets M, N, K and what is counted. A row of problem.c leaves the shape as it is. */
void shape_derive(const struct problem *problem, struct shape *shape);

#endif
