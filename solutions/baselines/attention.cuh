/* What attention needs besides a library's products: how many scores at a time, and a softmax of
 * their rows. */
#ifndef GEMMJUDGE_BASELINE_ATTENTION_CUH
#define GEMMJUDGE_BASELINE_ATTENTION_CUH

#include <math.h>

#include "padded.cuh"

constexpr int ATTENTION_THREADS = 256;
constexpr int ATTENTION_HELD = 16;                 // scores that a thread keeps in registers
constexpr size_t ATTENTION_MOST = (size_t)1 << 29; // scores at a time, where they can be fewer

/* How many of `count` things with so many scores each are computed at a time. */
static inline int attention_at_once(int count, size_t scores)
{
	size_t fit = scores < ATTENTION_MOST ? ATTENTION_MOST / scores : 1;
	return fit < (size_t)count ? (int)fit : count;
}

struct attention_max {
	static constexpr float NONE = -INFINITY;
	__device__ float operator()(float a, float b) const
	{
		return fmaxf(a, b);
	}
};
struct attention_plus {
	static constexpr float NONE = 0.0f;
	__device__ float operator()(float a, float b) const
	{
		return a + b;
	}
};

/* One number of those that all threads of a block have. */
template <class Operation>
static __device__ __forceinline__ float attention_of_block(float x, Operation both)
{
	__shared__ float of_warp[ATTENTION_THREADS / 32];
	for (int i = 16; i > 0; i /= 2)
		x = both(x, __shfl_xor_sync(0xffffffff, x, i));
	__syncthreads(); // the numbers of the call before are read
	if (threadIdx.x % 32 == 0)
		of_warp[threadIdx.x / 32] = x;
	__syncthreads();
	x = Operation::NONE;
	for (int i = 0; i < ATTENTION_THREADS / 32; i++)
		x = both(x, of_warp[i]);
	return x;
}

/* A block a row: scores become weights, whose sum is 1, in their place. A row of not too many keys
 * is read once. Of a causal row the keys behind the diagonal get 0; `first` is the first row's
 * place. */
static __global__ void __launch_bounds__(ATTENTION_THREADS)
	attention_softmax(float *scores, int keys, int first, bool causal)
{
	float *x = scores + (size_t)blockIdx.x * keys;
	int seen = causal ? min(first + (int)blockIdx.x + 1, keys) : keys;
	bool held = keys <= ATTENTION_THREADS * ATTENTION_HELD;
	float y[ATTENTION_HELD], most = -INFINITY, sum = 0.0f;
	if (held) {
#pragma unroll
		for (int i = 0; i < ATTENTION_HELD; i++) {
			int key = i * ATTENTION_THREADS + (int)threadIdx.x;
			y[i] = key < seen ? x[key] : -INFINITY;
			most = fmaxf(most, y[i]);
		}
	} else {
		for (int key = threadIdx.x; key < seen; key += ATTENTION_THREADS)
			most = fmaxf(most, x[key]);
	}
	most = attention_of_block(most, attention_max());
	if (held) {
#pragma unroll
		for (int i = 0; i < ATTENTION_HELD; i++)
			sum += y[i] = expf(y[i] - most);
	} else {
		for (int key = threadIdx.x; key < seen; key += ATTENTION_THREADS)
			sum += expf(x[key] - most);
	}
	sum = attention_of_block(sum, attention_plus());
	if (held) {
#pragma unroll
		for (int i = 0; i < ATTENTION_HELD; i++) {
			int key = i * ATTENTION_THREADS + (int)threadIdx.x;
			if (key < keys)
				x[key] = y[i] / sum;
		}
	} else {
		for (int key = threadIdx.x; key < keys; key += ATTENTION_THREADS)
			x[key] = key < seen ? expf(x[key] - most) / sum : 0.0f;
	}
}

#endif
