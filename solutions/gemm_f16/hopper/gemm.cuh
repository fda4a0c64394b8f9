/* The tile kernel: warp-specialised, persistent, fed by TMA, multiplied by wgmma.
 *
 * A block has one producer warpgroup and one or two consumer warpgroups. One
 * thread of the producer walks over the block's tiles and, for each, along K in
 * steps of 64, filling a ring of STAGES stages of shared memory by TMA. Each
 * consumer multiplies its 64 rows of the tile by all BN columns and keeps the
 * sum in registers. A stage goes round by two mbarriers: `full` counts the
 * bytes that TMA delivered, `empty` counts the consumers that are done with it.
 *
 * Blocks of a cluster work together in one of two ways:
 *  - MULTICAST: two blocks, one above the other in C, need the same columns of
 *    B. Each loads half of them for both. This halves the traffic for B from
 *    the L2 cache.
 *  - split-K: `splits` blocks work on the same tile, each on its own part of K,
 *    and add up through distributed shared memory; each then finishes its own
 *    share of the rows. Nothing is left in global memory between calls.
 *
 * Layouts in shared memory, both with the 128-byte swizzle that wgmma reads
 * without bank conflicts: A as rows of 64 along K (K-major), B as it lies in
 * memory, rows of 64 columns along N, 64 rows a box (N-major); so B is never
 * transposed by anybody. */
#ifndef GEMMJUDGE_HOPPER_GEMM_CUH
#define GEMMJUDGE_HOPPER_GEMM_CUH

#include "epilogue.cuh"
#include "ptx.cuh"

constexpr int BK = 64;    // one 128-byte swizzle row of 16-bit elements
constexpr int BOX = 64;   // columns of a box of B: one swizzle row
constexpr int CHUNK = 32; // columns of C that are finished at once
/* Floats between the rows of a chunk in shared memory: 8 more than a row has, so
 * that the four rows that half a warp writes lie in different banks. */
constexpr int STAGING_ROW = CHUNK + 8;
constexpr int WARPGROUP = 128;

struct gemm_work {
	int M, N, K;
	int tiles_m, tiles_n; // with MULTICAST, tiles_m counts pairs of tiles
	int splits;           // blocks of a cluster that share a tile along K
	int group;            // rows of tiles that are walked through together, for the L2 cache
};

/* Shared memory of one block, after alignment to 1024 bytes. */
template <int CONSUMERS, int BN, int STAGES> struct gemm_layout {
	static constexpr int BM = 64 * CONSUMERS;
	static constexpr int a_bytes = BM * BK * 2;
	static constexpr int b_bytes = BN * BK * 2;
	static constexpr int stage_bytes = a_bytes + b_bytes;
	static constexpr int staging_bytes = 16 * STAGING_ROW * 4; // a chunk of one warp
	static constexpr int staging_offset = STAGES * stage_bytes;
	static constexpr int barrier_offset = staging_offset + CONSUMERS * 4 * staging_bytes;
	static constexpr int bytes = barrier_offset + 2 * STAGES * 8 + 1024;
	static_assert(bytes <= 227 * 1024, "a block has at most 227 KB of shared memory");
	static_assert(BN % BOX == 0, "B is loaded in boxes of 64 columns");
};

struct tile_place {
	int m, n; // in units of tiles
};

/* Tile number `index`, walking down `group` rows of tiles before going right. */
__device__ __forceinline__ tile_place tile_find(const gemm_work &work, int index)
{
	int per_group = work.group * work.tiles_n;
	int first = index / per_group * work.group;
	int rows = min(work.group, work.tiles_m - first);
	int within = index % per_group;
	return {first + within % rows, within / rows};
}

/* The part of the steps along K that this block of a split does. */
__device__ __forceinline__ void split_range(int steps, int splits, int part, int &begin, int &end)
{
	begin = (int)((long long)steps * part / splits);
	end = (int)((long long)steps * (part + 1) / splits);
}

