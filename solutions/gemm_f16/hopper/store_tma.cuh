/* The epilogue store by TMA. A warp finishes its sums and puts them into its own staging area in
 * shared memory, box by box; each box leaves by TMA while the warp goes on, and while the next tile
 * is multiplied. Where C is read, its values came to the same area during the mainloop.
 *
 * A box is 16 rows of 64 columns, or of 32 where a tile is split or has an odd number of 32
 * columns, with the swizzle of their length: ldmatrix and stmatrix find 8 rows in different banks.
 */
#ifndef HOPPER_STORE_TMA_CUH
#define HOPPER_STORE_TMA_CUH

#include "store.cuh"

namespace hopper
{
/* A warp's 16 rows of a tile. */
template <class config> struct tma_store_rows {
	static constexpr bool LOADS_ALL = false; // C for each subtile
	typename config::row_class rows;
	const CUtensorMap *maps;   // of the rows' residue classes
	uint32_t staging, barrier; // the warp's boxes; where loads complete
	uint32_t phase;            // of the barrier
	int rank;                  // every `split`-th box is this block's, from this number on
	divisor split;
	/* of the part that begin() named */
	int row, column; // in C
	int boxes;       // that lie in C, from the left, this block's or not

	template <class Epilogue>
	__device__ __forceinline__ void begin(const Epilogue &out, tile_origin at, int)
	{
		constexpr int WIDTH = config::C_BOX, BOXES = config::TILE_N / WIDTH;
		row = at.row;
		column = at.column;
		boxes = row < out.M ? min(BOXES, (out.N - column + WIDTH - 1) / WIDTH) : 0;
	}

	__device__ __forceinline__ const CUtensorMap *map(void) const
	{
		return &maps[rows.residue(row)];
	}
	__device__ __forceinline__ uint32_t box_address(int box) const
	{
		return (config::SPLIT_K ? split.quotient(box) : box) * config::C_BOX_BYTES;
	}

	/* Waits until what was stored from the staging areas has been read. (Lane 0, and not elected():
	 * with that here a consumer's mainloop was slower, see LOG.md.) */
	__device__ __forceinline__ void wait_free(void) const
	{
		if (threadIdx.x % 32 == 0)
			tma_stores_read();
		__syncwarp();
	}

	/* Loads C into the staging areas, once they are free. */
	__device__ __forceinline__ void load(void) const
	{
		if (threadIdx.x % 32 != 0 || rank >= boxes)
			return;
		tma_stores_read();
		int own = split.quotient(boxes - rank + split.value - 1);
		mbarrier_expect(barrier, own * config::C_BOX_BYTES);
		for (int i = rank; i < boxes; i += split.value)
			tma_load(staging + box_address(i), map(), barrier, column + i * config::C_BOX,
					 rows.index(row));
	}

	/* Waits for the staging areas, and for C in them if it is read. */
	__device__ __forceinline__ void wait(bool reads_c)
	{
		if (!reads_c) {
			wait_free();
		} else if (rank < boxes) {
			mbarrier_wait(barrier, phase);
			phase ^= 1;
		}
	}

	__device__ __forceinline__ void store(int box) const
	{
		fence_async_shared();
		__syncwarp();
		if (threadIdx.x % 32 == 0)
			tma_store(map(), staging + box_address(box), column + box * config::C_BOX,
					  rows.index(row));
	}

	/* A lane's addresses in a box: see finish_box(). The swizzle exchanges vectors by the number of
	 * the line of 128 bytes that they lie in. */
	__device__ __forceinline__ void lane_addresses(uint32_t (&at)[config::C_BOX / 16]) const
	{
		int lane = threadIdx.x % 32, row = lane % 16;
		int line = row * config::C_BOX * 2 / 128 % (config::C_BOX / 8);
#pragma unroll
		for (int j = 0; j < config::C_BOX / 16; j++)
			at[j] = staging + row * config::C_BOX * 2 + (2 * j + lane / 16 ^ line) * 16;
	}
};

template <class config>
__device__ __forceinline__ tma_store_rows<config>
store_rows_make(const schedule &work, const CUtensorMap *maps, uint32_t base, uint32_t full)
{
	int warp = threadIdx.x / 32;
	return {row_class_of<config>(work),
			maps,
			base + config::STORE_OFFSET + warp * config::C_BYTES,
			full + 8 * (config::C_BARRIERS + warp),
			0,
			split_rank<config>(),
			config::SPLIT_K ? work.split : divisor{1, 0}};
}

/* A box of a warp's 16 rows of sums through the epilogue into shared memory. `at`: of the lane's
 * row l%16 there, its vector l/16 of each pair of vectors of 8 columns. The sums are of `row`, l/4
 * of the box, and the one `below` rows further down in C. */
template <class Element, bool READS_C, bool EDGE, int PAIRS, class Epilogue>
__device__ __forceinline__ void finish_box(const float *sum, const Epilogue &out,
										   const uint32_t (&at)[PAIRS], uint32_t box, int row,
										   int below, int column)
{
	__builtin_assume(column % 2 == 0); // so that what belongs to a pair is accessed at once
	/* all values before the first is stored: what the epilogue loads is in flight together */
	uint32_t words[PAIRS][4];
#pragma unroll
	for (int j = 0; READS_C && j < PAIRS; j++)
		load_matrices(words[j], at[j] + box);
#pragma unroll
	for (int j = 0; j < PAIRS; j++)
#pragma unroll
		for (int i = 0; i < 4; i++) { // matrices: upper and lower rows of both vectors
			int lower = i % 2, vector = i / 2;
			const float *from = sum + 8 * j + 4 * vector + 2 * lower;
			float x[2] = {from[0], from[1]}, c[2] = {};
			if (READS_C)
				word_unpack<Element>(words[j][i], c);
			apply<READS_C, EDGE>(out, row + below * lower, column + 16 * j + 8 * vector, x, c);
			words[j][i] = word_pack<Element>(x);
		}
#pragma unroll
	for (int j = 0; j < PAIRS; j++)
		store_matrices(at[j] + box, words[j]);
}

/* A warp's sums to where begin() said. */
template <class Element, class config, class Epilogue>
__device__ __forceinline__ void finish(const float (&sum)[config::SUMS], const Epilogue &out,
									   bool reads_c, tma_store_rows<config> &part)
{
	constexpr int WIDTH = config::C_BOX;
	int lane = threadIdx.x % 32;
	uint32_t at[WIDTH / 16];
	part.lane_addresses(at);
	int row = part.rows.below(part.row, lane / 4), below = part.rows.below(0, 8);
	int column = part.column + lane % 4 * 2;

	part.wait(reads_c);
#pragma unroll
	for (int i = 0; i < config::TILE_N / WIDTH; i++)
		if (i < part.boxes && (!config::SPLIT_K || part.split.remainder(i) == part.rank)) {
			const float *from = &sum[i * WIDTH / 2];
			uint32_t box = part.box_address(i);
			int first = column + i * WIDTH;
			bool edge = !Epilogue::elementwise && (part.rows.below(part.row, 15) >= out.M ||
												   part.column + (i + 1) * WIDTH > out.N);
			if (edge && reads_c)
				finish_box<Element, true, !Epilogue::elementwise>(from, out, at, box, row, below,
																  first);
			else if (edge)
				finish_box<Element, false, !Epilogue::elementwise>(from, out, at, box, row, below,
																   first);
			else if (reads_c)
				finish_box<Element, true, false>(from, out, at, box, row, below, first);
			else
				finish_box<Element, false, false>(from, out, at, box, row, below, first);
			part.store(i);
		}
}

/* ---- swap-AB: the sums are of the transposed C ---- */

/* A consumer's tile_m rows of 64 columns of C for each subtile, one box, with the 128-byte swizzle.
 * A lane has a column of C and pairs of its rows; 8x8 matrices are transposed on their way into
 * shared memory. Subtiles take turns at one area, or have one each. A box leaves when all four
 * warps have written their 16 columns. */
template <class config> struct tma_store_columns {
	static constexpr bool LOADS_ALL = config::C_AREAS > 1; // C for all subtiles at once
	static constexpr int BYTES = config::TILE_M * BOX * 2; // of a staging area
	const CUtensorMap *map;
	uint32_t staging, barrier; // the consumer's staging areas; where loads complete
	uint32_t phase;            // of the barrier
	/* of the subtile that begin() named */
	int row, column; // in C
	int columns;     // of C from there on
	bool exists;     // some of it lies in C
	uint32_t area;

	template <class Epilogue>
	__device__ __forceinline__ void begin(const Epilogue &out, tile_origin at, int subtile)
	{
		row = at.row;
		column = at.column;
		columns = out.N - column;
		exists = row < out.M && columns > 0;
		area = staging + subtile % config::C_AREAS * BYTES;
	}

	__device__ __forceinline__ bool issues(void) const
	{
		return threadIdx.x % WARPGROUP == 0;
	}
	__device__ __forceinline__ void sync(void) const
	{
		named_barrier(2 + threadIdx.x / WARPGROUP, WARPGROUP); // 0 and 1 are the block's
	}

	__device__ __forceinline__ void wait_free(void) const
	{
		if (issues())
			tma_stores_read();
		sync();
	}

	/* Loads C into the staging areas from this subtile's on, once they are free. */
	__device__ __forceinline__ void load(void) const
	{
		if (!issues() || !exists)
			return;
		int count = min(config::C_AREAS, (columns + BOX - 1) / BOX);
		tma_stores_read();
		mbarrier_expect(barrier, count * BYTES);
		for (int i = 0; i < count; i++)
			tma_load(staging + i * BYTES, map, barrier, column + i * BOX, row);
	}

	__device__ __forceinline__ void wait(bool reads_c)
	{
		if (area != staging) // done for the first staging area
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
		sync();
		if (issues())
			tma_store(map, area, column, row);
	}
};

template <class config>
__device__ __forceinline__ tma_store_columns<config>
store_columns_make(const CUtensorMap *maps, uint32_t base, uint32_t full)
{
	int consumer = threadIdx.x / WARPGROUP;
	return {maps,
			base + config::STORE_OFFSET +
				consumer * config::C_AREAS * tma_store_columns<config>::BYTES,
			full + 8 * (config::C_BARRIERS + consumer)};
}

/* The warp's 16 columns of COUNT groups of 8 rows, from `row` on, which lie at `at` and below. */
template <class Element, bool READS_C, int COUNT, class Epilogue>
__device__ __forceinline__ void finish_columns(const float *sum, const Epilogue &out, uint32_t at,
											   int row, int column)
{
	constexpr int BYTES = 16 * BOX * 2, PAIRS = (COUNT + 1) / 2, LAST = COUNT % 2 == 0 ? 4 : 2;
	uint32_t words[PAIRS][4]; // all values before the first is stored, as in finish_box()
#pragma unroll
	for (int j = 0; READS_C && j < PAIRS; j++)
		if (j < PAIRS - 1)
			load_matrices_transposed<4>(words[j], at + j * BYTES);
		else
			load_matrices_transposed<LAST>(words[j], at + j * BYTES);
#pragma unroll
	for (int i = 0; i < 2 * COUNT; i++) { // matrices: left and right columns of each group
		int right = i % 2, group = i / 2;
		float x[2] = {sum[2 * i], sum[2 * i + 1]}, c[2] = {};
		uint32_t &word = words[i / 4][i % 4];
		if (READS_C)
			word_unpack<Element>(word, c);
#pragma unroll
		for (int below = 0; below < 2; below++) { // neighbours in a column, not in a row
			float one[1] = {x[below]}, old[1] = {c[below]};
			out.apply(row + 8 * group + below, column + 8 * right, one, old);
			x[below] = one[0];
		}
		word = word_pack<Element>(x);
	}
#pragma unroll
	for (int j = 0; j < PAIRS; j++)
		if (j < PAIRS - 1)
			store_matrices_transposed<4>(at + j * BYTES, words[j]);
		else
			store_matrices_transposed<LAST>(at + j * BYTES, words[j]);
}

template <class Element, bool READS_C, class config, class Epilogue>
__device__ __forceinline__ void finish_swapped(const float (&sum)[config::SUMS],
											   const Epilogue &out,
											   const tma_store_columns<config> &part)
{
	static_assert(Epilogue::elementwise, "values outside of C may go through the chain");
	constexpr int TOGETHER = 8, COUNT = config::TILE_M / 8, WHOLE = COUNT / TOGETHER * TOGETHER;
	int lane = threadIdx.x % 32, warp = threadIdx.x % WARPGROUP / 32;
	/* the lane's row of matrix l/8, and its vector of 8 columns, which the swizzle exchanges */
	int box_row = lane / 16 * 8 + lane % 8, vector = 2 * warp + lane / 8 % 2;
	uint32_t at = part.area + box_row * BOX * 2 + (vector ^ lane % 8) * 16;
	int row = part.row + lane % 4 * 2, column = part.column + warp * 16 + lane / 4;
#pragma unroll
	for (int j = 0; j < WHOLE; j += TOGETHER)
		finish_columns<Element, READS_C, TOGETHER>(&sum[4 * j], out, at + j * 8 * BOX * 2,
												   row + 8 * j, column);
	if constexpr (COUNT > WHOLE)
		finish_columns<Element, READS_C, COUNT - WHOLE>(
			&sum[4 * WHOLE], out, at + WHOLE * 8 * BOX * 2, row + 8 * WHOLE, column);
}

template <class Element, class config, class Epilogue>
__device__ __forceinline__ void finish(const float (&sum)[config::SUMS], const Epilogue &out,
									   bool reads_c, tma_store_columns<config> &part)
{
	part.wait(reads_c);
	if (!part.exists) // the staging area has nothing to be read
		return;
	if (reads_c)
		finish_swapped<Element, true>(sum, out, part);
	else
		finish_swapped<Element, false>(sum, out, part);
	part.store();
}
} // namespace hopper

#endif
