/* Cases whose results have to match bit for bit. */
#include <math.h>

#include "testcases/case.h"

static bool is_simple_scalar(float x)
{
	return fabsf(x) <= 2.0f && rintf(2.0f * x) == 2.0f * x;
}

/* The largest power of two that divides both, of the values that
 * is_simple_scalar allows. */
static double common_unit(float alpha, float beta)
{
	for (double unit = 2; unit > 0.5; unit /= 2)
		if (fmod(alpha, unit) == 0 && fmod(beta, unit) == 0)
			return unit;
	return 0.5;
}

static bool is_power_of_two(float x)
{
	int exponent;
	return x > 0 && frexpf(x, &exponent) == 0.5f;
}

/* Whether every scalar keeps integers exact; *factor gets the product of the scales. */
static bool scalars_are_exact(const struct test_case *test, double *factor)
{
	if (!is_simple_scalar(test->scalar[SCALAR_ALPHA]) ||
		!is_simple_scalar(test->scalar[SCALAR_BETA]))
		return false;
	*factor = (double)test->scalar[SCALAR_SCALE_LEFT] * (double)test->scalar[SCALAR_SCALE_RIGHT];
	return is_power_of_two((float)*factor);
}

/* Standard deviation of a product, s(s+1)/3 of two operands of integers up to s. Codes of four
 * bits have one of their own, and scales that are 1. */
static double sigma_of_product(const struct problem *problem, double scale)
{
	double own = sqrt(scale * (scale + 1) / 3);
	bool codes = problem_part(problem, PART_RIGHT)->draw == DRAW_CODES;
	return codes ? 4.61 * (scale < 1 ? sqrt(scale) : own) : scale * (scale + 1) / 3;
}

bool case_make_exact(const struct problem *problem, struct test_case *test)
{
	double factor;
	if (problem->algebra == ALGEBRA_SHORTEST_PATHS || problem->file != NULL ||
		!scalars_are_exact(test, &factor))
		return false;
	const struct number_format *format = &type_of(problem_part(problem, PART_RESULT)->type)->format;
	if (format->is_integer) /* exact whatever the values are */
		return false;

	/* Results are multiples of `unit`; the type represents all of them up to
	 * 2^p * unit. The sum of products is about normal, so eight standard deviations
	 * inside half of that range leave C the other half, and 1e-15 an element to
	 * chance; check.c treats such an element as inexact. The sums themselves are
	 * exact in f32 always: K * scale^2 <= 2^24. */
	double alpha = (double)test->scalar[SCALAR_ALPHA], beta = (double)test->scalar[SCALAR_BETA];
	double k = test->shape.size[SIZE_K];
	double range = ldexp(common_unit(test->scalar[SCALAR_ALPHA], test->scalar[SCALAR_BETA]),
						 format->precision) /
				   2;
	double sigma = range / 8 / fmax(fabs(alpha), 0.5) / sqrt(k);
	double scale = 8;
	while (scale > 1 && (sigma_of_product(problem, scale) > sigma || scale * scale * k > 0x1p24))
		scale /= 2;
	if (sigma_of_product(problem, scale) > sigma) /* too many terms for -1, 0, 1: mostly zeros */
		while (scale > 0x1p-20 && (problem_part(problem, PART_RIGHT)->draw == DRAW_CODES
									   ? sigma_of_product(problem, scale) > sigma
									   : scale > sigma))
			scale /= 2;

	double c_scale = 8;
	while (c_scale > 1 && c_scale * fabs(beta) > range)
		c_scale /= 2;
	for (size_t i = 0; problem->operands[i].name != NULL; i++) {
		const struct operand *operand = &problem->operands[i];
		struct value_spec *values = &test->values[i];
		if (operand->draw == DRAW_CODES)
			*values = (struct value_spec){VALUES_CODES, 7, 0, 0};
		else if (operand->draw == DRAW_SCALES)
			*values = (struct value_spec){VALUES_SIGNED, 0, 1, 0};
		else if (operand->role == ROLE_INPUT)
			*values = (struct value_spec){VALUES_INTEGER, (float)scale, 0, 0};
		else if (operand->role == ROLE_BOTH)
			*values = (struct value_spec){VALUES_INTEGER, (float)c_scale, 0, 0};
		else
			*values = (struct value_spec){VALUES_UNWRITTEN, 0, 0, 0};
	}
	test->exact = true;
	return true;
}
