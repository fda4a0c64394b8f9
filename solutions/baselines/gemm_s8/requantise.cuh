/* What a program does that calls a library for a product of int8_t: sums of int32_t, and one more
 * kernel that makes int8_t of them. */
#ifndef GEMMJUDGE_BASELINE_S8_CUH
#define GEMMJUDGE_BASELINE_S8_CUH

#include "../../gemm_s8/operands.cuh"
#include "../padded.cuh"

constexpr int REQUANTISE_THREADS = 256;

/* Four columns a thread, rows along the grid's x, as y ends at 65535; `ld`, of the sums, is a
 * multiple of 4. */
static __global__ void __launch_bounds__(REQUANTISE_THREADS)
	requantise(const int *sums, int ld, int8_t *C, int N, quantisation q, zero_points zero)
{
	int row = blockIdx.x, column = (blockIdx.y * REQUANTISE_THREADS + threadIdx.x) * 4;
	if (column >= N)
		return;
	int4 four = *(const int4 *)(sums + (size_t)row * ld + column);
	int x[4] = {four.x, four.y, four.z, four.w}, of_row = zero.of_row(row);
	struct alignas(4) {
		int8_t at[4];
	} y;
#pragma unroll
	for (int i = 0; i < 4; i++)
		y.at[i] = q.quantise(x[i] + of_row + zero.of_column(min(column + i, N - 1)));
	int8_t *to = C + (size_t)row * N + column;
	if (N % 4 == 0 && (uintptr_t)C % 4 == 0) {
		*(decltype(y) *)to = y;
		return;
	}
	for (int i = 0; i < 4 && column + i < N; i++)
		to[i] = y.at[i];
}

static inline void requantise_start(const int *sums, int ld, int8_t *C, int M, int N,
									quantisation q, zero_points zero)
{
	dim3 grid(M, (N + REQUANTISE_THREADS * 4 - 1) / (REQUANTISE_THREADS * 4));
	requantise<<<grid, REQUANTISE_THREADS>>>(sums, ld, C, N, q, zero);
}

/* B transposed and padded to n rows of k. */
static inline int8_t *transposed_b(const int8_t *B, int K, int N, int n, int k)
{
	int8_t *turned = padded_memory<1, int8_t>((size_t)n * k);
	if (n > N)
		BASELINE_CUDA(cudaMemsetAsync(turned + (size_t)N * k, 0, (size_t)(n - N) * k));
	transpose_start(B, turned, K, N, k);
	return turned;
}

/* The sums that zero points need; `turned` is transposed_b(), looked at where A has one. */
static inline zero_points zero_points_make(const int8_t *A, const int8_t *turned, int M, int N,
										   int K, int k, int zero_A, int zero_B)
{
	int *sums = padded_memory<3, int>((size_t)M + N);
	if (zero_B != 0)
		row_sums_start(A, M, K, K, sums);
	if (zero_A != 0)
		row_sums_start(turned, N, K, k, sums + M);
	return {zero_A, zero_B, K, sums, sums + M};
}

#endif
