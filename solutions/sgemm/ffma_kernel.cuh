/* The kernel of ffma.cuh: one tile of C for a block, or for the blocks of a cluster, by FMAs.
 *
 * The inner loop is multiply.cuh's: operands come by cp.async, stages ahead; the fragments of the
 * next k are read from shared memory, 16 bytes a lane, while those of this k are multiplied.
 *
 * Blocks that share a tile each multiply their part of K, put their sums into their own shared
 * memory, and add up and store their own part of the tile's rows, reading the others' through
 * distributed shared memory (PTX ISA 5.1.5). Nothing is left in global memory between calls. */
#ifndef GEMMJUDGE_SGEMM_FFMA_KERNEL_CUH
#define GEMMJUDGE_SGEMM_FFMA_KERNEL_CUH

#include <cooperative_groups.h>
#include <limits.h>

#include "ffma_product.cuh"
#include "multiply.cuh"

/* The blocks that share a tile: a cluster, or one block. */
struct ffma_sharers {
#if __CUDA_ARCH__ >= 900
	static __device__ __forceinline__ int count()
	{
		return (int)cooperative_groups::this_cluster().num_blocks();
	}
	static __device__ __forceinline__ int rank()
	{
		return (int)cooperative_groups::this_cluster().block_rank();
	}
	static __device__ __forceinline__ float *shared(float *mine, int block)
	{
		return cooperative_groups::this_cluster().map_shared_rank(mine, block);
	}
	static __device__ __forceinline__ void sync()
	{
		cooperative_groups::this_cluster().sync();
	}
#else
	static __device__ __forceinline__ int count()
	{
		return 1;
	}
	static __device__ __forceinline__ int rank()
	{
		return 0;
	}
	static __device__ __forceinline__ float *shared(float *mine, int)
	{
		return mine;
	}
	static __device__ __forceinline__ void sync()
	{
		__syncthreads();
	}
#endif
};

/* Four sums into shared memory. A store of 16 bytes takes four registers in a row. Adding 0 puts
 * them into other registers than the sums', which else would lie so that the loop reads more of
 * them from one bank (NOTES.md, "Two places for one sum"). */
static __device__ __forceinline__ void ffma_put(float *at, const float (&x)[4])
{
	*(float4 *)at = make_float4(0 + x[0], 0 + x[1], 0 + x[2], 0 + x[3]);
}

/* The sums of a BLOCK_M x BLOCK_N tile that the blocks of a cluster share, each with its part of K:
 * adds them up and stores this block's part of the tile, WIDTH values at a time (1 where rows of C
 * are not aligned), of which a thread has 16 in flight. `mine`: this block's sums, in rows LD
 * apart, at the same place in each block's shared memory. */
template <int BLOCK_M, int BLOCK_N, int LD, int THREADS, int WIDTH>
static __device__ __forceinline__ void ffma_add_parts(float *mine, const ffma_product &p,
													  const epilogue<float> &out, int batch,
													  int row0, int column0)
{
	constexpr int CHUNKS = BLOCK_N / WIDTH, ALL = BLOCK_M * CHUNKS, MANY = 16 / WIDTH;
	typedef epilogue_vector<float, WIDTH> vector;
	int split = ffma_sharers::count(), apart = THREADS * split;
	ffma_sharers::sync();
	for (int first = (int)threadIdx.x + ffma_sharers::rank() * THREADS; first < ALL;
		 first += MANY * apart) {
		float x[MANY][WIDTH] = {};
#pragma unroll 2
		for (int other = 0; other < split; other++) { // the same order in every block
			const float *theirs = ffma_sharers::shared(mine, other);
#pragma unroll
			for (int i = 0; i < MANY; i++) {
				int at = min(first + i * apart, ALL - 1);
				vector part = *(const vector *)&theirs[at / CHUNKS * LD + at % CHUNKS * WIDTH];
#pragma unroll
				for (int j = 0; j < WIDTH; j++)
					x[i][j] += part.at[j];
			}
		}
		out.by_lanes().store_all((batch + 1) * p.M, x, [&](int i, int &row, int &column) {
			int at = first + i * apart;
			row = at < ALL ? batch * p.M + row0 + at / CHUNKS : INT_MAX;
			column = column0 + at % CHUNKS * WIDTH;
		});
	}
	ffma_sharers::sync(); // nobody ends whose sums are still read
}

