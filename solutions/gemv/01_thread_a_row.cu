/* y = A*x, one thread a row.
 *
 * Idea: y has M independent dot products, so each thread takes a row of A and
 * walks along it with x.
 *
 * This is where the ladder starts. In row-major order the 32 lanes of a warp
 * read 32 places that are N floats apart: each load fetches 32 sectors of 32
 * bytes for 128 useful bytes, and whether the rest of a sector is still in the L1
 * cache when the next seven steps want it depends on how many warps share that
 * cache. There are also only M threads to keep the memory busy.
 *
 * Arithmetic intensity: 2 FLOP for each float of A, 0.5 FLOP per byte, whatever
 * the kernel does; only bandwidth counts.
 *
 * Bound by L1 and by latency alike, says `explain` (H200, 16384x16384): a load touches 32 lines of
 * 128 bytes, and L1 looks up one a clock, 1.1 ms; each SM has about four warps, and what these have
 * in flight takes 1.0 ms. 1.4 ms in all, as measured. L1 gives back all of a sector: L2
 * delivers 1.01 times A.
 *
 * reached: 753 GB/s, 18% of cuBLAS (NVIDIA H200, 16384x16384) */
#include "epilogue.cuh"

constexpr int THREADS = 64; // small blocks: M threads reach as many SMs as they can

static __global__ void gemv_thread_a_row(const float *A, const float *x, int M, int N,
										 epilogue<float> out)
{
	int row = blockIdx.x * THREADS + threadIdx.x;
	if (row >= M)
		return;
	const float *a = A + (size_t)row * N;
	float sum = 0.0f;
	for (int j = 0; j < N; j++)
		sum += a[j] * x[j];
	out.by_lanes().store(row, 0, sum);
}

extern "C" void solve(const float *A, const float *x, float *y, int M, int N)
{
	gemv_thread_a_row<<<(M + THREADS - 1) / THREADS, THREADS>>>(A, x, M, N, epilogue_make(y, M, 1));
}
