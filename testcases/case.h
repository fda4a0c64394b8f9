/* One case: sizes, alpha and beta, and how the values of A, B and C are drawn.
 * A case is a plain value: it can be copied, compared and sent to a child. */
#ifndef GEMMJUDGE_TESTCASES_CASE_H
#define GEMMJUDGE_TESTCASES_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "testcases/problem.h"

enum distribution {
	VALUES_UNIFORM,  /* uniform in [-scale, scale) */
	VALUES_NORMAL,   /* about normal, mean 0, standard deviation `scale` */
	VALUES_INTEGER,  /* integers in [-scale, scale]; with scale < 1: -1 or 1 with probability
						`scale`, else 0. case_make_exact chooses the scale */
	VALUES_WIDE,     /* random sign and significand, exponent uniform over `scale` binades
						around 1 (wide dynamic range) */
	VALUES_POSITIVE, /* uniform in [0, scale): the worst case for rounding errors */
	VALUES_ZERO,
	VALUES_NAN,     /* every value NaN: for C that must not be read */
	VALUES_SPECIAL, /* uniform, with a NaN, +Inf or -Inf at about one place in 4096 */
	VALUES_LARGE,   /* uniform in magnitude near `scale`: for overflow of the output */
};

struct value_spec {
	enum distribution distribution;
	float scale;
};

struct test_case {
	char name[48];      /* "random-17", "edges/16x17x80"; printable, no spaces */
	struct shape shape; /* canonical M, N, K */
	float alpha, beta;
	struct value_spec a, b, c;
	uint64_t seed; /* key of the case's random numbers */
	bool exact;    /* every step is exact in f32, so that an output which the type
					  can represent must match bit for bit (0 and -0 are equal) */
};

/* How the sizes of generated cases are drawn. */
enum case_sizes {
	CASE_SIZES_MIXED,   /* by the families of README.md: aligned and ragged, small and large */
	CASE_SIZES_UNIFORM, /* M, N and K apart, each uniform over the limits below; one case in
						   64 has rows of A, B and C that are all a multiple of 8 */
};

extern const char *const case_sizes_names[]; /* "mixed", "uniform", NULL */

/* Case number `index` of the run with this seed: the same answer on every
 * machine. Mixes the kinds of shapes (CASE_SIZES_MIXED), scalars and values named in README.md.
 * Sizes lie in [max(problem->min_dim, 1), min(max_dim, problem->max_dim)], apart
 * from the N of a vector, which is 1; max_dim below min_dim is the caller's error.
 * Each size is rounded to the nearest multiple of `multiple` within these limits;
 * that there is one is for the caller to ask case_has_multiple(). 1: any size. */
struct test_case case_generate(const struct problem *problem, uint64_t seed, size_t index,
							   enum case_sizes sizes, int max_dim, int multiple);

/* Whether some size within the limits of generated cases is a multiple. */
bool case_has_multiple(const struct problem *problem, int max_dim, int multiple);

/* A plain case of one shape (uniform +-1 values), as used for timing. */
struct test_case case_of_shape(const struct problem *problem, struct shape shape, float alpha,
							   float beta, uint64_t seed);

/* Gives a case integer values, of scales that keep every step of alpha*A*B + beta*C
 * exact in f32 and all but astronomically few results representable in `type`.
 * alpha and beta must be multiples of 0.5 of at most 2 in magnitude; otherwise the
 * case keeps its values and false is returned. */
bool case_make_exact(struct test_case *test, enum dtype type);

/* "1024x1024x512" (M x N x K) into a shape, or "1024x512" (the rows and columns of
 * a matrix that a vector is multiplied by) into one whose N is 0. Each size
 * 1..max. Which of the two a problem takes shape_fit() knows. */
bool shape_parse(const char *text, int max, struct shape *out, struct error *err);

/* Makes a parsed shape the problem's own: an N that it has not becomes 1. False
 * when the problem takes another number of sizes. */
bool shape_fit(const struct problem *problem, struct shape *shape, struct error *err);

/* The same text again, and what stands in it: "MxNxK", or "MxN" for a matrix and a
 * vector. `problem` may be NULL: any GEMM. */
#define SHAPE_TEXT 40
void shape_print(const struct problem *problem, const struct shape *shape, char out[SHAPE_TEXT]);
const char *shape_legend(const struct problem *problem);

const char *distribution_name(enum distribution distribution); /* "uniform", ... */
bool distribution_parse(const char *text, enum distribution *out);

#endif
