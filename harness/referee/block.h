/* What check_one() says, of some hundred elements at once: an ordinary element takes some
 * nanoseconds so. Compiled once for each level of x86-64; all give the same bits. */
#ifndef GEMMJUDGE_REFEREE_BLOCK_H
#define GEMMJUDGE_REFEREE_BLOCK_H

#include "referee/check.h"
#include "testcases/values.h"

#define BLOCK_ELEMENTS 128

/* Elements are added up in so many sums, each of every BLOCK_LANES-th element of a block. */
#define BLOCK_LANES 8
struct block_spread { /* struct check_spread, of each lane */
	_Alignas(64) double squares[BLOCK_LANES], expected[BLOCK_LANES], fourth[BLOCK_LANES];
};

/* The members of struct check_element and of struct check_finding, of each element. A ratio of NaN:
 * the element is no ordinary one, and check_one() has to be asked. */
struct block {
	_Alignas(64) double out[BLOCK_ELEMENTS], product[BLOCK_ELEMENTS], magnitude[BLOCK_ELEMENTS];
	double c[BLOCK_ELEMENTS], rest[BLOCK_ELEMENTS], squares[BLOCK_ELEMENTS];
	double want[BLOCK_ELEMENTS], bound[BLOCK_ELEMENTS], error[BLOCK_ELEMENTS];
	double ratio[BLOCK_ELEMENTS], excess[BLOCK_ELEMENTS], deviation[BLOCK_ELEMENTS];
};

/* The members of struct carried, of each element. `odd` is 0, or NaN for what cannot be said here.
 */
struct block_values {
	_Alignas(64) double x[BLOCK_ELEMENTS], odd[BLOCK_ELEMENTS];
	float error[BLOCK_ELEMENTS], known[BLOCK_ELEMENTS], deviation[BLOCK_ELEMENTS];
	int64_t exact[BLOCK_ELEMENTS];
};

/* Where every element is ordinary and right. */
struct block_sums {
	bool right;
	double worst_ratio, worst_error;
};

struct block_functions {
	/* Elements from `first` on, a multiple of VALUES_BLOCK, as numbers: BLOCK_ELEMENTS and
	 * VALUES_BLOCK more at most. */
	void (*draw)(const struct values *values, uint64_t first, uint32_t count, double *out);
	/* Elements of a buffer of numbers, not integers, from `first` on. */
	void (*load)(const struct number_format *format, const void *from, uint64_t first,
				 uint32_t count, double *out);
	void (*widen)(const float *from, uint32_t count, double *out);
	/* All of the block, of a plain product; what stands for no element holds zeros. Where all are
	 * right, *spread has them. Not for results of integers. */
	struct block_sums (*find)(const struct check_rule *rule, struct block *block,
							  struct block_spread *spread);
	/* Through a chain: rule_begin(), stage_carry() and rule_finish(). */
	void (*begin)(const struct check_rule *rule, const struct block *block,
				  struct block_values *values);
	void (*carry)(const struct stage_reference *reference, const struct stage_elements *elements,
				  struct block_values *values);
	struct block_sums (*finish)(const struct check_rule *rule, const struct block_values *values,
								struct block *block, struct block_spread *spread);
};

/* For this machine. */
const struct block_functions *block_functions(void);

/* For the lowest level that is compiled (0) and for higher ones; NULL: this machine has it not. */
const struct block_functions *block_functions_at(uint32_t level);

#endif
