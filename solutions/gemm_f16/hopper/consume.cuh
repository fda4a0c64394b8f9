/* What a consumer warpgroup does, whoever fills the stages: multiplies its rows of
 * the tile by all BN columns, adds up the parts of a split tile, and finishes. A
 * stage goes round by two mbarriers: `full` says that its operands are there,
 * `empty` counts the consumers that are done with it. */
#ifndef GEMMJUDGE_HOPPER_CONSUME_CUH
#define GEMMJUDGE_HOPPER_CONSUME_CUH

#include "bulk.cuh"
#include "rows.cuh"
#include "turned.cuh"
#include "words.cuh"

/* One arrival a consumer at each block that fills the stage: `filler` is the one that this
 * thread tells (see filler_of). */
template <class config>
__device__ __forceinline__ void stage_release(uint32_t empty, int stage, int filler)
{
	int thread = threadIdx.x % WARPGROUP;
	if (config::SHARERS == 1) {
		if (thread == 0)
			mbarrier_arrive(empty + 8 * stage);
	} else if (thread < config::FILLERS) {
		mbarrier_arrive_cluster(empty + 8 * stage, filler);
	}
}

/* Of the FILLERS blocks that load something for this one, that of a thread's number: those of
 * the same columns of C, which share B, and then the others of the same rows, which share A. */
template <class config> __device__ __forceinline__ int filler_of(int thread)
{
	cluster_place here = cluster_here<config>();
	if (thread < config::UP)
		return thread + config::UP * here.across;
	int other = thread - config::UP;
	return here.up + config::UP * (other + (other >= here.across));
}

/* Where a consumer's operands lie in the first stage, for wgmma. A: 8 rows of 128 bytes a group,
 * and slabs of these. B: groups of 8 rows of K, 1024 bytes apart; boxes of 64 columns. Its part of
 * the tile begins with row or column `own`. */
struct stage_operands {
	uint32_t a, b;
};

template <class config>
__device__ __forceinline__ stage_operands operands_make(uint32_t base, int own)
{
	constexpr bool OF_B = config::TURNED && !config::STACKED; // columns of it
	return {wgmma_operand(base + (OF_B ? 0 : own * BK * 2), 16),
			wgmma_operand(base + config::a_bytes + (OF_B ? own * config::DEPTH * 2 : 0),
						  config::b_box_bytes)};
}

/* Has a stage's products made, and added to the sums unless they are the first. */
template <class Element, class config>
__device__ __forceinline__ void multiply_stage(float (&sum)[config::HALVES][config::SUMS],
											   stage_operands first, int stage, bool adds)
{
	uint32_t a = first.a + stage * (config::stage_bytes >> 4);
	uint32_t b = first.b + stage * (config::stage_bytes >> 4);
	wgmma_fence();
#pragma unroll
	for (int j = 0; j < config::DEPTH / 16; j++) {
		int slab = j / (BK / 16) * config::BM * BK * 2;
#pragma unroll
		for (int half = 0; half < config::HALVES; half++) {
			int a_half = config::TURNED ? 0 : half, b_half = config::TURNED ? half : 0;
			uint64_t da = wgmma_descriptor(a, slab + a_half * 64 * BK * 2 + j % (BK / 16) * 32);
			uint64_t db = wgmma_descriptor(b, b_half * config::b_box_bytes + j * 16 * 128);
			wgmma<Element, config::WIDTH>::template multiply<config::TURNED>(
				sum[half], config::TURNED ? db : da, config::TURNED ? da : db, adds || j > 0);
		}
	}
	wgmma_commit();
}

/* All products are in the sums. The compiler does not know that they were not before, and might
 * copy some. */
template <class config>
__device__ __forceinline__ void multiply_wait(float (&sum)[config::HALVES][config::SUMS])
{
	wgmma_wait<0>();
#pragma unroll
	for (int i = 0; i < config::HALVES * config::SUMS; i++)
		asm volatile("" : "+f"(sum[i / config::SUMS][i % config::SUMS])::"memory");
}

/* A step: has the next stage's products made, does something meanwhile, and hands back the stage
 * before, `last`, which has been read then; or where this is the first step, does something else.
 */
template <class Element, class config, class Meanwhile, class Besides>
__device__ __forceinline__ void multiply_step(float (&sum)[config::HALVES][config::SUMS],
											  stage_operands operands, bool adds, uint32_t full,
											  uint32_t empty, ring &at, int &last, uint32_t &there,
											  int filler, Meanwhile meanwhile, Besides besides)
{
	mbarrier_wait_unless(there, full + 8 * at.stage, at.phase);
	multiply_stage<Element, config>(sum, operands, at.stage, adds);
	meanwhile();
	ring then = at;
	then.next<config>();
	there = mbarrier_done(full + 8 * then.stage, then.phase);
	wgmma_wait<1>();
	if (last >= 0)
		stage_release<config>(empty, last, filler);
	else
		besides();
	last = at.stage;
	at.next<config>();
}

/* Sums the consumer's part of the tile over `steps` stages, at least one; and does something
 * besides, when the second step could begin. The loop has one way in and one way out, and no copy
 * of its body: else the compiler would have to move sums about while wgmma is at work on them (its
 * warnings C7514 to C7519). */
template <class Element, class config, class Besides>
__device__ __forceinline__ void multiply(float (&sum)[config::HALVES][config::SUMS], int steps,
										 stage_operands operands, uint32_t full, uint32_t empty,
										 ring &at, Besides besides)
{
	int last = -1, filler = filler_of<config>(threadIdx.x % WARPGROUP);
	int k = 0;
	uint32_t there = 0;
#pragma unroll 1
	do {
		multiply_step<Element, config>(
			sum, operands, k > 0, full, empty, at, last, there, filler, [] {}, besides);
	} while (++k < steps);
	multiply_wait<config>(sum);
	stage_release<config>(empty, last, filler);
}

