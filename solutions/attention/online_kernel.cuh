/* The kernel of online.cuh, which says how it goes. */
#ifndef GEMMJUDGE_ATTENTION_ONLINE_KERNEL_CUH
#define GEMMJUDGE_ATTENTION_ONLINE_KERNEL_CUH

#include <cooperative_groups.h>
#include <math.h>

#include "join.cuh"
#include "rows.cuh"
#include "tf32.cuh"

constexpr int ONLINE_ROW_WARPS = 4, ONLINE_KEY_WARPS = 2;
constexpr int ONLINE_ROWS = ONLINE_ROW_WARPS * 16; // queries of a block
constexpr int ONLINE_THREADS = ONLINE_ROW_WARPS * ONLINE_KEY_WARPS * 32;

/* Row-major and dense, head after head. `group` heads of Q share one of K and V. */
struct online_problem {
	const float *Q, *K, *V;
	float *output;
	int heads, group, rows, keys, d;
};

/* What the kernel takes besides. */
struct online_plan {
	float scale;        // of scores: log2(e) / sqrt(d), as weights are powers of two
	bool read_vector;   // rows of Q, K and V are read 16 bytes at a time
	bool write_vector;  // so are those of the output
	int splits;         // clusters that share a tile of queries
	join_memory memory; // where those leave what they have, if there are several
	unsigned *arrived;  // how many have, for each block of a cluster
};

/* D: the columns that shared memory has room for. KEYS: those of a warp in a tile. */
template <int D_, int KEYS_> struct online_tile {
	static constexpr int D = D_, KEYS = KEYS_, TILE_KEYS = KEYS * ONLINE_KEY_WARPS;
	static constexpr int TILES = KEYS / 8; // of a warp's scores
	static constexpr int GROUPS = D / 32;  // of four tiles of a warp's sums
	/* Lanes that read together are 4t floats apart in rows g of Q and K; in rows 2t of V 4g apart:
	 * with these row lengths they are in different banks. */
	static constexpr int LD_QK = D + 16, LD_V = D + 4;
	static constexpr int Q_SIZE = ONLINE_ROWS * LD_QK, K_SIZE = TILE_KEYS * LD_QK;
	static constexpr int V_SIZE = TILE_KEYS * LD_V;
	/* At the end: the sums of both halves of the keys, and maximum and sum of weights by row. */
	static constexpr int SUMS = ONLINE_KEY_WARPS * ONLINE_ROWS * LD_V;
	static constexpr int STATES = ONLINE_KEY_WARPS * ONLINE_ROWS * 2;
	static constexpr int LOOP = Q_SIZE + K_SIZE + V_SIZE, END = SUMS + STATES;
	static constexpr int BYTES = (LOOP > END ? LOOP : END) * (int)sizeof(float);
	static_assert(D % 32 == 0 && KEYS % 16 == 0, "whole groups of tiles");
	static_assert(BYTES <= 227 * 1024, "what a block may have");
};

