/* How a stage reduces (`reduce NAME M sum`): it hands over one value a column, and these combine
 * them in no particular order. Maxima are the same at each call all the same; sums are rounded in
 * another order, unless they are deterministic: such a sum is made of integers, which add up to the
 * same in any order. Only the columns that a thread hands over at once are added as floats.
 *
 * For these the first comment says `reduce NAME M sum deterministic`, and the struct
 * `static constexpr bool deterministic = true`. They cost two atomics of 8 bytes in place of one of
 * 4, and a small kernel at the end, which epilogue_end() launches (gemmjudge does so for an
 * epilogue of epilogue_make()). The memory of `count` sums is epilogue_deterministic_floats(count)
 * floats long: the sums themselves, then 80 bytes for each.
 *
 * With `finish` at the end of the line that kernel calls the stage's float finish(float x, int M,
 * int N) const for each result, and stores what it returns in its place. */
#ifndef GEMMJUDGE_EPILOGUE_REDUCE_CUH
#define GEMMJUDGE_EPILOGUE_REDUCE_CUH

#include "epilogue_stage.cuh"

/* The element for each so many rows and columns (0: for all) that belongs to a column. */
template <int ROWS, int COLUMNS>
__device__ __forceinline__ float *epilogue_reduced(float *to, const epilogue_coordinate &at,
												   int column)
{
#ifdef EPILOGUE_APART // the judge's own run of a stage combines nothing: it wants each value
	return to + (size_t)at.row * at.N + column;
#else
	constexpr int HEIGHT = ROWS > 0 ? ROWS : 1, WIDTH = COLUMNS > 0 ? COLUMNS : 1;
	size_t width = COLUMNS > 0 ? (at.N + WIDTH - 1) / WIDTH : 1;
	return to + (ROWS > 0 ? at.row / HEIGHT * width : 0) + (COLUMNS > 0 ? column / WIDTH : 0);
#endif
}

/* Whether the i-th of the columns shares its element with the one before. */
template <int COLUMNS>
__device__ __forceinline__ bool epilogue_shares(const epilogue_coordinate &at, int i)
{
#ifdef EPILOGUE_APART
	return false;
#else
	return i > 0 && (COLUMNS == 0 || (at.column + i) % (COLUMNS > 0 ? COLUMNS : 1) != 0);
#endif
}

/* Whether the row has no i-th of the columns any more. */
__device__ __forceinline__ bool epilogue_ends(const epilogue_coordinate &at, int i)
{
	return !at.whole && at.column + i >= at.N;
}

/* Calls use(column, sum) for each run of columns that share an element. */
template <int COLUMNS, int V, class Use>
__device__ __forceinline__ void epilogue_sum_columns(const epilogue_coordinate &at,
													 const float (&x)[V], const Use &use)
{
	float sum = 0.0f;
#pragma unroll
	for (int i = 0; i < V; i++) {
		if (epilogue_ends(at, i))
			break;
		sum = epilogue_shares<COLUMNS>(at, i) ? sum + x[i] : x[i];
		if (i + 1 == V || epilogue_ends(at, i + 1) || !epilogue_shares<COLUMNS>(at, i + 1))
			use(at.column + i, sum);
	}
}

template <int ROWS, int COLUMNS, int V>
__device__ __forceinline__ void epilogue_reduce_sum(float *sums, const epilogue_coordinate &at,
													const float (&x)[V])
{
	epilogue_sum_columns<COLUMNS>(at, x, [&](int column, float sum) {
		atomicAdd(epilogue_reduced<ROWS, COLUMNS>(sums, at, column), sum);
	});
}

