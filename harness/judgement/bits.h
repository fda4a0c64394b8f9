/* Whether an accepted file gives the same bits again, and a row of its result the same bits whatever
 * the other rows are. No verdict depends on it. */
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
struct judged_bits {
#define RECORD_BITS
#include "judgement/record_fields.h"
};

/* "same bits: yes in 32 calls; rows independent of M: no (M = 1 and 33, row 0, column 3: 1.5 and 2)".
 * Nothing where neither was asked. */
#define BITS_TEXT 640
const char *bits_say(const struct judged_bits *bits, char out[BITS_TEXT]);

/* The same in a word or two, for a column of a table: "yes", "no", "-". */
const char *bits_mark(enum bits_word word);

#endif
