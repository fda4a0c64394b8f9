/* Three kernels, one for each part of the formula; each row ends at the diagonal.
 *
 * Idea: a position sees itself and those before it, so row i has i + 1 scores. The kernels are
 * those of ../attention/01_naive.cu, and none of them looks behind the diagonal: not the scores, of
 * which those threads end at once, nor the softmax, nor the sum over V.
 *
 * Changes from the step before: the first step.
 *
 * Arithmetic intensity: 2 FLOP for the 2 floats that each step of either product loads: 0.25 FLOP
 * per byte requested from the caches.
 *
 * Bound, by arithmetic, by the loads of the first kernel: lanes read rows of K of their own, d
 * floats apart.
 *
 * reached: 7110 us, 5% of cuBLAS and a softmax (NVIDIA H200, 2026-11-29, 5000x128) */
#include <cuda_runtime.h>
#include <math.h>

#include "../attention/scores.cuh"

constexpr int WARP = 32;      // threads of a block along x
constexpr int BLOCK_ROWS = 8; // and along y

/* The rows that are in memory at a time: `first` is their place in the problem. */
struct some_rows {
	int first, count;
};

static __global__ void scores_naive(const float *Q, const float *K, float *score, some_rows rows,
									int M, int d)
{
	int key = blockIdx.x * WARP + threadIdx.x;
	int r = blockIdx.y * BLOCK_ROWS + threadIdx.y, row = rows.first + r;
	if (r >= rows.count || key > row)
		return;
	const float *q = Q + (size_t)row * d, *k = K + (size_t)key * d;
	float sum = 0.0f;
	for (int i = 0; i < d; i++)
		sum += q[i] * k[i];
	score[(size_t)r * M + key] = sum / sqrtf((float)d);
}

/* Scores become weights, in their place: a warp for each row. */
static __global__ void softmax_naive(float *score, float *total, some_rows rows, int M)
{
	int r = blockIdx.x * BLOCK_ROWS + threadIdx.y, row = rows.first + r;
	if (r >= rows.count)
		return;
	float *x = score + (size_t)r * M;
	float most = -INFINITY, sum = 0.0f;
	for (int key = threadIdx.x; key <= row; key += WARP)
		most = fmaxf(most, x[key]);
	for (int apart = WARP / 2; apart > 0; apart /= 2) // the largest of all lanes
		most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, apart));
	for (int key = threadIdx.x; key <= row; key += WARP) {
		x[key] = expf(x[key] - most);
		sum += x[key];
	}
	for (int apart = WARP / 2; apart > 0; apart /= 2)
		sum += __shfl_xor_sync(0xffffffff, sum, apart);
	if (threadIdx.x == 0)
		total[r] = sum;
}

/* `weight` and `total` begin at the first of the rows, V and output at the problem's. */
struct some_weights {
	const float *weight, *total;
	some_rows rows;
};

static __global__ void output_naive(some_weights from, const float *V, float *output, int M, int d)
{
	int column = blockIdx.x * WARP + threadIdx.x;
	int r = blockIdx.y * BLOCK_ROWS + threadIdx.y, row = from.rows.first + r;
	if (r >= from.rows.count || column >= d)
		return;
	const float *w = from.weight + (size_t)r * M;
	float sum = 0.0f;
	for (int key = 0; key <= row; key++)
		sum += w[key] * V[(size_t)key * d + column];
	output[(size_t)row * d + column] = sum / from.total[r];
}

static int blocks(int count, int each)
{
	return (count + each - 1) / each;
}

extern "C" void solve(const float *Q, const float *K, const float *V, float *output, int M, int d)
{
	int most = scores_rows(M, M, BLOCK_ROWS);
	float *score = scores_memory((size_t)most * M + most), *total = score + (size_t)most * M;
	dim3 block(WARP, BLOCK_ROWS);
	for (int first = 0; first < M; first += most) {
		some_rows rows = {first, min(most, M - first)};
		int groups = blocks(rows.count, BLOCK_ROWS);
		scores_naive<<<dim3(blocks(M, WARP), groups), block>>>(Q, K, score, rows, M, d);
		softmax_naive<<<groups, block>>>(score, total, rows, M);
		output_naive<<<dim3(blocks(d, WARP), groups), block>>>({score, total, rows}, V, output, M,
															   d);
	}
}
