/* Adding faults to a variant: a function for each row of judgement/faults.def; variant_element.c
 * computes with it. */
#include "referee/variant.h"

#include <math.h>

/* A fault that is being added. The functions give false where the case has no place for it. */
struct attempt {
	const struct trial *trial;
	struct variant *variant;
	int choice, index; /* the version; which of its family */
	int32_t number;
};

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

static bool add_left_transposed(struct attempt *at)
{
	const struct trial *trial = at->trial;
	at->variant->of_left = strides_of(trial->m, trial->k, trial->request.left.transposed);
	return true;
}

static bool add_right_transposed(struct attempt *at)
{
	const struct trial *trial = at->trial;
	at->variant->of_right = strides_of(trial->n, trial->k, !trial->request.right.transposed);
	return true;
}

static bool add_result_transposed(struct attempt *at)
{
	at->variant->stored_transposed = true;
	return true;
}

static bool add_all_transposed(struct attempt *at)
{
	return add_left_transposed(at) && add_right_transposed(at) && add_result_transposed(at);
}

/* Of square operands: the left one takes the place of the right one. */
static bool add_exchanged(struct attempt *at)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	const double *left = variant->left;
	variant->left = variant->right;
	variant->right = left;
	variant->of_left = strides_of(trial->m, trial->k, !trial->request.right.transposed);
	variant->of_right = strides_of(trial->n, trial->k, trial->request.left.transposed);
	return trial->m == trial->n && trial->n == trial->k && trial->request.right.group == 0;
}

static bool is_batched(const struct trial *trial)
{
	return trial->input->test->shape.size[SIZE_BATCH] > 1;
}

static bool add_left_of_first(struct attempt *at)
{
	at->variant->of_left.batch = 0;
	return is_batched(at->trial);
}

static bool add_right_of_first(struct attempt *at)
{
	at->variant->of_right.batch = 0;
	return is_batched(at->trial);
}

/* Rows that are as long as another size. False where that is no other. What they reach past the end
 * of an operand is nothing, as it is where a solution looks at its index. */
static bool set_length(const struct attempt *at, uint64_t columns, uint64_t *stride)
{
	*stride = (uint64_t)at->trial->input->test->shape.size[SIZE_M + at->index];
	return *stride != columns;
}

/* Of a result no row may reach past its end. */
static bool add_result_length(struct attempt *at)
{
	return set_length(at, at->trial->n, &at->variant->result_length) &&
		   at->variant->result_length < at->trial->n;
}

static bool add_left_length(struct attempt *at)
{
	struct strides *strides = &at->variant->of_left;
	bool k_inner = !at->trial->request.left.transposed;
	return set_length(at, k_inner ? at->trial->k : at->trial->m,
					  k_inner ? &strides->outer : &strides->k);
}

static bool add_right_length(struct attempt *at)
{
	struct strides *strides = &at->variant->of_right;
	bool k_inner = at->trial->request.right.transposed;
	return set_length(at, k_inner ? at->trial->k : at->trial->n,
					  k_inner ? &strides->outer : &strides->k);
}

/* ---- sums --------------------------------------------------------------------------------- */

/* The last product, or those beyond a multiple of a power of two. */
static bool add_end_early(struct attempt *at)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	const int choice = at->choice;
	uint64_t tile = (uint64_t)1 << choice;
	variant->to = choice == 0 ? trial->k - 1 : trial->k / tile * tile;
	at->number = (int32_t)variant->to;
	return variant->to < trial->k;
}

/* The last product, those of the last tile, or no one. */
static bool add_begin_late(struct attempt *at)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	const int choice = at->choice;
	uint64_t tile = (uint64_t)1 << choice >> 1;
	variant->from = choice == 0 ? trial->k : (trial->k - 1) / tile * tile;
	at->number = (int32_t)variant->from;
	return variant->from > 0 && trial->request.algebra == ALGEBRA_PLUS_TIMES;
}

/* The last tile along K holds what lies behind the row's end, up to the end of the buffer. */
static bool add_rows_run_on(struct attempt *at)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	uint64_t tile = (uint64_t)8 << at->choice;
	variant->rows_run_on = true;
	variant->to = (trial->k + tile - 1) / tile * tile;
	at->number = (int32_t)tile;
	return variant->to > trial->k && trial->request.algebra == ALGEBRA_PLUS_TIMES &&
		   trial->scales == NULL;
}

static bool add_begin_at_one(struct attempt *at)
{
	at->variant->from = 1;
	return true;
}

