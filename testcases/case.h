/* One case: sizes, scalars, and how the values of each operand are drawn.
 * A case is a plain value: it can be copied, compared and sent to a child. */
#ifndef GEMMJUDGE_TESTCASES_CASE_H
#define GEMMJUDGE_TESTCASES_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "testcases/problem.h"
#include "testcases/shape.h"
#include "testcases/value_spec.h"

struct test_case {
	char name[48]; /* "random-17", "edges/16x17x80"; printable, no spaces */
	struct shape shape;
	float scalar[SCALAR_COUNT];             /* neutral where the problem has it not */
	struct value_spec values[OPERANDS_MAX]; /* of each operand before the call */
	uint64_t seed;                          /* key of the case's random numbers */
	uint32_t number;                        /* among the run's cases, from 0, chosen or not */
	bool exact; /* every step is exact in f32, so that an output which the type
				   can represent must match bit for bit (0 and -0 are equal) */
};

/* M, N and K. */
#define CASE_DIMENSIONS 3
extern const enum size case_dimensions[CASE_DIMENSIONS];

/* Every scalar becomes what scalar_neutral() says. */
void case_neutral_scalars(struct test_case *test);

/* How the sizes of generated cases are drawn. */
enum case_sizes {
	CASE_SIZES_MIXED,   /* by the families of README.md: aligned and ragged, small and large */
	CASE_SIZES_UNIFORM, /* M, N and K apart, each uniform over the limits below; one case in
						   64 has rows of A, B and C that are all a multiple of 8 */
};

extern const char *const case_sizes_names[]; /* "mixed", "uniform", NULL */

/* Case number `index` of the run with this seed: the same answer on every
 * machine. Mixes the kinds of shapes (CASE_SIZES_MIXED), scalars and values named in README.md.
 * M, N and K lie within the problem's limits and at most at max_dim (or at the smallest,
 * where that is larger); a batch within its own, and so that all of its terms are no more than
 * those of the largest single product. M, N and K are rounded to the nearest multiple of `multiple`
 * within these limits; the caller checks with case_has_multiple() that there is one. 1: any. */
struct test_case case_generate(const struct problem *problem, uint64_t seed, size_t index,
							   enum case_sizes sizes, int max_dim, int multiple);

/* Case number `index` of a run whose shapes are given: as generated cases but for the shape. Four
 * consecutive ones are of all kinds: alpha 1 and beta 0 (where the problem has them), exact, any
 * alpha and beta, as drawn. */
struct test_case case_generate_at(const struct problem *problem, const struct shape *shape,
								  uint64_t seed, size_t index);

/* Whether the product of the inputs has any part in the result. With alpha = 0 every solution
 * computes beta*C, and a time says nothing about products. */
bool case_multiplies(const struct test_case *test);

/* Whether some M, N and K within the limits of generated cases are multiples. */
bool case_has_multiple(const struct problem *problem, int max_dim, int multiple);

/* The largest M, N or K of generated cases, and the smallest that all of them allow. */
int case_largest(const struct problem *problem);
int case_smallest(const struct problem *problem);

/* A plain case of one shape (uniform +-1 values), as used for timing. `scalars` in the order
 * of the problem's table; NULL: alpha 1, beta 0, and what the problem's large case has. */
struct test_case case_of_shape(const struct problem *problem, const struct shape *shape,
							   const float *scalars, uint64_t seed);

/* Gives a case integer values, of scales that keep every step exact in f32 and all but
 * astronomically few results representable in the result's type. Factors must be multiples of
 * 0.5 of at most 2 in magnitude, scales powers of two; otherwise the case keeps its values and
 * false is returned. */
bool case_make_exact(const struct problem *problem, struct test_case *test);

/* What the operands that nobody chose values for hold before a call: as the generator has it for
 * plain cases. A result that is written and not read (beta = 0) is marked. */
struct value_spec case_plain_values(const struct problem *problem, size_t operand,
									const struct test_case *test);

/* These values of an operand of a problem of a file as its rules have them: divided by the root of
 * a size, with zeros. */
struct value_spec operand_values(const struct operand *operand, const struct shape *shape,
								 struct value_spec spec);

/* Codes up to a magnitude (0: any), as generated cases have them in an integer operand. */
struct value_spec case_codes(const struct type *type, float most);

/* Scales of groups of weights, as generated cases have them. */
#define CASE_SCALES ((struct value_spec){VALUES_SIGNED, 0.1f, 0.01f, 0})

/* Whether the values of all operands can be drawn (value_spec_holds), and whether scalars that are
 * `int` are integers of at most CASE_INTEGER_MOST in magnitude. */
#define CASE_INTEGER_MOST 32768
bool case_holds(const struct problem *problem, const struct test_case *test, struct error *err);

#endif
