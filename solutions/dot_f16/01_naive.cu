/* result = A . B in half, by one block.
 *
 * Idea: each of 1024 threads adds up every 1024th product in f32, then the block adds up its
 * threads in shared memory. Only the end is rounded to half. Blocks that add to the result
 * by atomic operations, as in dot_f32/01_naive, would round it each time: half has 11 bits, and a
 * sum of 2048 products of about 1 takes in nothing more.
 *
 * Changes from the step before: the first step.
 *
 * Arithmetic intensity: 2 FLOP for two halves, 0.5 FLOP per byte; only bandwidth counts.
 *
 * Bound by latency: one multiprocessor of 132 works, and its threads have 4 bytes each in flight,
 * or a few times as much where the compiler loads ahead. The prediction was 17 ms; as half of that
 * was measured, it may well do so.
 *
 * reached: 8997 us, 1% of cuBLAS (NVIDIA H200, 2026-11-29, 10^8) */
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int THREADS = 1024;

static __global__ void __launch_bounds__(THREADS)
	dot_naive(const half *A, const half *B, half *result, int N)
{
	__shared__ float sums[THREADS];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < N; i += THREADS)
		sum += (float)A[i] * (float)B[i];
	sums[threadIdx.x] = sum;
	__syncthreads();
	for (int count = THREADS / 2; count > 0; count /= 2) {
		if (threadIdx.x < count)
			sums[threadIdx.x] += sums[threadIdx.x + count];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		*result = (half)sums[0];
}

extern "C" void solve(const half *A, const half *B, half *result, int N)
{
	dot_naive<<<1, THREADS>>>(A, B, result, N);
}
