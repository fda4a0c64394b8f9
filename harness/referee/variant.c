/* Adding faults to a variant; variant_element.c computes with it. */
#include "referee/variant.h"

#include <math.h>
#include <string.h>

static double to_type(enum dtype type, double x)
{
	const struct number_format *format = &type_of(type)->format;
	return values_to_double(format, values_from_double(format, x));
}

double variant_to_f16(double x)
{
	return to_type(DTYPE_F16, x);
}

double variant_to_bf16(double x)
{
	return to_type(DTYPE_BF16, x);
}

static double to_e4m3(double x)
{
	return to_type(DTYPE_E4M3, x);
}

/* TF32 has 10 bits of an f32's 23. */
static double tf32_of_bits(double x, uint32_t added)
{
	float narrow = (float)x;
	uint32_t bits;
	memcpy(&bits, &narrow, sizeof bits);
	bits = (bits + added) & ~0x1FFFu;
	memcpy(&narrow, &bits, sizeof narrow);
	return (double)narrow;
}

static double cut_to_tf32(double x)
{
	return tf32_of_bits(x, 0);
}

static double to_tf32(double x) /* ties away from 0, as cvt.rna does */
{
	return tf32_of_bits(x, 0x1000);
}

/* ---- where operands lie ---------------------------------------------------------------- */

/* Strides where an operand of `outer` rows (columns) is stored with k or with them outermost. */
static struct strides strides_of(uint64_t outer, uint64_t k, bool k_inner)
{
	return (struct strides){.batch = outer * k, .outer = k_inner ? k : 1, .k = k_inner ? 1 : outer};
}

struct variant variant_right(const struct trial *trial)
{
	const struct device_request *request = &trial->request;
	struct variant variant = {
		.left = trial->left,
		.right = trial->right,
		.of_left = strides_of(trial->m, trial->k, !request->left.transposed),
		.of_right = strides_of(trial->n, trial->k, request->right.transposed),
		.to = trial->k,
		.beta_times = 1,
		.test = *trial->input->test,
	};
	variant_set_steps(trial, &variant);
	return variant;
}

static void transpose_left(const struct trial *trial, struct variant *variant)
{
	variant->of_left = strides_of(trial->m, trial->k, trial->request.left.transposed);
}

static void transpose_right(const struct trial *trial, struct variant *variant)
{
	variant->of_right = strides_of(trial->n, trial->k, !trial->request.right.transposed);
}

/* Of square operands: the left one takes the place of the right one. */
static bool exchange(const struct trial *trial, struct variant *variant)
{
	const double *left = variant->left;
	variant->left = variant->right;
	variant->right = left;
	variant->of_left = strides_of(trial->m, trial->k, !trial->request.right.transposed);
	variant->of_right = strides_of(trial->n, trial->k, trial->request.left.transposed);
	return trial->m == trial->n && trial->n == trial->k && trial->request.right.group == 0;
}

/* Rows that are as long as another size. False where that is no other. What they reach past the end
 * of an operand is nothing, as it is where a solution looks at its index. */
static bool set_length(const struct trial *trial, enum size size, uint64_t columns,
					   uint64_t *stride)
{
	*stride = (uint64_t)trial->input->test->shape.size[size];
	return *stride != columns;
}

/* Of a result no row may reach past its end. */
static bool set_result_length(const struct trial *trial, enum size size, struct variant *variant)
{
	return set_length(trial, size, trial->n, &variant->result_length) &&
		   variant->result_length < trial->n;
}

static bool set_left_length(const struct trial *trial, enum size size, struct variant *variant)
{
	bool k_inner = !trial->request.left.transposed;
	return set_length(trial, size, k_inner ? trial->k : trial->m,
					  k_inner ? &variant->of_left.outer : &variant->of_left.k);
}

static bool set_right_length(const struct trial *trial, enum size size, struct variant *variant)
{
	bool k_inner = trial->request.right.transposed;
	return set_length(trial, size, k_inner ? trial->k : trial->n,
					  k_inner ? &variant->of_right.outer : &variant->of_right.k);
}

/* ---- sums --------------------------------------------------------------------------------- */

/* The last product, or those beyond a multiple of a power of two. */
static bool end_early(const struct trial *trial, int choice, struct variant *variant,
					  int32_t *number)
{
	uint64_t tile = (uint64_t)1 << choice;
	variant->to = choice == 0 ? trial->k - 1 : trial->k / tile * tile;
	*number = (int32_t)variant->to;
	return variant->to < trial->k;
}