template <int CONSUMERS, int BN, int STAGES, bool MULTICAST>
__device__ __forceinline__ void produce(const CUtensorMap *map_a, const CUtensorMap *map_b,
										const gemm_work &work, uint32_t base, uint32_t full,
										uint32_t empty, int first, int stride)
{
	using layout = gemm_layout<CONSUMERS, BN, STAGES>;
	constexpr int BOXES = BN / BOX;
	uint32_t block = cluster_block();
	int tiles = work.tiles_m * work.tiles_n, steps = (work.K + BK - 1) / BK;
	int begin, end;
	split_range(steps, work.splits, MULTICAST ? 0 : (int)block, begin, end);

	int stage = 0;
	uint32_t phase = 1; // the first round finds every stage empty
	for (int tile = first; tile < tiles; tile += stride) {
		tile_place at = tile_find(work, tile);
		int row = (MULTICAST ? at.m * 2 + (int)block : at.m) * layout::BM, column = at.n * BN;
		for (int k = begin; k < end; k++) {
			mbarrier_wait(empty + 8 * stage, phase);
			uint32_t a = base + stage * layout::stage_bytes, b = a + layout::a_bytes;
			mbarrier_expect(full + 8 * stage, layout::stage_bytes);
			tma_load(a, map_a, full + 8 * stage, k * BK, row);
#pragma unroll
			for (int box = 0; box < BOXES; box++) {
				uint32_t to = b + box * BOX * BK * 2;
				int x = column + box * BOX;
				if (!MULTICAST)
					tma_load(to, map_b, full + 8 * stage, x, k * BK);
				else if (box % 2 == (int)block)
					tma_load_multicast(to, map_b, full + 8 * stage, x, k * BK, 3);
			}
			if (++stage == STAGES) {
				stage = 0;
				phase ^= 1;
			}
		}
	}
	/* A block must not end while the other may still send to it or arrive at its
	 * barriers: wait until every stage has been handed back. */
	if (MULTICAST)
		for (int i = 0; i < STAGES; i++) {
			mbarrier_wait(empty + 8 * stage, phase);
			if (++stage == STAGES) {
				stage = 0;
				phase ^= 1;
			}
		}
}

/* Where a consumer stands in the ring of stages. */
struct ring {
	int stage;
	uint32_t phase;
};

template <int STAGES, bool MULTICAST>
__device__ __forceinline__ void stage_release(uint32_t empty, int stage)
{
	/* one arrival a consumer and block; with MULTICAST both blocks fill the stage */
	if (!MULTICAST) {
		if (threadIdx.x % WARPGROUP == 0)
			mbarrier_arrive(empty + 8 * stage);
	} else if (threadIdx.x % WARPGROUP < 2) {
		mbarrier_arrive_cluster(empty + 8 * stage, threadIdx.x % WARPGROUP);
	}
}

/* Sums the consumer's 64 x BN part of the tile over `steps` stages. */
template <class Element, int CONSUMERS, int BN, int STAGES, bool MULTICAST>
__device__ __forceinline__ void multiply(float (&sum)[BN / 2], int steps, uint32_t base,
										 uint32_t full, uint32_t empty, int consumer, ring &at)
{
	using layout = gemm_layout<CONSUMERS, BN, STAGES>;
	int last = -1;
	for (int k = 0; k < steps; k++) {
		mbarrier_wait(full + 8 * at.stage, at.phase);
		uint32_t a = base + at.stage * layout::stage_bytes + consumer * 64 * BK * 2;
		uint32_t b = base + at.stage * layout::stage_bytes + layout::a_bytes;
		wgmma_fence();
#pragma unroll
		for (int j = 0; j < BK / 16; j++) {
			/* A: 8 rows of 128 bytes a group. B: groups of 8 rows of K, 1024 bytes apart;
			 * chunks of 64 columns, 8192 apart. */
			uint64_t da = wgmma_descriptor(a + j * 32, 16, 1024);
			uint64_t db = wgmma_descriptor(b + j * 16 * 128, BOX * BK * 2, 1024);
			wgmma<Element, BN>::multiply(sum, da, db, k > 0 || j > 0);
		}
		wgmma_commit();
		/* the stage before this one has been read */
		wgmma_wait<1>();
		if (last >= 0)
			stage_release<STAGES, MULTICAST>(empty, last);
		last = at.stage;
		if (++at.stage == STAGES) {
			at.stage = 0;
			at.phase ^= 1;
		}
	}
	wgmma_wait<0>();
	if (last >= 0)
		stage_release<STAGES, MULTICAST>(empty, last);
}

/* One chunk of a warp's 16 rows, V columns a lane: from shared memory through the
 * epilogue into C. Values are finished before the first is stored, so that what
 * the epilogue reads is all under way at once. INSIDE: all of the chunk lies in
 * C and V elements can be stored at once. */
template <class Element, int V, bool INSIDE>
__device__ __forceinline__ void store_chunk(const epilogue<Element> &out, const float *chunk,
											int row, int column)
{
	constexpr int LANES = CHUNK / V, ROWS = 32 / LANES, PASSES = 16 / ROWS;
	int lane = threadIdx.x % 32;
	row += lane / LANES;
	column += lane % LANES * V;
	chunk += lane / LANES * STAGING_ROW + lane % LANES * V;

	alignas(16) float x[PASSES][V];
#pragma unroll
	for (int pass = 0; pass < PASSES; pass++) {
		int at = row + pass * ROWS;
		*(epilogue_vector<float, V> *)x[pass] =
			*(const epilogue_vector<float, V> *)(chunk + pass * ROWS * STAGING_ROW);
		if (INSIDE || (at < out.M && column < out.N))
			out.apply(at, column, x[pass], INSIDE || out.template whole<V>(at, column));
	}
	Element *to = out.C + (size_t)row * out.N + column;
	size_t step = (size_t)ROWS * out.N;
#pragma unroll
	for (int pass = 0; pass < PASSES; pass++, to += step) {
		if (INSIDE) {
			epilogue_vector<Element, V> values;
#pragma unroll
			for (int i = 0; i < V; i++)
				values.at[i] = epilogue_from_float<Element>(x[pass][i]);
			*(epilogue_vector<Element, V> *)to = values;
		} else if (row + pass * ROWS < out.M && column < out.N) {
			epilogue_store(to, out.N - column, column + V <= out.N, x[pass]);
		}
	}
}

