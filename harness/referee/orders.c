#include "referee/orders.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "referee/reference.h"
#include "testcases/values.h"

static const struct order honest[] = {
	{.name = "sequential", .kind = ORDER_SEQUENTIAL},
	{.name = "sequential, unfused", .kind = ORDER_UNFUSED},
	{.name = "reversed", .kind = ORDER_REVERSED},
	{.name = "random order", .kind = ORDER_PERMUTED},
	{.name = "pairwise", .kind = ORDER_PAIRWISE},
	{.name = "split-K 2", .kind = ORDER_SPLIT, .parts = 2},
	{.name = "split-K 8", .kind = ORDER_SPLIT, .parts = 8},
	{.name = "split-K 32", .kind = ORDER_SPLIT, .parts = 32},
	{.name = "strided 32", .kind = ORDER_STRIDED, .parts = 32},
	{.name = "blocked 8", .kind = ORDER_BLOCKED, .parts = 8},
	{.name = "blocked 16", .kind = ORDER_BLOCKED, .parts = 16},
	{.name = "blocked 32", .kind = ORDER_BLOCKED, .parts = 32},
	{.name = "tensor 4, 1 extra bit",
	 .kind = ORDER_TENSOR,
	 .types = "f16 bf16",
	 .parts = 4,
	 .extra = 1},
	{.name = "tensor 8, 1 extra bit",
	 .kind = ORDER_TENSOR,
	 .types = "f16 bf16",
	 .parts = 8,
	 .extra = 1},
	{.name = "tensor 16, 2 extra bits",
	 .kind = ORDER_TENSOR,
	 .types = "f16 bf16",
	 .parts = 16,
	 .extra = 2},
	{.name = "fp8 tensor, promoted by 128",
	 .kind = ORDER_FP8,
	 .types = "e4m3",
	 .parts = 32,
	 .promoted = 128},
	{.name = "three TF32 products", .kind = ORDER_TF32X3, .types = "f32"},
	{.name = "three TF32 products, reversed", .kind = ORDER_TF32X3_REVERSED, .types = "f32"},
	{.name = "TF32 tensor, promoted by 256",
	 .kind = ORDER_TF32X3_TENSOR,
	 .types = "f32",
	 .extra = 2,
	 .promoted = 256},
	{.name = "behind beta*C", .kind = ORDER_AFTER_C},
};

/* f16 accumulators overflow, or are as good as exact, on the range of bf16; narrowing to a type
 * does nothing to the type itself. */
static const struct order faulty[] = {
	{.name = "f16 accumulation", .kind = ORDER_F16, .types = "f16 f32"},
	{.name = "f16 accumulation by 16", .kind = ORDER_F16_TENSOR, .types = "f16 f32", .parts = 16},
	{.name = "bf16 accumulation", .kind = ORDER_BF16, .types = "bf16 f32 e4m3"},
	{.name = "fp8 tensor, never promoted",
	 .kind = ORDER_FP8,
	 .types = "e4m3",
	 .parts = 32,
	 .shows_from = 4096},
	{.name = "bf16 inputs", .types = "f16 f32", .inputs = NARROW_BF16},
	{.name = "fp8 inputs", .types = "f16 bf16 f32", .inputs = NARROW_FP8},
	{.name = "f16 inputs", .types = "f32", .inputs = NARROW_F16},
	{.name = "TF32 inputs", .types = "f32", .inputs = NARROW_TF32},
	{.name = "TF32 inputs in 3% of K",
	 .types = "f32",
	 .inputs = NARROW_TF32,
	 .share = 0.03,
	 .shows_from = 4096},
	{.name = "last K dropped", .dropped = 1},
	{.name = "beta*C omitted", .types = "f16 bf16 f32", .without_c = true},
};

const struct order *orders_honest(size_t *count)
{
	*count = sizeof honest / sizeof honest[0];
	return honest;
}

