/* Why a library's result leaves the error bound, in words, from what is known of the call. */
#ifndef GEMMJUDGE_JUDGEMENT_LIBRARY_CAUSE_H
#define GEMMJUDGE_JUDGEMENT_LIBRARY_CAUSE_H

#include "judgement/timing.h"
#include "testcases/case.h"

/* Causes; several may hold at once. */
enum library_cause {
	LIBRARY_CAUSE_PARTIAL_SUMS = 1,  /* of split-K, rounded to the type of the result */
	LIBRARY_CAUSE_TWO_ROUNDINGS = 2, /* at beta = 1 */
	LIBRARY_CAUSE_MENDED = 4,        /* not known; the accurate mode is right */
};

/* What is known of a wrong result. */
struct library_wrong {
	const struct problem *problem;
	const struct test_case *test;
	enum library_mode mode;             /* that it was computed in */
	struct library_algorithm algorithm; /* LIBRARY_UNKNOWN where nothing is known */
	bool right_before;                  /* a call before it, on the same inputs, was right */
	double worst_ratio;                 /* the largest error, over its bound */
	uint64_t wrong;                     /* elements */
	double share;              /* of the elements in those rows and columns that have a wrong one */
	bool splits_at_other_beta; /* the same shape is wrong by partial sums where beta is not 1 */
	bool accurate_right; /* what the library chooses in its accurate mode in the place of this is
							right */
};

/* Bits of enum library_cause; 0: not known. Roundings are no cause of errors that are larger than
 * they can be, nor where nearly every element is wrong, nor where the same call was right. */
unsigned library_cause_of(const struct library_wrong *wrong);

/* The one that is most certain, in words, of a library that is timed: what is known of the
 * algorithm, and whether the accurate mode keeps the bound there. "" where nothing explains its
 * results. What these causes look like was measured with cuBLAS 13.1 on an H200: split-K with
 * reduction schemes 1 and 4 rounds partial sums to the result's 16 bits, and with beta = 1 and C in
 * place the product is rounded before C is added, by every algorithm. */
const char *library_cause(const struct problem *problem, const struct test_case *test,
						  const struct library_algorithm *algorithm, bool mended);

/* "partial sums of split-K are rounded to 16 bits; the accurate mode is right" */
#define LIBRARY_CAUSE_TEXT 256
const char *library_cause_print(unsigned causes, bool accurate_right, char out[LIBRARY_CAUSE_TEXT]);

#endif
