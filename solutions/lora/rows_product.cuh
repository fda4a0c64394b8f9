/* Products of rows with rows by FMAs: X Y^T, whose operands both lie along k, so that none of
 * sgemm's kernels reads them as they are. Of any sizes and alignment. */
#ifndef GEMMJUDGE_LORA_ROWS_PRODUCT_CUH
#define GEMMJUDGE_LORA_ROWS_PRODUCT_CUH

#include "../sgemm/ffma.cuh"

constexpr int ROWS_THREADS = 256, ROWS_SIDE = 16; // threads along either side of a tile
constexpr int ROWS_COLUMNS = 64, ROWS_DEPTH = 16; // of a tile, and of a step along k
constexpr int ROWS_RUN = ROWS_COLUMNS / ROWS_SIDE;

/* X is M x K and Y is N x K. */
struct rows_operands {
	const float *X, *Y;
	int K;
};

/* C = X Y^T for both pairs of operands, the second one's product scaled; without a second one its K
 * is 0. K of the first one is in `splits` pieces, of which each has a plane of M x N sums in C, and
 * the last one the second product, too. With a flag: only if that has this call's number. */
struct rows_product {
	rows_operands first, second;
	float *C;
	int M, N, splits;
	float scale;
	const unsigned *flag;
	unsigned call;
};

/* BLOCK x ROWS_DEPTH of an operand, which a step along k takes: each thread's share on its way in
 * registers, then in shared memory with rows along k. Zeros outside of the operand. */
template <int BLOCK> struct rows_tile {
	static constexpr int COUNT = BLOCK * ROWS_DEPTH / ROWS_THREADS;
	static constexpr int LD = BLOCK + 4; // rows stay aligned to 16 bytes
	float held[COUNT];

	__device__ __forceinline__ void load(const float *from, int rows, int ld, int row0, int k0,
										 int end)
	{
		int k = k0 + (int)threadIdx.x % ROWS_DEPTH;
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			int row = row0 + ((int)threadIdx.x + i * ROWS_THREADS) / ROWS_DEPTH;
			held[i] = row < rows && k < end ? from[(size_t)row * ld + k] : 0.0f;
		}
	}
	__device__ __forceinline__ void put(float *tile) const
	{
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			int e = (int)threadIdx.x + i * ROWS_THREADS;
			tile[e % ROWS_DEPTH * LD + e / ROWS_DEPTH] = held[i];
		}
	}
};

/* A thread has ROWS x ROWS_RUN sums of a tile. */
template <int BLOCK_M> struct rows_block {
	static constexpr int ROWS = BLOCK_M / ROWS_SIDE;
	typedef rows_tile<BLOCK_M> tile_x;
	typedef rows_tile<ROWS_COLUMNS> tile_y;
	struct tiles {
		alignas(16) float x[ROWS_DEPTH * tile_x::LD], y[ROWS_DEPTH * tile_y::LD];
	};
	struct sums {
		float at[ROWS][ROWS_RUN];
	};

	/* Adds the products of k from begin to end. The next step's operands are on their way while
	 * this one's are multiplied. */
	static __device__ __forceinline__ void add(tiles &shared, sums &sum, const rows_product &p,
											   const rows_operands &of, int begin, int end)
	{
		int row0 = blockIdx.y * BLOCK_M, column0 = blockIdx.x * ROWS_COLUMNS;
		int x = threadIdx.x % ROWS_SIDE * ROWS_RUN, y = threadIdx.x / ROWS_SIDE * ROWS;
		tile_x next_x;
		tile_y next_y;
		auto load = [&](int k) {
			next_x.load(of.X, p.M, of.K, row0, k, end);
			next_y.load(of.Y, p.N, of.K, column0, k, end);
		};
		load(begin);
#pragma unroll 1
		for (int k = begin; k < end; k += ROWS_DEPTH) {
			__syncthreads(); // everybody has read the tiles before
			next_x.put(shared.x);
			next_y.put(shared.y);
			__syncthreads();
			load(k + ROWS_DEPTH);
#pragma unroll
			for (int i = 0; i < ROWS_DEPTH; i++) {
				float4 b = *(const float4 *)&shared.y[i * tile_y::LD + x];
#pragma unroll
				for (int r = 0; r < ROWS; r++) {
					float a = shared.x[i * tile_x::LD + y + r];
					sum.at[r][0] += a * b.x;
					sum.at[r][1] += a * b.y;
					sum.at[r][2] += a * b.z;
					sum.at[r][3] += a * b.w;
				}
			}
		}
	}
};

