/* y = A x, one thread a row. Most elements of A are 0, but they are stored all the same.
 *
 * Idea: y has M independent dot products, so each thread takes a row of A and walks along it with
 * x.
 *
 * Changes from the step before: the first step.
 *
 * Arithmetic intensity: 2 FLOP for each float of A, 0.5 FLOP per byte, whatever the kernel does.
 * That two of three elements are 0 is known only once they have been loaded, and then nothing is
 * left to save; so `nnz` is of no use.
 *
 * Bound by latency: there are M threads, eight warps of 1000 rows for 132 multiprocessors that are
 * four each, and the 32 lanes of a warp read 32 places that are N floats apart: 32 sectors for 128
 * useful bytes.
 *
 * reached: 657.82 us, 2% of cuBLAS (NVIDIA H200, 2026-11-29, 1000x10000) */
#include <cuda_runtime.h>

constexpr int THREADS = 64; // small blocks: M threads reach as many multiprocessors as they can

static __global__ void spmv_naive(const float *A, const float *x, float *y, int M, int N)
{
	int row = blockIdx.x * THREADS + threadIdx.x;
	if (row >= M)
		return;
	const float *a = A + (size_t)row * N;
	float sum = 0.0f;
	for (int j = 0; j < N; j++)
		sum += a[j] * x[j];
	y[row] = sum;
}

extern "C" void solve(const float *A, const float *x, float *y, int M, int N, int)
{
	spmv_naive<<<(M + THREADS - 1) / THREADS, THREADS>>>(A, x, y, M, N);
}
