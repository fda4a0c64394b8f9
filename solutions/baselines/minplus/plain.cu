/* What a min-plus product is measured against: no library has it, so this is a
 * plain kernel of ours. Squares of A and B in shared memory, a 4x4 tile of C in the
 * registers of each thread, and nothing that a compiler would not do by itself.
 *
 * Beyond the edges of A and B the last row or column is read once more, which a
 * minimum does not mind. */
#include <cuda_runtime.h>

constexpr int TILE = 64;       // rows and columns of C that a block computes
constexpr int DEPTH = 16;      // of the tiles of A and B
constexpr int THREAD_TILE = 4; // rows and columns of C that a thread computes
constexpr int SIDE = TILE / THREAD_TILE;
constexpr int THREADS = SIDE * SIDE;

static_assert(TILE * DEPTH % THREADS == 0, "every thread loads as many elements");

static __global__ void __launch_bounds__(THREADS)
	minplus_plain(const float *A, const float *B, float *C, int M, int N, int K)
{
	__shared__ float tile_a[DEPTH]
						   [TILE + 1]; // a column of A at a time; the pad spreads it over banks
	__shared__ float tile_b[DEPTH][TILE];

	int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
	int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
	float best[THREAD_TILE][THREAD_TILE];
	for (int i = 0; i < THREAD_TILE; i++)
		for (int j = 0; j < THREAD_TILE; j++)
			best[i][j] = INFINITY;

	for (int k0 = 0; k0 < K; k0 += DEPTH) {
		for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
			int row = min(row0 + i / DEPTH, M - 1), k_a = min(k0 + i % DEPTH, K - 1);
			int column = min(column0 + i % TILE, N - 1), k_b = min(k0 + i / TILE, K - 1);
			tile_a[i % DEPTH][i / DEPTH] = A[(size_t)row * K + k_a];
			tile_b[i / TILE][i % TILE] = B[(size_t)k_b * N + column];
		}
		__syncthreads();
#pragma unroll
		for (int k = 0; k < DEPTH; k++) {
			float a[THREAD_TILE], b[THREAD_TILE];
#pragma unroll
			for (int i = 0; i < THREAD_TILE; i++) {
				a[i] = tile_a[k][y + i * SIDE];
				b[i] = tile_b[k][x + i * SIDE];
			}
#pragma unroll
			for (int i = 0; i < THREAD_TILE; i++)
#pragma unroll
				for (int j = 0; j < THREAD_TILE; j++)
					best[i][j] = fminf(best[i][j], a[i] + b[j]);
		}
		__syncthreads();
	}

#pragma unroll
	for (int i = 0; i < THREAD_TILE; i++)
#pragma unroll
		for (int j = 0; j < THREAD_TILE; j++) {
			int row = row0 + y + i * SIDE, column = column0 + x + j * SIDE;
			if (row < M && column < N)
				C[(size_t)row * N + column] = best[i][j];
		}
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
	minplus_plain<<<grid, THREADS>>>(A, B, C, M, N, K);
}
