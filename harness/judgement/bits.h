/* Whether an accepted file gives the same bits again, and a row of its result the same bits
 * whatever the other rows are. No verdict depends on it. */
#ifndef GEMMJUDGE_JUDGEMENT_BITS_H
#define GEMMJUDGE_JUDGEMENT_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "judgement/names.h"
#include "testcases/shape.h"

/* Results of calls that should be the same to the bit as an earlier one. */
struct bits_compared {
	uint32_t results; /* that differ */
	/* The first of these: how many elements differ, and of the first one in which buffer of the
	 * case it is, where in it, and both values. */
	uint64_t differing;
	uint32_t buffer;
	int32_t row, column;
	double before, now;
};

/* How two calls differ whose bits are compared. */
enum bits_between {
	BITS_BETWEEN_NONE,
	BITS_BETWEEN_CALLS,  /* in nothing that solve() is given */
	BITS_BETWEEN_SIZES,  /* in the number of rows, M */
	BITS_BETWEEN_PLACES, /* in that, and in where the same rows stand */
};

/* The first element that was found to differ. */
struct bits_difference {
#define RECORD_DIFFERENCE
#include "judgement/record_fields.h"
};

#define BITS_ROWS_MAX 6
#define BITS_WHY 240
/* A reason that reports leave out: of the problem, not of the file. */
#define BITS_NO_ROWS "the problem has no rows that stand by themselves"
struct judged_bits {
#define RECORD_BITS
#include "judgement/record_fields.h"
};

/* "same bits: yes in 31 calls; rows independent of M: no (row 0 of 64x16x512 differs at M = 16)".
 * Nothing where neither was asked. */
#define BITS_TEXT 640
const char *bits_say(const struct judged_bits *bits, char out[BITS_TEXT]);

/* Both words in a narrow column of a table, by the names that a store has of them: "yes/no",
 * "no/-"; "-" where neither was asked. */
#define BITS_MARKS 8
const char *bits_marks(const char *repeatable, const char *batch_invariant, char out[BITS_MARKS]);

#endif
