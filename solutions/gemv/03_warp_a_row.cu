/* Several threads a row: a warp takes one together.
 *
 * Idea: 32 lanes side by side on one row read whole lines without any detour
 * through shared memory. Each sums every 32nd group of four, and five exchanges
 * in registers (shuffles) add up the lanes.
 *
 * Changes from 02_coalesced: 32 times as many threads, so that even a few
 * thousand rows fill the GPU; no barriers; four floats a load where rows are
 * aligned. A is read past the caches' usual order (__ldcs: it will not be read
 * again), which leaves L1 to x.
 *
 * Arithmetic intensity: 0.5 FLOP per byte of A. x is read once for every row, from
 * L1: as many bytes as A again, and that is what is left to save.
 *
 * Bound by memory, says `explain` (H200, 16384x16384): 251 us of 277, with each
 * byte of A read once; L2 takes 134, L1 66.
 *
 * reached: 4198 GB/s, 99% of cuBLAS (NVIDIA H200, 16384x16384) */
#include "epilogue.cuh"

constexpr int THREADS = 256;
constexpr int ROWS = THREADS / 32; // of a block

/* V: floats a load, 4 where rows are aligned, else 1. */
template <int V>
static __global__ void __launch_bounds__(THREADS)
	gemv_warp_a_row(const float *A, const float *x, int M, int N, epilogue<float> out)
{
	int row = blockIdx.x * ROWS + threadIdx.x / 32;
	int lane = threadIdx.x % 32;
	if (row >= M)
		return; // the whole warp

	const float *a = A + (size_t)row * N;
	float sum = 0.0f;
#pragma unroll 4
	for (int j = lane * V; j < N; j += 32 * V) {
		if (V == 4) {
			float4 u = __ldcs((const float4 *)&a[j]);
			float4 v = *(const float4 *)&x[j];
			sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
		} else {
			sum += __ldcs(&a[j]) * x[j];
		}
	}
#pragma unroll
	for (int distance = 16; distance > 0; distance /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, distance);
	if (lane == 0)
		out.by_lanes().store(row, 0, sum);
}

extern "C" void solve(const float *A, const float *x, float *y, int M, int N)
{
	int blocks = (M + ROWS - 1) / ROWS;
	epilogue<float> out = epilogue_make(y, M, 1);
	bool aligned = N % 4 == 0 && (uintptr_t)A % 16 == 0 && (uintptr_t)x % 16 == 0;
	if (aligned)
		gemv_warp_a_row<4><<<blocks, THREADS>>>(A, x, M, N, out);
	else
		gemv_warp_a_row<1><<<blocks, THREADS>>>(A, x, M, N, out);
}
