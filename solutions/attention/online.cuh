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
 * Where blocks would be too few for the GPU, several share the keys of a tile of queries. Every
 * part of the keys has a maximum and sums of its own at the end. Those of a cluster's blocks are
 * joined through their shared memory, each block some rows. Clusters are small, and not as many fit
 * as multiprocessors: so several clusters may share a tile, too, and leave what they have in device
 * memory. Of the blocks that have left parts of some rows the last one joins them (join.cuh).
 * Clusters need Hopper; other GPUs do without.
 */
#ifndef GEMMJUDGE_ATTENTION_ONLINE_CUH
#define GEMMJUDGE_ATTENTION_ONLINE_CUH

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../gemm_f16/hopper/clusters.cuh"
#include "../sgemm/workspace.cuh"
#include "follow.cuh"
#include "online_kernel.cuh"

constexpr int ONLINE_MOST_CLUSTER = 8; // blocks, on every GPU that has clusters

static inline void online_check(cudaError_t status)
{
	if (status != cudaSuccess) {
		fprintf(stderr, "attention: %s\n", cudaGetErrorString(status));
		abort();
	}
}

/* How many clusters of 1, 2, ... blocks run at once, of blocks that fill a multiprocessor each. */
struct online_room {
	int at_once[ONLINE_MOST_CLUSTER + 1];
};

static inline online_room online_ask_device(void)
{
	constexpr int BYTES = online_tile<128, 128 / ONLINE_KEY_WARPS>::BYTES;
	online_room room = {};
	online_check(cudaDeviceGetAttribute(&room.at_once[1], cudaDevAttrMultiProcessorCount, 0));
	for (int blocks = 2; blocks <= ONLINE_MOST_CLUSTER && follow_possible(); blocks++)
		online_check(hopper::clusters_at_once(blocks, BYTES, &room.at_once[blocks]));
	return room;
}

static inline const online_room &online_room_of_device(void)
{
	static const online_room room = online_ask_device();
	return room;
}

/* How a problem is divided, and the time that it takes, in keys of a block: rounds of blocks, each
 * of which goes through its keys and has the work of ONLINE_ENDS more at its beginning and its end;
 * then what joins parts in memory, if there are any. With a diagonal a block has half of the most
 * keys on average, and none ends before its last. */
struct online_cost {
	int cluster, splits;
	double keys;
};

constexpr double ONLINE_ENDS = 64, ONLINE_JOIN = 48; // estimates, as the next two are
/* What a key costs with tiles of half and of a quarter of the keys. */
constexpr double ONLINE_SOME_EACH = 1.15, ONLINE_FEW_EACH = 1.4;
constexpr double ONLINE_MANY_ROUNDS = 8; // with more of them splitting only makes more ends
constexpr double ONLINE_COUNTERS = WORKSPACE_HEAD / sizeof(unsigned);

/* `each`: what a key costs with tiles of so many. */
static inline online_cost online_cost_of(const online_problem &p, int tile_keys, double each,
										 bool causal)
{
	const online_room &room = online_room_of_device();
	double row_tiles = (double)((p.rows + ONLINE_ROWS - 1) / ONLINE_ROWS) * p.heads;
	int tiles = (p.keys + tile_keys - 1) / tile_keys;
	online_cost best = {1, 1, INFINITY};
	for (int i = 0; i < ONLINE_MOST_CLUSTER * JOIN_MOST; i++) {
		int cluster = i % ONLINE_MOST_CLUSTER + 1, splits = i / ONLINE_MOST_CLUSTER + 1;
		int sharers = cluster * splits;
		if (room.at_once[cluster] == 0 || sharers > tiles)
			continue;
		double most = (tiles + sharers - 1) / sharers * tile_keys * each;
		double mean = causal ? most / 2 : most;
		double rounds = ceil(row_tiles * splits / room.at_once[cluster]);
		double keys = fmax(most + ONLINE_ENDS, rounds * (mean + ONLINE_ENDS));
		keys += splits > 1 ? ONLINE_JOIN : 0;
		bool may_split = rounds < ONLINE_MANY_ROUNDS && row_tiles * cluster <= ONLINE_COUNTERS;
		if (keys < best.keys && (splits == 1 || may_split))
			best = {cluster, splits, keys};
	}
	return best;
}

/* Where there is no memory for parts, clusters do not share a tile. The workspace begins with
 * ONLINE_COUNTERS counters of the blocks that have left parts, one for each block of a cluster and
 * each tile of queries; they are 0 between calls. */
template <class Tile, bool CAUSAL>
static void online_launch(const online_problem &p, int cluster, int splits)
{
	auto kernel = online_attention<Tile, CAUSAL>;
	online_check(
		cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::BYTES));
	join_memory memory = {NULL, NULL, (size_t)p.heads * p.rows, p.d};
	size_t row_tiles = (p.rows + ONLINE_ROWS - 1) / ONLINE_ROWS;
	size_t bytes = WORKSPACE_HEAD + memory.size(splits) * sizeof(float);
	char *workspace = splits > 1 ? (char *)workspace_get(bytes) : NULL;
	splits = workspace != NULL ? splits : 1;
	if (splits > 1)
		memory.place((float *)(workspace + WORKSPACE_HEAD), splits);
	cudaLaunchAttribute in_clusters = hopper::cluster_attribute(cluster);
	cudaLaunchConfig_t launch = {};
	launch.gridDim = dim3((unsigned)row_tiles * cluster, p.heads, splits);
	launch.blockDim = dim3(ONLINE_THREADS);
	launch.dynamicSmemBytes = Tile::BYTES;
	launch.attrs = &in_clusters;
	launch.numAttrs = cluster > 1;
	online_plan plan = {(float)(M_LOG2E / sqrt((double)p.d)),
						load_vector(p.Q, p.d) && load_vector(p.K, p.d) && load_vector(p.V, p.d),
						load_vector(p.output, p.d),
						splits,
						memory,
						(unsigned *)workspace};
	online_check(cudaLaunchKernelEx(&launch, kernel, p, plan));
}

/* With tiles of fewer keys, rows of Q are read and split for fewer products, and what blocks have
 * is more even. What a key costs more is an estimate by the instructions. */
template <int D, bool CAUSAL> static void online_launch_best(const online_problem &p)
{
	constexpr int KEYS = D > 128 ? 32 : 64, SOME = KEYS / 2, FEW = 16;
	online_cost many = online_cost_of(p, KEYS * ONLINE_KEY_WARPS, 1, CAUSAL);
	online_cost some = online_cost_of(p, SOME * ONLINE_KEY_WARPS, ONLINE_SOME_EACH, CAUSAL);
	online_cost few = online_cost_of(p, FEW * ONLINE_KEY_WARPS, ONLINE_FEW_EACH, CAUSAL);
	if (many.keys <= some.keys && many.keys <= few.keys)
		online_launch<online_tile<D, KEYS>, CAUSAL>(p, many.cluster, many.splits);
	else if (some.keys <= few.keys || SOME == FEW)
		online_launch<online_tile<D, SOME>, CAUSAL>(p, some.cluster, some.splits);
	else
		online_launch<online_tile<D, FEW>, CAUSAL>(p, few.cluster, few.splits);
}

#endif
