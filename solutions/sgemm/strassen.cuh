/* Strassen's multiplication over multiply.cuh, with one or two levels.
 *
 * A level cuts A, B and C into quarters and makes seven products of sums of
 * quarters where the schoolbook makes eight; two levels make 49 for 64. Three
 * kernels do it, whatever the number of levels:
 *
 *   split     reads every element of A (or B) once and writes the 7^L left (or
 *             right) factors, all formed in registers;
 *   products  multiplies all pairs, as one grid of 7^L planes;
 *   join      reads the 7^L products once and hands every element of C to the
 *             epilogue.
 *
 * Sides that are no multiple of 2^L are padded with zeros by split, and join
 * drops what lies outside of C; nothing is copied beforehand.
 *
 * Sums of quarters mix elements that the plain product keeps apart. An infinity,
 * a NaN, or a value so large that a sum overflows would spoil outputs that have
 * nothing to do with it. split notes such a value in a flag, and then
 * the plain kernel, which is always launched last and usually returns at once,
 * computes C instead. */
#ifndef GEMMJUDGE_SGEMM_STRASSEN_CUH
#define GEMMJUDGE_SGEMM_STRASSEN_CUH

#include "load.cuh"
#include "multiply.cuh"
#include "workspace.cuh"

constexpr int STRASSEN_THREADS = 128;
/* A factor is the sum of four such values at most, a product of 2^12 pairs of them
 * and an output of 16 products: below 2e38, which is finite. */
constexpr float STRASSEN_LARGEST = 1e16f;

/* What split and products leave for each other. Factor p of A starts at
 * a + p*m*lda; the row lengths lda and ldb are multiples of 4. */
struct strassen_workspace {
	float *a, *b, *products;
	int *flag;
	int m, n, k; // sides of the smallest blocks, rounded up
	int lda, ldb;
};

/* The four quarters x (11, 12, 21, 22) of A or B become seven factors. */
template <bool LEFT>
static __device__ __forceinline__ void strassen_split_level(const float (&x)[4], float (&y)[7])
{
	y[0] = x[0] + x[3];
	y[1] = LEFT ? x[2] + x[3] : x[0];
	y[2] = LEFT ? x[0] : x[1] - x[3];
	y[3] = LEFT ? x[3] : x[2] - x[0];
	y[4] = LEFT ? x[0] + x[1] : x[3];
	y[5] = LEFT ? x[2] - x[0] : x[0] + x[1];
	y[6] = LEFT ? x[1] - x[3] : x[2] + x[3];
}

/* The seven products become the four quarters of C. */
static __device__ __forceinline__ void strassen_join_level(const float (&p)[7], float (&c)[4])
{
	c[0] = p[0] + p[3] - p[4] + p[6];
	c[1] = p[2] + p[4];
	c[2] = p[1] + p[3];
	c[3] = p[0] - p[1] + p[2] + p[5];
}

static constexpr __host__ __device__ int strassen_power(int base, int exponent)
{
	return exponent == 0 ? 1 : base * strassen_power(base, exponent - 1);
}

/* All levels, outermost first. x[q * 4^(L-1) + rest] belongs to quarter q. */
template <bool LEFT, int LEVELS>
static __device__ __forceinline__ void strassen_split_levels(const float *x, float *y)
{
	constexpr int QUARTER = strassen_power(4, LEVELS - 1);
	constexpr int SEVENTH = strassen_power(7, LEVELS - 1);
	float factors[7][QUARTER];
#pragma unroll
	for (int rest = 0; rest < QUARTER; rest++) {
		float quarters[4], sevenths[7];
#pragma unroll
		for (int q = 0; q < 4; q++)
			quarters[q] = x[q * QUARTER + rest];
		strassen_split_level<LEFT>(quarters, sevenths);
#pragma unroll
		for (int p = 0; p < 7; p++)
			factors[p][rest] = sevenths[p];
	}
#pragma unroll
	for (int p = 0; p < 7; p++) {
		if constexpr (LEVELS == 1)
			y[p] = factors[p][0];
		else
			strassen_split_levels<LEFT, LEVELS - 1>(factors[p], y + p * SEVENTH);
	}
}