/* The last product, those of the last tile, or no one. */
static bool begin_late(const struct trial *trial, int choice, struct variant *variant,
					   int32_t *number)
{
	uint64_t tile = (uint64_t)1 << choice >> 1;
	variant->from = choice == 0 ? trial->k : (trial->k - 1) / tile * tile;
	*number = (int32_t)variant->from;
	return variant->from > 0 && trial->request.algebra == ALGEBRA_PLUS_TIMES;
}

/* The last tile along K holds what lies behind the row's end, up to the end of the buffer. */
static bool run_on(const struct trial *trial, int choice, struct variant *variant, int32_t *number)
{
	uint64_t tile = (uint64_t)8 << choice;
	variant->rows_run_on = true;
	variant->to = (trial->k + tile - 1) / tile * tile;
	*number = (int32_t)tile;
	return variant->to > trial->k && trial->request.algebra == ALGEBRA_PLUS_TIMES &&
		   trial->scales == NULL;
}

/* Products of what tiles along K are padded with. */
static bool pad_with(const struct trial *trial, int choice, double product, struct variant *variant)
{
	uint64_t tile = (uint64_t)8 << choice;
	uint64_t pads = (trial->k + tile - 1) / tile * tile - trial->k;
	bool least = trial->request.algebra == ALGEBRA_MIN_PLUS;
	variant->padded = least;
	variant->padding = least ? product : (double)pads * product;
	return pads > 0 && variant->padding != 0;
}

static bool pad_with_codes(const struct trial *trial, int choice, struct variant *variant)
{
	const float *scalar = trial->input->test->scalar;
	double product = (double)scalar[SCALAR_ZERO_LEFT] * (double)scalar[SCALAR_ZERO_RIGHT];
	return problem_takes(trial->input->problem, SCALAR_ZERO_LEFT) &&
		   pad_with(trial, choice, product, variant);
}

static bool shift_k(const struct trial *trial, int choice, struct variant *variant)
{
	variant->shift_tile = (uint64_t)8 << choice / 2;
	variant->shift = choice % 2 == 0 ? 1 : variant->shift_tile - 1;
	return trial->k > 1;
}

/* What mma's fragments have apart: pairs of 16-bit elements, and quarters of 8 x 8. Where no k has
 * its other one below K, all sums would be 0, which comes of much else. */
static bool flip_k(const struct trial *trial, int choice, struct variant *variant, int32_t *number)
{
	variant->k_flipped = (uint64_t)1 << choice;
	*number = (int32_t)variant->k_flipped;
	return variant->k_flipped < trial->k &&
		   (choice > 0 || trial->codes == NULL); /* else it is FAULT_PAIRS */
}

/* Quarters of the left operand's fragments are exchanged, where K has a second half. */
static bool exchange_quarters(const struct trial *trial, struct variant *variant)
{
	variant->quarters = true;
	return trial->k > VARIANT_QUARTER;
}

/* The right operand's codes and scales are taken apart, of groups as they are. */
static bool take_apart(const struct trial *trial, struct variant *variant)
{
	variant->group = trial->request.right.group;
	variant->groups = trial->scales != NULL ? trial->k / variant->group : 0;
	return trial->scales != NULL;
}

/* Scales in another order, or of groups of another size, whose number in a row is rounded up, or is
 * what the problem has. */
static bool regroup(const struct trial *trial, int choice, struct variant *variant, int32_t *number)
{
	if (!take_apart(trial, variant))
		return false;
	if (choice == 0) {
		variant->groups_outermost = true;
		*number = 0;
		return trial->n > 1 && variant->groups > 1;
	}
	variant->group = (uint64_t)8 << (choice - 1) / 2;
	*number = (int32_t)variant->group;
	if (choice % 2 == 0)
		variant->groups = (trial->k + variant->group - 1) / variant->group;
	return variant->group != trial->request.right.group;
}

static bool drop_sign(const struct trial *trial, struct variant *variant)
{
	variant->scales_unsigned = true;
	return take_apart(trial, variant);
}

/* Two codes a byte. */
static bool pair_codes(const struct trial *trial, int choice, struct variant *variant,
					   int32_t *number)
{
	*number = choice;
	variant->pairs = choice == 0;
	variant->halves = choice == 1;
	return trial->codes != NULL && trial->request.right.values.elements % 2 == 0 &&
		   (choice == 0 || take_apart(trial, variant));
}

