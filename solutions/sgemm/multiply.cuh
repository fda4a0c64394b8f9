/* The pipelined block product that 12_multistage, the Strassen steps, the batched
 * products and ffma share: one thread block's tile of A*B, left in registers.
 *
 * Three levels hold operands at the same time: STAGES pairs of tiles in shared
 * memory, of which all but one are still in flight from global memory; the
 * fragments for the next k on their way into registers; the fragments of this k
 * in the FMAs. Nothing waits for what it has only just requested. */
#ifndef GEMMJUDGE_SGEMM_MULTIPLY_CUH
#define GEMMJUDGE_SGEMM_MULTIPLY_CUH

#include "async.cuh"
#include "epilogue.cuh"
#include "lanes.cuh"

/* A block computes BLOCK_M x BLOCK_N outputs, a warp of it WARP_M x WARP_N, in
 * sub-tiles of 4 LANES_M x 4 LANES_N (32 x 16) of which every lane has a 4 x 4 piece. */
template <int BLOCK_M_, int BLOCK_N_, int WARP_M, int WARP_N, int STAGES_ = 3, int LANES_M_ = 8,
		  int BLOCK_K_ = 8>
struct multiply_shape {
	static constexpr int BLOCK_M = BLOCK_M_;
	static constexpr int BLOCK_N = BLOCK_N_;
	static constexpr int BLOCK_K = BLOCK_K_;
	static constexpr int STAGES = STAGES_;
	static constexpr int V = 4;
	static constexpr int LANES_M = LANES_M_;
	static constexpr int LANES_N = 32 / LANES_M;
	static constexpr int SUB_M = LANES_M * V;
	static constexpr int SUB_N = LANES_N * V;
	static constexpr int COUNT_M = WARP_M / SUB_M;
	static constexpr int COUNT_N = WARP_N / SUB_N;
	static constexpr int WARPS_N = BLOCK_N / WARP_N;
	static constexpr int THREADS = BLOCK_M / WARP_M * WARPS_N * 32;
	static constexpr int LD_A = (BLOCK_M + 31) / 32 * 32 + 4;

	static_assert(WARP_M % SUB_M == 0 && WARP_N % SUB_N == 0, "sub-tiles tile the warp's tile");
	static_assert(BLOCK_M % WARP_M == 0 && BLOCK_N % WARP_N == 0, "warps tile the block");
	static_assert(BLOCK_K % 2 == 0, "fragments change places an even number of times");

	struct tiles {
		alignas(16) float a[STAGES][BLOCK_K * LD_A];
		alignas(16) float b[STAGES][BLOCK_K * BLOCK_N];
	};

	/* Outputs of a thread: sum[m][i][n] are four neighbours in a row. */
	struct sums {
		float at[COUNT_M][V][COUNT_N][V];
	};
	struct fragment {
		epilogue_vector<float, V> a[COUNT_M], b[COUNT_N];
	};

	static __device__ __forceinline__ int warp()
	{
		return threadIdx.x / 32;
	}

	/* This thread's first output in the block's tile; lanes.cuh says why lanes lie so. */
	static __device__ __forceinline__ int row()
	{
		return warp() / WARPS_N * WARP_M + lane_row<multiply_shape>(threadIdx.x % 32) * V;
	}
	static __device__ __forceinline__ int column()
	{
		return warp() % WARPS_N * WARP_N + lane_column<multiply_shape>(threadIdx.x % 32) * V;
	}

	/* `a` and `b`: this thread's first word of the tiles. */
	static __device__ __forceinline__ void read(fragment &to, const float *a, const float *b, int k)
	{
#pragma unroll
		for (int m = 0; m < COUNT_M; m++)
			to.a[m] = *(const epilogue_vector<float, V> *)&a[k * LD_A + m * SUB_M];
#pragma unroll
		for (int n = 0; n < COUNT_N; n++)
			to.b[n] = *(const epilogue_vector<float, V> *)&b[k * BLOCK_N + n * SUB_N];
	}

	/* In the order of lanes.cuh. */
	static __device__ __forceinline__ void add_product(sums &sum, const fragment &f)
	{
#pragma unroll
		for (int column = 0; column < COUNT_N * V; column++)
#pragma unroll
			for (int step = 0; step < COUNT_M * V; step++) {
				int n = column / V, j = column % V;
				int row = evens_first<V>(snake(column, step, COUNT_M * V)), m = row / V,
					i = row % V;
				sum.at[m][i][n][j] += f.a[m].at[i] * f.b[n].at[j];
			}
	}