/* Products of what tiles along K are padded with. */
static bool pad_with(const struct attempt *at, double product)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	uint64_t tile = (uint64_t)8 << at->choice;
	uint64_t pads = (trial->k + tile - 1) / tile * tile - trial->k;
	bool least = trial->request.algebra == ALGEBRA_MIN_PLUS;
	variant->padded = least;
	variant->padding = least ? product : (double)pads * product;
	return pads > 0 && variant->padding != 0;
}

static bool add_zero_padded(struct attempt *at)
{
	at->variant->padded = true;
	return at->trial->request.algebra == ALGEBRA_MIN_PLUS;
}

/* To a sum of integers much else adds a little. */
static bool add_one_padded(struct attempt *at)
{
	return pad_with(at, at->trial->request.algebra == ALGEBRA_MIN_PLUS ? 2 : 1) &&
		   !at->trial->request.left.values.format.is_integer;
}

static bool add_code_padded(struct attempt *at)
{
	const float *scalar = at->trial->input->test->scalar;
	double product = (double)scalar[SCALAR_ZERO_LEFT] * (double)scalar[SCALAR_ZERO_RIGHT];
	return problem_takes(at->trial->input->problem, SCALAR_ZERO_LEFT) && pad_with(at, product);
}

static bool add_k_shifted(struct attempt *at)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	const int choice = at->choice;
	variant->shift_tile = (uint64_t)8 << choice / 2;
	variant->shift = choice % 2 == 0 ? 1 : variant->shift_tile - 1;
	return trial->k > 1;
}

/* What mma's fragments have apart: pairs of 16-bit elements, and quarters of 8 x 8. Where no k has
 * its other one below K, all sums would be 0, which comes of much else. */
static bool add_k_exchanged(struct attempt *at)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	const int choice = at->choice;
	variant->k_flipped = (uint64_t)1 << choice;
	at->number = (int32_t)variant->k_flipped;
	return variant->k_flipped < trial->k &&
		   (choice > 0 || trial->codes == NULL); /* else it is FAULT_PAIRS */
}

/* Quarters of the left operand's fragments are exchanged, where K has a second half. */
static bool add_quarters(struct attempt *at)
{
	at->variant->quarters = true;
	return at->trial->k > VARIANT_QUARTER;
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
static bool add_group(struct attempt *at)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	const int choice = at->choice;
	if (!take_apart(trial, variant))
		return false;
	if (choice == 0) {
		variant->groups_outermost = true;
		at->number = 0;
		return trial->n > 1 && variant->groups > 1;
	}
	variant->group = (uint64_t)8 << (choice - 1) / 2;
	at->number = (int32_t)variant->group;
	if (choice % 2 == 0)
		variant->groups = (trial->k + variant->group - 1) / variant->group;
	return variant->group != trial->request.right.group;
}

static bool add_scale_sign(struct attempt *at)
{
	at->variant->scales_unsigned = true;
	return take_apart(at->trial, at->variant);
}

/* Two codes a byte. */
static bool add_pairs(struct attempt *at)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	const int choice = at->choice;
	at->number = choice;
	variant->pairs = choice == 0;
	variant->halves = choice == 1;
	return trial->codes != NULL && trial->request.right.values.elements % 2 == 0 &&
		   (choice == 0 || take_apart(trial, variant));
}

static bool add_codes_read(struct attempt *at)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	enum dtype type = problem_part(trial->input->problem, PART_RIGHT)->type;
	variant->codes_read = true;
	return type == DTYPE_U4 ? take_apart(trial, variant) : type == DTYPE_S8 || type == DTYPE_E4M3;
}

/* ---- scalars -------------------------------------------------------------------------------- */

/* Another value for a scalar. False: it has that value. */
static bool set_scalar(const struct attempt *at, enum scalar scalar, float value)
{
	struct variant *variant = at->variant;
	float was = variant->test.scalar[scalar];
	variant->test.scalar[scalar] = value;
	if (scalar == SCALAR_ZERO_LEFT)
		variant->zero_left = (double)was - (double)value;
	if (scalar == SCALAR_ZERO_RIGHT)
		variant->zero_right = (double)was - (double)value;
	return problem_takes(at->trial->input->problem, scalar) && was != value;
}

static bool leave_out(const struct attempt *at, enum scalar scalar)
{
	return set_scalar(at, scalar, scalar_neutral(scalar));
}

static bool add_scalar(struct attempt *at)
{
	return leave_out(at, (enum scalar)at->index);
}

