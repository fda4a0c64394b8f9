/* Solutions with known faults, as the referee computes them at single elements. Internal to
 * faults.c, narrow.c, paths.c and variant*.c. */
#ifndef GEMMJUDGE_REFEREE_VARIANT_H
#define GEMMJUDGE_REFEREE_VARIANT_H

#include "judgement/wrong.h"
#include "referee/check.h"

#define CHOSEN_MAX 4096 /* elements that are looked at */
#define RIGHT_MAX 256
#define VARIANT_QUARTER 8u     /* rows and columns of a fragment that may be exchanged */
#define VARIANT_HALF 16u       /* of a block of codes, as ggml's Q4_0 has them */
#define VARIANT_ROW UINT64_MAX /* a block that is as long as the sum */

/* A case whose wrong elements are looked at. */
struct trial {
	const struct check_input *input;
	struct device_request request; /* of the set that was checked */
	uint64_t m, n, k;
	double *left, *right; /* as numbers, in the order in which they are stored */
	double *codes;        /* of the right one, where a code that is not 0 stands for 0: without that
						   */
	/* Of the right one, where groups of it have scales: numbers without them, and the scales. */
	double *unscaled, *scales;
	double largest_left, largest_right; /* magnitudes, of what is a number */
	struct values before;               /* the result before the call */
	uint64_t chosen[CHOSEN_MAX];
	uint64_t count;
	/* Right elements, of integers and of what went through an epilogue. */
	uint64_t right_ones[RIGHT_MAX];
	uint64_t right_count;
	struct values extra[CHAIN_BUFFERS_MAX]; /* what the epilogue's stages read */
};

/* A stage of an epilogue, as a solution applies it. */
struct variant_step {
	const struct chain_stage *stage;
	const struct stage_reference *reference; /* of what is applied */
	bool other_index;                        /* rows and columns of its members are exchanged */
	bool no_alpha, no_beta;                  /* of alpha_beta: only the one, only the other part */
};

/* Element (row, k) of a left operand and (k, column) of a right one lie so far apart. */
struct strides {
	uint64_t batch, outer, k;
};

/* How a solution computes. */
struct variant {
	const double *left, *right;
	struct strides of_left, of_right;
	uint64_t from, to; /* of the sums; what lies behind K is padding */
	double zero_left, zero_right;
	double (*narrow)(double);        /* what becomes of both; NULL: nothing */
	double (*narrow_right)(double);  /* of the right one */
	double (*round_sum)(double);     /* the same of a sum, */
	double (*round_step)(double);    /* of the sum after each product, */
	double (*round_product)(double); /* and of a product */
	/* > 0: inputs become codes of -127 to 127, so many of k with one scale; or `codes_whole`: all
	 * of an operand. */
	uint64_t codes_block;
	bool codes_left, codes_right, codes_whole;
	bool codes_half;      /* their scales are rounded to f16 */
	uint64_t short_run;   /* > 0: so many products at a time are summed in 16 bits, */
	bool short_saturates; /* which are cut off, or else wrap around; */
	bool short_of_codes;  /* of codes whose zero points are not taken off */
	bool rows_run_on;     /* beyond K lies the next row */
	bool scales_unsigned; /* of the right operand's scales the magnitude is taken */
	double padding;       /* added to each sum; of least sums: takes part, where
							 `padded` */
	bool padded;
	bool pairs;             /* neighbours in the right operand are exchanged */
	uint64_t k_flipped;     /* bits of k that are flipped in the right operand */
	uint64_t shift_tile;    /* > 0: within so many of k the right operand is shifted, */
	uint64_t shift;         /* by so many */
	bool quarters;          /* rows 8 to 15 and columns 8 to 15 of the left operand are
							   exchanged */
	uint64_t group, groups; /* > 0: of the right operand's scales, and how many a row has */
	bool groups_outermost;  /* all columns' scales of a group lie beside each other */
	bool halves;            /* codes of k and k + VARIANT_HALF share a byte, the first in its low
							   half */
	bool codes_read;        /* as another type's */
	bool integer;           /* the result is made one in the way of `to_integer` */
	enum wrong_integer to_integer;
	bool stored_transposed;
	uint64_t result_length; /* of a row of the result; 0: its own */
	double beta_times, beta_added;
	struct test_case test; /* with its scalars */
	struct check_rule rule;
	struct variant_step steps[CHAIN_STAGES_MAX + 1]; /* of the epilogue */
	uint32_t step_count;
};

/* A solution without a fault. */
struct variant variant_right(const struct trial *trial);

/* In how many versions a fault is tried. */
int variant_choices(enum wrong_fault fault);

/* Whether both faults can be had at once: they touch different things. */
bool variant_go_together(enum wrong_fault one, enum wrong_fault other);

/* Adds a fault, in one of its versions, and tells its number (`summed`, or that of wrong.h). False:
 * the case has no place for it. */
bool variant_add(const struct trial *trial, enum wrong_fault fault, int choice,
				 struct variant *variant, int32_t *number);

/* Makes a fault of the epilogue's chain. False: the chain has no place for it, or it changes
 * nothing. */
bool variant_add_stage(const struct trial *trial, const struct wrong_stage *fault,
					   struct variant *variant);

/* The chain as it is. */
void variant_set_steps(const struct trial *trial, struct variant *variant);

/* An element as the first `steps` of the variant's steps leave it; `row` is counted through all
 * batches. */
struct carried variant_carry(const struct trial *trial, const struct variant *variant,
							 const struct check_element *element, uint64_t row, uint64_t column,
							 uint32_t steps);

/* The reference of a function, of those that are no stage, too. */
const struct stage_reference *variant_function(enum wrong_function function);

/* What the chain's stage `stage` gets of the element at `column` of `row`, which is counted through
 * all batches. */
struct carried variant_before_stage(const struct trial *trial, const struct variant *variant,
									uint64_t row, uint64_t column, uint32_t stage);

/* Tries the faults of a gated stage at what it wrote. */
void variant_try_gated(const struct trial *trial, struct wrong_gated *out);

/* To be called when all faults are in. */
void variant_finish(const struct trial *trial, struct variant *variant);

/* Whether element `at` of the result is, within the bound, what the variant makes of it. */
bool variant_fits(const struct trial *trial, const struct variant *variant, uint64_t at);

/* Whether the variant sums anything there, or may: a sum of nothing, as of rows that reach past the
 * end of an operand, comes of many a fault. */
bool variant_has_products(const struct trial *trial, const struct variant *variant, uint64_t at);

/* Whether the element is 0, and a subnormal f32 belongs there. `right`: variant_right(), finished.
 */
bool variant_is_flushed(const struct trial *trial, const struct variant *right, uint64_t at);

/* Whether an integer element lies in the middle of two neighbours, and is the odd one. `right` as
 * above. */
bool variant_is_tie(const struct trial *trial, const struct variant *right, uint64_t at);

/* Errors against those of narrow sums: errors_of and errors_of_tiles. */
void variant_narrow_sums(const struct trial *trial, struct wrong_pattern *facts);

/* Of shortest paths, whose edges trial->left has: longer, path_edges and compared. */
void variant_paths(const struct trial *trial, const uint8_t *marks, struct wrong_pattern *facts);

/* Rounded to the type, in double. */
double variant_to_f16(double x);
double variant_to_bf16(double x);
double variant_to_e4m3(double x);
double variant_to_tf32(double x);
double variant_cut_to_tf32(double x); /* by its last bits cut off */

#endif