/* The blocks of a cluster, which share a tile of queries, and which of the tiles that is. */
struct online_sharers {
#if __CUDA_ARCH__ >= 900
	static __device__ __forceinline__ int count()
	{
		return (int)cooperative_groups::this_cluster().num_blocks();
	}
	static __device__ __forceinline__ int rank()
	{
		return (int)cooperative_groups::this_cluster().block_rank();
	}
	static __device__ __forceinline__ int tile()
	{
		unsigned x;
		asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
		return (int)x;
	}
	static __device__ __forceinline__ int tiles()
	{
		unsigned x;
		asm("mov.u32 %0, %%nclusterid.x;" : "=r"(x));
		return (int)x;
	}
	static __device__ __forceinline__ const float *shared(float *mine, int block)
	{
		return cooperative_groups::this_cluster().map_shared_rank(mine, block);
	}
	static __device__ __forceinline__ void sync()
	{
		cooperative_groups::this_cluster().sync();
	}
	/* The first and the second half of sync(). */
	static __device__ __forceinline__ void arrive()
	{
		asm volatile("barrier.cluster.arrive.release;" ::: "memory");
	}
	static __device__ __forceinline__ void wait()
	{
		asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
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
	static __device__ __forceinline__ int tile()
	{
		return (int)blockIdx.x;
	}
	static __device__ __forceinline__ int tiles()
	{
		return (int)gridDim.x;
	}
	static __device__ __forceinline__ const float *shared(float *mine, int)
	{
		return mine;
	}
	static __device__ __forceinline__ void sync()
	{
		__syncthreads();
	}
	static __device__ __forceinline__ void arrive()
	{
	}
	static __device__ __forceinline__ void wait()
	{
	}
#endif
};

/* What a warp knows of its 16 rows; [0] is of row g, [1] of row g + 8. */
template <class Tile> struct online_state {
	float sum[Tile::GROUPS][4][4]; // group of 32 columns, tile of it, as mma has it
	float most[2];                 // largest score
	float weights[2];              // of this lane's keys
};

/* Scores of a warp's 16 rows and its keys, before they are scaled. */
template <class Tile> struct online_scores {
	static constexpr int MANY = Tile::TILES < 4 ? Tile::TILES : 4; // multiplied side by side
	tf32_sums sum[Tile::TILES / MANY][MANY];

	/* Adds the products of `d` columns. `k` is the row of the warp's first key. */
	__device__ __forceinline__ void add(const float *q, const float *k, int d)
	{
		constexpr int LD = Tile::LD_QK;
		int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll 1
		for (int c = 4 * t; c < d + 4 * t; c += 16) {
			float4 upper = rows_read(q + g * LD + c), lower = rows_read(q + (g + 8) * LD + c);
			const float x[2][4] = {{upper.x, lower.x, upper.y, lower.y},
								   {upper.z, lower.z, upper.w, lower.w}};
			tf32_parts<4> a[2];
#pragma unroll
			for (int i = 0; i < 8; i++)
				a[i / 4].set(i % 4, x[i / 4][i % 4]);
#pragma unroll
			for (int j = 0; j < Tile::TILES / MANY; j++) {
				tf32_parts<MANY * 4> b;
#pragma unroll
				for (int i = 0; i < MANY; i++) {
					float4 y = rows_read(k + ((j * MANY + i) * 8 + g) * LD + c);
					b.set(4 * i, y.x);
					b.set(4 * i + 1, y.y);
					b.set(4 * i + 2, y.z);
					b.set(4 * i + 3, y.w);
				}
				tf32_multiply<MANY, 4, 1>(sum[j], a[0], b, 0);
				tf32_multiply<MANY, 4, 1>(sum[j], a[1], b, 2);
			}
		}
	}
	__device__ __forceinline__ void total(float (&score)[Tile::TILES][4]) const
	{
#pragma unroll
		for (int j = 0; j < Tile::TILES; j++)
#pragma unroll
			for (int i = 0; i < 4; i++)
				score[j][i] = sum[j / MANY][j % MANY].total(i);
	}
};

/* 2^x. What is below 2^-126 becomes 0: of weights, that is next to nothing beside the largest, 1.
 */
static __device__ __forceinline__ float online_exp2(float x)
{
	float y;
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

/* The largest value among the four lanes of a row. */
static __device__ __forceinline__ float online_most_of_row(float x)
{
	x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, 1));
	return fmaxf(x, __shfl_xor_sync(0xffffffff, x, 2));
}
static __device__ __forceinline__ float online_sum_of_row(float x)
{
	x += __shfl_xor_sync(0xffffffff, x, 1);
	return x + __shfl_xor_sync(0xffffffff, x, 2);
}

/* Scores become weights, of which row g has those of the `visible[0]` first keys. Returns by what
 * the sums before are to be scaled. A row that has seen no key yet has the maximum -infinity, and
 * then the weights 0. */
template <class Tile>
static __device__ __forceinline__ float2 online_weights(float (&score)[Tile::TILES][4],
														online_state<Tile> &state,
														const int (&visible)[2], float scale)
{
	float factor[2];
#pragma unroll
	for (int half = 0; half < 2; half++) {
		float most = -INFINITY;
		if (visible[half] < Tile::KEYS) {
#pragma unroll
			for (int i = 0; i < Tile::TILES * 2; i++)
				if (i / 2 * 8 + (int)threadIdx.x % 4 * 2 + i % 2 >= visible[half])
					score[i / 2][half * 2 + i % 2] = -INFINITY;
		}
#pragma unroll
		for (int i = 0; i < Tile::TILES * 2; i++)
			most = fmaxf(most, score[i / 2][half * 2 + i % 2]);
		most = fmaxf(online_most_of_row(most), state.most[half]);
		/* Scores are scaled behind the difference: were the maximum scaled and rounded first, a
		 * very large score could lie above it. */
		float shift = most == -INFINITY ? 0.0f : most, sum = 0.0f;
		factor[half] = online_exp2((state.most[half] - shift) * scale);
		state.most[half] = most;
#pragma unroll
		for (int i = 0; i < Tile::TILES * 2; i++) {
			float &x = score[i / 2][half * 2 + i % 2];
			x = online_exp2((x - shift) * scale);
			sum += x;
		}
		state.weights[half] = state.weights[half] * factor[half] + sum;
	}
	return make_float2(factor[0], factor[1]);
}

