/* What would the result be of a solution with a known fault? Computed at wrong elements only, and
 * held against what they are by the same bound as everything else. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "process/buffers.h"
#include "referee/explain.h"
#include "referee/reference.h"

#define CHOSEN_MAX 4096 /* elements that are looked at */

struct trial {
	const struct check_input *input;
	struct device_request request; /* of the set that was checked */
	uint64_t m, n, k;
	double *left, *right; /* as numbers, in the order in which they are stored */
	double *codes;        /* of the right one, where a code that is not 0 stands for 0: without that
						   */
	struct values before; /* the result before the call */
	uint64_t chosen[CHOSEN_MAX];
	uint64_t count;
};

/* Element (row, k) of a left operand and (k, column) of a right one lie so far apart. */
struct strides {
	uint64_t batch, outer, k;
};

/* How a solution computes. */
struct variant {
	const double *left, *right;
	struct strides of_left, of_right;
	uint64_t from, to; /* of the sums */
	double zero_left, zero_right;
	double (*narrow)(double);       /* what becomes of both; NULL: nothing */
	double (*narrow_right)(double); /* of the right one */
	bool padded;                    /* a least sum: 0 takes part */
	bool pairs;                     /* neighbours in the right operand are exchanged */
	bool stored_transposed;
	struct check_rule rule;
};

/* ---- an element of a variant ------------------------------------------------------- */

static double number(const struct variant *variant, double x)
{
	return variant->narrow != NULL ? variant->narrow(x) : x;
}

/* The product, or the least sum, and its magnitude. */
static struct check_element element_of(const struct trial *trial, const struct variant *variant,
									   uint64_t batch, uint64_t row, uint64_t column)
{
	const struct strides *a = &variant->of_left, *b = &variant->of_right;
	const double *left = variant->left + batch * a->batch + row * a->outer;
	uint64_t first = batch * b->batch + column * b->outer;
	bool least = trial->request.algebra == ALGEBRA_MIN_PLUS;
	struct check_element out = {.product = !least ? 0 : variant->padded ? 0 : INFINITY};
	for (uint64_t k = variant->from; k < variant->to; k++) {
		double x = number(variant, left[k * a->k] + variant->zero_left);
		uint64_t at = (first + k * b->k) ^ (variant->pairs ? 1 : 0);
		double y = number(variant, variant->right[at] + variant->zero_right);
		y = variant->narrow_right != NULL ? variant->narrow_right(y) : y;
		if (least) {
			double sum = (double)((float)x + (float)y);
			out.product = sum < out.product ? sum : out.product;
		} else {
			out.product += x * y;
			out.magnitude += fabs(x * y);
			if (trial->request.right.group != 0)
				out.rest += x * device_rest(&trial->request.right.scales.format, y);
		}
	}
	return out;
}

/* Whether all elements that are looked at are what the variant makes of them. */
static bool fits(const struct trial *trial, const struct variant *variant)
{
	const struct check_input *input = trial->input;
	uint64_t matrix = trial->m * trial->n;
	for (uint64_t i = 0; i < trial->count; i++) {
		uint64_t at = trial->chosen[i], within = at % matrix;
		uint64_t row = variant->stored_transposed ? within % trial->m : within / trial->n;
		uint64_t column = variant->stored_transposed ? within / trial->m : within % trial->n;
		struct check_element element = element_of(trial, variant, at / matrix, row, column);
		element.out = values_to_double(&variant->rule.type->format,
									   values_load(&variant->rule.type->format, input->out, at));
		if (variant->rule.beta != 0)
			element.c = values_number_at(&trial->before, at);
		struct check_finding finding = check_one(&variant->rule, &element);
		if (!(finding.ratio <= 1) || !isfinite(finding.want))
			return false;
	}
	return true;
}

/* ---- faults ------------------------------------------------------------------------ */

static double to_f16(double x)
{
	const struct number_format *format = &type_of(DTYPE_F16)->format;
	return values_to_double(format, values_from_double(format, x));
}

static double to_bf16(double x)
{
	const struct number_format *format = &type_of(DTYPE_BF16)->format;
	return values_to_double(format, values_from_double(format, x));
}