const struct order *orders_faulty(size_t *count)
{
	*count = sizeof faulty / sizeof faulty[0];
	return faulty;
}

bool order_suits(const struct order *order, const struct type *type)
{
	size_t length = strlen(type->name);
	const char *word = order->types;
	while (*word != '\0') {
		size_t end = strcspn(word, " ");
		if (end == length && memcmp(word, type->name, length) == 0)
			return true;
		word += end;
		word += strspn(word, " ");
	}
	return order->types[0] == '\0';
}

/* ---- operands ------------------------------------------------------------------ */

static float number_at(const struct device_matrix *matrix, size_t index)
{
	return (float)device_matrix_number(matrix, index, values_at(&matrix->values, index));
}

static void draw(struct operands *o, const struct problem *problem, const struct test_case *test)
{
	struct device_request request = reference_request(problem, test, test->seed);
	const struct device_matrix *left = &request.left, *right = &request.right;
	for (size_t i = 0; i < o->m; i++)
		for (size_t l = 0; l < o->k; l++)
			o->a[i * o->k + l] = number_at(left, left->transposed ? l * o->m + i : i * o->k + l);
	for (size_t j = 0; j < o->n; j++)
		for (size_t l = 0; l < o->k; l++)
			o->b[j * o->k + l] = number_at(right, right->transposed ? j * o->k + l : l * o->n + j);
	struct values before =
		values_of_operand(problem, test, test->seed, problem_part_index(problem, PART_RESULT));
	for (size_t i = 0; i < o->m * o->n; i++)
		o->c[i] = (float)values_number_at(&before, i);
}

/* `scales`: the type of the right operand's scales; NULL: it has none. */
static void multiply(struct operands *o, const struct type *scales)
{
	for (size_t i = 0; i < o->m; i++)
		for (size_t j = 0; j < o->n; j++) {
			const float *a = o->a + i * o->k, *b = o->b + j * o->k;
			double sum = 0, magnitude = 0, squares = 0, rest = 0;
			for (size_t l = 0; l < o->k; l++) {
				double term = (double)a[l] * b[l];
				sum += term;
				magnitude += fabs(term);
				squares += term * term;
				if (scales != NULL)
					rest += (double)a[l] * device_rest(&scales->format, b[l]);
			}
			o->rest[i * o->n + j] = rest;
			o->product[i * o->n + j] = sum;
			o->magnitude[i * o->n + j] = magnitude;
			o->squares[i * o->n + j] = squares;
		}
}

bool operands_draw(struct operands *out, const struct problem *problem,
				   const struct test_case *test)
{
	const int32_t *size = test->shape.size;
	size_t m = (size_t)size[SIZE_M], n = (size_t)size[SIZE_N], k = (size_t)size[SIZE_K];
	*out = (struct operands){.m = m, .n = n, .k = k};
	out->a = calloc(m * k, sizeof *out->a);
	out->b = calloc(n * k, sizeof *out->b);
	out->c = calloc(m * n, sizeof *out->c);
	out->product = malloc(m * n * sizeof *out->product);
	out->magnitude = malloc(m * n * sizeof *out->magnitude);
	out->squares = malloc(m * n * sizeof *out->squares);
	out->rest = malloc(m * n * sizeof *out->rest);
	if (out->a == NULL || out->b == NULL || out->c == NULL || out->product == NULL ||
		out->magnitude == NULL || out->squares == NULL || out->rest == NULL) {
		operands_free(out);
		return false;
	}
	const struct operand *scales = problem_part(problem, PART_RIGHT_SCALES);
	draw(out, problem, test);
	multiply(out, scales != NULL ? type_of(scales->type) : NULL);
	return true;
}

void operands_free(struct operands *operands)
{
	free(operands->a);
	free(operands->b);
	free(operands->c);
	free(operands->product);
	free(operands->magnitude);
	free(operands->squares);
	free(operands->rest);
	*operands = (struct operands){0};
}