/* Blocks of a cluster: each has the sums of its part of K. */
template <class Shape, int WIDTH>
static __device__ __forceinline__ void
ffma_reduce(char *shared, const typename Shape::sums &sum, const ffma_product &p,
			const epilogue<float> &out, int batch, int row0, int column0)
{
	float *mine = (float *)shared;
	__syncthreads(); // everybody has read the last fragments
	Shape::each(sum, 0, 0, [&](int row, int column, const float(&x)[Shape::V]) {
		ffma_put(&mine[row * Shape::BLOCK_N + column], x);
	});
	ffma_add_parts<Shape::BLOCK_M, Shape::BLOCK_N, Shape::BLOCK_N, Shape::THREADS, WIDTH>(
		mine, p, out, batch, row0, column0);
}

/* A warp's sums into rows of C that are not aligned: through shared memory of its own, some rows
 * at a time. `exchange`: the block's. */
template <class Shape>
static __device__ __forceinline__ void
ffma_store_unaligned(float *exchange, const typename Shape::sums &sum, const ffma_product &p,
					 const epilogue<float> &out, int batch, int row0, int column0)
{
	constexpr int V = Shape::V, LD = Shape::WARP_N + 16; // 16 against bank conflicts
	int lane = threadIdx.x % 32;
	int lane_row0 = lane_row<Shape>(lane) * V, lane_column0 = lane_column<Shape>(lane) * V;
	float *mine = exchange + threadIdx.x / 32 * Shape::LANES_M * LD;
	Shape::rows(sum, row0, column0, [&](int row, int column, const float(&x)[Shape::COUNT_N][V]) {
#pragma unroll
		for (int n = 0; n < Shape::COUNT_N; n++)
			ffma_put(&mine[lane_row0 / V * LD + lane_column0 + n * Shape::SUB_N], x[n]);
		__syncwarp();
		ffma_store_shared<Shape::LANES_M, V, Shape::WARP_N, LD, 1>(
			mine, out, p, batch, row - lane_row0, column - lane_column0);
		__syncwarp();
	});
}

/* Blocks: tiles times `split` (1, if not SPLIT), times the batch. VECTOR_B: 4 where rows of B are
 * aligned to 16 bytes, else 1. */
template <class Shape, int VECTOR_B, bool SPLIT>
static __global__ void __launch_bounds__(Shape::THREADS, Shape::BLOCKS)
	ffma_gemm(const ffma_product p, const ffma_grid grid, int split, const epilogue<float> out)
{
	union shared_memory {
		typename Shape::tiles tiles;
		float sums[SPLIT ? Shape::BLOCK_M * Shape::BLOCK_N : 1];
	};
	static_assert(sizeof(shared_memory) <= 48 * 1024, "static shared memory");
	__shared__ alignas(16) char raw[sizeof(shared_memory)];
	shared_memory &shared = *(shared_memory *)raw;
	int rank = SPLIT ? (int)blockIdx.x % split : 0, m, n, batch = blockIdx.y;
	grid.find(SPLIT ? blockIdx.x / split : blockIdx.x, m, n);
	int row0 = m * Shape::BLOCK_M, column0 = n * Shape::BLOCK_N;
	int begin = (int)((long long)p.K * rank / split);
	int depth = (int)((long long)p.K * (rank + 1) / split) - begin;

	typename Shape::sums sum = {};
	const float *A = p.A + (size_t)batch * p.M * p.K + begin;
	const float *B = p.B + ((size_t)batch * p.K + begin) * p.N;
	Shape::template run<VECTOR_B>(shared.tiles, sum, A, p.K, B, p.N, p.M, p.N, depth, row0,
								  column0);
	if (SPLIT && split > 1)
		ffma_reduce<Shape, VECTOR_B>(raw, sum, p, out, batch, row0, column0);
	else if constexpr (VECTOR_B == 1) { // C's rows are as long as B's
		static_assert(Shape::THREADS / 32 * Shape::LANES_M * (Shape::WARP_N + 16) * sizeof(float) <=
						  sizeof(shared_memory),
					  "the warps' exchange");
		__syncthreads(); // everybody has read the last fragments
		ffma_store_unaligned<Shape>((float *)raw, sum, p, out, batch, row0, column0);
	} else
		Shape::rows(sum, row0, column0,
					[&](int row, int column, const float(&x)[Shape::COUNT_N][Shape::V]) {
						ffma_store<Shape::SUB_N>(out, p, batch, row, column, x);
					});
}

#endif