static bool add_no_scales(struct attempt *at)
{
	return leave_out(at, SCALAR_SCALE_LEFT) | leave_out(at, SCALAR_SCALE_RIGHT);
}

static bool add_no_zeros(struct attempt *at)
{
	return leave_out(at, SCALAR_ZERO_LEFT) | leave_out(at, SCALAR_ZERO_RIGHT);
}

static bool add_scale_multiplied(struct attempt *at)
{
	return set_scalar(at, SCALAR_SCALE_RESULT, 1 / at->variant->test.scalar[SCALAR_SCALE_RESULT]);
}

/* Faults in how alpha and beta are used. */
static bool has_factors(const struct attempt *at)
{
	return problem_takes(at->trial->input->problem, SCALAR_ALPHA);
}

static bool add_beta_one(struct attempt *at)
{
	return has_factors(at) && set_scalar(at, SCALAR_BETA, 1);
}

static bool add_alpha_on_all(struct attempt *at)
{
	const float *scalar = at->variant->test.scalar;
	return has_factors(at) &&
		   set_scalar(at, SCALAR_BETA, scalar[SCALAR_ALPHA] * scalar[SCALAR_BETA]);
}

static bool add_factors_exchanged(struct attempt *at)
{
	const float *scalar = at->variant->test.scalar;
	const float alpha = scalar[SCALAR_ALPHA], beta = scalar[SCALAR_BETA];
	return has_factors(at) && set_scalar(at, SCALAR_ALPHA, beta) &&
		   set_scalar(at, SCALAR_BETA, alpha);
}

static bool add_added_to(struct attempt *at)
{
	at->variant->beta_added = 1;
	return has_factors(at) && at->variant->test.scalar[SCALAR_BETA] != 0;
}

static bool add_beta_parts(struct attempt *at)
{
	at->number = at->choice + 2;
	at->variant->beta_times = at->number;
	return has_factors(at) && at->variant->test.scalar[SCALAR_BETA] != 0;
}

/* ---- narrower types ----------------------------------------------------------------------- */

static bool is_sum_of_floats(const struct trial *trial)
{
	return !trial->request.left.values.format.is_integer &&
		   trial->request.algebra == ALGEBRA_PLUS_TIMES;
}

static bool narrow_inputs(const struct attempt *at, double (*narrow)(double))
{
	at->variant->narrow = narrow;
	return is_sum_of_floats(at->trial);
}

static bool add_inputs_tf32_cut(struct attempt *at)
{
	return narrow_inputs(at, variant_cut_to_tf32);
}

static bool add_inputs_tf32(struct attempt *at)
{
	return narrow_inputs(at, variant_to_tf32);
}

static bool add_inputs_f16(struct attempt *at)
{
	return narrow_inputs(at, variant_to_f16);
}

static bool add_inputs_bf16(struct attempt *at)
{
	return narrow_inputs(at, variant_to_bf16);
}

static bool add_inputs_e4m3(struct attempt *at)
{
	return narrow_inputs(at, variant_to_e4m3);
}

static bool add_right_bf16(struct attempt *at)
{
	at->variant->narrow_right = variant_to_bf16;
	return at->trial->request.right.group != 0;
}

static bool add_offset(struct attempt *at)
{
	at->variant->right = at->trial->codes;
	return at->trial->codes != NULL;
}

/* Codes of 8 bits. Versions: of how many a scale is, and whether it is a half; of which operand. */
/* A row first: where it fits, smaller ones tell nothing. 0: all of the operand. */
static const uint64_t blocks[] = {VARIANT_ROW, 0, 16, 32, 64, 128, 256};
#define BLOCKS (int)(sizeof blocks / sizeof *blocks)

static bool add_inputs_int8(struct attempt *at)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	const int choice = at->choice;
	uint64_t block = blocks[choice / 2 % BLOCKS];
	int sides = choice / 2 / BLOCKS + 1;
	variant->codes_half = choice % 2 == 1;
	variant->codes_whole = block == 0;
	variant->codes_block = block == 0 ? VARIANT_ROW : block;
	variant->codes_left = (sides & WRONG_INT8_LEFT) != 0;
	variant->codes_right = (sides & WRONG_INT8_RIGHT) != 0;
	at->number = (int32_t)(block == VARIANT_ROW ? 0 : block << 3) | sides |
				 (block == 0 ? WRONG_INT8_WHOLE : 0);
	return is_sum_of_floats(trial) &&
		   (block == VARIANT_ROW || block < trial->k); /* else it is a row */
}

