/* A number type for calibration: what a solution's f32 arithmetic makes of a reference, with sums
 * in a chosen order. A reference run with it is an honest solution, or one whose sums have a fault.
 */
#ifndef GEMMJUDGE_TESTS_REFERENCE_SINGLE_H
#define GEMMJUDGE_TESTS_REFERENCE_SINGLE_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <vector>

#include "reference/operand.cuh"

namespace reference
{

enum order {
	SEQUENTIAL,
	UNFUSED,
	REVERSED,
	PAIRWISE,
	SPLIT_32,
	ACCUMULATORS_4,
	TF32_3,
	TF32_3_TENSOR,
	HONEST_ORDERS, /* from here on with a fault */
	TF32 = HONEST_ORDERS,
	F16_SUMS,
	BF16_SUMS,
	LAST_TERM_MISSING,
	ORDERS
};
static const char *const order_names[] = {"sequential",
										  "unfused",
										  "reversed",
										  "pairwise",
										  "in 32 parts",
										  "4 accumulators",
										  "three TF32 products",
										  "three TF32 products in a tensor core",
										  "one TF32 product",
										  "sums in f16",
										  "sums in bf16",
										  "last term missing"};

/* What runs with `single`: the order of its sums, and whether functions are the approximate ones.
 */
static enum order current_order;
static bool approximate;

static inline float bits_kept(float x, int bits)
{
	uint32_t word, unit = 1u << (24 - bits);
	memcpy(&word, &x, sizeof word);
	word += unit / 2 - 1 + ((word / unit) & 1);
	word &= ~(unit - 1);
	memcpy(&x, &word, sizeof x);
	return x;
}

typedef const float *terms;

static inline float sum_fused(terms a, terms b, size_t n, size_t step = 1)
{
	float sum = 0;
	for (size_t k = 0; k < n; k += step)
		sum = fmaf(a[k], b[k], sum);
	return sum;
}
static inline float sum_unfused(terms a, terms b, size_t n)
{
	float sum = 0;
	for (size_t k = 0; k < n; k++) {
		volatile float product = a[k] * b[k];
		sum += product;
	}
	return sum;
}
static inline float sum_reversed(terms a, terms b, size_t n)
{
	float sum = 0;
	for (size_t k = n; k-- > 0;)
		sum = fmaf(a[k], b[k], sum);
	return sum;
}
static inline float sum_pairwise(terms a, terms b, size_t n)
{
	if (n < 2)
		return n == 0 ? 0 : a[0] * b[0];
	size_t half = n / 2;
	return sum_pairwise(a, b, half) + sum_pairwise(a + half, b + half, n - half);
}
static inline float sum_split(terms a, terms b, size_t n, size_t parts)
{
	float sum = 0;
	for (size_t i = 0; i < parts; i++) {
		size_t begin = n * i / parts, end = n * (i + 1) / parts;
		sum += sum_fused(a + begin, b + begin, end - begin);
	}
	return sum;
}
static inline float sum_strided(terms a, terms b, size_t n, size_t parts)
{
	float sum = 0;
	for (size_t i = 0; i < parts && i < n; i++)
		sum += sum_fused(a + i, b + i, n - i, parts);
	return sum;
}
static inline float sum_tf32(terms a, terms b, size_t n, bool three)
{
	float sum = 0;
	for (size_t k = 0; k < n; k++) {
		float high[] = {bits_kept(a[k], 11), bits_kept(b[k], 11)};
		float low[] = {bits_kept(a[k] - high[0], 11), bits_kept(b[k] - high[1], 11)};
		if (three)
			sum = fmaf(high[0], low[1], fmaf(low[0], high[1], sum));
		sum = fmaf(high[0], high[1], sum);
	}
	return sum;
}
/* Eight products and the total so far, as tensor cores add them: each is cut to two bits more than
 * f32 has at the largest of them, and so is the sum to f32 (harness/referee/orders.c). */
static inline float sum_of_eight(const double *products, float total)
{
	double largest = fabs((double)total), sum = 0;
	for (int i = 0; i < 8; i++)
		largest = fmax(largest, fabs(products[i]));
	if (largest == 0)
		return 0;
	double unit = ldexp(1, ilogb(largest) - 25);
	for (int i = 0; i < 8; i++)
		sum += trunc(products[i] / unit) * unit;
	sum += trunc((double)total / unit) * unit;
	float near = (float)sum;
	return fabs((double)near) > fabs(sum) ? nextafterf(near, 0) : near;
}
/* Low halves first, and every 256 products what is there is added to a sum in f32. */
static inline float sum_tensor(terms a, terms b, size_t n)
{
	float sum = 0, total = 0;
	for (size_t k = 0; k < n; k += 8) {
		double products[3][8] = {};
		for (size_t i = 0; i < 8 && k + i < n; i++) {
			float high[] = {bits_kept(a[k + i], 11), bits_kept(b[k + i], 11)};
			float low[] = {bits_kept(a[k + i] - high[0], 11), bits_kept(b[k + i] - high[1], 11)};
			products[0][i] = (double)low[0] * (double)high[1];
			products[1][i] = (double)high[0] * (double)low[1];
			products[2][i] = (double)high[0] * (double)high[1];
		}
		for (int i = 0; i < 3; i++)
			total = sum_of_eight(products[i], total);
		if ((k + 8) % 256 == 0) {
			sum += total;
			total = 0;
		}
	}
	return sum + total;
}
static inline float sum_narrow(terms a, terms b, size_t n, int bits)
{
	float sum = 0;
	for (size_t k = 0; k < n; k++)
		sum = bits_kept(fmaf(a[k], b[k], sum), bits);
	return sum;
}

static inline float sum_in_order(terms a, terms b, size_t n)
{
	switch (current_order) {
	case UNFUSED: return sum_unfused(a, b, n);
	case REVERSED: return sum_reversed(a, b, n);
	case PAIRWISE: return sum_pairwise(a, b, n);
	case SPLIT_32: return sum_split(a, b, n, 32);
	case ACCUMULATORS_4: return sum_strided(a, b, n, 4);
	case TF32_3: return sum_tf32(a, b, n, true);
	case TF32_3_TENSOR: return sum_tensor(a, b, n);
	case TF32: return sum_tf32(a, b, n, false);
	case F16_SUMS: return sum_narrow(a, b, n, 11);
	case BF16_SUMS: return sum_narrow(a, b, n, 8);
	case LAST_TERM_MISSING: return sum_fused(a, b, n > 1 ? n - 1 : n);
	case SEQUENTIAL:
	case ORDERS: break;
	}
	return sum_fused(a, b, n);
}

struct single {
	float x;