/* What the epilogue will read for a warp's 16 rows, into the L2 cache while the
 * tile is being multiplied: a line of 128 bytes a lane and time. */
template <class Element, int BN>
__device__ __forceinline__ void prefetch_rows(const epilogue<Element> &out, int row, int column)
{
	constexpr int LINE = 128 / sizeof(Element), LINES = BN / LINE;
#pragma unroll
	for (int i = 0; i < 16 * LINES / 32; i++) {
		int line = i * 32 + threadIdx.x % 32, r = row + line / LINES,
			c = column + line % LINES * LINE;
		if (r < out.M && c < out.N)
			out.prefetch(r, c);
	}
}

/* Chunk number i of a warp's sums into its staging area. Accumulator layout
 * (9.7.15.5.1.1): rows lane/4 and lane/4 + 8 of the warp's 16, columns
 * 8j + 2*(lane%4) and the next. */
__device__ __forceinline__ void stage_chunk(const float *sum, float *staging)
{
	int lane = threadIdx.x % 32;
	__syncwarp();
#pragma unroll
	for (int j = 0; j < CHUNK / 8; j++) {
		float *to = staging + lane / 4 * STAGING_ROW + j * 8 + lane % 4 * 2;
		*(float2 *)to = make_float2(sum[4 * j], sum[4 * j + 1]);
		*(float2 *)(to + 8 * STAGING_ROW) = make_float2(sum[4 * j + 2], sum[4 * j + 3]);
	}
	__syncwarp();
}

/* A warp's 16 x BN sums into C, a chunk at a time through shared memory of its
 * own, so that rows leave in whole sectors. Of a split tile each block has the
 * chunks whose number is its rank modulo `splits`. */
template <class Element, int BN>
__device__ __forceinline__ void finish(const float (&sum)[BN / 2], const epilogue<Element> &out,
									   float *staging, int splits, int rank, int row, int column)
{
	constexpr int SUMS = CHUNK / 2; // of a chunk and thread
	bool quads = out.N % 4 == 0 && (uintptr_t)out.C % (4 * sizeof(Element)) == 0;
	bool pairs = out.N % 2 == 0 && (uintptr_t)out.C % (2 * sizeof(Element)) == 0;
	if (row >= out.M)
		return;
	if (quads && row + 16 <= out.M && column + BN <= out.N) {
#pragma unroll
		for (int i = 0; i < BN / CHUNK; i++) {
			if (i % splits != rank)
				continue;
			stage_chunk(&sum[i * SUMS], staging);
			store_chunk<Element, 4, true>(out, staging, row, column + i * CHUNK);
		}
		return;
	}
	/* not unrolled, or these larger epilogues would stand here BN / CHUNK times */
#pragma unroll 1
	for (int chunk = rank; chunk < BN / CHUNK && column + chunk * CHUNK < out.N; chunk += splits) {
#pragma unroll
		for (int i = 0; i < BN / CHUNK; i++)
			if (i == chunk)
				stage_chunk(&sum[i * SUMS], staging);
		int x = column + chunk * CHUNK;
		bool inside = row + 16 <= out.M && x + CHUNK <= out.N;
		if (inside && pairs)
			store_chunk<Element, 2, true>(out, staging, row, x);
		else
			store_chunk<Element, 1, false>(out, staging, row, x);
	}
}

/* Adds up the sums of a cluster's blocks, through the stages that are free by
 * then: each block keeps the columns chunk % splits == its rank and reads them
 * from all others. */
template <int CONSUMERS, int BN>
__device__ __forceinline__ void share_sums(float (&sum)[BN / 2], uint32_t base, int consumer)
{
	uint32_t mine = base + (consumer * (BN / 2)) * WARPGROUP * 4 + threadIdx.x % WARPGROUP * 4;
#pragma unroll
	for (int i = 0; i < BN / 2; i++)
		asm volatile("st.shared.f32 [%0], %1;" ::"r"(mine + i * WARPGROUP * 4), "f"(sum[i])
					 : "memory");
}