static bool read_codes(const struct trial *trial, struct variant *variant)
{
	enum dtype type = problem_part(trial->input->problem, PART_RIGHT)->type;
	variant->codes_read = true;
	return type == DTYPE_U4 ? take_apart(trial, variant) : type == DTYPE_S8 || type == DTYPE_E4M3;
}

/* ---- scalars -------------------------------------------------------------------------------- */

/* Another value for a scalar. False: it has that value. */
static bool set_scalar(const struct trial *trial, enum scalar scalar, float value,
					   struct variant *variant)
{
	float was = variant->test.scalar[scalar];
	variant->test.scalar[scalar] = value;
	if (scalar == SCALAR_ZERO_LEFT)
		variant->zero_left = (double)was - (double)value;
	if (scalar == SCALAR_ZERO_RIGHT)
		variant->zero_right = (double)was - (double)value;
	return problem_takes(trial->input->problem, scalar) && was != value;
}

static bool leave_out(const struct trial *trial, enum scalar scalar, struct variant *variant)
{
	return set_scalar(trial, scalar, scalar_neutral(scalar), variant);
}

/* Faults in how alpha and beta are used. */
static bool take_factors(const struct trial *trial, enum wrong_fault fault, int choice,
						 struct variant *variant, int32_t *number)
{
	float alpha = variant->test.scalar[SCALAR_ALPHA], beta = variant->test.scalar[SCALAR_BETA];
	if (!problem_takes(trial->input->problem, SCALAR_ALPHA))
		return false;
	switch (fault) {
	case FAULT_BETA_ONE: return set_scalar(trial, SCALAR_BETA, 1, variant);
	case FAULT_ALPHA_ON_ALL: return set_scalar(trial, SCALAR_BETA, alpha * beta, variant);
	case FAULT_ADDED: variant->beta_added = 1; return beta != 0;
	case FAULT_BETA_PARTS:
		*number = choice + 2;
		variant->beta_times = *number;
		return beta != 0;
	default:
		return set_scalar(trial, SCALAR_ALPHA, beta, variant) &&
			   set_scalar(trial, SCALAR_BETA, alpha, variant);
	}
}

static bool narrow_inputs(const struct trial *trial, enum wrong_fault fault,
						  struct variant *variant)
{
	variant->narrow = fault == FAULT_INPUTS_TF32_CUT ? cut_to_tf32
					  : fault == FAULT_INPUTS_TF32   ? to_tf32
					  : fault == FAULT_INPUTS_F16    ? variant_to_f16
					  : fault == FAULT_INPUTS_BF16   ? variant_to_bf16
													 : to_e4m3;
	return !trial->request.left.values.format.is_integer &&
		   trial->request.algebra == ALGEBRA_PLUS_TIMES;
}

/* Codes of 8 bits. Versions: of how many a scale is, and whether it is a half; of which operand. */
/* A row first: where it fits, smaller ones tell nothing. 0: all of the operand. */
static const uint64_t blocks[] = {VARIANT_ROW, 0, 16, 32, 64, 128, 256};
#define BLOCKS (int)(sizeof blocks / sizeof *blocks)

static bool narrow_to_codes(const struct trial *trial, int choice, struct variant *variant,
							int32_t *number)
{
	uint64_t block = blocks[choice / 2 % BLOCKS];
	int sides = choice / 2 / BLOCKS + 1;
	variant->codes_half = choice % 2 == 1;
	variant->codes_whole = block == 0;
	variant->codes_block = block == 0 ? VARIANT_ROW : block;
	variant->codes_left = (sides & WRONG_INT8_LEFT) != 0;
	variant->codes_right = (sides & WRONG_INT8_RIGHT) != 0;
	*number = (int32_t)(block == VARIANT_ROW ? 0 : block << 3) | sides |
			  (block == 0 ? WRONG_INT8_WHOLE : 0);
	return !trial->request.left.values.format.is_integer &&
		   trial->request.algebra == ALGEBRA_PLUS_TIMES &&
		   (block == VARIANT_ROW || block < trial->k); /* else it is a row */
}