/* ---- narrowing ------------------------------------------------------------------- */

/* x with p significand bits, to nearest even; exponents unlimited. */
static float round_bits(float x, int p)
{
	uint32_t bits, unit = 1u << (24 - p);
	memcpy(&bits, &x, sizeof bits);
	bits += unit / 2 - 1 + ((bits / unit) & 1);
	bits &= ~(unit - 1);
	memcpy(&x, &bits, sizeof x);
	return x;
}

static double round_to(double x, const struct type *type)
{
	return values_to_double(&type->format, values_from_double(&type->format, x));
}

static float narrow(float x, enum narrowing how)
{
	switch (how) {
	case NARROW_BF16: return round_bits(x, 8);
	case NARROW_FP8: return (float)round_to(x, type_of(DTYPE_E4M3));
	case NARROW_TF32: return round_bits(x, 11);
	case NARROW_F16: return (float)round_to(x, type_of(DTYPE_F16));
	case NARROW_NONE: break;
	}
	return x;
}

/* ---- sums --------------------------------------------------------------------------- */

static float sum_fused(const float *a, const float *b, size_t count, size_t step)
{
	float sum = 0;
	for (size_t i = 0; i < count; i += step)
		sum = fmaf(a[i], b[i], sum);
	return sum;
}

static float sum_unfused(const float *a, const float *b, size_t count)
{
	volatile float product; /* keeps the compiler from fusing */
	float sum = 0;
	for (size_t i = 0; i < count; i++) {
		product = a[i] * b[i];
		sum += product;
	}
	return sum;
}

static float sum_reversed(const float *a, const float *b, size_t count)
{
	float sum = 0;
	for (size_t i = count; i-- > 0;)
		sum = fmaf(a[i], b[i], sum);
	return sum;
}

static float sum_pairwise(const float *a, const float *b, size_t count)
{
	if (count == 1)
		return a[0] * b[0];
	size_t half = count / 2;
	return sum_pairwise(a, b, half) + sum_pairwise(a + half, b + half, count - half);
}

/* Walks the indices by a stride that has no factor in common with their number. */
static float sum_permuted(const float *a, const float *b, size_t count, uint64_t seed)
{
	size_t step = 1 + (size_t)values_random(seed, VALUES_STREAM_SPOT, 77).word[0] % count;
	for (;; step++) {
		size_t x = step, y = count;
		while (y != 0) {
			size_t rest = x % y;
			x = y;
			y = rest;
		}
		if (x == 1)
			break;
	}
	float sum = 0;
	for (size_t i = 0, at = count / 3; i < count; i++, at = (at + step) % count)
		sum = fmaf(a[at], b[at], sum);
	return sum;
}

static float sum_split(const float *a, const float *b, size_t count, size_t parts)
{
	float sum = 0;
	for (size_t part = 0; part < parts; part++) {
		size_t first = count * part / parts, end = count * (part + 1) / parts;
		sum += sum_fused(a + first, b + first, end - first, 1);
	}
	return sum;
}

static float sum_strided(const float *a, const float *b, size_t count, size_t parts)
{
	float sum = 0;
	for (size_t part = 0; part < parts && part < count; part++)
		sum += sum_fused(a + part, b + part, count - part, parts);
	return sum;
}

static float sum_blocked(const float *a, const float *b, size_t count, size_t parts)
{
	float sum = 0;
	for (size_t i = 0; i < count; i += parts)
		sum += sum_fused(a + i, b + i, count - i < parts ? count - i : parts, 1);
	return sum;
}

static int exponent_of(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	return (int)(bits >> 52 & 0x7FF) - 1023;
}

