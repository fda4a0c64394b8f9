/* The register-tiled min-plus product, for 03_register_tiled and for shortest
 * paths.
 *
 * A block of 256 threads computes 128x128 outputs, a warp 32x64 of them, a
 * thread 8x8 in four pieces of 4x4. The next tiles are fetched into registers
 * while the present ones are worked on. A stands transposed in shared memory, so
 * that both operands are read four at a time. */
#ifndef GEMMJUDGE_MINPLUS_REGISTER_TILE_CUH
#define GEMMJUDGE_MINPLUS_REGISTER_TILE_CUH

#include "epilogue.cuh"

constexpr int MINPLUS_BLOCK_M = 128;
constexpr int MINPLUS_BLOCK_N = 128;
constexpr int MINPLUS_BLOCK_K = 8;
constexpr int MINPLUS_WARP_M = 32;
constexpr int MINPLUS_WARP_N = 64;
constexpr int MINPLUS_WARPS_N = MINPLUS_BLOCK_N / MINPLUS_WARP_N;
constexpr int MINPLUS_THREADS = 256;
constexpr int MINPLUS_LD_A = MINPLUS_BLOCK_M + 4; // against bank conflicts when transposing

static_assert(MINPLUS_BLOCK_M / MINPLUS_WARP_M * MINPLUS_WARPS_N * 32 == MINPLUS_THREADS,
			  "warps tile the block");
static_assert(MINPLUS_WARP_M == 2 * 4 * 4 && MINPLUS_WARP_N == 2 * 8 * 4,
			  "4x8 lanes with two runs of four in either direction");

/* Beyond the end of K, min takes what it has already seen: k stands for a
 * candidate of the last V, the same one in A and in B. */
template <int V> static __device__ __forceinline__ int minplus_k(int k, int K)
{
	return k < K ? k : K - V + k % V;
}

/* V: floats a load, 4 where rows of A and B are aligned, else 1. */
template <int V>
static __global__ void __launch_bounds__(MINPLUS_THREADS, 2)
	minplus_register_tiled(const float *A, const float *B, int M, int N, int K, epilogue<float> out)
{
	typedef epilogue_vector<float, V> chunk;
	typedef epilogue_vector<float, 4> four;
	constexpr int COUNT_A = MINPLUS_BLOCK_M * MINPLUS_BLOCK_K / V / MINPLUS_THREADS;
	constexpr int COUNT_B = MINPLUS_BLOCK_K * MINPLUS_BLOCK_N / V / MINPLUS_THREADS;
	__shared__ alignas(16) float tile_a[2][MINPLUS_BLOCK_K * MINPLUS_LD_A];
	__shared__ alignas(16) float tile_b[2][MINPLUS_BLOCK_K * MINPLUS_BLOCK_N];

	int row0 = blockIdx.y * MINPLUS_BLOCK_M;
	int column0 = blockIdx.x * MINPLUS_BLOCK_N;
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	int row = warp / MINPLUS_WARPS_N * MINPLUS_WARP_M + lane / 8 * 4;
	int column = warp % MINPLUS_WARPS_N * MINPLUS_WARP_N + lane % 8 * 4;

	chunk next_a[COUNT_A], next_b[COUNT_B];
	auto fetch = [&](int k0) {
#pragma unroll
		for (int i = 0; i < COUNT_A; i++) {
			int e = (i * MINPLUS_THREADS + (int)threadIdx.x) * V;
			int r = min(row0 + e / MINPLUS_BLOCK_K, M - 1);
			int k = minplus_k<V>(k0 + e % MINPLUS_BLOCK_K, K);
			next_a[i] = *(const chunk *)&A[(size_t)r * K + k];
		}
#pragma unroll
		for (int i = 0; i < COUNT_B; i++) {
			int e = (i * MINPLUS_THREADS + (int)threadIdx.x) * V;
			int k = minplus_k<V>(k0 + e / MINPLUS_BLOCK_N, K);
			int c = min(column0 + e % MINPLUS_BLOCK_N, N - V);
			next_b[i] = *(const chunk *)&B[(size_t)k * N + c];
		}
	};
	auto put = [&](int buffer) {
#pragma unroll
		for (int i = 0; i < COUNT_A; i++) {
			int e = (i * MINPLUS_THREADS + (int)threadIdx.x) * V;
#pragma unroll
			for (int v = 0; v < V; v++)
				tile_a[buffer][(e % MINPLUS_BLOCK_K + v) * MINPLUS_LD_A + e / MINPLUS_BLOCK_K] =
					next_a[i].at[v];
		}
#pragma unroll
		for (int i = 0; i < COUNT_B; i++)
			*(chunk *)&tile_b[buffer][(i * MINPLUS_THREADS + (int)threadIdx.x) * V] = next_b[i];
	};

	float best[2][4][2][4];
#pragma unroll
	for (int m = 0; m < 2; m++)
#pragma unroll
		for (int i = 0; i < 4; i++)
#pragma unroll
			for (int n = 0; n < 2; n++)
#pragma unroll
				for (int j = 0; j < 4; j++)
					best[m][i][n][j] = INFINITY;

	fetch(0);
	put(0);
	__syncthreads();
	int current = 0;
	for (int k0 = 0; k0 < K; k0 += MINPLUS_BLOCK_K) {
		if (k0 + MINPLUS_BLOCK_K < K)
			fetch(k0 + MINPLUS_BLOCK_K);
#pragma unroll
		for (int k = 0; k < MINPLUS_BLOCK_K; k++) {
			four a[2], b[2];
#pragma unroll
			for (int m = 0; m < 2; m++)
				a[m] = *(const four *)&tile_a[current][k * MINPLUS_LD_A + row + m * 16];
#pragma unroll
			for (int n = 0; n < 2; n++)
				b[n] = *(const four *)&tile_b[current][k * MINPLUS_BLOCK_N + column + n * 32];
#pragma unroll
			for (int m = 0; m < 2; m++)
#pragma unroll
				for (int i = 0; i < 4; i++)
#pragma unroll
					for (int n = 0; n < 2; n++)
#pragma unroll
						for (int j = 0; j < 4; j++)
							best[m][i][n][j] = fminf(best[m][i][n][j], a[m].at[i] + b[n].at[j]);
		}
		if (k0 + MINPLUS_BLOCK_K < K)
			put(current ^ 1); // whose readers have all passed the last barrier
		__syncthreads();
		current ^= 1;
	}

#pragma unroll
	for (int m = 0; m < 2; m++)
#pragma unroll
		for (int i = 0; i < 4; i++)
#pragma unroll
			for (int n = 0; n < 2; n++)
				out.store(row0 + row + m * 16 + i, column0 + column + n * 32, best[m][i][n]);
}

static void minplus_multiply(const float *A, const float *B, float *C, int M, int N, int K)
{
	dim3 grid((N + MINPLUS_BLOCK_N - 1) / MINPLUS_BLOCK_N,
			  (M + MINPLUS_BLOCK_M - 1) / MINPLUS_BLOCK_M);
	epilogue<float> out = epilogue_make(C, M, N);
	bool aligned = K % 4 == 0 && N % 4 == 0 && (uintptr_t)A % 16 == 0 && (uintptr_t)B % 16 == 0;
	if (aligned)
		minplus_register_tiled<4><<<grid, MINPLUS_THREADS>>>(A, B, M, N, K, out);
	else
		minplus_register_tiled<1><<<grid, MINPLUS_THREADS>>>(A, B, M, N, K, out);
}

#endif
