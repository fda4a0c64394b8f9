/* Why a library's results leave the error bound. */
#ifndef GEMMJUDGE_JUDGEMENT_LIBRARY_H
#define GEMMJUDGE_JUDGEMENT_LIBRARY_H

#include "judgement/timing.h"
#include "testcases/problem.h"

/* The cause, in words, of results of the case that leave the bound: what is known of the algorithm
 * that made them (id LIBRARY_UNKNOWN: nothing), and whether the library's accurate mode keeps the
 * bound there. "" where nothing explains them.
 *
 * What these causes look like was measured with cuBLAS 13.1 on an H200: split-K with reduction
 * schemes 1 and 4 rounds partial sums to the result's 16 bits, and with beta = 1 and C in place the
 * product is rounded before C is added, by every algorithm. */
const char *library_cause(const struct problem *problem, const struct test_case *test,
						  const struct library_algorithm *algorithm, bool mended);

#endif