/* A tile for each block, of a piece of K along the grid's z. */
template <int BLOCK_M>
static __global__ void __launch_bounds__(ROWS_THREADS) rows_multiply(const rows_product p)
{
	typedef rows_block<BLOCK_M> block;
	static_assert(ROWS_RUN == 4, "a thread reads its columns of y as a float4");
	if (p.flag != NULL && *p.flag != p.call)
		return;
	__shared__ typename block::tiles shared;
	typename block::sums sum = {}, more = {};
	int piece = blockIdx.z;
	block::add(shared, sum, p, p.first, (int)((long long)p.first.K * piece / p.splits),
			   (int)((long long)p.first.K * (piece + 1) / p.splits));
	if (piece == p.splits - 1)
		block::add(shared, more, p, p.second, 0, p.second.K);
	float *plane = p.C + (size_t)piece * p.M * p.N;
#pragma unroll
	for (int r = 0; r < block::ROWS; r++)
#pragma unroll
		for (int j = 0; j < ROWS_RUN; j++) {
			int row = blockIdx.y * BLOCK_M + threadIdx.x / ROWS_SIDE * block::ROWS + r;
			int column = blockIdx.x * ROWS_COLUMNS + threadIdx.x % ROWS_SIDE * ROWS_RUN + j;
			if (row < p.M && column < p.N)
				plane[(size_t)row * p.N + column] = sum.at[r][j] + p.scale * more.at[r][j];
		}
}

constexpr int ROWS_THIN = 16, ROWS_THICK = 64; // rows of a tile

static inline int rows_tile_height(int M)
{
	return M <= ROWS_THIN ? ROWS_THIN : ROWS_THICK;
}

/* So many pieces of K that there are two blocks for each multiprocessor, or four of the thin ones,
 * which wait for memory; or as many as a piece of 128 leaves. */
static inline int rows_splits(const ffma_device &device, int M, int N, int K)
{
	constexpr int LEAST = 128;
	int height = rows_tile_height(M), blocks = height == ROWS_THIN ? 4 : 2;
	int tiles = (M + height - 1) / height * ((N + ROWS_COLUMNS - 1) / ROWS_COLUMNS);
	return max(1, min(blocks * device.multiprocessors / tiles, K / LEAST));
}

static inline cudaError_t rows_start(const ffma_call &call, const rows_product &p)
{
	int height = rows_tile_height(p.M);
	cudaLaunchConfig_t config = {};
	config.gridDim =
		dim3((p.N + ROWS_COLUMNS - 1) / ROWS_COLUMNS, (p.M + height - 1) / height, p.splits);
	config.blockDim = dim3(ROWS_THREADS);
	config.stream = call.stream;
	return height == ROWS_THIN ? cudaLaunchKernelEx(&config, rows_multiply<ROWS_THIN>, p)
							   : cudaLaunchKernelEx(&config, rows_multiply<ROWS_THICK>, p);
}

/* Adds up the planes, each time in their order. */
static __global__ void rows_sum(const float *planes, int splits, float *C, size_t count)
{
	size_t i = (size_t)blockIdx.x * ROWS_THREADS + threadIdx.x;
	if (i >= count)
		return;
	float sum = 0.0f;
#pragma unroll 8 // so many loads are in flight
	for (int plane = 0; plane < splits; plane++)
		sum += planes[plane * count + i];
	C[i] = sum;
}

static inline cudaError_t rows_start_sum(const ffma_call &call, const float *planes, int splits,
										 float *C, size_t count)
{
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3((unsigned)((count + ROWS_THREADS - 1) / ROWS_THREADS));
	config.blockDim = dim3(ROWS_THREADS);
	config.stream = call.stream;
	return cudaLaunchKernelEx(&config, rows_sum, planes, splits, C, count);
}

#endif