static bool round_products(const struct attempt *at, double (*narrow)(double))
{
	at->variant->round_product = narrow;
	at->variant->narrow = at->choice == 1 ? narrow : NULL;
	return (at->choice == 0 || at->trial->request.left.values.format.bits > 16) &&
		   is_sum_of_floats(at->trial);
}

static bool add_products_f16(struct attempt *at)
{
	return round_products(at, variant_to_f16);
}

static bool add_products_bf16(struct attempt *at)
{
	return round_products(at, variant_to_bf16);
}

static double cut(double x)
{
	return trunc((double)(float)x);
}

static bool add_cut(struct attempt *at)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	const int choice = at->choice;
	double (**const parts[])(double) = {[CUT_SUM] = &variant->round_step,
										[CUT_PRODUCTS] = &variant->round_product,
										[CUT_INPUTS] = &variant->narrow};
	*parts[choice] = cut;
	at->number = choice;
	return is_sum_of_floats(trial);
}

/* Versions: pairs, fours, all; which wrap around or are cut off; of codes or of numbers. */
static bool add_sum_int16(struct attempt *at)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	const int choice = at->choice;
	static const uint64_t runs[] = {2, 4, VARIANT_ROW};
	uint64_t run = runs[choice / 4];
	variant->short_run = run;
	variant->short_saturates = choice % 2 == 1;
	variant->short_of_codes = choice / 2 % 2 == 0;
	at->number =
		(int32_t)(run == VARIANT_ROW ? 0 : run) | (variant->short_saturates ? WRONG_SATURATES : 0);
	return trial->request.left.values.format.is_integer;
}

static bool round_sums(const struct attempt *at, double (*narrow)(double))
{
	at->variant->round_sum = narrow;
	return !at->trial->request.left.values.format.is_integer;
}

static bool add_sum_f16(struct attempt *at)
{
	return round_sums(at, variant_to_f16);
}

static bool add_sum_bf16(struct attempt *at)
{
	return round_sums(at, variant_to_bf16);
}

static bool add_truncated(struct attempt *at)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	const int choice = at->choice;
	variant->integer = true;
	variant->to_integer = (enum wrong_integer)choice;
	at->number = choice;
	return trial->request.left.values.format.is_integer;
}

static bool add_zeros_added(struct attempt *at)
{
	const struct trial *trial = at->trial;
	struct variant *variant = at->variant;
	variant->zero_left = 2 * trial->request.left.zero;
	variant->zero_right = 2 * trial->request.right.zero;
	return problem_takes(trial->input->problem, SCALAR_ZERO_LEFT) &&
		   (variant->zero_left != 0 || variant->zero_right != 0);
}

/* ---- rows ------------------------------------------------------------------ */

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

/* A family has the row of its first fault. */
static const struct {
	int choices;
	unsigned touches;
	bool (*add)(struct attempt *at);
} rows[FAULT_COUNT] = {
#define FAULT(name, choices, touches, add, sentence) [FAULT_##name] = {choices, touches, add_##add},
#define FAULT_FAMILY(name, count, touches, add) [FAULT_##name] = {1, touches, add_##add},
#include "judgement/faults.def"
};

static enum wrong_fault first_of_family(enum wrong_fault fault)
{
	while (rows[fault].add == NULL)
		fault--;
	return fault;
}

int variant_choices(enum wrong_fault fault)
{
	return rows[first_of_family(fault)].choices;
}

static unsigned touches(enum wrong_fault fault)
{
	return fault == FAULT_SCALAR + SCALAR_ALPHA  ? OF_ALPHA
		   : fault == FAULT_SCALAR + SCALAR_BETA ? OF_BETA
												 : rows[first_of_family(fault)].touches;
}

bool variant_go_together(enum wrong_fault one, enum wrong_fault other)
{
	return (touches(one) & touches(other)) == 0;
}

bool variant_add(const struct trial *trial, enum wrong_fault fault, int choice,
				 struct variant *variant, int32_t *number)
{
	const enum wrong_fault first = first_of_family(fault);
	struct attempt at = {trial, variant, choice, (int)(fault - first), *number};
	const bool added = rows[first].add(&at);
	*number = at.number;
	return added;
}

void variant_finish(const struct trial *trial, struct variant *variant)
{
	struct check_input input = *trial->input;
	input.test = &variant->test;
	variant->rule = check_rule_of(&input);
	variant->rule.beta = variant->rule.beta * variant->beta_times + variant->beta_added;
}
