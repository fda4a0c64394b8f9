/* Three kernels, one for each part of the formula, for one head after the other.
 *
 * Idea: a head is softmax(Q K^T / sqrt(head_dim)) V with matrices of its own of Q, and those of K
 * and V that its group shares: head h takes number h / (num_q_heads / num_kv_heads). The kernels
 * are those of ../attention/01_naive.cu, and a loop goes over the heads, so that the scores of one
 * head are all that has to be in memory.
 *
 * Changes from the step before: the first step.
 *
 * Arithmetic intensity: 2 FLOP for the 2 floats that each step of either product loads: 0.25 FLOP
 * per byte requested from the caches.
 *
 * Bound, by arithmetic, by the loads of the first kernel: lanes read rows of K of their own, d
 * floats apart.
 *
 * reached: 20.6 ms, 3% of cuBLAS and a softmax (NVIDIA H200, 2026-11-29, 32 over 8, 1024x128) */
#include <cuda_runtime.h>
#include <math.h>

#include "../attention/scores.cuh"

constexpr int WARP = 32;      // threads of a block along x
constexpr int BLOCK_ROWS = 8; // and along y

static __global__ void scores_naive(const float *Q, const float *K, float *score, int length, int d)
{
	int key = blockIdx.x * WARP + threadIdx.x;
	int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;
	if (row >= length || key >= length)
		return;
	const float *q = Q + (size_t)row * d, *k = K + (size_t)key * d;
	float sum = 0.0f;
	for (int i = 0; i < d; i++)
		sum += q[i] * k[i];
	score[(size_t)row * length + key] = sum / sqrtf((float)d);
}

/* Scores become weights, in their place: a warp for each row. */
static __global__ void softmax_naive(float *score, float *total, int length)
{
	int row = blockIdx.x * BLOCK_ROWS + threadIdx.y;
	if (row >= length)
		return;
	float *x = score + (size_t)row * length;
	float most = -INFINITY, sum = 0.0f;
	for (int key = threadIdx.x; key < length; key += WARP)
		most = fmaxf(most, x[key]);
	for (int apart = WARP / 2; apart > 0; apart /= 2) // the largest of all lanes
		most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, apart));
	for (int key = threadIdx.x; key < length; key += WARP) {
		x[key] = expf(x[key] - most);
		sum += x[key];
	}
	for (int apart = WARP / 2; apart > 0; apart /= 2)
		sum += __shfl_xor_sync(0xffffffff, sum, apart);
	if (threadIdx.x == 0)
		total[row] = sum;
}

static __global__ void output_naive(const float *weight, const float *total, const float *V,
									float *output, int length, int d)
{
	int column = blockIdx.x * WARP + threadIdx.x;
	int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;
	if (row >= length || column >= d)
		return;
	const float *w = weight + (size_t)row * length;
	float sum = 0.0f;
	for (int key = 0; key < length; key++)
		sum += w[key] * V[(size_t)key * d + column];
	output[(size_t)row * d + column] = sum / total[row];
}

static int blocks(int count, int each)
{
	return (count + each - 1) / each;
}

extern "C" void solve(const float *Q, const float *K, const float *V, float *output,
					  int num_q_heads, int num_kv_heads, int seq_len, int head_dim)
{
	size_t scores = (size_t)seq_len * seq_len, head = (size_t)seq_len * head_dim;
	float *score = scores_memory(scores + seq_len), *total = score + scores;
	dim3 block(WARP, BLOCK_ROWS);
	int group = num_q_heads / num_kv_heads, rows = blocks(seq_len, BLOCK_ROWS);
	for (int h = 0; h < num_q_heads; h++) {
		const float *q = Q + h * head, *k = K + h / group * head, *v = V + h / group * head;
		scores_naive<<<dim3(blocks(seq_len, WARP), rows), block>>>(q, k, score, seq_len, head_dim);
		softmax_naive<<<rows, block>>>(score, total, seq_len);
		output_naive<<<dim3(blocks(head_dim, WARP), rows), block>>>(
			score, total, v, output + h * head, seq_len, head_dim);
	}
}
