/* Tensor cores by mma.sync on integers: 4096 products of int8_t an instruction, summed exactly in
 * int.
 *
 * Idea: mma.m16n8k32 wants four neighbours along K in each register, of A's rows and of B's
 * columns. A has them so in memory. B, row-major, has neighbours along N: a thread loads 4 x 4
 * bytes of it and transposes them in registers (eight byte permutations, operands.cuh), so that the
 * tile of B lies in shared memory column by column.
 *
 * (A - zA) (B - zB) does not fit into 8 bits, so that the tensor cores see A and B as they are:
 *
 *     sum((A - zA) (B - zB)) = sum(A B) - zB sum(A) - zA sum(B) + K zA zB
 *
 * The sums of A's rows and B's columns are made of the fragments that a warp has in registers
 * anyway, by dp4a with ones: each lane adds its four bytes, and four lanes have a row.
 *
 * Changes from 01_naive: all of the product; what quantises a sum is as before. A step between,
 * tiles without tensor cores, would be gemm_bf16/02_tiled. For the tiles of
 * blocks and warps see gemm_bf16/07_mma, which this is with another type and plain loads.
 *
 * Arithmetic intensity: 2*128*128 operations for 256 bytes of each k, 128 per byte of the caches;
 * from shared memory a warp's 64x32 tile reads 96 bytes for 4096 operations, 43 per byte.
 *
 * Bound by addresses and conditions, says `explain` (H200, 8192x4096x2048): 377 of
 * 641 us, of which the tensor cores take 107; loading B alone, four bytes at a time, is
 * half of it. Next is the wait for tiles with nothing loaded ahead, 278 us. 02_wgmma
 * has neither: B is transposed once, by a kernel of its own, and TMA computes
 * addresses.
 *
 * reached: not measured */
#include "operands.cuh"

constexpr int BLOCK_M = 128;
constexpr int BLOCK_N = 128;
constexpr int BLOCK_K = 64; // bytes
constexpr int WARP_M = 64;
constexpr int WARP_N = 32;
constexpr int MMA_M = 16;
constexpr int MMA_N = 8;
constexpr int MMA_K = 32;
constexpr int WARPS_N = BLOCK_N / WARP_N;
constexpr int THREADS = BLOCK_M / WARP_M * WARPS_N * 32;
constexpr int COUNT_M = WARP_M / MMA_M;
constexpr int COUNT_N = WARP_N / MMA_N;
constexpr int WORDS = BLOCK_K / 4; // of a row of a tile
constexpr int LD = WORDS + 4;      // 8 rows, 20 words apart, and 4 words of each: 32 banks

/* sum += a * b, 16x32 by 32x8. With g = lane / 4 and q = lane % 4 a lane holds, of A, bytes
 * 4q to 4q+3 of rows g and g+8, and the same 16 further on; of B these of column g; of the sums
 * (g, 2q), (g, 2q+1), (g+8, 2q), (g+8, 2q+1). */
