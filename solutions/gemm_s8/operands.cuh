/* What is done to the operands of an 8-bit product before the tensor cores see them: integers are
 * multiplied with K contiguous in both, so B is transposed; and where A or B has a zero point,
 * the sums of the other's rows or columns are wanted:
 *
 *     sum((A - zA) (B - zB)) = sum(A B) - zB sum(A) - zA sum(B) + K zA zB */
#ifndef GEMMJUDGE_GEMM_S8_OPERANDS_CUH
#define GEMMJUDGE_GEMM_S8_OPERANDS_CUH

#include "quantise.cuh"

/* ---- transposing --------------------------------------------------------- */

constexpr int TURN = 128; // rows and columns of a block's square of B
constexpr int TURN_THREADS = 256;
constexpr int TURN_STRIDE = TURN / 4 + 1; // words; odd, so that neither way has bank conflicts

/* Four neighbouring bytes of row k, zeros outside of B. */
static __device__ __forceinline__ uint32_t four_load(const int8_t *B, int K, int N, int k, int n,
													 bool words)
{
	const int8_t *from = B + (size_t)k * N + n;
	if (k >= K)
		return 0;
	if (words && n < N)
		return *(const uint32_t *)from;
	uint32_t four = 0;
#pragma unroll
	for (int i = 0; i < 4; i++)
		if (n + i < N)
			four |= (uint32_t)(uint8_t)from[i] << 8 * i;
	return four;
}

/* Byte j of word i and byte i of word j change places. */
static __device__ __forceinline__ void bytes_transpose(uint32_t (&x)[4])
{
	uint32_t low01 = __byte_perm(x[0], x[1], 0x5140), low23 = __byte_perm(x[2], x[3], 0x5140);
	uint32_t high01 = __byte_perm(x[0], x[1], 0x7362), high23 = __byte_perm(x[2], x[3], 0x7362);
	x[0] = __byte_perm(low01, low23, 0x5410);
	x[1] = __byte_perm(low01, low23, 0x7632);
	x[2] = __byte_perm(high01, high23, 0x5410);
	x[3] = __byte_perm(high01, high23, 0x7632);
}

/* B (K x N) into `to` (N x ld), zeros behind K; ld is a multiple of 4 and so is its
 * address. `words`: N is one, too, and so is the address of B. */
static __global__ void __launch_bounds__(TURN_THREADS)
	transpose(const int8_t *B, int8_t *to, int K, int N, int ld, bool words)
{
	constexpr int PIECES = TURN / 4 * (TURN / 4) / TURN_THREADS; // of 4 x 4 bytes, for a thread
	__shared__ uint32_t turned[TURN * TURN_STRIDE];
	int squares_k = (ld + TURN - 1) / TURN; // all on x: a grid has no more than 65535 along y
	int k0 = blockIdx.x % squares_k * TURN, n0 = blockIdx.x / squares_k * TURN;
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

	/* A warp's lanes are 8 along N, so that they read whole sectors, by 4 along K. */
	int k = warp * 16 + lane / 8 * 4;
	uint32_t piece[PIECES][4];
#pragma unroll
	for (int p = 0; p < PIECES; p++)
#pragma unroll
		for (int i = 0; i < 4; i++)
			piece[p][i] = four_load(B, K, N, k0 + k + i, n0 + p * 32 + lane % 8 * 4, words);
#pragma unroll
	for (int p = 0; p < PIECES; p++) {
		bytes_transpose(piece[p]);
#pragma unroll
		for (int i = 0; i < 4; i++)
			turned[(p * 32 + lane % 8 * 4 + i) * TURN_STRIDE + k / 4] = piece[p][i];
	}
	__syncthreads();
	for (int n = warp; n < TURN && n0 + n < N; n += TURN_THREADS / 32)
		if (k0 + lane * 4 < ld)
			*(uint32_t *)(to + (size_t)(n0 + n) * ld + k0 + lane * 4) =
				turned[n * TURN_STRIDE + lane];
}

static inline void transpose_start(const int8_t *B, int8_t *to, int K, int N, int ld)
{
	int squares = ((ld + TURN - 1) / TURN) * ((N + TURN - 1) / TURN);
	bool words = N % 4 == 0 && (uintptr_t)B % 4 == 0;
	transpose<<<squares, TURN_THREADS>>>(B, to, K, N, ld, words);
}

/* ---- sums of rows -------------------------------------------------------- */

constexpr int SUM_WARPS = 8;

/* A warp a row. The columns of B are rows, too, once it is transposed. */
static __global__ void __launch_bounds__(SUM_WARPS * 32)
	row_sums(const int8_t *X, int rows, int columns, int ld, int *sums)
{
	int row = blockIdx.x * SUM_WARPS + threadIdx.x / 32, sum = 0;
	if (row >= rows)
		return;
	for (int k = threadIdx.x % 32; k < columns; k += 32)
		sum += X[(size_t)row * ld + k];
	sum = __reduce_add_sync(0xFFFFFFFF, sum);
	if (threadIdx.x % 32 == 0)
		sums[row] = sum;
}

static inline void row_sums_start(const int8_t *X, int rows, int columns, int ld, int *sums)
{
	row_sums<<<(rows + SUM_WARPS - 1) / SUM_WARPS, SUM_WARPS * 32>>>(X, rows, columns, ld, sums);
}

/* ---- zero points --------------------------------------------------------- */

/* What is added to sum(A B) for the zero points. */
struct zero_points {
	int A, B, K;
	const int *a_sums; // of A's rows; read where B has a zero point
	const int *b_sums; // of B's columns; read where A has one

	__device__ __forceinline__ int of_row(int row) const
	{
		return B != 0 ? B * (K * A - a_sums[row]) : 0;
	}
	__device__ __forceinline__ int of_column(int column) const
	{
		return A != 0 ? -A * b_sums[column] : 0;
	}
};

#endif