/* Of values from 0 on, whose bits are ordered as they are; NaN counts as the largest. */
template <int ROWS, int COLUMNS, int V>
__device__ __forceinline__ void epilogue_reduce_max(float *largest, const epilogue_coordinate &at,
													const float (&x)[V])
{
	int most = 0;
#pragma unroll
	for (int i = 0; i < V; i++) {
		if (epilogue_ends(at, i))
			break;
		int bits = __float_as_int(x[i]) & 0x7FFFFFFF;
		most = epilogue_shares<COLUMNS>(at, i) && most > bits ? most : bits;
		if (i + 1 == V || epilogue_ends(at, i + 1) || !epilogue_shares<COLUMNS>(at, i + 1))
			atomicMax((int *)epilogue_reduced<ROWS, COLUMNS>(largest, at, at.column + i), most);
	}
}

/* ---- deterministic sums --------------------------------------------------------- */

/* A sum as an integer, in units of 2^-149, of which all floats are multiples. Each digit stands
 * for 32 bits and has as many to spare, so that 2^31 values can be added before one is carried. */
struct epilogue_exact_sum {
	static constexpr int DIGITS = 9;
	unsigned long long digits[DIGITS];
	float others; /* the sum of infinities and NaN */

	__device__ __forceinline__ void add(float x)
	{
		int bits = __float_as_int(x), exponent = bits >> 23 & 255;
		long long units = bits & 0x7FFFFF;
		if (exponent == 255) {
			atomicAdd(&others, x);
			return;
		}
		if (exponent > 0) {
			units |= 0x800000;
			exponent--;
		}
		units <<= exponent % 32;
		long long low = units & 0xFFFFFFFF, high = units >> 32;
		atomicAdd(&digits[exponent / 32], (unsigned long long)(bits < 0 ? -low : low));
		if (high != 0)
			atomicAdd(&digits[exponent / 32 + 1], (unsigned long long)(bits < 0 ? -high : high));
	}

	/* Rounded to f64 and then to f32. */
	__device__ float value(void) const
	{
		if (others != 0.0f)
			return others;
		double magnitude = rounded(1);
		return (float)(magnitude < 0.0 ? -rounded(-1) : magnitude);
	}

  private:
	/* The sum times `sign`, if that is not negative; else some negative number. */
	__device__ double rounded(int sign) const
	{
		long long carry = 0, all[DIGITS];
		for (int i = 0; i < DIGITS; i++) {
			all[i] = carry + sign * (long long)digits[i];
			carry = all[i] >> 32;
			if (i < DIGITS - 1)
				all[i] &= 0xFFFFFFFF;
		}
		double sum = 0.0, unit = 0x1p+107; // of the last digit
		for (int i = DIGITS - 1; i >= 0; i--, unit *= 0x1p-32)
			sum += (double)all[i] * unit;
		return sum;
	}
};

/* The exact sums lie behind the rounded ones. */
static inline __host__ __device__ epilogue_exact_sum *epilogue_exact_sums(float *sums, size_t count)
{
	return (epilogue_exact_sum *)(sums + (count + 1) / 2 * 2);
}

static inline size_t epilogue_deterministic_floats(size_t count)
{
	return (count + 1) / 2 * 2 + count * sizeof(epilogue_exact_sum) / sizeof(float);
}

/* How many elements a reduction with one for so many rows and columns (0: for all) has. */
static inline __host__ __device__ size_t epilogue_reduced_count(int M, int N, int rows, int columns)
{
	size_t height = rows > 0 ? (M + rows - 1) / rows : 1;
	return height * (columns > 0 ? (N + columns - 1) / columns : 1);
}

template <int ROWS, int COLUMNS, int V>
__device__ __forceinline__ void
epilogue_reduce_sum_deterministic(float *sums, const epilogue_coordinate &at, const float (&x)[V])
{
#ifdef EPILOGUE_APART
	epilogue_reduce_sum<ROWS, COLUMNS>(sums, at, x);
#else
	size_t count = epilogue_reduced_count(at.M, at.N, ROWS, COLUMNS);
	epilogue_exact_sum *exact = epilogue_exact_sums(sums, count);
	epilogue_sum_columns<COLUMNS>(at, x, [&](int column, float sum) {
		exact[epilogue_reduced<ROWS, COLUMNS>(sums, at, column) - sums].add(sum);
	});
#endif
}

#endif
