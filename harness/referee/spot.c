#include "referee/spot.h"

#include <math.h>

#include "referee/check.h"
#include "testcases/values.h"

static double draw(const struct device_values *values, uint64_t index)
{
	return values_to_double(
		values->type, values_at(values->type, values->spec, values->seed, values->operand, index));
}

static bool agrees(double got, double want, double bound)
{
	if (isnan(want) || isinf(want))
		return isnan(want) ? isnan(got) : got == want;
	return fabs(got - want) <= bound;
}

static double product_at(const struct device_product *product, uint64_t index)
{
	return product->product_f64 != NULL ? product->product_f64[index]
										: (double)product->product_f32[index];
}

static bool min_plus_agrees(struct shape shape, const struct device_values *a,
							const struct device_values *b, const struct device_product *product,
							uint64_t row, uint64_t column)
{
	uint64_t n = (uint64_t)shape.n, k = (uint64_t)shape.k;
	float least = INFINITY;
	for (uint64_t i = 0; i < k; i++)
		least = fminf(least, (float)draw(a, row * k + i) + (float)draw(b, i * n + column));
	return product_at(product, row * n + column) == (double)least;
}

static bool plus_times_agrees(struct shape shape, const struct device_values *a,
							  const struct device_values *b, const struct device_product *product,
							  uint64_t row, uint64_t column)
{
	uint64_t n = (uint64_t)shape.n, k = (uint64_t)shape.k, index = row * n + column;
	double sum = 0, magnitude = 0;
	for (uint64_t i = 0; i < k; i++) {
		double term = draw(a, row * k + i) * draw(b, i * n + column);
		sum += term;
		magnitude += fabs(term);
	}
	double got = product_at(product, index);
	/* Sums in f32 of values that f32 does not hold are the type's business, not a
	 * disagreement: where magnitudes overflow there is nothing to compare. */
	if (magnitude > 0x1p127 && isfinite(magnitude))
		return true;
	double growth = CHECK_CONSTANT * sqrt((double)k);
	double bound = growth * product->unit_roundoff * magnitude + 0x1p-149 * (double)k;
	return agrees(got, sum, bound) && agrees((double)product->magnitude[index], magnitude,
											 growth * 0x1p-24 * magnitude + 0x1p-149 * (double)k);
}

uint32_t spot_check(enum algebra algebra, struct shape shape, const struct device_values *a,
					const struct device_values *b, const struct device_product *product)
{
	bool min_plus = algebra == ALGEBRA_MIN_PLUS;
	uint32_t disagreements = 0;
	for (uint64_t i = 0; i < SPOT_CHECKS; i++) {
		uint64_t row = i & 1 ? (uint64_t)shape.m - 1 : 0;
		uint64_t column = i & 2 ? (uint64_t)shape.n - 1 : 0;
		if (i >= 4) {
			struct values_words words = values_random(a->seed, VALUES_STREAM_SPOT, i);
			row = words.word[0] * (uint64_t)shape.m >> 32;
			column = words.word[1] * (uint64_t)shape.n >> 32;
		}
		bool agree = min_plus ? min_plus_agrees(shape, a, b, product, row, column)
							  : plus_times_agrees(shape, a, b, product, row, column);
		disagreements += !agree;
	}
	return disagreements;
}
