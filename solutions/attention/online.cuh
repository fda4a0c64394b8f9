/* Attention with an online softmax in one kernel, for f32 on the tensor cores: output =
 * softmax(Q K^T / sqrt(d)) V for each head, all keys or those up to the diagonal. The second steps
 * of attention, causal-attention and grouped-query-attention share it.
 *
 * Scores never leave the registers. A block has 64 queries, and goes through the keys a tile at a
 * time. Each row keeps the largest score so far, the sum of its weights and the weighted sum of the
 * rows of V, all relative to that maximum: a larger one scales both sums down.
 *
 * Who does what. Four warps share the queries, 16 each, and two such groups the keys of a tile.
 * Both products are mma.m16n8k8 of TF32 parts (tf32.cuh). Where indices go is chosen so that
 * nothing is exchanged between lanes:
 *  - The weights of the second product are the scores of the first, which a lane holds for keys 2t
 *    and 2t + 1 of eight. The product wants t and t + 4: a sum has no order, so rows of V are read
 *    as if those were 2t and 2t + 1.
 *  - A lane reads four neighbours of a row of Q, K or V at once. Those of Q and K are k = t and
 *    t + 4 of two products, those of V the same column of four tiles of sums. That makes
 *    neighbouring columns of the output lie in one lane, too.
 *
 * Where blocks would be too few for the GPU, those of a cluster share the keys. At the end every
 * part of the keys has a maximum and sums of its own in shared memory, and the blocks of the
 * cluster add up some rows each. Clusters need Hopper; other GPUs do without. */
#ifndef GEMMJUDGE_ATTENTION_ONLINE_CUH
#define GEMMJUDGE_ATTENTION_ONLINE_CUH

#include <cooperative_groups.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../gemm_f16/hopper/clusters.cuh"
#include "rows.cuh"
#include "tf32.cuh"

constexpr int ONLINE_ROW_WARPS = 4, ONLINE_KEY_WARPS = 2;
constexpr int ONLINE_ROWS = ONLINE_ROW_WARPS * 16; // queries of a block
constexpr int ONLINE_THREADS = ONLINE_ROW_WARPS * ONLINE_KEY_WARPS * 32;
constexpr int ONLINE_MOST_SHARERS = 8; // blocks of a cluster, on every GPU that has them

/* Row-major and dense, head after head. `group` heads of Q share one of K and V. */
struct online_problem {
	const float *Q, *K, *V;
	float *output;
	int heads, group, rows, keys, d;
};

/* What the kernel takes besides. */
struct online_plan {
	float scale;       // of scores: log2(e) / sqrt(d), as weights are powers of two
	bool read_vector;  // rows of Q, K and V are read 16 bytes at a time
	bool write_vector; // so are those of the output
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

/* The blocks that share a tile of queries. */
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
	static __device__ __forceinline__ const float *shared(float *mine, int block)
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
	static __device__ __forceinline__ const float *shared(float *mine, int)
	{
		return mine;
	}
	static __device__ __forceinline__ void sync()
	{
		__syncthreads();
	}
#endif
};

/* What a warp knows of its 16 rows; [0] is of row g, [1] of row g + 8. */
template <class Tile> struct online_state {
	float sum[Tile::GROUPS][4][4]; // group of 32 columns, tile of it, as mma has it
	float most[2];                 // times `scale`
	float weights[2];              // of this lane's keys
};