/* What lies before A's rows in the tile's first stage becomes zeros: B has zeros there, but times
 * infinity that is none. Afterwards all consumers may multiply. */
template <class config>
__device__ __forceinline__ void clear_early(uint32_t stage, uint32_t full, uint32_t phase,
											int early)
{
	constexpr int THREADS = config::CONSUMERS * WARPGROUP;
	mbarrier_wait(full, phase);
#pragma unroll
	for (int first = 0; first < config::BM; first += THREADS) {
		int row = first + threadIdx.x;
		uint32_t unit = stage + row * BK * 2 + row % 8 * 16; // exchanged by the swizzle
		if (row < config::BM)
			shared_store(unit, unit_drop(shared_load(unit), early));
	}
	fence_async_shared();
	named_barrier(1, THREADS);
}

/* ---- tile after tile ----------------------------------------------------------------- */

/* A warp's part of C, in the way that its sums take into it: see finish.cuh. */
template <class Element, class config>
__device__ __forceinline__ auto way_out(const gemm_work &work, const epilogue<Element> &out,
										const CUtensorMap *maps_c, char *shared, uint32_t base,
										uint32_t full)
{
	using classes = typename config::classes;
	int warp = threadIdx.x / 32;
	static_assert(epilogue<Element>::only_c || !(config::TURNED || config::CLASSES),
				  "nobody asks whether a place lies in C");
	if constexpr (config::TURNED) {
		return c_turned_make<config>(work, maps_c, base, full);
	} else if constexpr (!config::ODD) {
		return c_part_make<config>(work, maps_c, shared, base, full);
	} else if constexpr (config::SPLIT && epilogue<Element>::only_c) {
		uint32_t place = base + config::staging_offset + warp * config::staging_bytes;
		return c_row_chunks<Element, config::BN, classes>{
			c_rows_make<Element, CHUNK>(classes_of<config>(work), out, place), split_rank<config>(),
			work.splits};
	} else if constexpr (epilogue<Element>::only_c) {
		uint32_t place = base + config::staging_offset;
		place += warp * c_rows<Element, config::BN, classes>::PLACE_BYTES;
		return c_rows_make<Element, config::BN>(classes_of<config>(work), out, place);
	} else {
		char *staging = shared + config::staging_offset + warp * config::staging_bytes;
		return c_chunks{(float *)staging, split_rank<config>(), work.splits};
	}
}

/* The first row of the tile that is the consumer's or, of one that has all rows, its column. */
template <class config> __device__ __forceinline__ int consumer_begin(int consumer)
{
	return consumer * (config::STACKED ? config::WIDTH : config::OWN);
}

/* Where a half of the consumer's part of a tile begins: of a turned tile all four warps', else
 * this warp's. */
template <class config>
__device__ __forceinline__ tile_origin part_origin(const gemm_work &work, tile_origin tile,
												   int consumer, int half)
{
	auto classes = classes_of<config>(work);
	int own = consumer_begin<config>(consumer);
	if (config::STACKED)
		return {classes.below(tile.row, own), tile.column + 64 * half};
	if (config::TURNED)
		return {tile.row, tile.column + own + 64 * half};
	int rows = own + 64 * half + (int)threadIdx.x % WARPGROUP / 32 * 16;
	return {classes.below(tile.row, rows), tile.column};
}

template <class Element, class config>
__device__ __forceinline__ void consume(const gemm_work &work, const epilogue<Element> &out,
										const CUtensorMap *maps_c, char *shared, uint32_t base,
										uint32_t full, uint32_t empty, int consumer, int first,
										int stride)
{
	int begin, end;
	block_steps<config>(work, begin, end);
	ring at = {0, 0};
	stage_operands operands = operands_make<config>(base, consumer_begin<config>(consumer));
	auto part = way_out<Element, config>(work, out, maps_c, shared, base, full);
	bool loads_c = part.LOADS_C && work.reads_c;
	uint32_t scratch = base + config::scratch_offset + threadIdx.x / 32 * SCRATCH_BYTES;
	for (int tile = first; tile < work.tiles; tile += stride) {
		tile_origin origin = block_tile<config>(work, tile);
		float sum[config::HALVES][config::SUMS]; // nothing flows from one tile into the next
		/* What the epilogue reads: the first tile's at once; later ones' while the tensor cores are
		 * at work, and the tile before has left its place. */
		auto ask = [&] {
#pragma unroll
			for (int half = 0; half < config::HALVES; half++)
				if (!part.LOADS_C || !epilogue<Element>::only_c)
					prefetch_rows<Element, config::BN>(
						out, part_origin<config>(work, origin, consumer, half), scratch);
			if (loads_c)
				part.load();
		};
		part.begin(out, part_origin<config>(work, origin, consumer, 0), 0);
		if (tile == first)
			ask();
		int early = early_elements<config>(work, origin.row);
		if (early > 0 && begin == 0)
			clear_early<config>(base + at.stage * config::stage_bytes, full + 8 * at.stage,
								at.phase, early);
		multiply<Element, config>(sum, end - begin, operands, full, empty, at, [&] {
			if (tile != first)
				ask();
		});
		if constexpr (config::SPLIT)
			exchange_sums<config>(sum[0], base, full, consumer, work.splits);
#pragma unroll
		for (int half = 0; half < config::HALVES; half++) {
			if (half > 0) {
				part.begin(out, part_origin<config>(work, origin, consumer, half), half);
				if (loads_c && !part.LOADS_HALVES)
					part.load();
			}
			finish(sum[half], out, work.reads_c, part);
		}
	}
	part.wait_free(); // before the block ends
}

#endif
