/* What a program does that has a library only for f16: one kernel makes W in half, and the
 * library multiplies by it. No library has the product itself.
 *
 * W is *rounded* here: (nibble - 8) * scale has up to 15 bits, half has 11. Results may
 * therefore leave the bound of this problem; the judge says so where they do. */
#ifndef GEMMJUDGE_BASELINE_DEQUANTISE_CUH
#define GEMMJUDGE_BASELINE_DEQUANTISE_CUH

#include "../baseline.cuh"

#include <stdint.h>

constexpr int DEQUANTISE_THREADS = 256;
constexpr int DEQUANTISE_BYTES = 4; // of w_q, at once where it allows: 16 bytes of W

/* COUNT neighbouring weights of row n, from k on, which is a multiple of COUNT. */
template <int COUNT>
static __device__ __forceinline__ void dequantise_some(const uint8_t *w_q, const half *scales,
													   half *W, size_t n, int k, int K,
													   int group_size)
{
	struct alignas(COUNT / 2) {
		uint8_t at[COUNT / 2];
	} bytes;
	struct alignas(COUNT * 2) {
		half at[COUNT];
	} weights;
	bytes = *(const decltype(bytes) *)(w_q + (n * K + k) / 2);
	int group = k / group_size, end = (group + 1) * group_size; // groups are even
	const half *scale = scales + n * (K / group_size);
	float s = __half2float(scale[group]);
#pragma unroll
	for (int i = 0; i < COUNT; i += 2) {
		if (k + i == end) {
			s = __half2float(scale[++group]);
			end += group_size;
		}
		int pair = bytes.at[i / 2];
		weights.at[i] = __float2half((float)((pair >> 4) - 8) * s);
		weights.at[i + 1] = __float2half((float)((pair & 15) - 8) * s);
	}
	*(decltype(weights) *)(W + n * K + k) = weights;
}

/* Row blockIdx.x of W (y ends at 65535), COUNT weights a thread. K is a multiple of COUNT. */
template <int COUNT>
static __global__ void __launch_bounds__(DEQUANTISE_THREADS)
	dequantise(const uint8_t *w_q, const half *scales, half *W, int K, int group_size)
{
	int k = (blockIdx.y * DEQUANTISE_THREADS + threadIdx.x) * COUNT;
	if (k < K)
		dequantise_some<COUNT>(w_q, scales, W, blockIdx.x, k, K, group_size);
}

template <int COUNT>
static void dequantise_launch(const uint8_t *w_q, const half *scales, half *W, int N, int K,
							  int group_size)
{
	dim3 grid(N, (K / COUNT + DEQUANTISE_THREADS - 1) / DEQUANTISE_THREADS);
	dequantise<COUNT><<<grid, DEQUANTISE_THREADS>>>(w_q, scales, W, K, group_size);
}

/* W, N x K, in a workspace that grows; every call makes it anew. */
static half *dequantised(const uint8_t *w_q, const half *scales, int N, int K, int group_size)
{
	constexpr int COUNT = 2 * DEQUANTISE_BYTES;
	static half *W;
	static size_t capacity;
	size_t elements = (size_t)N * K;
	if (elements > capacity) {
		BASELINE_CUDA(cudaFree(W));
		BASELINE_CUDA(cudaMalloc(&W, elements * sizeof(half)));
		capacity = elements;
	}
	if (K % COUNT == 0 && (uintptr_t)w_q % DEQUANTISE_BYTES == 0)
		dequantise_launch<COUNT>(w_q, scales, W, N, K, group_size);
	else
		dequantise_launch<2>(w_q, scales, W, N, K, group_size);
	BASELINE_CUDA(cudaGetLastError());
	return W;
}

#endif