/* Scores of a warp's 16 rows and its keys, from `k` on, before they are scaled. */
template <class Tile>
static __device__ __forceinline__ void online_scores(float (&score)[Tile::TILES][4], const float *q,
													 const float *k, int d)
{
	constexpr int LD = Tile::LD_QK, MANY = Tile::TILES < 4 ? Tile::TILES : 4;
	int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
	tf32_sums sum[Tile::TILES / MANY][MANY] = {};
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
#pragma unroll
	for (int j = 0; j < Tile::TILES; j++)
#pragma unroll
		for (int i = 0; i < 4; i++)
			score[j][i] = sum[j / MANY][j % MANY].total(i);
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
		most = fmaxf(online_most_of_row(most) * scale, state.most[half]);
		/* Rounded once, and so one number for all keys of the row. */
		float shift = most == -INFINITY ? 0.0f : most, sum = 0.0f;
		factor[half] = exp2f(state.most[half] - shift);
		state.most[half] = most;
#pragma unroll
		for (int i = 0; i < Tile::TILES * 2; i++) {
			float &x = score[i / 2][half * 2 + i % 2];
			x = exp2f(fmaf(x, scale, -shift));
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
static __device__ __forceinline__ void online_leave(float *shared, const online_state<Tile> &state)
{
	int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, warp = threadIdx.x / 32;
#pragma unroll
	for (int half = 0; half < 2; half++) {
		int row = warp * 16 + half * 8 + g; // of both groups of warps, one behind the other
		float weights = online_sum_of_row(state.weights[half]);
		if (t == 0)
			*(float2 *)&shared[Tile::SUMS + 2 * row] = make_float2(state.most[half], weights);
#pragma unroll
		for (int i = 0; i < Tile::GROUPS * 2; i++) {
			auto at = [&](int j) { return state.sum[i / 2][j][half * 2 + i % 2]; };
			*(float4 *)&shared[row * Tile::LD_V + i / 2 * 32 + 8 * t + i % 2 * 4] =
				make_float4(at(0), at(1), at(2), at(3));
		}
	}
}

/* A warp adds up what all parts of the keys have of a row, and writes its output. There are 16
 * parts at most, and a lane has the factor of one. */
template <class Tile>
static __device__ __forceinline__ void online_finish(float *shared, int row, float *output, int d,
													 bool vector)
{
	int lane = threadIdx.x % 32, parts = online_sharers::count() * ONLINE_KEY_WARPS;
	auto part_row = [&](int part) { return part % ONLINE_KEY_WARPS * ONLINE_ROWS + row; };
	auto of_block = [&](int part) {
		return online_sharers::shared(shared, part / ONLINE_KEY_WARPS);
	};
	int mine = min(lane, parts - 1);
	float2 state = *(const float2 *)(of_block(mine) + Tile::SUMS + 2 * part_row(mine));
	if (lane >= parts)
		state = make_float2(-INFINITY, 0.0f);
	float most = state.x;
#pragma unroll
	for (int i = 16; i > 0; i /= 2)
		most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, i));
	float factor = exp2f(state.x - most), weights = state.y * factor;
#pragma unroll
	for (int i = 16; i > 0; i /= 2)
		weights += __shfl_xor_sync(0xffffffff, weights, i);
#pragma unroll
	for (int first = 0; first < Tile::D; first += 128) {
		int c = first + lane * 4;
		float x[4] = {};
#pragma unroll 4
		for (int part = 0; part < parts; part++) {
			float by = __shfl_sync(0xffffffff, factor, part);
			if (c >= d)
				continue;
			float4 y = rows_read(of_block(part) + part_row(part) * Tile::LD_V + c);
			x[0] = fmaf(y.x, by, x[0]);
			x[1] = fmaf(y.y, by, x[1]);
			x[2] = fmaf(y.z, by, x[2]);
			x[3] = fmaf(y.w, by, x[3]);
		}
#pragma unroll
		for (int i = 0; i < 4; i++)
			x[i] /= weights;
		if (vector && c < d)
			*(float4 *)&output[c] = make_float4(x[0], x[1], x[2], x[3]);
#pragma unroll
		for (int i = 0; i < 4 && !vector; i++)
			if (c + i < d)
				output[c + i] = x[i];
	}
}

/* A tile of queries: those of a head along the grid's y. The grid's x has them last first, as under
 * a diagonal the last ones take longest. */