static __device__ __forceinline__ void mma_m16n8k32(int (&sum)[4], const uint32_t (&a)[4],
													const uint32_t (&b)[2])
{
	asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
				 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
				 : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
				 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* The sum of a word's four bytes is added. */
static __device__ __forceinline__ void add_bytes(int &sum, uint32_t word)
{
	sum = __dp4a((int)word, 0x01010101, sum);
}

static __device__ __forceinline__ void load_a(uint32_t (*tile)[LD], const int8_t *A, int M, int K,
											  int row0, int k0, bool words)
{
#pragma unroll
	for (int i = threadIdx.x; i < BLOCK_M * WORDS; i += THREADS)
		tile[i / WORDS][i % WORDS] =
			four_load(A, M, K, row0 + i / WORDS, k0 + i % WORDS * 4, words);
}

static __device__ __forceinline__ void load_b(uint32_t (*tile)[LD], const int8_t *B, int K, int N,
											  int k0, int column0, bool words)
{
#pragma unroll
	for (int i = threadIdx.x; i < BLOCK_N / 4 * WORDS; i += THREADS) {
		/* A warp's lanes are 8 along N, so that they read whole sectors, by 4 along K. */
		int n = (i % 8 + i / 32 % (BLOCK_N / 32) * 8) * 4, k = i / 8 % 4 + i / BLOCK_N * 4;
		uint32_t piece[4];
#pragma unroll
		for (int j = 0; j < 4; j++)
			piece[j] = four_load(B, K, N, k0 + k * 4 + j, column0 + n, words);
		bytes_transpose(piece);
#pragma unroll
		for (int j = 0; j < 4; j++)
			tile[n + j][k] = piece[j];
	}
}

/* words_a, words_b: whether four bytes of a row can be loaded at once. */
static __global__ void __launch_bounds__(THREADS)
	gemm_mma(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K, quantisation q,
			 bool words_a, bool words_b)
{
	__shared__ uint32_t tile_a[BLOCK_M][LD], tile_b[BLOCK_N][LD];

	int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, q4 = threadIdx.x % 4;
	int warp_m = warp / WARPS_N * WARP_M, warp_n = warp % WARPS_N * WARP_N;
	int row0 = blockIdx.y * BLOCK_M, column0 = blockIdx.x * BLOCK_N;
	int sum[COUNT_M][COUNT_N][4] = {}, of_row[COUNT_M][2] = {}, of_column[COUNT_N] = {};

	for (int k0 = 0; k0 < K; k0 += BLOCK_K) {
		load_a(tile_a, A, M, K, row0, k0, words_a);
		load_b(tile_b, B, K, N, k0, column0, words_b);
		__syncthreads();
#pragma unroll
		for (int k = 0; k < WORDS; k += MMA_K / 4) {
			uint32_t a[COUNT_M][4], b[COUNT_N][2];
#pragma unroll
			for (int i = 0; i < COUNT_M; i++)
#pragma unroll
				for (int r = 0; r < 4; r++) {
					a[i][r] = tile_a[warp_m + i * MMA_M + r % 2 * 8 + g][k + r / 2 * 4 + q4];
					add_bytes(of_row[i][r % 2], a[i][r]);
				}
#pragma unroll
			for (int j = 0; j < COUNT_N; j++)
#pragma unroll
				for (int r = 0; r < 2; r++) {
					b[j][r] = tile_b[warp_n + j * MMA_N + g][k + r * 4 + q4];
					add_bytes(of_column[j], b[j][r]);
				}
#pragma unroll
			for (int i = 0; i < COUNT_M; i++)
#pragma unroll
				for (int j = 0; j < COUNT_N; j++)
					mma_m16n8k32(sum[i][j], a[i], b[j]);
		}
		__syncthreads();
	}

	/* Four lanes have a row's, or a column's, sum together. */
#pragma unroll
	for (int apart = 1; apart < 4; apart *= 2) {
#pragma unroll
		for (int i = 0; i < COUNT_M; i++)
#pragma unroll
			for (int r = 0; r < 2; r++)
				of_row[i][r] += __shfl_xor_sync(0xffffffffu, of_row[i][r], apart);
#pragma unroll
		for (int j = 0; j < COUNT_N; j++)
			of_column[j] += __shfl_xor_sync(0xffffffffu, of_column[j], apart);
	}
#pragma unroll
	for (int j = 0; j < COUNT_N; j++)
#pragma unroll
		for (int e = 0; e < 2; e++) {
			/* Column 2q + e is summed by the lanes with that g. */
			int sum_b = __shfl_sync(0xffffffffu, of_column[j], (q4 * 2 + e) * 4);
			int column = column0 + warp_n + j * MMA_N + q4 * 2 + e;
#pragma unroll
			for (int i = 0; i < COUNT_M; i++)
#pragma unroll
				for (int r = 0; r < 2; r++) {
					int row = row0 + warp_m + i * MMA_M + r * 8 + g;
					int x = sum[i][j][r * 2 + e] - q.zero_point_B * of_row[i][r] -
							q.zero_point_A * sum_b + K * q.zero_point_A * q.zero_point_B;
					if (row < M && column < N)
						C[(size_t)row * N + column] = q.quantise(x);
				}
		}
}

extern "C" void solve(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K,
					  float scale_A, float scale_B, float scale_C, int zero_point_A,
					  int zero_point_B, int zero_point_C)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	quantisation q =
		quantisation_make(scale_A, scale_B, scale_C, zero_point_A, zero_point_B, zero_point_C);
	gemm_mma<<<grid, THREADS>>>(A, B, C, M, N, K, q, K % 4 == 0 && (uintptr_t)A % 4 == 0,
								N % 4 == 0 && (uintptr_t)B % 4 == 0);
}
