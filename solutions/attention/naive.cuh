/* Attention by three kernels, with the scores in memory: 01_naive.cu says how. The first steps of
 * the attention problems without a diagonal share it. */
#ifndef GEMMJUDGE_ATTENTION_NAIVE_CUH
#define GEMMJUDGE_ATTENTION_NAIVE_CUH

#include <cuda_runtime.h>
#include <math.h>

#include "scores.cuh"

constexpr int NAIVE_WARP = 32; // threads of a block along x
constexpr int NAIVE_ROWS = 8;  // and along y

static __global__ void scores_naive(const float *Q, const float *K, float *score, int M, int N,
									int d)
{
	int key = blockIdx.x * NAIVE_WARP + threadIdx.x;
	int row = blockIdx.y * NAIVE_ROWS + threadIdx.y;
	if (row >= M || key >= N)
		return;
	const float *q = Q + (size_t)row * d, *k = K + (size_t)key * d;
	float sum = 0.0f;
	for (int i = 0; i < d; i++)
		sum += q[i] * k[i];
	score[(size_t)row * N + key] = sum / sqrtf((float)d);
}

/* Scores become weights, in their place. */
static __global__ void softmax_naive(float *score, float *total, int M, int N)
{
	int row = blockIdx.x * NAIVE_ROWS + threadIdx.y; // one for the whole warp
	if (row >= M)
		return;
	float *x = score + (size_t)row * N;
	float most = -INFINITY, sum = 0.0f;
	for (int key = threadIdx.x; key < N; key += NAIVE_WARP)
		most = fmaxf(most, x[key]);
	for (int apart = NAIVE_WARP / 2; apart > 0; apart /= 2) // the largest of all lanes
		most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, apart));
	for (int key = threadIdx.x; key < N; key += NAIVE_WARP) {
		x[key] = expf(x[key] - most);
		sum += x[key];
	}
	for (int apart = NAIVE_WARP / 2; apart > 0; apart /= 2)
		sum += __shfl_xor_sync(0xffffffff, sum, apart);
	if (threadIdx.x == 0)
		total[row] = sum;
}

static __global__ void output_naive(const float *weight, const float *total, const float *V,
									float *output, int M, int N, int d)
{
	int column = blockIdx.x * NAIVE_WARP + threadIdx.x;
	int row = blockIdx.y * NAIVE_ROWS + threadIdx.y;
	if (row >= M || column >= d)
		return;
	const float *w = weight + (size_t)row * N;
	float sum = 0.0f;
	for (int key = 0; key < N; key++)
		sum += w[key] * V[(size_t)key * d + column];
	output[(size_t)row * d + column] = sum / total[row];
}

static int naive_blocks(int count, int each)
{
	return (count + each - 1) / each;
}

/* Some rows at a time, so that the scores of 100000 rows need not be in memory together. */
static inline void attention_naive(const float *Q, const float *K, const float *V, float *output,
								   int M, int N, int d)
{
	int rows = scores_rows(M, N, NAIVE_ROWS);
	float *score = scores_memory((size_t)rows * N + rows), *total = score + (size_t)rows * N;
	dim3 block(NAIVE_WARP, NAIVE_ROWS);
	for (int first = 0; first < M; first += rows) {
		int count = min(rows, M - first);
		const float *q = Q + (size_t)first * d;
		float *out = output + (size_t)first * d;
		scores_naive<<<dim3(naive_blocks(N, NAIVE_WARP), naive_blocks(count, NAIVE_ROWS)), block>>>(
			q, K, score, count, N, d);
		softmax_naive<<<naive_blocks(count, NAIVE_ROWS), block>>>(score, total, count, N);
		output_naive<<<dim3(naive_blocks(d, NAIVE_WARP), naive_blocks(count, NAIVE_ROWS)), block>>>(
			score, total, V, out, count, N, d);
	}
}

#endif
