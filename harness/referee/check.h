/* Is an output right? Componentwise, against a product in higher precision; the
 * one implementation for every device. README.md in this folder derives the
 * bound and says how its constants were chosen. */
#ifndef GEMMJUDGE_REFEREE_CHECK_H
#define GEMMJUDGE_REFEREE_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "device/referee_device.h"
#include "process/protocol.h"
#include "referee/stages.h"
#include "testcases/case.h"

/* c of the bound, for rounding in any order, calibrated: see README.md. What tensor cores cut off
 * stands in the rows of types. */
#define CHECK_CONSTANT 4.0

struct check_input {
	const struct problem *problem;
	const struct test_case *test;
	uint64_t seed;   /* of the set's operands (test->seed + set, or fresh + set) */
	const void *out; /* the result as the contestant left it */
	struct device_product product;
	struct tolerance tolerance;
	unsigned threads; /* at most this many; 0: one */
	/* The rows that `product` is of, in ascending order; NULL: all. Not with `carried`. */
	const uint64_t *rows;
	uint32_t row_count;

	/* The epilogue; NULL: what a solution computes without one. The stages [from, to) are gone
	 * through, and after the last one of the chain the outputs are compared. `carried` (a value
	 * for each element) takes them on from one part of the chain to the next; it may be NULL
	 * where the whole chain is gone through at once. */
	const struct chain *chain;
	uint32_t from, to;
	struct carried *carried;
	const void *written[CHAIN_BUFFERS_MAX]; /* outputs of stages, as the contestant left them */
	/* Of each output that reduces, what its elements should be: zeros, and filled here. NULL: not
	 * compared. */
	struct reduced *reduced[CHAIN_BUFFERS_MAX];
	/* The result of a second call, before which it held the values with the bits of check_flip()
	 * exchanged; NULL: there was none, and what holds its old bits is taken for unwritten. `adds`:
	 * such calls are known to add to what the result holds, so that an element with nothing to be
	 * added was written. */
	const void *second;
	bool adds;
	/* Of a second call: beta is 1, and so few wrong elements hold their old bits that sums which
	 * were rounded to 0 may have been added to them. */
	bool few_hold;
	const struct check_stage *computed; /* stage `from`, computed elsewhere; or NULL */
	uint8_t *marks; /* takes one for each element, of CHECK_WRONG and its like; NULL: no need. Not
					   with `rows` */
};

#define CHECK_WRONG 1u
#define CHECK_UNWRITTEN 2u /* too, of a wrong one: holds what it held before the call */

/* What a stage made of the values carried so far (set 0), of the lowest that they
 * may be (1) and of the highest (2). */
struct check_stage {
	const float *values[STAGE_SETS];
	const void *written[STAGE_SETS][CHAIN_MEMBERS_MAX]; /* by the stage's member */
	const float *finished[STAGE_SETS]; /* what its finish() made of what it had reduced */
};

/* Fills elements, wrong, untouched, read, suspect, worst_*, shown and first of the reply, and
 * extra_wrong, extra_first and extra_buffer where a chain has outputs; touches
 * nothing else in it. A part of a chain after the first adds to what is there. */
void check_outputs(const struct check_input *input, struct check_summary *reply);

/* Compares what a stage has reduced, and completed by its finish(): of input->computed, and of
 * input->reduced of the part of the chain that the stage was gone through with. Adds to what is
 * there. */
void check_finished(const struct check_input *input, uint32_t stage, struct check_summary *reply);

/* What makes another result of the one that a call finds, different in every element: numbers of
 * the other sign where it is read, else numbers for NaN and small ones for large ones. */
uint32_t check_flip(const struct problem *problem, const struct test_case *test);

/* The verdict on one element, for tests and calibration: 0 .. 1 is right, more
 * than 1 is wrong, infinity for what no tolerance could accept. */
struct check_element {
	double out;
	double product;   /* (A*B)_ij, or what takes its place */
	double magnitude; /* (|A|*|B|)_ij */
	double c;         /* the result's element before the call; not looked at when beta = 0 */
	double rest;      /* device_product.rest, of either sign */
	double squares;   /* device_product.squares; 0: not known */
	const struct reference_bound *bound; /* in place of all but `out`; NULL: there is none */
};
struct check_rule {
	const struct type *type; /* of the result */
	double alpha, beta;      /* alpha: with the operands' scales */
	bool exact;
	struct tolerance tolerance;
	double
		accumulation;  /* c * sqrt(K) * 2^-24 + cut / sqrt(K), of the magnitude; of a path 2^-24 */
	double truncation; /* t * K * 2^-24 + cut / 2, of the result; t and cut: of the inputs' type */
	double reference;  /* c * sqrt(K) * unit roundoff of the reference */
	double underflow;  /* what K steps among f32's subnormal numbers may lose */
	double threshold;  /* of the type: where infinity begins */
	/* The standard deviation that honest sums have at most: of the root of the squares, and of the
	 * result. */
	double deviation_of_root, deviation_of_result;
	double root_least; /* of the root: its share of the magnitude */
	/* A result of integers: round(sum * scales[0] * scales[1] / scales[2]) + zero. */
	float scales[3];
	double zero;
};
struct check_finding {
	double ratio;
	double want, bound, error;
	/* What the output's rounding leaves of the error, and what the deviation of it may be:
	 * README.md, "All errors together". 0: the element says nothing of sums. */
	double excess, deviation;
};

/* All elements' excesses together. */
void check_spread_add(struct check_spread *spread, const struct type *type,
					  const struct check_finding *finding);
/* The root of their mean square over what honest sums have at most: above 1 they are too large. */
double check_spread_ratio(const struct check_spread *spread);

struct check_rule check_rule_of(const struct check_input *input);
struct check_finding check_one(const struct check_rule *rule, const struct check_element *element);

#endif