/* Adds the weighted rows of V. `v` is the row of the warp's first key. */
template <class Tile>
static __device__ __forceinline__ void online_add(online_state<Tile> &state,
												  const float (&weight)[Tile::TILES][4],
												  float2 factor, const float *v, int d)
{
	int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
	v += 2 * t * Tile::LD_V + 4 * g;
	tf32_parts<4> a[Tile::TILES];
#pragma unroll
	for (int j = 0; j < Tile::TILES; j++) {
		a[j].set(0, weight[j][0]);
		a[j].set(1, weight[j][2]);
		a[j].set(2, weight[j][1]);
		a[j].set(3, weight[j][3]);
	}
#pragma unroll
	for (int group = 0; group < Tile::GROUPS; group++) {
		if (group * 32 >= d)
			break;
		tf32_sums sum[4] = {};
#pragma unroll
		for (int j = 0; j < Tile::TILES; j++) {
			tf32_parts<8> b;
#pragma unroll
			for (int key = 0; key < 2; key++) {
				float4 y = rows_read(v + (8 * j + key) * Tile::LD_V + group * 32);
				b.set(4 * key, y.x);
				b.set(4 * key + 1, y.y);
				b.set(4 * key + 2, y.z);
				b.set(4 * key + 3, y.w);
			}
			tf32_multiply<4, 1, 4>(sum, a[j], b, 0);
		}
#pragma unroll
		for (int i = 0; i < 16; i++) {
			float &x = state.sum[group][i / 4][i % 4];
			x = fmaf(x, i % 4 < 2 ? factor.x : factor.y, sum[i / 4].total(i % 4));
		}
	}
}

/* A warp leaves what it has of its rows in shared memory. */
template <class Tile>
static __device__ __forceinline__ void online_leave(float *shared, const online_state<Tile> &state,
													float scale)
{
	int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, warp = threadIdx.x / 32;
#pragma unroll
	for (int half = 0; half < 2; half++) {
		int row = warp * 16 + half * 8 + g; // of both groups of warps, one behind the other
		float weights = online_sum_of_row(state.weights[half]);
		if (t == 0)
			*(float2 *)&shared[Tile::SUMS + 2 * row] =
				make_float2(state.most[half] * scale, weights);
#pragma unroll
		for (int i = 0; i < Tile::GROUPS * 2; i++) {
			auto at = [&](int j) { return state.sum[i / 2][j][half * 2 + i % 2]; };
			*(float4 *)&shared[row * Tile::LD_V + i / 2 * 32 + 8 * t + i % 2 * 4] =
				make_float4(at(0), at(1), at(2), at(3));
		}
	}
}

/* The parts of the keys in this cluster, two in each block, as online_leave() has left them. */
template <class Tile> struct online_shared_parts {
	float *shared;

	__device__ __forceinline__ float4 read(int part, int row, int column) const
	{
		int at = part % ONLINE_KEY_WARPS * ONLINE_ROWS + row;
		return rows_read(online_sharers::shared(shared, part / ONLINE_KEY_WARPS) + at * Tile::LD_V +
						 column);
	}
	__device__ __forceinline__ float2 state(int part, int row) const
	{
		int at = Tile::SUMS + 2 * (part % ONLINE_KEY_WARPS * ONLINE_ROWS + row);
		return *(const float2 *)(online_sharers::shared(shared, part / ONLINE_KEY_WARPS) + at);
	}
};

/* Whether this block is the last of those that count up `arrived` from 0 to `count`. The last sees
 * what all threads of the others have written before. It leaves 0 for the next call. */
static __device__ __forceinline__ bool online_last(unsigned *arrived, int count)
{
	__threadfence();
	__syncthreads();
	bool last = false;
	if (threadIdx.x == 0) {
		last = atomicAdd(arrived, 1) == (unsigned)count - 1;
		if (last)
			*arrived = 0;
		__threadfence();
	}
	return __syncthreads_or(last);
}

/* A tile of queries: those of a head along the grid's y. The grid's x has them last first, as under
 * a diagonal the last ones take longest; its z has the clusters that share a tile. */