static double to_e4m3(double x)
{
	const struct number_format *format = &type_of(DTYPE_E4M3)->format;
	return values_to_double(format, values_from_double(format, x));
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

/* Strides where an operand of `outer` rows (columns) is stored with k or with them outermost. */
static struct strides strides_of(uint64_t outer, uint64_t k, bool k_inner)
{
	return (struct strides){.batch = outer * k, .outer = k_inner ? k : 1, .k = k_inner ? 1 : outer};
}

/* A solution without a fault. */
static struct variant right_one(const struct trial *trial)
{
	const struct device_request *request = &trial->request;
	return (struct variant){
		.left = trial->left,
		.right = trial->right,
		.of_left = strides_of(trial->m, trial->k, !request->left.transposed),
		.of_right = strides_of(trial->n, trial->k, request->right.transposed),
		.to = trial->k,
		.rule = check_rule_of(trial->input),
	};
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
static void exchange(const struct trial *trial, struct variant *variant)
{
	struct variant was = *variant;
	variant->left = was.right;
	variant->right = was.left;
	variant->of_left = strides_of(trial->m, trial->k, !trial->request.right.transposed);
	variant->of_right = strides_of(trial->n, trial->k, trial->request.left.transposed);
}

/* Rows that are as long as another size. False where that is no other, or reads beyond the end. */
static bool set_length(const struct trial *trial, enum size size, uint64_t rows, uint64_t columns,
					   bool k_inner, struct strides *strides)
{
	uint64_t length = (uint64_t)trial->input->test->shape.size[size];
	*(k_inner ? &strides->outer : &strides->k) = length;
	return (size == SIZE_M || size == SIZE_N || size == SIZE_K) && length != columns &&
		   (rows - 1) * length + columns <= rows * columns;
}

static bool set_left_length(const struct trial *trial, enum size size, struct variant *variant)
{
	bool k_inner = !trial->request.left.transposed;
	return set_length(trial, size, k_inner ? trial->m : trial->k, k_inner ? trial->k : trial->m,
					  k_inner, &variant->of_left);
}

static bool set_right_length(const struct trial *trial, enum size size, struct variant *variant)
{
	bool k_inner = trial->request.right.transposed;
	return set_length(trial, size, k_inner ? trial->n : trial->k, k_inner ? trial->k : trial->n,
					  k_inner, &variant->of_right);
}

/* Another value for a scalar. False: it has that value. */
static bool set_scalar(const struct trial *trial, enum scalar scalar, float value,
					   struct test_case *test, struct variant *variant)
{
	struct check_input input = *trial->input;
	float was = test->scalar[scalar];
	if (!problem_takes(trial->input->problem, scalar) || was == value)
		return false;
	test->scalar[scalar] = value;
	input.test = test;
	variant->rule = check_rule_of(&input);
	if (scalar == SCALAR_ZERO_LEFT)
		variant->zero_left = (double)was - (double)value;
	if (scalar == SCALAR_ZERO_RIGHT)
		variant->zero_right = (double)was - (double)value;
	return true;
}

static bool leave_out(const struct trial *trial, enum scalar scalar, struct variant *variant)
{
	struct test_case test = *trial->input->test;
	return set_scalar(trial, scalar, scalar_neutral(scalar), &test, variant);
}

static bool leave_out_both(const struct trial *trial, enum scalar one, enum scalar other,
						   struct variant *variant)
{
	struct test_case test = *trial->input->test;
	return set_scalar(trial, one, scalar_neutral(one), &test, variant) &&
		   set_scalar(trial, other, scalar_neutral(other), &test, variant);
}

/* Faults in how alpha and beta are used. */
static bool take_factors(const struct trial *trial, enum wrong_fault fault, struct variant *variant)
{
	struct test_case test = *trial->input->test;
	float alpha = test.scalar[SCALAR_ALPHA], beta = test.scalar[SCALAR_BETA];
	if (!problem_takes(trial->input->problem, SCALAR_ALPHA))
		return false;
	switch (fault) {
	case FAULT_BETA_ONE: return set_scalar(trial, SCALAR_BETA, 1, &test, variant);
	case FAULT_ALPHA_ON_ALL: return set_scalar(trial, SCALAR_BETA, alpha * beta, &test, variant);
	default:
		return set_scalar(trial, SCALAR_ALPHA, beta, &test, variant) &&
			   set_scalar(trial, SCALAR_BETA, alpha, &test, variant);
	}
}

static bool narrow_inputs(const struct trial *trial, enum wrong_fault fault,
						  struct variant *variant)
{
	variant->narrow = fault == FAULT_INPUTS_TF32_CUT ? cut_to_tf32
					  : fault == FAULT_INPUTS_TF32   ? to_tf32
					  : fault == FAULT_INPUTS_F16    ? to_f16
					  : fault == FAULT_INPUTS_BF16   ? to_bf16
													 : to_e4m3;
	return !trial->request.left.values.format.is_integer &&
		   trial->request.algebra == ALGEBRA_PLUS_TIMES;
}

/* Makes the right solution one with this fault. False: the case has no place for it. */
static bool variant_make(const struct trial *trial, enum wrong_fault fault, struct variant *variant)
{
	bool least = trial->request.algebra == ALGEBRA_MIN_PLUS;
	bool batched = trial->input->test->shape.size[SIZE_BATCH] > 1;
	*variant = right_one(trial);
	switch (fault) {
	case FAULT_PRODUCTS_MISSING: return false; /* has lengths: missing_products() */
	case FAULT_FIRST_MISSING: variant->from = 1; return trial->k > 1;
	case FAULT_LEFT_TRANSPOSED: transpose_left(trial, variant); return true;
	case FAULT_RIGHT_TRANSPOSED: transpose_right(trial, variant); return true;
	case FAULT_RESULT_TRANSPOSED: variant->stored_transposed = true; return true;
	case FAULT_ALL_TRANSPOSED:
		transpose_left(trial, variant);
		transpose_right(trial, variant);
		variant->stored_transposed = true;
		return true;
	case FAULT_EXCHANGED:
		exchange(trial, variant);
		return trial->m == trial->n && trial->n == trial->k && trial->request.right.group == 0;
	case FAULT_LEFT_OF_FIRST: variant->of_left.batch = 0; return batched;
	case FAULT_RIGHT_OF_FIRST: variant->of_right.batch = 0; return batched;
	case FAULT_BETA_ONE:
	case FAULT_ALPHA_ON_ALL:
	case FAULT_FACTORS_EXCHANGED: return take_factors(trial, fault, variant);
	case FAULT_INPUTS_TF32_CUT:
	case FAULT_INPUTS_TF32:
	case FAULT_INPUTS_F16:
	case FAULT_INPUTS_BF16:
	case FAULT_INPUTS_E4M3: return narrow_inputs(trial, fault, variant);
	case FAULT_NO_SCALES:
		return leave_out_both(trial, SCALAR_SCALE_LEFT, SCALAR_SCALE_RIGHT, variant);
	case FAULT_NO_ZEROS: return leave_out_both(trial, SCALAR_ZERO_LEFT, SCALAR_ZERO_RIGHT, variant);
	case FAULT_ZERO_PADDED: variant->padded = true; return least;
	case FAULT_PAIRS:
		variant->pairs = true;
		return trial->codes != NULL && trial->request.right.values.elements % 2 == 0;
	case FAULT_OFFSET: variant->right = trial->codes; return trial->codes != NULL;
	case FAULT_RIGHT_BF16: variant->narrow_right = to_bf16; return trial->request.right.group != 0;
	default:
		if (fault < FAULT_RIGHT_LENGTH)
			return set_left_length(trial, (enum size)(fault - FAULT_LEFT_LENGTH), variant);
		if (fault < FAULT_SCALAR)
			return set_right_length(trial, (enum size)(fault - FAULT_RIGHT_LENGTH), variant);
		return leave_out(trial, (enum scalar)(fault - FAULT_SCALAR), variant);
	}
}

/* The last product, or those beyond a multiple of a power of two; the longest sums that fit. */
static bool missing_products(const struct trial *trial, int32_t *summed)
{
	struct variant variant = right_one(trial);
	for (uint64_t tile = 1; tile <= 256; tile *= 2) {
		uint64_t to = tile == 1 ? trial->k - 1 : trial->k / tile * tile;
		if (to >= variant.to)
			continue;
		variant.to = to;
		if (fits(trial, &variant)) {
			*summed = (int32_t)to;
			return true;
		}
	}
	return false;
}

/* ---- errors as of narrow sums ------------------------------------------------------ */

/* How far a sum that is rounded after every product is off, and how far the result is, but for its
 * own last rounding. False where one of them is no number. */
static bool errors_at(const struct trial *trial, const struct variant *right, uint64_t at,
					  double (*round)(double), double *own, double *narrow)
{
	const struct check_rule *rule = &right->rule;
	uint64_t matrix = trial->m * trial->n, batch = at / matrix;
	uint64_t row = at % matrix / trial->n, column = at % trial->n;
	const double *a = right->left + batch * right->of_left.batch + row * right->of_left.outer;
	const double *b = right->right + batch * right->of_right.batch + column * right->of_right.outer;
	double sum = 0, rounded = 0;
	for (uint64_t k = 0; k < trial->k; k++) {
		double product = a[k * right->of_left.k] * b[k * right->of_right.k];
		sum += product;
		rounded = round(rounded + product);
	}
	double out = values_to_double(&rule->type->format,
								  values_load(&rule->type->format, trial->input->out, at));
	double c = rule->beta != 0 ? rule->beta * values_number_at(&trial->before, at) : 0;
	double want = rule->alpha * sum + c;
	*own = fmax(fabs(out - want) - rule->type->unit_roundoff * fabs(want), 0);
	*narrow = rule->alpha * (rounded - sum);
	return isfinite(out) && isfinite(want) && isfinite(*narrow);
}

#define SUMMED_TERMS (1u << 20)

/* Over elements all over the result; 0 where one is no number. */
static double errors_ratio(const struct trial *trial, double (*round)(double))
{
	struct variant right = right_one(trial);
	const struct shape *shape = &trial->input->test->shape;
	uint64_t elements = shape_rows(shape) * shape_columns(shape);
	uint64_t step = elements / (SUMMED_TERMS / trial->k + 1) + 1;
	double own_square = 0, narrow_square = 0;
	for (uint64_t at = 0; at < elements; at += step) {
		double own, narrow;
		if (!errors_at(trial, &right, at, round, &own, &narrow))
			return 0;
		own_square += own * own;
		narrow_square += narrow * narrow;
	}
	return narrow_square > 0 ? sqrt(own_square / narrow_square) : 0;
}

static bool has_narrow_sums(const struct trial *trial)
{
	const struct device_request *request = &trial->request;
	const struct type *result = type_of(problem_part(trial->input->problem, PART_RESULT)->type);
	return request->algebra == ALGEBRA_PLUS_TIMES && !result->format.is_integer &&
		   !request->left.values.format.is_integer && !trial->input->test->exact &&
		   trial->input->test->scalar[SCALAR_ALPHA] != 0.0f;
}

/* ---- all of it --------------------------------------------------------------------- */

static double *drawn(const struct device_matrix *matrix)
{
	const struct values *values = &matrix->values;
	double *out = malloc(values->elements * sizeof *out);
	for (uint64_t i = 0; out != NULL && i < values->elements; i += VALUES_BLOCK) {
		uint32_t block[VALUES_BLOCK];
		values_block(values, i / VALUES_BLOCK, block);
		for (uint64_t j = i; j < i + VALUES_BLOCK && j < values->elements; j++)
			out[j] = device_matrix_number(matrix, j, block[j - i]);
	}
	return out;
}

/* Codes of less than a byte as they are, with their scales; NULL where it is no such type. */
static double *codes_of(const struct device_matrix *matrix)
{
	struct device_matrix plain = *matrix;
	if (matrix->values.format.bits >= 8 || matrix->values.format.zero == 0)
		return NULL;
	plain.zero -= matrix->values.format.zero;
	return drawn(&plain);
}

/* Wrong elements from all over the result, as many as the sums have room for. */
static void choose(struct trial *trial, const uint8_t *marks, const struct wrong_facts *facts)
{
	uint64_t most = EXPLAIN_TERMS / trial->k + 1;
	most = most < CHOSEN_MAX ? most : CHOSEN_MAX;
	uint64_t step = facts->wrong / most + 1;
	for (uint64_t i = 0, wrong = 0; i < facts->elements; i++)
		if (marks[i] != 0 && wrong++ % step == 0)
			trial->chosen[trial->count++] = i;
}

static void try_all(const struct trial *trial, struct wrong_facts *facts)
{
	struct variant variant;
	facts->compared = (uint32_t)trial->count;
	for (enum wrong_fault fault = 0; fault < FAULT_COUNT; fault++)
		if (variant_make(trial, fault, &variant) && fits(trial, &variant))
			facts->fits |= (uint64_t)1 << fault;
	if (missing_products(trial, &facts->summed))
		facts->fits |= (uint64_t)1 << FAULT_PRODUCTS_MISSING;
	if (!has_narrow_sums(trial))
		return;
	facts->errors_of[SUM_F16] = errors_ratio(trial, to_f16);
	facts->errors_of[SUM_BF16] = errors_ratio(trial, to_bf16);
}

static bool can_be_tried(const struct check_input *input, const struct device_request *request,
						 const struct wrong_facts *facts)
{
	return input->chain == NULL && request->algebra != ALGEBRA_SHORTEST_PATHS &&
		   request->left.values.elements <= EXPLAIN_TERMS &&
		   request->right.values.elements <= EXPLAIN_TERMS && facts->unwritten < facts->wrong;
}

void explain_faults(const struct check_input *input, const uint8_t *marks,
					struct wrong_facts *facts)
{
	_Static_assert(FAULT_COUNT <= 64, "a bit for each fault");
	const struct shape *shape = &input->test->shape;
	struct trial *trial = malloc(sizeof *trial);
	if (trial == NULL)
		return;
	*trial = (struct trial){
		.input = input,
		.request = reference_request(input->problem, input->test, input->seed),
		.before = values_of_operand(input->problem, input->test, input->seed,
									problem_part_index(input->problem, PART_RESULT)),
		.m = (uint64_t)shape->size[SIZE_M],
		.n = (uint64_t)shape->size[SIZE_N],
		.k = (uint64_t)shape->size[SIZE_K],
	};
	if (can_be_tried(input, &trial->request, facts)) {
		choose(trial, marks, facts);
		trial->left = drawn(&trial->request.left);
		trial->right = drawn(&trial->request.right);
		trial->codes = codes_of(&trial->request.right);
		if (trial->left != NULL && trial->right != NULL)
			try_all(trial, facts);
	}
	free(trial->left);
	free(trial->right);
	free(trial->codes);
	free(trial);
}