/* Versions: of inputs as they are, and of wider ones that are narrowed before. */
static bool round_products(const struct trial *trial, enum wrong_fault fault, int choice,
						   struct variant *variant)
{
	variant->round_product = fault == FAULT_PRODUCTS_F16 ? variant_to_f16 : variant_to_bf16;
	variant->narrow = choice == 1 ? variant->round_product : NULL;
	return (choice == 0 || trial->request.left.values.format.bits > 16) &&
		   !trial->request.left.values.format.is_integer &&
		   trial->request.algebra == ALGEBRA_PLUS_TIMES;
}

static double cut(double x)
{
	return trunc((double)(float)x);
}

static bool cut_to_integers(const struct trial *trial, int choice, struct variant *variant,
							int32_t *number)
{
	double (**const parts[])(double) = {[CUT_SUM] = &variant->round_step,
										[CUT_PRODUCTS] = &variant->round_product,
										[CUT_INPUTS] = &variant->narrow};
	*parts[choice] = cut;
	*number = choice;
	return !trial->request.left.values.format.is_integer &&
		   trial->request.algebra == ALGEBRA_PLUS_TIMES;
}

/* Versions: pairs, fours, all; which wrap around or are cut off; of codes or of numbers. */
static bool sum_in_16_bits(const struct trial *trial, int choice, struct variant *variant,
						   int32_t *number)
{
	static const uint64_t runs[] = {2, 4, VARIANT_ROW};
	uint64_t run = runs[choice / 4];
	variant->short_run = run;
	variant->short_saturates = choice % 2 == 1;
	variant->short_of_codes = choice / 2 % 2 == 0;
	*number =
		(int32_t)(run == VARIANT_ROW ? 0 : run) | (variant->short_saturates ? WRONG_SATURATES : 0);
	return trial->request.left.values.format.is_integer;
}

static bool round_sums(const struct trial *trial, enum wrong_fault fault, struct variant *variant)
{
	variant->round_sum = fault == FAULT_SUM_F16 ? variant_to_f16 : variant_to_bf16;
	return !trial->request.left.values.format.is_integer;
}

static bool make_integer(const struct trial *trial, int choice, struct variant *variant,
						 int32_t *number)
{
	variant->integer = true;
	variant->to_integer = (enum wrong_integer)choice;
	*number = choice;
	return trial->request.left.values.format.is_integer;
}

static bool add_zeros(const struct trial *trial, struct variant *variant)
{
	variant->zero_left = 2 * trial->request.left.zero;
	variant->zero_right = 2 * trial->request.right.zero;
	return problem_takes(trial->input->problem, SCALAR_ZERO_LEFT) &&
		   (variant->zero_left != 0 || variant->zero_right != 0);
}

/* ---- faults ------------------------------------------------------------------ */

/* Faults that are families of their own stand for their first one. */
static enum wrong_fault family_of(enum wrong_fault fault)
{
	return fault >= FAULT_SCALAR          ? FAULT_SCALAR
		   : fault >= FAULT_RESULT_LENGTH ? FAULT_RESULT_LENGTH
		   : fault >= FAULT_RIGHT_LENGTH  ? FAULT_RIGHT_LENGTH
		   : fault >= FAULT_LEFT_LENGTH   ? FAULT_LEFT_LENGTH
										  : fault;
}

int variant_choices(enum wrong_fault fault)
{
	switch (fault) {
	case FAULT_PRODUCTS_MISSING:
	case FAULT_LAST_ONLY: return 9; /* to tiles of 256, or 128 */
	case FAULT_BETA_PARTS: return 15;
	case FAULT_ONE_PADDED:
	case FAULT_CODE_PADDED: return 5;
	case FAULT_K_SHIFTED: return 8;
	case FAULT_K_EXCHANGED: return 4;
	case FAULT_GROUP: return 13;
	case FAULT_PRODUCTS_F16:
	case FAULT_PRODUCTS_BF16:
	case FAULT_PAIRS: return 2;
	case FAULT_TRUNCATED: return INTEGER_WAYS;
	case FAULT_INPUTS_INT8: return BLOCKS * 2 * (WRONG_INT8_LEFT | WRONG_INT8_RIGHT);
	case FAULT_CUT: return CUT_WAYS;
	case FAULT_SUM_INT16: return 12;
	case FAULT_ROWS_RUN_ON: return 6; /* to tiles of 256 */
	default: return 1;
	}
}

/* Parts of a computation that a fault touches. */
enum {
	OF_LEFT = 1,
	OF_RIGHT = 2,
	OF_RESULT = 4,
	OF_RANGE = 8,
	OF_ALPHA = 16,
	OF_BETA = 32,
	OF_INPUTS = 64,
	OF_PADDING = 128,
	OF_SUM = 256,
	OF_CODES = 512,
	OF_ALL = 1023 /* goes with no other one */
};

