/* A small case of a problem with all its numbers, worked out, as pages show it. Sizes and scalars
 * are chosen here; values are drawn as those of cases are, and every step is exact in f32. The
 * results are computed here apart from the referee, and a test holds them against it. */
#ifndef GEMMJUDGE_TESTCASES_EXAMPLE_H
#define GEMMJUDGE_TESTCASES_EXAMPLE_H

#include "testcases/case.h"

#define EXAMPLE_ELEMENTS 32 /* of an operand, at most */
#define EXAMPLE_TEXT 512

struct example {
	const struct problem *problem;
	struct test_case test;
	/* As they lie in the buffers; of types below a byte, two elements in each. */
	uint32_t bits[OPERANDS_MAX][EXAMPLE_ELEMENTS];
	double before[OPERANDS_MAX][EXAMPLE_ELEMENTS]; /* the numbers that they are */
	double want[EXAMPLE_ELEMENTS];                 /* what the result has to hold */
};

struct example example_make(const struct problem *problem);

/* How one element of the result comes about: "C[0][0] = 2*(3*1 + ...) - 1*4 = 9". */
void example_explain(const struct example *example, char out[EXAMPLE_TEXT]);

#endif