	/* sum = A*B for the tile whose corner is (row0, column0) of the M x N product.
	 * lda and ldb are row lengths; VECTOR_B is 4 where rows of B are aligned to
	 * 16 bytes and N is a multiple of 4, else 1. */
	template <int VECTOR_B>
	static __device__ __forceinline__ void run(tiles &shared, sums &sum, const float *A, int lda,
											   const float *B, int ldb, int M, int N, int K,
											   int row0, int column0)
	{
		static_assert(sizeof(tiles) <= 48 * 1024, "static shared memory");
		async_tile_a<BLOCK_M, BLOCK_K, LD_A, THREADS> copies_a(M - row0, lda);
		async_tile_b<BLOCK_K, BLOCK_N, THREADS, VECTOR_B> copies_b(column0, N, ldb);
		const float *a_from = A + (size_t)row0 * lda; // where the next tiles are (async.cuh)
		const float *b_from = B;
		int tiles = (K + BLOCK_K - 1) / BLOCK_K;
		int depth = K - (tiles - 1) * BLOCK_K; // of the first tile

		copies_a.copy_first(shared.a[0], a_from, depth);
		copies_b.copy_first(shared.b[0], b_from, depth);
		__pipeline_commit();
		a_from += depth;
		b_from += (size_t)depth * ldb;
		int fetched = 1;
		auto fetch = [&](int stage) { // a group is committed even if there is nothing left
			if (fetched < tiles) {
				copies_a.copy(shared.a[stage], a_from);
				copies_b.copy(shared.b[stage], b_from);
				a_from += BLOCK_K;
				b_from += (size_t)BLOCK_K * ldb;
				fetched++;
			}
			__pipeline_commit();
		};
#pragma unroll
		for (int stage = 1; stage < STAGES - 1; stage++)
			fetch(stage);

		const int in_a = row(), in_b = column();
		const float *a = shared.a[0] + in_a, *b = shared.b[0] + in_b;
		int reading = 0, writing = STAGES - 1;
		fragment f[2];
		__pipeline_wait_prior(STAGES - 2);
		__syncthreads();
		read(f[0], a, b, 0);

		for (int tile = 0; tile < tiles; tile++) {
#pragma unroll
			for (int k = 0; k < BLOCK_K; k++) {
				if (k == BLOCK_K - 1) {
					/* The next stage has arrived, for everybody. Everybody has also
					 * read the last fragments of the present one, which the copies
					 * of the next round may therefore overwrite. */
					__pipeline_wait_prior(STAGES - 2);
					__syncthreads();
					reading = reading + 1 < STAGES ? reading + 1 : 0;
					a = shared.a[reading] + in_a;
					b = shared.b[reading] + in_b;
				}
				if (k < BLOCK_K - 1 || tile + 1 < tiles)
					read(f[(k + 1) % 2], a, b, (k + 1) % BLOCK_K);
				if (k == 0) {
					fetch(writing);
					writing = writing + 1 < STAGES ? writing + 1 : 0;
				}
				add_product(sum, f[k % 2]);
			}
		}
	}

	/* Hands the runs of four outputs of every row, SUB_N columns apart, to use(row, column, runs).
	 */
	template <class Use>
	static __device__ __forceinline__ void rows(const sums &sum, int row0, int column0, Use use)
	{
#pragma unroll
		for (int m = 0; m < COUNT_M; m++)
#pragma unroll
			for (int i = 0; i < V; i++)
				use(row0 + row() + m * SUB_M + i, column0 + column(), sum.at[m][i]);
	}

	/* Hands every run of four outputs to use(row, column, values). */
	template <class Use>
	static __device__ __forceinline__ void each(const sums &sum, int row0, int column0, Use use)
	{
		rows(sum, row0, column0, [&](int row, int column, const float(&x)[COUNT_N][V]) {
#pragma unroll
			for (int n = 0; n < COUNT_N; n++)
				use(row, column + n * SUB_N, x[n]);
		});
	}

	/* Every output through the epilogue. */
	static __device__ __forceinline__ void store(const epilogue<float> &out, const sums &sum,
												 int row0, int column0)
	{
		rows(sum, row0, column0, [&](int row, int column, const float(&x)[COUNT_N][V]) {
			out.store_runs<SUB_N>(row, column, x);
		});
	}
};

/* Tiles for large, middle and small products; 0 is the fastest per output where
 * there are enough tiles of it for all SMs. */
typedef multiply_shape<128, 256, 64, 64> multiply_large;
typedef multiply_shape<128, 128, 64, 32> multiply_middle;
typedef multiply_shape<64, 64, 32, 32> multiply_small;

#endif
