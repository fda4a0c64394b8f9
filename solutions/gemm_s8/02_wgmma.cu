/* TMA and wgmma on integers.
 *
 * Idea: the kernel of gemm_e4m3/02_wgmma.cu; the tensor cores sum products of int8_t exactly, in
 * int. They take both operands with K contiguous only, so that B is transposed first, into the
 * workspace. Zero points are left out of the product and put right afterwards, from the sums of
 * A's rows and B's columns (operands.cuh), which are made where they are wanted. A sum becomes an
 * int8_t on its way into C, while the other consumer warpgroup multiplies.
 *
 * Read gemm_f16/17_warp_specialised first (TMA, a producer, wgmma), then gemm_f16/21 for the
 * cluster. What differs: operands of one byte, so that a k-block of 128 bytes is 128 elements;
 * wgmma with sums of int; B transposed beforehand, as wgmma takes integers with K contiguous only.
 *
 * Changes from 01b_mma: B is transposed by a kernel, once, instead of by each block; TMA and wgmma
 * in place of loads and mma.sync; the sums for zero points come from kernels of their own, and only
 * where a zero point is not 0.
 *
 * Arithmetic intensity: a tile of 128 x 256 loads 48 KB a k-block of 128 and multiplies 8.4
 * million operations with it, 171 a byte of the L2 cache; with B shared by two blocks 256. Shared
 * memory and tensor cores are equally busy, 1024 clocks a k-block.
 *
 * Bound by the tensor cores, says `explain` (H200, 8192x4096x2048): 65 us, beside 64 of L2 and
 * 57 of shared memory; 102 in all, and 6.5 for transposing B.
 *
 * Not measured; what follows is of the kernel before it, which had a producer and a mainloop of its
 * own.
 * reached: 1135 TFLOP/s, 152% of cuBLASLt (NVIDIA H100 80GB HBM3, 8192x4096x2048) */
#include "../gemm_e4m3/wgmma/launch.cuh"
#include "operands.cuh"

/* C, quantised. Sums are converted before they are exchanged, when they are four times as wide. */
struct quantised_out {
	int8_t *C;
	int M, N;
	quantisation q;
	zero_points zero;
	static constexpr bool elementwise = true; // nothing is prefetched
	using run = uint2;

	/* What lies outside of C has the zero points of what lies at its edge. */
	__device__ __forceinline__ run exchange(int row, int column, const int (&x)[RUN]) const
	{
		int of_row = zero.of_row(min(row, M - 1));
		union {
			int8_t values[RUN];
			uint32_t words[2];
		} y;
#pragma unroll
		for (int i = 0; i < RUN; i++) {
			int here = min(column + i / 2 * 8 + i % 2, N - 1);
			y.values[i] = q.quantise(x[i] + of_row + zero.of_column(here));
		}
		return byte_pairs_exchange(y.words[0], y.words[1]);
	}
	__device__ __forceinline__ void store(int row, int column, run from) const
	{
		if (row >= M || column >= N)
			return;
		int8_t *to = C + (size_t)row * N + column;
		if (column + RUN <= N && (uintptr_t)to % RUN == 0) {
			*(uint2 *)to = from;
			return;
		}
#pragma unroll
		for (int i = 0; i < RUN; i++)
			if (column + i < N)
				to[i] = (int8_t)((i < 4 ? from.x : from.y) >> i % 4 * 8);
	}
};

extern "C" void solve(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K,
					  float scale_A, float scale_B, float scale_C, int zero_point_A,
					  int zero_point_B, int zero_point_C)
{
	size_t ld = padded_row_bytes(K);
	size_t b_bytes = N * ld, a_bytes = padded_bytes(A, M, K);
	char *room = wgmma_workspace(b_bytes + a_bytes + ((size_t)M + N) * sizeof(int));
	int8_t *turned = (int8_t *)room;
	int *a_sums = (int *)(room + b_bytes + a_bytes), *b_sums = a_sums + M;

	transpose_start(B, turned, K, N, (int)ld);
	if (zero_point_B != 0)
		row_sums_start(A, M, K, K, a_sums);
	if (zero_point_A != 0)
		row_sums_start(turned, N, K, (int)ld, b_sums);

	quantised_out out = {
		C, M, N,
		quantisation_make(scale_A, scale_B, scale_C, zero_point_A, zero_point_B, zero_point_C),
		zero_points{zero_point_A, zero_point_B, K, a_sums, b_sums}};
	gemm<int8_t>(padded_make(A, M, K, room + b_bytes), {turned, ld}, M, N, K, out);
}
