/* Errors of a result, held against those of sums that are rounded to a narrow type on the way. */
#include <math.h>

#include "referee/variant.h"

/* Sums of a few roundings may be off by chance as much as by much else. */
#define TERMS_LEAST (2 * WRONG_ROUNDED)

/* A type to which sums are rounded, and after how many products. */
struct rounding {
	double (*round)(double);
	uint64_t products;
};

struct error_pair {
	double own;    /* of the result, but for its own last rounding */
	double narrow; /* of a sum that is rounded on the way */
};

/* False where one of them is no number. */
static bool errors_at(const struct trial *trial, const struct variant *right, uint64_t at,
					  struct rounding rounding, struct error_pair *errors)
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
		rounded += product;
		if ((k + 1) % rounding.products == 0 || k + 1 == trial->k)
			rounded = rounding.round(rounded);
	}
	double out = values_to_double(&rule->type->format,
								  values_load(&rule->type->format, trial->input->out, at));
	double c = rule->beta != 0 ? rule->beta * values_number_at(&trial->before, at) : 0;
	double want = rule->alpha * sum + c;
	errors->own = fmax(fabs(out - want) - rule->type->unit_roundoff * fabs(want), 0);
	errors->narrow = rule->alpha * (rounded - sum);
	return isfinite(out) && isfinite(want) && isfinite(errors->narrow);
}

#define SUMMED_TERMS (1u << 20)

/* Over elements all over the result; 0 where one is no number. */
static double errors_ratio(const struct trial *trial, struct rounding rounding)
{
	struct variant right = variant_right(trial);
	variant_finish(trial, &right);
	const struct shape *shape = &trial->input->test->shape;
	uint64_t elements = shape_rows(shape) * shape_columns(shape);
	uint64_t step = elements / (SUMMED_TERMS / trial->k + 1) + 1;
	double own_square = 0, narrow_square = 0;
	for (uint64_t at = 0; at < elements; at += step) {
		struct error_pair errors;
		if (!errors_at(trial, &right, at, rounding, &errors))
			return 0;
		own_square += errors.own * errors.own;
		narrow_square += errors.narrow * errors.narrow;
	}
	return narrow_square > 0 ? sqrt(own_square / narrow_square) : 0;
}

static bool has_narrow_sums(const struct trial *trial)
{
	const struct device_request *request = &trial->request;
	const struct type *result = type_of(problem_part(trial->input->problem, PART_RESULT)->type);
	return trial->k > TERMS_LEAST && trial->input->chain == NULL &&
		   request->algebra == ALGEBRA_PLUS_TIMES && !result->format.is_integer &&
		   !request->left.values.format.is_integer && !trial->input->test->exact &&
		   trial->input->test->scalar[SCALAR_ALPHA] != 0.0f;
}

void variant_narrow_sums(const struct trial *trial, struct wrong_pattern *facts)
{
	static double (*const types[SUM_COUNT])(double) = {
		[SUM_F16] = variant_to_f16, [SUM_BF16] = variant_to_bf16};
	if (!has_narrow_sums(trial))
		return;
	for (int sum = 0; sum < SUM_COUNT; sum++) {
		facts->errors_of[sum] = errors_ratio(trial, (struct rounding){types[sum], 1});
		facts->errors_of_tiles[sum] =
			errors_ratio(trial, (struct rounding){types[sum], WRONG_ROUNDED});
	}
}
