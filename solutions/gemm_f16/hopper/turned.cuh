/* The way out of a turned tile, whose sums are of the transposed C: a lane has a column of C and
 * pairs of its rows. Matrices of 8x8 are transposed on their way into shared memory (and, where C
 * is read, from there), so that a consumer's 64 columns lie there as rows of C, one box for TMA.
 * What is shared between warps is met for: a box leaves when all four have written their 16
 * columns. */
#ifndef GEMMJUDGE_HOPPER_TURNED_CUH
#define GEMMJUDGE_HOPPER_TURNED_CUH

#include "finish.cuh"

/* A consumer's WIDTH rows of 64 columns of C, for each half of its part of the tile, with the
 * swizzle of 128 bytes; all halves take turns at one place, or have a place each. */
template <class config> struct c_turned {
	static constexpr bool LOADS_C = true, LOADS_HALVES = config::C_PLACES > 1;
	static constexpr int BYTES = config::WIDTH * BOX * 2; // of a place
	typename config::classes classes;
	const CUtensorMap *maps;   // of its rows' classes
	uint32_t staging, barrier; // of this consumer: its places; where loads complete
	uint32_t phase;            // of the barrier
	/* of the half that begin() named */
	int row, column;
	int columns; // of C from there on
	bool exists; // some of it lies in C
	uint32_t place;

	template <class Element>
	__device__ __forceinline__ void begin(const epilogue<Element> &out, tile_origin at, int half)
	{
		row = at.row;
		column = at.column;
		columns = out.N - column;
		exists = row < out.M && columns > 0;
		place = staging + half % config::C_PLACES * BYTES;
	}

	__device__ __forceinline__ const CUtensorMap *map(void) const
	{
		return &maps[classes.residue(row)];
	}

	__device__ __forceinline__ bool speaks(void) const
	{
		return threadIdx.x % WARPGROUP == 0;
	}
	__device__ __forceinline__ void meet(void) const
	{
		named_barrier(2 + threadIdx.x / WARPGROUP, WARPGROUP); // 0 and 1 are the block's
	}

	/* The places are free: what was stored from them has been read. */
	__device__ __forceinline__ void wait_free(void) const
	{
		if (speaks())
			tma_stores_read();
		meet();
	}

	/* C's values into the places that begin with this half's, once they are free. */
	__device__ __forceinline__ void load(void) const
	{
		if (!speaks() || !exists)
			return;
		int count = min(config::C_PLACES, (columns + BOX - 1) / BOX);
		tma_stores_read();
		mbarrier_expect(barrier, count * BYTES);
		for (int i = 0; i < count; i++)
			tma_load(staging + i * BYTES, map(), barrier, column + i * BOX, classes.number(row));
	}

	/* For the place, which has C's values if it is read. */
	__device__ __forceinline__ void wait(bool reads_c)
	{
		if (place != staging) // done for the first one
			return;
		if (!reads_c) {
			wait_free();
		} else if (exists) {
			mbarrier_wait(barrier, phase);
			phase ^= 1;
		}
	}

	__device__ __forceinline__ void store(void) const
	{
		fence_async_shared();
		meet();
		if (speaks())
			tma_store(map(), place, column, classes.number(row));
	}
};

template <class config>
__device__ __forceinline__ c_turned<config>
c_turned_make(const gemm_work &work, const CUtensorMap *maps, uint32_t base, uint32_t full)
{
	int consumer = threadIdx.x / WARPGROUP;
	return {classes_of<config>(work), maps,
			base + config::staging_offset + consumer * config::C_PLACES * c_turned<config>::BYTES,
			full + 8 * (config::c_barriers + consumer)};
}

/* The warp's 16 columns of COUNT groups of 8 rows, from `row` on, which lie at `at` and below. */
template <class Element, bool READS_C, int COUNT, class Classes>
__device__ __forceinline__ void finish_columns(const float *sum, const epilogue<Element> &out,
											   Classes classes, uint32_t at, int row, int column)
{
	constexpr int BYTES = 16 * BOX * 2, PAIRS = (COUNT + 1) / 2; // of groups
	/* all values before the first is stored: what the epilogue loads is under way together */
	uint32_t words[PAIRS][4];
#pragma unroll
	for (int j = 0; READS_C && j < PAIRS; j++)
		if (2 * j + 1 < COUNT)
			load_matrices_transposed(words[j], at + j * BYTES);
		else
			load_two_matrices_transposed(words[j], at + j * BYTES);
#pragma unroll
	for (int i = 0; i < 2 * COUNT; i++) { // matrices: left and right columns of each group
		int right = i % 2, group = i / 2;
		float x[2] = {sum[2 * i], sum[2 * i + 1]}, c[2] = {};
		uint32_t &word = words[i / 4][i % 4];
		if (READS_C)
			words_unpack<Element>(word, c);
#pragma unroll
		for (int below = 0; below < 2; below++) { // neighbours in a column, not in a row
			float one[1] = {x[below]}, old[1] = {c[below]};
			out.apply(classes.below(row, 8 * group + below), column + 8 * right, one, old);
			x[below] = one[0];
		}
		word = words_pack<Element>(x);
	}
#pragma unroll
	for (int j = 0; j < PAIRS; j++)
		if (2 * j + 1 < COUNT)
			store_matrices_transposed(at + j * BYTES, words[j]);
		else
			store_two_matrices_transposed(at + j * BYTES, words[j]);
}

template <class Element, bool READS_C, class config>
__device__ __forceinline__ void finish_turned(const float (&sum)[config::SUMS],
											  const epilogue<Element> &out,
											  const c_turned<config> &part)
{
	constexpr int TOGETHER = 8, COUNT = config::WIDTH / 8, WHOLE = COUNT / TOGETHER * TOGETHER;
	int lane = threadIdx.x % 32, warp = threadIdx.x % WARPGROUP / 32;
	/* the lane's row of the matrices l/8, and the unit of 8 columns, which the swizzle exchanges */
	int box_row = lane / 16 * 8 + lane % 8, unit = 2 * warp + lane / 8 % 2;
	uint32_t at = part.place + box_row * BOX * 2 + (unit ^ lane % 8) * 16;
	auto classes = part.classes;
	int row = classes.below(part.row, lane % 4 * 2), column = part.column + warp * 16 + lane / 4;
#pragma unroll
	for (int j = 0; j < WHOLE; j += TOGETHER)
		finish_columns<Element, READS_C, TOGETHER>(&sum[4 * j], out, classes, at + j * 8 * BOX * 2,
												   classes.below(row, 8 * j), column);
	if constexpr (COUNT > WHOLE)
		finish_columns<Element, READS_C, COUNT - WHOLE>(&sum[4 * WHOLE], out, classes,
														at + WHOLE * 8 * BOX * 2,
														classes.below(row, 8 * WHOLE), column);
}

/* A consumer's sums on their way into C, to where begin() said. */
template <class Element, class config>
__device__ __forceinline__ void finish(const float (&sum)[config::SUMS],
									   const epilogue<Element> &out, bool reads_c,
									   c_turned<config> &part)
{
	part.wait(reads_c);
	if (!part.exists) // the place has nothing to be read
		return;
	if (reads_c)
		finish_turned<Element, true>(sum, out, part);
	else
		finish_turned<Element, false>(sum, out, part);
	part.store();
}

#endif