template <int CONSUMERS, int BN>
__device__ __forceinline__ void gather_sums(float (&sum)[BN / 2], uint32_t base, int consumer,
											int splits)
{
	uint32_t rank = cluster_block();
	uint32_t mine = base + (consumer * (BN / 2)) * WARPGROUP * 4 + threadIdx.x % WARPGROUP * 4;
	for (uint32_t other = 0; other < (uint32_t)splits; other++) {
		if (other == rank)
			continue;
		uint32_t there;
		asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"(other));
#pragma unroll
		for (int i = 0; i < BN / 2; i++) {
			/* a chunk is this many registers of a thread, and goes to one block */
			if (i / (CHUNK / 2) % splits != (int)rank)
				continue;
			float x;
			asm volatile("ld.shared::cluster.f32 %0, [%1];"
						 : "=f"(x)
						 : "r"(there + i * WARPGROUP * 4));
			sum[i] += x;
		}
	}
}

/* What a consumer warpgroup does: multiply, then finish, tile after tile. */
template <class Element, int CONSUMERS, int BN, int STAGES, bool MULTICAST>
__device__ __forceinline__ void consume(const gemm_work &work, const epilogue<Element> &out,
										uint32_t base, float *staging, uint32_t full,
										uint32_t empty, int consumer, int first, int stride)
{
	using layout = gemm_layout<CONSUMERS, BN, STAGES>;
	float sum[BN / 2];
	int tiles = work.tiles_m * work.tiles_n, steps = (work.K + BK - 1) / BK;
	int block = (int)cluster_block(), begin, end;
	split_range(steps, work.splits, MULTICAST ? 0 : block, begin, end);
	int warp_row = consumer * 64 + threadIdx.x % WARPGROUP / 32 * 16;
	ring at = {0, 0};
	for (int tile = first; tile < tiles; tile += stride) {
		tile_place place = tile_find(work, tile);
		int m = MULTICAST ? place.m * 2 + block : place.m;
		int row = m * layout::BM + warp_row, column = place.n * BN;
		prefetch_rows<Element, BN>(out, row, column);
		multiply<Element, CONSUMERS, BN, STAGES, MULTICAST>(sum, end - begin, base, full, empty,
															consumer, at);
		if (work.splits > 1) {
			/* splits have one tile a cluster, so that the stages are free now */
			named_barrier(1, CONSUMERS * WARPGROUP);
			share_sums<CONSUMERS, BN>(sum, base, consumer);
			cluster_meet();
			gather_sums<CONSUMERS, BN>(sum, base, consumer, work.splits);
			cluster_meet(); // before a block that is read from ends
		}
		finish<Element, BN>(sum, out, staging, work.splits, MULTICAST ? 0 : block, row, column);
	}
}

template <class Element, int CONSUMERS, int BN, int STAGES, bool MULTICAST>
__global__ void __launch_bounds__(WARPGROUP *(CONSUMERS + 1), 1)
	gemm_tiles(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
			   const gemm_work work, const epilogue<Element> out)
{
	using layout = gemm_layout<CONSUMERS, BN, STAGES>;
	extern __shared__ char shared_raw[];
	uint32_t base = (shared_address(shared_raw) + 1023) & ~1023u;
	char *shared = shared_raw + (base - shared_address(shared_raw));
	uint32_t full = base + layout::barrier_offset, empty = full + 8 * STAGES;

	int warpgroup = __shfl_sync(0xFFFFFFFF, threadIdx.x / WARPGROUP, 0);
	if (threadIdx.x == 0) {
		for (int i = 0; i < STAGES; i++) {
			mbarrier_init(full + 8 * i, 1);
			mbarrier_init(empty + 8 * i, CONSUMERS * (MULTICAST ? 2 : 1));
		}
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
		tma_prefetch_map(&map_a);
		tma_prefetch_map(&map_b);
	}
	__syncthreads();
	if (MULTICAST || work.splits > 1)
		cluster_meet_relaxed();

	int per_tile = MULTICAST ? 2 : work.splits;
	int first = blockIdx.x / per_tile, stride = gridDim.x / per_tile;
	if (warpgroup == CONSUMERS) {
		if (CONSUMERS == 2) // one consumer alone has registers enough
			registers_give<40>();
		if (threadIdx.x == CONSUMERS * WARPGROUP) {
			dependency_wait();
			produce<CONSUMERS, BN, STAGES, MULTICAST>(&map_a, &map_b, work, base, full, empty,
													  first, stride);
		}
		if (work.splits > 1) { // the consumers meet twice
			cluster_meet();
			cluster_meet();
		}
	} else {
		if (CONSUMERS == 2)
			registers_take<232>();
		float *staging =
			(float *)(shared + layout::staging_offset + threadIdx.x / 32 * layout::staging_bytes);
		consume<Element, CONSUMERS, BN, STAGES, MULTICAST>(work, out, base, staging, full, empty,
														   warpgroup, first, stride);
	}
}

#endif
