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
	bool accurate_right; /* the same product in the accurate mode was computed, and is right */
};

/* Bits of enum library_cause; 0: not known. */
unsigned library_cause_of(const struct library_wrong *wrong);

/* "partial sums of split-K are rounded to 16 bits; the accurate mode is right" */
#define LIBRARY_CAUSE_TEXT 256
const char *library_cause_print(unsigned causes, bool accurate_right, char out[LIBRARY_CAUSE_TEXT]);

#endif
