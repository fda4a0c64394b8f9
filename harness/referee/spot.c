#include "referee/spot.h"

#include <math.h>

#include "referee/check.h"
#include "testcases/values.h"

/* Where an element of the result lies. */
struct coordinate {
	uint64_t batch, row, column;
};

static bool agrees(double got, double want, double bound)
{
	if (isnan(want) || isinf(want))
		return isnan(want) ? isnan(got) : got == want;
	return fabs(got - want) <= bound;
}

/* Whether f32 holds its square, and the product of two of these. */
static bool is_moderate(double x)
{
	return x == 0 || (fabs(x) < 0x1p30 && fabs(x) > 0x1p-30);
}

static double product_at(const struct device_product *product, uint64_t index)
{
	return product->product_f64 != NULL ? product->product_f64[index]
										: (double)product->product_f32[index];
}

static double number_at(const struct device_matrix *matrix, uint64_t batch, uint64_t row,
						uint64_t column, uint64_t rows, uint64_t columns)
{
	uint64_t index = matrix->transposed ? column * rows + row : row * columns + column;
	index += batch * rows * columns;
	return device_matrix_number(matrix, index, values_at(&matrix->values, index));
}

static double left_at(const struct device_request *request, struct coordinate at, uint64_t k)
{
	const int32_t *size = request->shape.size;
	return number_at(&request->left, at.batch, at.row, k, (uint64_t)size[SIZE_M],
					 (uint64_t)size[SIZE_K]);
}

static double right_at(const struct device_request *request, struct coordinate at, uint64_t k)
{
	const int32_t *size = request->shape.size;
	return number_at(&request->right, at.batch, k, at.column, (uint64_t)size[SIZE_K],
					 (uint64_t)size[SIZE_N]);
}

static bool min_plus_agrees(const struct device_request *request, struct coordinate at, double got)
{
	float least = INFINITY;
	for (uint64_t k = 0; k < (uint64_t)request->shape.size[SIZE_K]; k++)
		least = fminf(least, (float)left_at(request, at, k) + (float)right_at(request, at, k));
	return got == (double)least;
}

/* A shortest path has a last edge, behind which another shortest path lies. */
static bool path_agrees(const struct device_request *request, const struct device_product *product,
						struct coordinate at, double got)
{
	uint64_t n = (uint64_t)request->shape.size[SIZE_M];
	double least = at.row == at.column ? 0 : INFINITY, scale = 0;
	for (uint64_t k = 0; k < n && at.row != at.column; k++) {
		double before = product_at(product, at.row * n + k);
		struct coordinate edge = {.row = k};
		double length = before + (k == at.column ? INFINITY : left_at(request, edge, at.column));
		scale = isfinite(length) ? fmax(scale, fabs(before)) : scale;
		least = fmin(least, length);
	}
	return agrees(got, least, 0x1p-40 * (scale + fabs(least)));
}

static bool plus_times_agrees(const struct device_request *request,
							  const struct device_product *product, struct coordinate at,
							  uint64_t index)
{
	uint64_t count = (uint64_t)request->shape.size[SIZE_K];
	double sum = 0, magnitude = 0, squares = 0, rest = 0;
	bool moderate = true;
	for (uint64_t k = 0; k < count; k++) {
		double left = left_at(request, at, k), right = right_at(request, at, k);
		sum += left * right;
		magnitude += fabs(left * right);
		squares += left * left * right * right;
		moderate = moderate && is_moderate(left) && is_moderate(right);
		if (product->rest != NULL)
			rest += left * device_rest(&request->right.scales.format, right);
	}
	double got = product_at(product, index);
	/* Sums in f32 of values that f32 does not hold are the type's business, not a
	 * disagreement: where magnitudes overflow there is nothing to compare. */
	if (magnitude > 0x1p127 && isfinite(magnitude))
		return true;
	double growth = CHECK_CONSTANT * sqrt((double)count);
	double bound = growth * product->unit_roundoff * magnitude + 0x1p-149 * (double)count;
	double bound_f32 = growth * 0x1p-24 * magnitude + 0x1p-149 * (double)count;
	return agrees(got, sum, bound) &&
		   (product->squares == NULL || !moderate ||
			agrees((double)product->squares[index], squares, growth * 0x1p-23 * squares)) &&
		   (product->rest == NULL || agrees((double)product->rest[index], rest, bound_f32)) &&
		   agrees((double)product->magnitude[index], magnitude, bound_f32);
}

static struct coordinate coordinate_of(const struct device_request *request, uint64_t i)
{
	const int32_t *size = request->shape.size;
	uint64_t batches = (uint64_t)size[SIZE_BATCH], m = (uint64_t)size[SIZE_M],
			 n = (uint64_t)size[SIZE_N];
	if (i < 4)
		return (struct coordinate){i & 1 ? batches - 1 : 0, i & 1 ? m - 1 : 0, i & 2 ? n - 1 : 0};
	struct values_words words = values_random(request->left.values.seed, VALUES_STREAM_SPOT, i);
	return (struct coordinate){words.word[2] * batches >> 32, words.word[0] * m >> 32,
							   words.word[1] * n >> 32};
}

uint32_t spot_check(const struct device_request *request, const struct device_product *product)
{
	uint32_t disagreements = 0;
	for (uint64_t i = 0; i < SPOT_CHECKS; i++) {
		struct coordinate at = coordinate_of(request, i);
		uint64_t row = at.batch * (uint64_t)request->shape.size[SIZE_M] + at.row;
		uint64_t index = row * (uint64_t)request->shape.size[SIZE_N] + at.column;
		double got = product_at(product, index);
		bool agree = request->algebra == ALGEBRA_MIN_PLUS ? min_plus_agrees(request, at, got)
					 : request->algebra == ALGEBRA_SHORTEST_PATHS
						 ? path_agrees(request, product, at, got)
						 : plus_times_agrees(request, product, at, index);
		disagreements += !agree;
	}
	return disagreements;
}