template <int LEVELS>
static __device__ __forceinline__ void strassen_join_levels(const float *p, float *c)
{
	constexpr int QUARTER = strassen_power(4, LEVELS - 1);
	constexpr int SEVENTH = strassen_power(7, LEVELS - 1);
	float inner[7][QUARTER];
#pragma unroll
	for (int i = 0; i < 7; i++) {
		if constexpr (LEVELS == 1)
			inner[i][0] = p[i];
		else
			strassen_join_levels<LEVELS - 1>(p + i * SEVENTH, inner[i]);
	}
#pragma unroll
	for (int rest = 0; rest < QUARTER; rest++) {
		float sevenths[7], quarters[4];
#pragma unroll
		for (int i = 0; i < 7; i++)
			sevenths[i] = inner[i][rest];
		strassen_join_level(sevenths, quarters);
#pragma unroll
		for (int q = 0; q < 4; q++)
			c[q * QUARTER + rest] = quarters[q];
	}
}

/* The row of blocks (of 2^L) in which block i of that order lies; its column with
 * bit = 1: the digits of i to base 4 are the quarters, 11, 12, 21, 22. */
template <int LEVELS> static constexpr __device__ int strassen_place(int i, bool column)
{
	int place = 0;
	for (int level = LEVELS - 1; level >= 0; level--)
		place = place * 2 + (i >> (2 * level + (column ? 0 : 1)) & 1);
	return place;
}

/* One thread an element of the smallest block, rows along the grid's x (y ends at 65535): all 4^L
 * elements of X at its place become the elements of the 7^L factors, which are m x ld with n
 * columns used. */
template <bool LEFT, int LEVELS>
static __global__ void __launch_bounds__(STRASSEN_THREADS)
	strassen_split(const float *X, int rows, int columns, float *factors, int m, int n, int ld,
				   int *flag)
{
	constexpr int BLOCKS = strassen_power(4, LEVELS);
	constexpr int FACTORS = strassen_power(7, LEVELS);
	int r = blockIdx.x;
	int c = blockIdx.y * STRASSEN_THREADS + threadIdx.x;
	if (c >= ld)
		return;

	float x[BLOCKS], y[FACTORS];
	bool plain = true;
#pragma unroll
	for (int i = 0; i < BLOCKS; i++) {
		int row = strassen_place<LEVELS>(i, false) * m + r;
		int column = strassen_place<LEVELS>(i, true) * n + c;
		bool inside = row < rows && c < n && column < columns;
		x[i] = inside ? X[(size_t)row * columns + column] : 0.0f;
		plain = plain && fabsf(x[i]) <= STRASSEN_LARGEST; // not so for NaN
	}
	if (!plain)
		*flag = 1;

	strassen_split_levels<LEFT, LEVELS>(x, y);
	float *to = factors + (size_t)r * ld + c;
#pragma unroll
	for (int p = 0; p < FACTORS; p++)
		to[p * (size_t)m * ld] = y[p];
}

/* Plane z of the grid: product z. */
template <class Shape>
static __global__ void __launch_bounds__(Shape::THREADS, 256 / Shape::THREADS)
	strassen_products(strassen_workspace w)
{
	if (*w.flag)
		return;
	__shared__ typename Shape::tiles tiles;
	typename Shape::sums sum = {};
	int row0 = blockIdx.y * Shape::BLOCK_M;
	int column0 = blockIdx.x * Shape::BLOCK_N;
	const float *a = w.a + blockIdx.z * (size_t)w.m * w.lda;
	const float *b = w.b + blockIdx.z * (size_t)w.k * w.ldb;
	float *product = w.products + blockIdx.z * (size_t)w.m * w.ldb;

	Shape::template run<4>(tiles, sum, a, w.lda, b, w.ldb, w.m, w.ldb, w.k, row0, column0);
	/* Past the epilogue, which is for C alone. */
	Shape::each(sum, row0, column0, [&](int r, int c, const float(&x)[4]) {
		if (r < w.m && c < w.ldb)
			*(float4 *)&product[(size_t)r * w.ldb + c] = make_float4(x[0], x[1], x[2], x[3]);
	});
}