	single() = default;
	single(double value) : x((float)value)
	{
	}
};

static inline bool operator<(single a, single b)
{
	return a.x < b.x;
}
static inline bool operator>(single a, single b)
{
	return a.x > b.x;
}
static inline single operator-(single a)
{
	return -a.x;
}
static inline single operator+(single a, single b)
{
	return a.x + b.x;
}
static inline single operator-(single a, single b)
{
	return a.x - b.x;
}
static inline single operator*(single a, single b)
{
	return a.x * b.x;
}
static inline single operator/(single a, single b)
{
	return approximate ? a.x * (1 / b.x) : a.x / b.x;
}
static inline single exp(single a)
{
	return approximate ? exp2f(a.x * 1.44269504f) : expf(a.x);
}
static inline single sqrt(single a)
{
	return sqrtf(a.x);
}
static inline single rsqrt(single a)
{
	return 1 / sqrtf(a.x);
}
static inline single log(single a)
{
	return logf(a.x);
}
static inline single tanh(single a)
{
	return approximate ? 1 - 2 / (1 + expf(2 * a.x)) : tanhf(a.x);
}
static inline single sigmoid(single a)
{
	return single(1) / (single(1) + exp(-a));
}
static inline single silu(single a)
{
	return approximate ? a * sigmoid(a) : a / (single(1) + exp(-a));
}
static inline single abs(single a)
{
	return fabsf(a.x);
}
static inline single max(single a, single b)
{
	return fmaxf(a.x, b.x);
}
static inline single min(single a, single b)
{
	return fminf(a.x, b.x);
}
static inline single shift(single a)
{
	return a;
}
static inline single inherited(single a, kept_type)
{
	return a;
}
static inline single summed_as(single a, size_t, single)
{
	return a;
}
static inline single either(single a, single)
{
	return a;
}
static inline single keep(single a, kept_type type)
{
	return type.roundoff > 0x1p-24 ? bits_kept(a.x, type.roundoff > 0x1p-11 ? 8 : 11) : a.x;
}

template <> struct sums<single> {
	std::vector<float> a, b;

	void add(single x)
	{
		add(x, 1);
	}
	void add(single x, single y)
	{
		a.push_back(x.x);
		b.push_back(y.x);
	}
	single total(size_t n) const
	{
		return sum_in_order(a.data(), b.data(), n);
	}
};

} // namespace reference

#endif
