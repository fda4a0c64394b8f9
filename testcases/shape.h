/* Shapes as text, and which of them a problem has. problem.h has the shape itself. */
#ifndef GEMMJUDGE_TESTCASES_SHAPE_H
#define GEMMJUDGE_TESTCASES_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "testcases/problem.h"

/* "1024x1024x512" into numbers, as the user wrote them; shape_fit() knows which sizes a problem
 * has. Each number 1..max. */
struct shape_text {
	size_t count;
	int32_t number[SIZES_MAX];
};
bool shape_parse(const char *text, int max, struct shape_text *out, struct error *err);

/* The shape that the numbers are of this problem: as many as it has sizes, in the order of its
 * table; a group that is left out is 128, or the largest power of two that fits K. */
bool shape_fit(const struct problem *problem, const struct shape_text *text, struct shape *out,
			   struct error *err);

/* Whether sizes that depend on one another do so rightly (a group divides K). */
bool shape_holds(const struct problem *problem, const struct shape *shape, struct error *err);

/* Whether an int counts the elements of each operand, of one batch, as solutions do. */
bool shape_is_countable(const struct problem *problem, const struct shape *shape,
						struct error *err);

/* Of a problem of a file: doubles its sizes, but for those that would leave their limits or go
 * above `most`. False where none can be, or the shape does not hold. */
bool shape_double(const struct problem *problem, struct shape *shape, int most);

/* The text that shape_parse() reads, and what stands in it: "MxNxK", or "MxN" for a matrix and a
 * vector. */
#define SHAPE_TEXT 96
void shape_print(const struct problem *problem, const struct shape *shape, char out[SHAPE_TEXT]);
const char *shape_legend(const struct problem *problem, char out[SHAPE_TEXT]);
void shape_text_print(const struct shape_text *text, char out[SHAPE_TEXT]);

#endif