template <int LEVELS>
static __global__ void __launch_bounds__(STRASSEN_THREADS)
	strassen_join(strassen_workspace w, epilogue<float> out)
{
	constexpr int BLOCKS = strassen_power(4, LEVELS);
	constexpr int PRODUCTS = strassen_power(7, LEVELS);
	int r = blockIdx.x;
	int c = blockIdx.y * STRASSEN_THREADS + threadIdx.x;
	if (c >= w.n || *w.flag)
		return;

	float p[PRODUCTS], x[BLOCKS];
	const float *from = w.products + (size_t)r * w.ldb + c;
#pragma unroll
	for (int i = 0; i < PRODUCTS; i++)
		p[i] = from[i * (size_t)w.m * w.ldb];
	strassen_join_levels<LEVELS>(p, x);
#pragma unroll
	for (int i = 0; i < BLOCKS; i++)
		out.by_lanes().store(strassen_place<LEVELS>(i, false) * w.m + r,
							 strassen_place<LEVELS>(i, true) * w.n + c, x[i]);
}

/* The plain product: always (flag NULL), or if split has found a value that the
 * sums cannot stand. */
template <int VECTOR_B>
static __global__ void __launch_bounds__(multiply_large::THREADS, 1)
	strassen_plain(const float *A, const float *B, int M, int N, int K, epilogue<float> out,
				   const int *flag)
{
	if (flag && !*flag)
		return;
	__shared__ multiply_large::tiles tiles;
	multiply_large::sums sum = {};
	int row0 = blockIdx.y * multiply_large::BLOCK_M;
	int column0 = blockIdx.x * multiply_large::BLOCK_N;
	multiply_large::run<VECTOR_B>(tiles, sum, A, K, B, N, M, N, K, row0, column0);
	multiply_large::store(out, sum, row0, column0);
}

template <class Shape> static dim3 strassen_grid(int m, int n, int planes)
{
	return dim3((n + Shape::BLOCK_N - 1) / Shape::BLOCK_N,
				(m + Shape::BLOCK_M - 1) / Shape::BLOCK_M, planes);
}

static void strassen_launch_plain(const float *A, const float *B, int M, int N, int K,
								  epilogue<float> out, const int *flag)
{
	dim3 grid = strassen_grid<multiply_large>(M, N, 1);
	if (load_vector(B, N))
		strassen_plain<4><<<grid, multiply_large::THREADS>>>(A, B, M, N, K, out, flag);
	else
		strassen_plain<1><<<grid, multiply_large::THREADS>>>(A, B, M, N, K, out, flag);
}

template <int LEVELS>
static void strassen_multiply(const float *A, const float *B, int M, int N, int K,
							  epilogue<float> out)
{
	constexpr int SIDE = 1 << LEVELS;
	constexpr int TOGETHER = epilogue<float>::columns; // columns that a part may not tear apart
	constexpr size_t PRODUCTS = strassen_power(7, LEVELS);
	strassen_workspace w;
	w.m = (M + SIDE - 1) / SIDE;
	w.n = (N + SIDE * TOGETHER - 1) / (SIDE * TOGETHER) * TOGETHER;
	w.k = (K + SIDE - 1) / SIDE;
	w.lda = (w.k + 3) / 4 * 4;
	w.ldb = (w.n + 3) / 4 * 4;
	size_t size_a = PRODUCTS * w.m * w.lda; // in floats, multiples of 4 all three
	size_t size_b = PRODUCTS * w.k * w.ldb;
	size_t size_c = PRODUCTS * w.m * w.ldb;
	w.a = (float *)workspace_get((size_a + size_b + size_c + 1) * sizeof(float));
	if (!w.a) {
		strassen_launch_plain(A, B, M, N, K, out, NULL);
		return;
	}
	w.b = w.a + size_a;
	w.products = w.b + size_b;
	w.flag = (int *)(w.products + size_c);

	auto columns = [](int n) { return (n + STRASSEN_THREADS - 1) / STRASSEN_THREADS; };
	cudaMemsetAsync(w.flag, 0, sizeof *w.flag);
	strassen_split<true, LEVELS>
		<<<dim3(w.m, columns(w.lda)), STRASSEN_THREADS>>>(A, M, K, w.a, w.m, w.k, w.lda, w.flag);
	strassen_split<false, LEVELS>
		<<<dim3(w.k, columns(w.ldb)), STRASSEN_THREADS>>>(B, K, N, w.b, w.k, w.n, w.ldb, w.flag);
	strassen_products<multiply_large>
		<<<strassen_grid<multiply_large>(w.m, w.ldb, PRODUCTS), multiply_large::THREADS>>>(w);
	strassen_join<LEVELS><<<dim3(w.m, columns(w.n)), STRASSEN_THREADS>>>(w, out);
	strassen_launch_plain(A, B, M, N, K, out, w.flag);
}

#endif
