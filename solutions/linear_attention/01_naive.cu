/* Three kernels: features, the d x d matrix between, and the output.
 *
 * Idea: without a softmax the product of weights and V can be made in another order. (f(Q) f(K)^T)
 * V has M * M scores; f(Q) (f(K)^T V) has a matrix of d x d between, whose size does not depend on
 * M, and M * d * d products twice. Each row is divided by f(Q) times the sum of the rows of f(K).
 *  1. f(x) = x + 1 for x > 0, else exp(x), of Q and of K: a thread for each element.
 *  2. mixed(k, column) = the sum over rows of f(K)(row, k) V(row, column): a thread for each. V has
 *     one more column here, of ones, whose sums are the divisors'.
 *  3. output(row, column): a thread for each.
 *
 * Changes from the step before: the first step. threadIdx.x runs along rows of the results, so that
 * the lanes of a warp read and write neighbours.
 *
 * Arithmetic intensity: 2 FLOP for the 2 floats that each step of a sum loads: 0.25 FLOP per byte
 * requested from the caches.
 *
 * Bound, by arithmetic, by latency in the second kernel: no more than d * (d + 1) threads, each of
 * which goes through all M rows. The prediction was 2000 us.
 *
 * reached: 2931 us, 2% of cuBLAS and kernels (NVIDIA H200, 2026-11-29, 10000x128) */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "../sgemm/workspace.cuh"

constexpr int WARP = 32;      // threads of a block along x
constexpr int BLOCK_ROWS = 8; // and along y

static __device__ float feature(float x)
{
	return x > 0.0f ? x + 1.0f : expf(x);
}

static __global__ void features_naive(const float *Q, const float *K, float *query, float *key,
									  size_t count)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	query[i] = feature(Q[i]);
	key[i] = feature(K[i]);
}

/* `mixed` has d rows of d + 1. */
static __global__ void mixed_naive(const float *key, const float *V, float *mixed, int M, int d)
{
	int column = blockIdx.x * WARP + threadIdx.x;
	int k = blockIdx.y * BLOCK_ROWS + threadIdx.y;
	if (k >= d || column > d)
		return;
	float sum = 0.0f;
	for (int row = 0; row < M; row++) {
		float v = column < d ? V[(size_t)row * d + column] : 1.0f;
		sum += key[(size_t)row * d + k] * v;
	}
	mixed[k * (d + 1) + column] = sum;
}

static __global__ void output_naive(const float *query, const float *mixed, float *output, int M,
									int d)
{
	int column = blockIdx.x * WARP + threadIdx.x;
	int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;
	if (row >= M || column >= d)
		return;
	const float *q = query + (size_t)row * d;
	float sum = 0.0f, divisor = 0.0f;
	for (int k = 0; k < d; k++) {
		sum += q[k] * mixed[k * (d + 1) + column];
		divisor += q[k] * mixed[k * (d + 1) + d];
	}
	output[(size_t)row * d + column] = sum / divisor;
}

static int blocks(size_t count, int each)
{
	return (int)((count + each - 1) / each);
}

extern "C" void solve(const float *Q, const float *K, const float *V, float *output, int M, int d)
{
	size_t all = (size_t)M * d;
	float *query = (float *)workspace_get((2 * all + (size_t)d * (d + 1)) * sizeof(float));
	if (query == NULL) {
		fprintf(stderr, "01_naive: no memory for features\n");
		abort();
	}
	float *key = query + all, *mixed = key + all;
	dim3 block(WARP, BLOCK_ROWS);
	features_naive<<<blocks(all, WARP * BLOCK_ROWS), WARP * BLOCK_ROWS>>>(Q, K, query, key, all);
	mixed_naive<<<dim3(blocks(d + 1, WARP), blocks(d, BLOCK_ROWS)), block>>>(key, V, mixed, M, d);
	output_naive<<<dim3(blocks(d, WARP), blocks(M, BLOCK_ROWS)), block>>>(query, mixed, output, M,
																		  d);
}