static double power_of_two(int exponent)
{
	uint64_t bits = (uint64_t)(exponent + 1023) << 52;
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static double cut(double x, double unit, double inverse)
{
	return (double)(int64_t)(x * inverse) * unit;
}

/* f32 by cutting off what does not fit, as the tensor cores do. */
static float cut_to_float(double x)
{
	float near = (float)x;
	return fabs((double)near) > fabs(x) ? nextafterf(near, 0.0f) : near;
}

/* sum_group() keeps 24 bits and `extra` ones: of fp8 products 14. */
#define FP8_EXTRA (-10)

/* A product's exponent is the sum of its factors', so that it may have one bit more. */
static double sum_group(const float *a, const float *b, size_t count, double total, int extra)
{
	int largest = total != 0 ? exponent_of(total) : -1022;
	for (size_t i = 0; i < count; i++) {
		int exponent = exponent_of(a[i]) + exponent_of(b[i]);
		if (a[i] != 0 && b[i] != 0 && exponent > largest)
			largest = exponent;
	}
	if (largest < -900)
		return total;
	double unit = power_of_two(largest - 23 - extra), inverse = power_of_two(23 + extra - largest);
	double sum = cut(total, unit, inverse);
	for (size_t i = 0; i < count; i++)
		sum += cut((double)a[i] * b[i], unit, inverse);
	return sum;
}

static float sum_tensor(const float *a, const float *b, size_t count, size_t parts, int extra)
{
	float total = 0;
	for (size_t i = 0; i < count; i += parts)
		total = cut_to_float(
			sum_group(a + i, b + i, count - i < parts ? count - i : parts, total, extra));
	return total;
}

/* x with 14 significand bits, the rest cut off. */
static double cut_to_14(double x)
{
	if (x == 0)
		return 0;
	int exponent = exponent_of(x);
	return cut(x, power_of_two(exponent - 13), power_of_two(13 - exponent));
}

static float sum_fp8(const float *a, const float *b, size_t count, size_t parts, size_t promoted)
{
	float sum = 0;
	size_t range = promoted > 0 ? promoted : count;
	for (size_t first = 0; first < count; first += range) {
		double total = 0;
		size_t end = count - first < range ? count : first + range;
		for (size_t i = first; i < end; i += parts)
			total = cut_to_14(
				sum_group(a + i, b + i, end - i < parts ? end - i : parts, total, FP8_EXTRA));
		sum += (float)total;
	}
	return sum;
}

static float sum_narrow(const float *a, const float *b, size_t count, size_t parts,
						const struct type *type)
{
	double total = 0;
	for (size_t i = 0; i < count; i += parts) {
		for (size_t j = i; j < i + parts && j < count; j++)
			total += (double)a[j] * b[j];
		total = round_to(total, type);
	}
	return (float)total;
}

/* a*b as high*high + high*low + low*high, each half rounded to TF32. */
static float sum_tf32x3(const float *a, const float *b, size_t count, bool reversed)
{
	float sum = 0;
	for (size_t at = 0; at < count; at++) {
		size_t i = reversed ? count - 1 - at : at;
		float a_high = round_bits(a[i], 11), b_high = round_bits(b[i], 11);
		float a_low = round_bits(a[i] - a_high, 11), b_low = round_bits(b[i] - b_high, 11);
		sum = fmaf(a_low, b_high, sum);
		sum = fmaf(a_high, b_low, sum);
		sum = fmaf(a_high, b_high, sum);
	}
	return sum;
}

/* Eight products at once: small ones first, then high*high, into one total. */
static float sum_tf32x3_tensor(const float *a, const float *b, size_t count,
							   const struct order *order)
{
	size_t range = order->promoted > 0 ? (size_t)order->promoted : count;
	float sum = 0, total = 0;
	for (size_t i = 0; i < count; i += 8) {
		float high[2][8], low[2][8];
		size_t at_once = count - i < 8 ? count - i : 8;
		for (size_t j = 0; j < at_once; j++) {
			high[0][j] = round_bits(a[i + j], 11);
			high[1][j] = round_bits(b[i + j], 11);
			low[0][j] = round_bits(a[i + j] - high[0][j], 11);
			low[1][j] = round_bits(b[i + j] - high[1][j], 11);
		}
		total = cut_to_float(sum_group(low[0], high[1], at_once, (double)total, order->extra));
		total = cut_to_float(sum_group(high[0], low[1], at_once, (double)total, order->extra));
		total = cut_to_float(sum_group(high[0], high[1], at_once, (double)total, order->extra));
		if ((i + 8) % range == 0) {
			sum += total;
			total = 0;
		}
	}
	return sum + total;
}

static float sum_in_order(const struct order *order, const float *a, const float *b, size_t count,
						  uint64_t seed)
{
	size_t parts = (size_t)order->parts;
	if (count == 0)
		return 0;
	switch (order->kind) {
	case ORDER_SEQUENTIAL: break;
	case ORDER_UNFUSED: return sum_unfused(a, b, count);
	case ORDER_REVERSED: return sum_reversed(a, b, count);
	case ORDER_PERMUTED: return sum_permuted(a, b, count, seed);
	case ORDER_PAIRWISE: return sum_pairwise(a, b, count);
	case ORDER_SPLIT: return sum_split(a, b, count, parts);
	case ORDER_STRIDED: return sum_strided(a, b, count, parts);
	case ORDER_BLOCKED: return sum_blocked(a, b, count, parts);
	case ORDER_TENSOR: return sum_tensor(a, b, count, parts, order->extra);
	case ORDER_FP8: return sum_fp8(a, b, count, parts, (size_t)order->promoted);
	case ORDER_TF32X3: return sum_tf32x3(a, b, count, false);
	case ORDER_TF32X3_REVERSED: return sum_tf32x3(a, b, count, true);
	case ORDER_TF32X3_TENSOR: return sum_tf32x3_tensor(a, b, count, order);
	case ORDER_AFTER_C: break; /* order_element() */
	case ORDER_F16: return sum_narrow(a, b, count, 1, type_of(DTYPE_F16));
	case ORDER_F16_TENSOR: return sum_narrow(a, b, count, parts, type_of(DTYPE_F16));
	case ORDER_BF16: return sum_narrow(a, b, count, 1, type_of(DTYPE_BF16));
	}
	return sum_fused(a, b, count, 1);
}

float order_element(const struct order *order, const struct operands *operands,
					const struct test_case *test, size_t row, size_t column, float *scratch)
{
	size_t k = operands->k;
	const float *a = operands->a + row * k, *b = operands->b + column * k;
	enum narrowing left = order->inputs != NARROW_NONE ? order->inputs : order->left;
	enum narrowing right = order->inputs != NARROW_NONE ? order->inputs : order->right;
	if (left != NARROW_NONE || right != NARROW_NONE) {
		size_t narrowed = order->share > 0 ? (size_t)(order->share * (double)k) : k;
		for (size_t i = 0; i < k; i++) {
			scratch[i] = i < narrowed ? narrow(a[i], left) : a[i];
			scratch[k + i] = i < narrowed ? narrow(b[i], right) : b[i];
		}
		a = scratch;
		b = scratch + k;
	}
	const float *scalar = test->scalar;
	float alpha = scalar[SCALAR_ALPHA] * scalar[SCALAR_SCALE_LEFT] * scalar[SCALAR_SCALE_RIGHT];
	if (order->kind == ORDER_AFTER_C) {
		float beta = scalar[SCALAR_BETA];
		float after = beta != 0 ? beta * operands->c[row * operands->n + column] : 0;
		for (size_t i = 0; i < k; i++)
			after = fmaf(alpha * a[i], b[i], after);
		return after;
	}
	float sum = sum_in_order(order, a, b, k - (size_t)order->dropped, test->seed + row);
	float out = alpha * sum;
	if (scalar[SCALAR_BETA] != 0 && !order->without_c)
		out += scalar[SCALAR_BETA] * operands->c[row * operands->n + column];
	return out;
}
