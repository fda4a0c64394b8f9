/* Weights become half in registers, on their way into the tensor cores.
 *
 * Idea: of mma.m16n8k16 a lane holds, for each register of its second operand, two neighbours along
 * K of one column: of W two nibbles of one row, so exactly one byte. So W lies in shared memory as
 * it came, four bits a weight; a lane reads the byte of its register and makes two halves of it
 * by three instructions (nibbles.cuh). Nothing is written back.
 *
 * nibble - 8 is exact in half, nibble - 8 times a scale is not. So the tensor cores sum x times
 * nibble - 8 over a group, and the sum is multiplied by the group's scale in f32 while it is
 * added to the others: W is never rounded. That takes two sets of sums.
 *
 * Changes from 01_naive: all but the meaning of a byte; tiled.cuh is the step between, tiles
 * without tensor cores. For tiles of blocks and warps see
 * gemm_bf16/07_mma, which this is with plain loads from padded rows. Groups that are no multiple
 * of 16, and rows that are not aligned to 4 bytes, go to tiled.cuh.
 *
 * Arithmetic intensity: 2*128*128 FLOP for 256 + 64 bytes of each k, 102 FLOP per byte of the
 * caches. From shared memory a warp's 64x32 tile takes 64 halves and 32 nibbles, 28 FLOP a byte.
 *
 * Bound by latency, says `explain` (H200, 4096x4096x4096x128): 965 of 1327 us a block
 * waits for a tile with nothing loaded ahead, alone on its multiprocessor, as two sets of
 * sums take 191 registers a thread. Making the weights costs a fifth of the instructions; the
 * tensor cores' part is 214 us. 02_wgmma keeps the idea, and has its loads ahead by TMA.
 *
 * reached: not measured */
#include "nibbles.cuh"
#include "tiled.cuh"

constexpr int BLOCK_M = 128; // rows of x
constexpr int BLOCK_N = 128; // rows of W
constexpr int BLOCK_K = 64;
constexpr int WARP_M = 64;
constexpr int WARP_N = 32;
constexpr int MMA_M = 16;
constexpr int MMA_N = 8;
constexpr int MMA_K = 16;
constexpr int WARPS_N = BLOCK_N / WARP_N;
constexpr int THREADS = BLOCK_M / WARP_M * WARPS_N * 32;
constexpr int COUNT_M = WARP_M / MMA_M;
constexpr int COUNT_N = WARP_N / MMA_N;
constexpr int X_WORDS = BLOCK_K / 2; // of 4 bytes, in a row of a tile
constexpr int W_WORDS = BLOCK_K / 8;
constexpr int X_LD = X_WORDS + 4; // 8 rows, 36 words apart, and 4 words of each: 32 banks
constexpr int W_LD = W_WORDS + 1; // 8 rows, 9 words apart: 8 banks, and lanes share a word

/* sum += x * w, 16x16 by 16x8. */
static __device__ __forceinline__ void mma_m16n8k16(float (&sum)[4], const uint32_t (&x)[4],
													const uint32_t (&w)[2])
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
				 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
				 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
				 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(w[0]), "r"(w[1]));
}

/* ROWS x WORDS words from row0 and word0 on, zeros outside; `length` words a row. */
template <int ROWS, int WORDS, int LD>
static __device__ __forceinline__ void load_words(uint32_t (*tile)[LD], const uint32_t *from,
												  int rows, int length, int row0, int word0)
{
#pragma unroll
	for (int i = threadIdx.x; i < ROWS * WORDS; i += THREADS) {
		int row = row0 + i / WORDS, word = word0 + i % WORDS;
		bool exists = row < rows && word < length;
		tile[i / WORDS][i % WORDS] = exists ? from[(size_t)row * length + word] : 0;
	}
}

static __global__ void __launch_bounds__(THREADS)
	gemm_registers(const half *x, const uint8_t *w_q, const half *scales, int M, int N, int K,
				   int group_size, epilogue<half> out)
{
	__shared__ uint32_t tile_x[BLOCK_M][X_LD], tile_w[BLOCK_N][W_LD];

	int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
	int warp_m = warp / WARPS_N * WARP_M, warp_n = warp % WARPS_N * WARP_N;
	int row0 = blockIdx.y * BLOCK_M, column0 = blockIdx.x * BLOCK_N;
	uint32_t selector = weights_selector(q); // this lane's byte of a word
	float sum[COUNT_M][COUNT_N][4] = {}, part[COUNT_M][COUNT_N][4] = {};

	for (int k0 = 0; k0 < K; k0 += BLOCK_K) {
		load_words<BLOCK_M, X_WORDS>(tile_x, (const uint32_t *)x, M, K / 2, row0, k0 / 2);
		load_words<BLOCK_N, W_WORDS>(tile_w, (const uint32_t *)w_q, N, K / 8, column0, k0 / 8);
		__syncthreads();
#pragma unroll
		for (int k = 0; k < BLOCK_K && k0 + k < K; k += MMA_K) {
			uint32_t a[COUNT_M][4], b[COUNT_N][2];
#pragma unroll
			for (int i = 0; i < COUNT_M; i++)
#pragma unroll
				for (int r = 0; r < 4; r++)
					a[i][r] = tile_x[warp_m + i * MMA_M + r % 2 * 8 + g][k / 2 + r / 2 * 4 + q];
#pragma unroll
			for (int j = 0; j < COUNT_N; j++)
#pragma unroll
				for (int r = 0; r < 2; r++)
					b[j][r] = weights_pair(tile_w[warp_n + j * MMA_N + g][k / 8 + r], selector);
#pragma unroll
			for (int i = 0; i < COUNT_M; i++)
#pragma unroll
				for (int j = 0; j < COUNT_N; j++)
					mma_m16n8k16(part[i][j], a[i], b[j]);

			if ((k0 + k + MMA_K) % group_size != 0)
				continue;
			/* The group ends: its sums are scaled. */
			const half *scale = scales + (k0 + k) / group_size;
#pragma unroll
			for (int j = 0; j < COUNT_N; j++)
#pragma unroll
				for (int e = 0; e < 2; e++) {
					int column = min(column0 + warp_n + j * MMA_N + q * 2 + e, N - 1);
					float s = __half2float(scale[(size_t)column * (K / group_size)]);
#pragma unroll
					for (int i = 0; i < COUNT_M; i++)
#pragma unroll
						for (int r = e; r < 4; r += 2) {
							sum[i][j][r] += part[i][j][r] * s;
							part[i][j][r] = 0.0f;
						}
				}
		}
		__syncthreads();
	}

#pragma unroll
	for (int i = 0; i < COUNT_M; i++)
#pragma unroll
		for (int j = 0; j < COUNT_N; j++)
#pragma unroll
			for (int r = 0; r < 2; r++) {
				float pair[2] = {sum[i][j][r * 2], sum[i][j][r * 2 + 1]};
				out.store(row0 + warp_m + i * MMA_M + r * 8 + g,
						  column0 + warp_n + j * MMA_N + q * 2, pair);
			}
}

extern "C" void solve(const half *x, const uint8_t *w_q, const half *scales, half *y, int M, int N,
					  int K, int group_size)
{
	epilogue<half> out = epilogue_make(y, M, N);
	if (group_size % MMA_K != 0 || (uintptr_t)x % 4 != 0 || (uintptr_t)w_q % 4 != 0) {
		tiled_launch(x, w_q, scales, M, N, K, group_size, out);
		return;
	}
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	gemm_registers<<<grid, THREADS>>>(x, w_q, scales, M, N, K, group_size, out);
}