template <class Tile, bool CAUSAL>
static __global__ void __launch_bounds__(ONLINE_THREADS, 1)
	online_attention(const online_problem p, const online_plan plan)
{
	extern __shared__ __align__(16) float shared[];
	float *q = shared, *k = q + Tile::Q_SIZE, *v = k + Tile::K_SIZE;
	int sharers = online_sharers::count(), rank = online_sharers::rank();
	int row0 = ((int)gridDim.x - 1 - (int)blockIdx.x) / sharers * ONLINE_ROWS;
	size_t head_rows = (size_t)blockIdx.y * p.rows;
	size_t shared_head = (size_t)(blockIdx.y / p.group) * p.keys * p.d;
	int warp = threadIdx.x / 32, row_warp = warp % ONLINE_ROW_WARPS;
	int part = warp / ONLINE_ROW_WARPS * Tile::KEYS; // the warp's keys in a tile

	/* How many keys a row sees, and how many tiles of them the block goes through. */
	auto seen = [&](int row) { return CAUSAL ? min(row + 1, p.keys) : p.keys; };
	int last = min(row0 + ONLINE_ROWS, p.rows) - 1, row = row0 + row_warp * 16;
	int tiles = (seen(last) + Tile::TILE_KEYS - 1) / Tile::TILE_KEYS;
	int tile = tiles * rank / sharers, end = tiles * (rank + 1) / sharers;

	some_rows from_q = {p.Q + head_rows * p.d, row0, p.rows, p.d, plan.read_vector};
	some_rows from_k = {p.K + shared_head, 0, p.keys, p.d, plan.read_vector};
	some_rows from_v = {p.V + shared_head, 0, p.keys, p.d, plan.read_vector};
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
	if (tile < end) {
		rows_copy<ONLINE_ROWS, Tile::D, Tile::LD_QK, ONLINE_THREADS>(q, from_q);
		copy_k(tile);
	}
	/* K's tile is replaced during the product with V, and V's during the one with K. */
#pragma unroll 1
	for (; tile < end; tile++) {
		int key = tile * Tile::TILE_KEYS + part, g = threadIdx.x % 32 / 4;
		const int visible[2] = {seen(row + g) - key, seen(row + g + 8) - key};
		bool sees = key < seen(row + 15); // some row of the warp does
		float score[Tile::TILES][4];
		float2 factor;
		__pipeline_wait_prior(0);
		__syncthreads();
		copy_v(tile);
		if (sees) {
			online_scores<Tile>(score, q + row_warp * 16 * Tile::LD_QK, k + part * Tile::LD_QK,
								p.d);
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
	online_leave<Tile>(shared, state);
	online_sharers::sync();
	int first = ONLINE_ROWS * rank / sharers, behind = ONLINE_ROWS * (rank + 1) / sharers;
	for (int r = first + warp; r < behind && row0 + r < p.rows; r += ONLINE_THREADS / 32)
		online_finish<Tile>(shared, r, p.output + (head_rows + row0 + r) * p.d, p.d,
							plan.write_vector);
	online_sharers::sync(); // nobody ends whose sums are still read
}

/* ---- on the host ------------------------------------------------------------------------ */

static inline void online_check(cudaError_t status)
{
	if (status != cudaSuccess) {
		fprintf(stderr, "attention: %s\n", cudaGetErrorString(status));
		abort();
	}
}

/* How many clusters of 1, 2, ... blocks run at once, of blocks that fill a multiprocessor each. */
struct online_room {
	int at_once[ONLINE_MOST_SHARERS + 1];
};

static inline online_room online_ask_device(void)
{
	online_room room = {};
	int major;
	online_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
	online_check(cudaDeviceGetAttribute(&room.at_once[1], cudaDevAttrMultiProcessorCount, 0));
	for (int sharers = 2; sharers <= ONLINE_MOST_SHARERS && major >= 9; sharers++)
		online_check(
			hopper::clusters_at_once(sharers, online_tile<128, 64>::BYTES, &room.at_once[sharers]));
	return room;
}

/* How a problem is divided, and the time that it takes, in keys of a block: rounds of blocks, each
 * of which goes through its keys and has the work of ONLINE_ENDS more at its beginning and its end.
 * With a diagonal a block has half of the most keys on average, and none ends before its last. */
struct online_cost {
	int sharers;
	double keys;
};

constexpr double ONLINE_ENDS = 64; // an estimate

/* `each`: what a key costs with tiles of so many. */
static inline online_cost online_cost_of(const online_problem &p, int tile_keys, double each,
										 bool causal)
{
	static const online_room room = online_ask_device();
	double clusters = (double)((p.rows + ONLINE_ROWS - 1) / ONLINE_ROWS) * p.heads;
	int tiles = (p.keys + tile_keys - 1) / tile_keys;
	online_cost best = {1, INFINITY};
	for (int sharers = 1; sharers <= ONLINE_MOST_SHARERS && sharers <= tiles; sharers++) {
		if (room.at_once[sharers] == 0)
			continue;
		double most = (tiles + sharers - 1) / sharers * tile_keys * each;
		double mean = causal ? most / 2 : most;
		double rounds = ceil(clusters / room.at_once[sharers]);
		double keys = fmax(most + ONLINE_ENDS, rounds * (mean + ONLINE_ENDS));
		if (keys < best.keys)
			best = {sharers, keys};
	}
	return best;
}

template <class Tile, bool CAUSAL> static void online_launch(const online_problem &p, int sharers)
{
	auto kernel = online_attention<Tile, CAUSAL>;
	online_check(
		cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::BYTES));
	cudaLaunchAttribute cluster;
	cluster.id = cudaLaunchAttributeClusterDimension;
	cluster.val.clusterDim.x = sharers;
	cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
	cudaLaunchConfig_t launch = {};
	launch.gridDim = dim3((p.rows + ONLINE_ROWS - 1) / ONLINE_ROWS * sharers, p.heads);
	launch.blockDim = dim3(ONLINE_THREADS);
	launch.dynamicSmemBytes = Tile::BYTES;
	launch.attrs = &cluster;
	launch.numAttrs = sharers > 1;
	online_plan plan = {(float)(M_LOG2E / sqrt((double)p.d)),
						load_vector(p.Q, p.d) && load_vector(p.K, p.d) && load_vector(p.V, p.d),
						load_vector(p.output, p.d)};
	online_check(cudaLaunchKernelEx(&launch, kernel, p, plan));
}

/* With tiles of fewer keys, rows of Q are read and split for fewer products, and what blocks have
 * is more even. What a key costs more is an estimate by the instructions. */
template <int D, bool CAUSAL> static void online_launch_best(const online_problem &p)
{
	constexpr int KEYS = D > 128 ? 32 : 64, SOME = KEYS / 2, FEW = 16;
	online_cost many = online_cost_of(p, KEYS * ONLINE_KEY_WARPS, 1, CAUSAL);
	online_cost some = online_cost_of(p, SOME * ONLINE_KEY_WARPS, 1.15, CAUSAL);
	online_cost few = online_cost_of(p, FEW * ONLINE_KEY_WARPS, 1.4, CAUSAL);
	if (many.keys <= some.keys && many.keys <= few.keys)
		online_launch<online_tile<D, KEYS>, CAUSAL>(p, many.sharers);
	else if (some.keys <= few.keys || SOME == FEW)
		online_launch<online_tile<D, SOME>, CAUSAL>(p, some.sharers);
	else
		online_launch<online_tile<D, FEW>, CAUSAL>(p, few.sharers);
}

#endif