static unsigned touches(enum wrong_fault fault)
{
	switch (family_of(fault)) {
	case FAULT_PRODUCTS_MISSING:
	case FAULT_FIRST_MISSING:
	case FAULT_LAST_ONLY: return OF_RANGE;
	case FAULT_LEFT_TRANSPOSED:
	case FAULT_LEFT_LENGTH:
	case FAULT_LEFT_OF_FIRST:
	case FAULT_QUARTERS: return OF_LEFT;
	case FAULT_RIGHT_TRANSPOSED:
	case FAULT_RIGHT_LENGTH:
	case FAULT_RIGHT_OF_FIRST:
	case FAULT_K_SHIFTED:
	case FAULT_K_EXCHANGED: return OF_RIGHT;
	case FAULT_RESULT_TRANSPOSED:
	case FAULT_RESULT_LENGTH: return OF_RESULT;
	case FAULT_ALL_TRANSPOSED: return OF_LEFT | OF_RIGHT | OF_RESULT;
	case FAULT_EXCHANGED: return OF_LEFT | OF_RIGHT | OF_CODES;
	case FAULT_BETA_ONE:
	case FAULT_ADDED:
	case FAULT_BETA_PARTS: return OF_BETA;
	case FAULT_FACTORS_EXCHANGED:
	case FAULT_ALPHA_ON_ALL: return OF_ALPHA | OF_BETA;
	case FAULT_INPUTS_TF32_CUT:
	case FAULT_INPUTS_TF32:
	case FAULT_INPUTS_F16:
	case FAULT_INPUTS_BF16:
	case FAULT_INPUTS_E4M3:
	case FAULT_PRODUCTS_F16:
	case FAULT_PRODUCTS_BF16: return OF_INPUTS;
	case FAULT_INPUTS_INT8:
	case FAULT_CUT:
	case FAULT_SUM_INT16:
	case FAULT_ROWS_RUN_ON: return OF_ALL;
	case FAULT_ZERO_PADDED:
	case FAULT_ONE_PADDED: return OF_PADDING;
	case FAULT_CODE_PADDED: return OF_PADDING | OF_CODES;
	case FAULT_TRUNCATED:
	case FAULT_SUM_F16:
	case FAULT_SUM_BF16: return OF_SUM;
	case FAULT_CODES_READ: return OF_LEFT | OF_RIGHT | OF_CODES;
	case FAULT_SCALAR:
		return fault == FAULT_SCALAR + SCALAR_ALPHA  ? OF_ALPHA
			   : fault == FAULT_SCALAR + SCALAR_BETA ? OF_BETA
													 : OF_CODES;
	default: return OF_CODES;
	}
}

bool variant_go_together(enum wrong_fault one, enum wrong_fault other)
{
	return (touches(one) & touches(other)) == 0;
}

/* Of operands and the result: where they lie. */
static bool add_layout(const struct trial *trial, enum wrong_fault fault, struct variant *variant)
{
	bool batched = trial->input->test->shape.size[SIZE_BATCH] > 1;
	switch (fault) {
	case FAULT_LEFT_TRANSPOSED: transpose_left(trial, variant); return true;
	case FAULT_RIGHT_TRANSPOSED: transpose_right(trial, variant); return true;
	case FAULT_RESULT_TRANSPOSED: variant->stored_transposed = true; return true;
	case FAULT_ALL_TRANSPOSED:
		transpose_left(trial, variant);
		transpose_right(trial, variant);
		variant->stored_transposed = true;
		return true;
	case FAULT_EXCHANGED: return exchange(trial, variant);
	case FAULT_LEFT_OF_FIRST: variant->of_left.batch = 0; return batched;
	default: variant->of_right.batch = 0; return batched;
	}
}

/* A fault of a family: which of it is the difference. */
static bool add_of_family(const struct trial *trial, enum wrong_fault fault,
						  struct variant *variant)
{
	int index = (int)(fault - family_of(fault));
	switch (family_of(fault)) {
	case FAULT_LEFT_LENGTH: return set_left_length(trial, SIZE_M + index, variant);
	case FAULT_RIGHT_LENGTH: return set_right_length(trial, SIZE_M + index, variant);
	case FAULT_RESULT_LENGTH: return set_result_length(trial, SIZE_M + index, variant);
	default: return leave_out(trial, (enum scalar)index, variant);
	}
}