template <class Tile, bool CAUSAL>
static __global__ void __launch_bounds__(ONLINE_THREADS, 1)
	online_attention(const online_problem p, const online_plan plan)
{
	extern __shared__ __align__(16) float shared[];
	float *q = shared, *k = q + Tile::Q_SIZE, *v = k + Tile::K_SIZE;
	int cluster = online_sharers::count(), rank = online_sharers::rank();
	int sharers = cluster * plan.splits, split = (int)blockIdx.z, share = split * cluster + rank;
	int row0 = (online_sharers::tiles() - 1 - online_sharers::tile()) * ONLINE_ROWS;
	size_t head_rows = (size_t)blockIdx.y * p.rows;
	unsigned shared_head = p.group == 1 ? blockIdx.y : blockIdx.y / p.group;
	size_t shared_rows = (size_t)shared_head * p.keys;
	int warp = threadIdx.x / 32, row_warp = warp % ONLINE_ROW_WARPS;
	int part = warp / ONLINE_ROW_WARPS * Tile::KEYS; // the warp's keys in a tile

	/* How many keys a row sees, and how many tiles of them the block goes through. */
	auto seen = [&](int row) { return CAUSAL ? min(row + 1, p.keys) : p.keys; };
	int last = min(row0 + ONLINE_ROWS, p.rows) - 1, row = row0 + row_warp * 16;
	int tiles = (seen(last) + Tile::TILE_KEYS - 1) / Tile::TILE_KEYS;
	int tile = 0, end = tiles;
	if (sharers > 1) {
		tile = tiles * share / sharers;
		end = tiles * (share + 1) / sharers;
	}

	some_rows from_q = {p.Q + head_rows * p.d, row0, p.rows, p.d, plan.read_vector};
	some_rows from_k = {p.K + shared_rows * p.d, 0, p.keys, p.d, plan.read_vector};
	some_rows from_v = {p.V + shared_rows * p.d, 0, p.keys, p.d, plan.read_vector};
	auto copy_k = [&](int next) {
		from_k.first = next * Tile::TILE_KEYS;
		rows_copy<Tile::TILE_KEYS, Tile::D, Tile::LD_QK, ONLINE_THREADS>(k, from_k);
	};
	auto copy_v = [&](int next) {
		from_v.first = next * Tile::TILE_KEYS;
		rows_copy<Tile::TILE_KEYS, Tile::D, Tile::LD_V, ONLINE_THREADS>(v, from_v);
	};

	online_state<Tile> state = {};
	state.most[0] = state.most[1] = -INFINITY;
	int first_tile = tile;
	if (tile < end) {
		rows_copy<ONLINE_ROWS, Tile::D, Tile::LD_QK, ONLINE_THREADS>(q, from_q);
		copy_k(tile);
		copy_v(tile);
	}
	/* K's tile is replaced during the product with V, and V's during the one with K: but for the
	 * first, V's is only asked for when everybody has multiplied with the one before. */
#pragma unroll 1
	for (; tile < end; tile++) {
		int key = tile * Tile::TILE_KEYS + part, g = threadIdx.x % 32 / 4;
		const int visible[2] = {seen(row + g) - key, seen(row + g + 8) - key};
		bool sees = key < seen(row + 15); // some row of the warp does
		float score[Tile::TILES][4];
		float2 factor;
		online_scores<Tile> scores = {};
		if (tile == first_tile)
			__pipeline_wait_prior(1); // V's is the last commit
		else
			__pipeline_wait_prior(0);
		__syncthreads();
		if (tile > first_tile)
			copy_v(tile);
		if (sees) {
			scores.add(q + row_warp * 16 * Tile::LD_QK, k + part * Tile::LD_QK, p.d);
			scores.total(score);
			factor = online_weights<Tile>(score, state, visible, plan.scale);
		}
		__pipeline_wait_prior(0);
		__syncthreads();
		if (tile + 1 < end)
			copy_k(tile + 1);
		if (sees)
			online_add<Tile>(state, score, factor, v + part * Tile::LD_V, p.d);
	}

	__syncthreads(); // everybody has read the last tiles
	online_leave<Tile>(shared, state, plan.scale);
	online_sharers::sync();
	int first = ONLINE_ROWS * rank / cluster, behind = ONLINE_ROWS * (rank + 1) / cluster;
	join_rows rows = {first + warp, min(behind, p.rows - row0), ONLINE_THREADS / 32};
	size_t at = head_rows + row0;
	join_target output = {p.output + at * p.d, NULL, p.d, p.d, plan.write_vector};
	join_parts(online_shared_parts<Tile>{shared}, cluster * ONLINE_KEY_WARPS, rows,
			   plan.splits > 1 ? plan.memory.target(split, at) : output);
	online_sharers::arrive();
	if (plan.splits > 1) {
		size_t counter = blockIdx.y * gridDim.x + row0 / ONLINE_ROWS * cluster + rank;
		if (online_last(plan.arrived + counter, plan.splits))
			join_parts(join_memory_rows{plan.memory, at}, plan.splits, rows, output);
	}
	online_sharers::wait(); // nobody ends whose sums are still read
}

#endif
