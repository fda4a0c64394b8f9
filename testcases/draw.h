/* What generated cases draw: random numbers, and of these shapes, scalars and values. case.h has
 * what comes of it. */
#ifndef GEMMJUDGE_TESTCASES_DRAW_H
#define GEMMJUDGE_TESTCASES_DRAW_H

#include "testcases/case.h"
#include "testcases/limits.h"
#include "testcases/values.h"

/* --- draw.c: random numbers of one case --- */
struct draws {
	uint64_t seed, index;
	uint32_t used;
	struct values_words words;
};
uint32_t draw_word(struct draws *draws);
int draw_below(struct draws *draws, int count);           /* 0 .. count-1 */
int draw_between(struct draws *draws, int low, int high); /* low .. high */

/* --- draw_shape.c --- */
/* Of the largest single product that a case of a problem of a file is as large as. */
#define DRAW_SIDE_MOST 4096

/* The families of shapes, turns 0 to 11, and what every run has of sizes that solutions tell
 * apart, turns 12 to 23 (README.md): first two ragged ones, last the alignments of rows. */
#define DRAW_FAMILIES 12
#define DRAW_COVERINGS 12
#define DRAW_RAGGED 2
#define DRAW_ALIGNMENTS 4
#define DRAW_ABOVE DRAW_FAMILIES /* one above multiples of 128 */
/* A shape as case_generate() describes it. */
struct shape draw_shape(struct draws *draws, const struct problem *problem, enum case_sizes sizes,
						size_t turn, int max_dim, int multiple);

/* Cuts sizes of a problem of a file to what others allow, and what follows from them. */
void draw_settle(const struct problem *problem, struct shape *shape);

/* --- draw_values.c --- */
/* Alpha or beta: thousandths from -2 to 2, not 0. */
float draw_scalar(struct draws *draws);
/* Alpha, which is not 0, and beta; those with which small integers stay exact; alpha 0, beta 1. */
void draw_factors(struct draws *draws, struct test_case *test);
void draw_exact_factors(struct draws *draws, struct test_case *test);
void draw_no_product(struct test_case *test);
/* Those of a problem of a file. */
void draw_named_factors(struct draws *draws, const struct problem *problem, struct test_case *test);
/* What operands hold, and the scalars but alpha and beta; `exact` where that is possible. */
void draw_contents(struct draws *draws, const struct problem *problem, struct test_case *test,
				   bool exact);
/* Changes what is drawn, so that nothing that tiles along K are padded with goes unnoticed where K
 * leaves one nearly empty. */
void draw_padding_decides(struct draws *draws, const struct problem *problem,
						  struct test_case *test);

#endif