bool variant_add(const struct trial *trial, enum wrong_fault fault, int choice,
				 struct variant *variant, int32_t *number)
{
	bool least = trial->request.algebra == ALGEBRA_MIN_PLUS;
	switch (fault) {
	case FAULT_PRODUCTS_MISSING: return end_early(trial, choice, variant, number);
	case FAULT_FIRST_MISSING: variant->from = 1; return true;
	case FAULT_LAST_ONLY: return begin_late(trial, choice, variant, number);
	case FAULT_LEFT_TRANSPOSED:
	case FAULT_RIGHT_TRANSPOSED:
	case FAULT_RESULT_TRANSPOSED:
	case FAULT_ALL_TRANSPOSED:
	case FAULT_EXCHANGED:
	case FAULT_LEFT_OF_FIRST:
	case FAULT_RIGHT_OF_FIRST: return add_layout(trial, fault, variant);
	case FAULT_BETA_ONE:
	case FAULT_ALPHA_ON_ALL:
	case FAULT_ADDED:
	case FAULT_BETA_PARTS:
	case FAULT_FACTORS_EXCHANGED: return take_factors(trial, fault, choice, variant, number);
	case FAULT_INPUTS_TF32_CUT:
	case FAULT_INPUTS_TF32:
	case FAULT_INPUTS_F16:
	case FAULT_INPUTS_BF16:
	case FAULT_INPUTS_E4M3: return narrow_inputs(trial, fault, variant);
	case FAULT_INPUTS_INT8: return narrow_to_codes(trial, choice, variant, number);
	case FAULT_SUM_F16:
	case FAULT_SUM_BF16: return round_sums(trial, fault, variant);
	case FAULT_PRODUCTS_F16:
	case FAULT_PRODUCTS_BF16: return round_products(trial, fault, choice, variant);
	case FAULT_CUT: return cut_to_integers(trial, choice, variant, number);
	case FAULT_SUM_INT16: return sum_in_16_bits(trial, choice, variant, number);
	case FAULT_ROWS_RUN_ON: return run_on(trial, choice, variant, number);
	case FAULT_NO_SCALES:
		return leave_out(trial, SCALAR_SCALE_LEFT, variant) |
			   leave_out(trial, SCALAR_SCALE_RIGHT, variant);
	case FAULT_NO_ZEROS:
		return leave_out(trial, SCALAR_ZERO_LEFT, variant) |
			   leave_out(trial, SCALAR_ZERO_RIGHT, variant);
	case FAULT_ZERO_PADDED: variant->padded = true; return least;
	case FAULT_ONE_PADDED: /* to a sum of integers much else adds a little */
		return pad_with(trial, choice, least ? 2 : 1, variant) &&
			   !trial->request.left.values.format.is_integer;
	case FAULT_CODE_PADDED: return pad_with_codes(trial, choice, variant);
	case FAULT_TRUNCATED: return make_integer(trial, choice, variant, number);
	case FAULT_K_SHIFTED: return shift_k(trial, choice, variant);
	case FAULT_K_EXCHANGED: return flip_k(trial, choice, variant, number);
	case FAULT_QUARTERS: return exchange_quarters(trial, variant);
	case FAULT_GROUP: return regroup(trial, choice, variant, number);
	case FAULT_PAIRS: return pair_codes(trial, choice, variant, number);
	case FAULT_CODES_READ: return read_codes(trial, variant);
	case FAULT_ZEROS_ADDED: return add_zeros(trial, variant);
	case FAULT_SCALE_MULTIPLIED:
		return set_scalar(trial, SCALAR_SCALE_RESULT, 1 / variant->test.scalar[SCALAR_SCALE_RESULT],
						  variant);
	case FAULT_SCALE_SIGN: return drop_sign(trial, variant);
	case FAULT_OFFSET: variant->right = trial->codes; return trial->codes != NULL;
	case FAULT_RIGHT_BF16:
		variant->narrow_right = variant_to_bf16;
		return trial->request.right.group != 0;
	default: return add_of_family(trial, fault, variant);
	}
}

void variant_finish(const struct trial *trial, struct variant *variant)
{
	struct check_input input = *trial->input;
	input.test = &variant->test;
	variant->rule = check_rule_of(&input);
	variant->rule.beta = variant->rule.beta * variant->beta_times + variant->beta_added;
}
