/* result = A . B, one product a thread.
 *
 * Idea: the N products are independent, so each thread computes one. A block then adds up its 256
 * in shared memory, half of them onto the other half until one is left, and adds that one to the
 * result by an atomic operation.
 *
 * Changes from the step before: the first step. The result holds anything before the call, so it
 * is set to 0 first.
 *
 * Arithmetic intensity: 2 FLOP for two floats, 0.25 FLOP per byte, whatever the kernel does; only
 * bandwidth counts.
 *
 * Bound by latency: a thread loads 8 bytes and then waits at eight barriers, and N / 256 blocks add
 * to one address. Blocks add in the order in which they end, so that the last bits of the
 * result differ from call to call.
 *
 * reached: 774 us, 24% of cuBLAS (NVIDIA H200, 2026-11-29, 10^8) */
#include <cuda_runtime.h>

constexpr int THREADS = 256;

static __global__ void dot_naive(const float *A, const float *B, float *result, int N)
{
	__shared__ float sums[THREADS];
	int i = blockIdx.x * THREADS + threadIdx.x;
	sums[threadIdx.x] = i < N ? A[i] * B[i] : 0.0f;
	__syncthreads();
	for (int count = THREADS / 2; count > 0; count /= 2) {
		if (threadIdx.x < count)
			sums[threadIdx.x] += sums[threadIdx.x + count];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(result, sums[0]);
}

extern "C" void solve(const float *A, const float *B, float *result, int N)
{
	cudaMemsetAsync(result, 0, sizeof(float)); // bytes of 0 are 0.0f
	dot_naive<<<(N + THREADS - 1) / THREADS, THREADS>>>(A, B, result, N);
}
