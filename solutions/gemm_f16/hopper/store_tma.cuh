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

/* A warp's 16 rows of a tile. */
template <class Element, class config> struct tma_store_rows {
	static constexpr bool LOADS_ALL = false; // C for each subtile
	static constexpr int WIDTH = config::C_BOX;
	residue_rows<config::CLASSES> rows;
	const CUtensorMap *maps;   // of the rows' residue classes
	uint32_t staging, barrier; // the warp's boxes; where loads complete
	uint32_t phase;            // of the barrier
	int rank;                  // every `split`-th box is this block's, from this number on
	divisor split;
	/* of the part that begin() named */
	int row = 0, column = 0; // in C
	int boxes = 0;           // that lie in C, from the left, this block's or not

	__device__ __forceinline__ tma_store_rows(const schedule<config> &work, const CUtensorMap *maps,
											  const shared_layout<config> &shared)
		: rows(work.row_class), maps(maps), phase(0),
		  split(config::SPLIT_K ? work.split : divisor{1, 0})
	{
		int warp = threadIdx.x / 32;
		staging = shared.base + config::STORE_OFFSET + warp * config::C_BYTES;
		barrier = shared.full + 8 * (config::C_BARRIERS + warp);
		rank = work.chunk_rank();
	}

	template <class Epilogue>
	__device__ __forceinline__ void begin(const Epilogue &out, tile_origin at, int)
	{
		row = at.row;
		column = at.column;
		boxes = row < out.M ? min(config::TILE_N / WIDTH, (out.N - column + WIDTH - 1) / WIDTH) : 0;
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
			tma_load(staging + box_address(i), map(), barrier, column + i * WIDTH, rows.index(row));
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
			tma_store(map(), staging + box_address(box), column + box * WIDTH, rows.index(row));
	}

	/* A lane's addresses in a box: see finish_box(). The swizzle exchanges vectors by the number of
	 * the line of 128 bytes that they lie in. */
	__device__ __forceinline__ void lane_addresses(uint32_t (&at)[WIDTH / 16]) const
	{
		int lane = threadIdx.x % 32, row = lane % 16;
		int line = row * WIDTH * 2 / 128 % (WIDTH / 8);
#pragma unroll
		for (int j = 0; j < WIDTH / 16; j++)
			at[j] = staging + row * WIDTH * 2 + (2 * j + lane / 16 ^ line) * 16;
	}

	/* A warp's sums to where begin() said. */
	template <class Epilogue>
	__device__ __forceinline__ void finish(const float (&sum)[config::SUMS], const Epilogue &out,
										   bool reads_c)
	{
		constexpr bool MAY_EDGE = !Epilogue::elementwise;
		int lane = threadIdx.x % 32;
		uint32_t at[WIDTH / 16];
		lane_addresses(at);
		int first = rows.below(row, lane / 4), below = rows.below(0, 8);
		wait(reads_c);
#pragma unroll
		for (int i = 0; i < config::TILE_N / WIDTH; i++)
			if (i < boxes && (!config::SPLIT_K || split.remainder(i) == rank)) {
				bool edge =
					MAY_EDGE && (rows.below(row, 15) >= out.M || column + (i + 1) * WIDTH > out.N);

				const float *from = &sum[i * WIDTH / 2];
				uint32_t box = box_address(i);
				int fc = column + lane % 4 * 2 + i * WIDTH;
				if (edge && reads_c)
					finish_box<Element, true, MAY_EDGE>(from, out, at, box, first, below, fc);
				else if (edge)
					finish_box<Element, false, MAY_EDGE>(from, out, at, box, first, below, fc);
				else if (reads_c)
					finish_box<Element, true, false>(from, out, at, box, first, below, fc);
				else
					finish_box<Element, false, false>(from, out, at, box, first, below, fc);
				store(i);
			}
	}
};

/* ---- swap-AB: the sums are of the transposed C ---- */

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
			apply<READS_C, false>(out, row + 8 * group + below, column + 8 * right, one, old);
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

/* A consumer's tile_m rows of 64 columns of C for each subtile, one box, with the 128-byte swizzle.
 * A lane has a column of C and pairs of its rows; 8x8 matrices are transposed on their way into
 * shared memory. Subtiles take turns at one area, or have one each. A box leaves when all four
 * warps have written their 16 columns. */
template <class Element, class config> struct tma_store_columns {
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

	__device__ __forceinline__ tma_store_columns(const schedule<config> &, const CUtensorMap *map,
												 const shared_layout<config> &shared)
		: map(map), phase(0)
	{
		int consumer = threadIdx.x / WARPGROUP;
		staging = shared.base + config::STORE_OFFSET + consumer * config::C_AREAS * BYTES;
		barrier = shared.full + 8 * (config::C_BARRIERS + consumer);
	}

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

	template <class Epilogue>
	__device__ __forceinline__ void finish(const float (&sum)[config::SUMS], const Epilogue &out,
										   bool reads_c)
	{
		static_assert(Epilogue::elementwise, "values outside of C may go through the chain");
		constexpr int TOGETHER = 8, COUNT = config::TILE_M / 8, WHOLE = COUNT / TOGETHER * TOGETHER;
		constexpr int GROUP_BYTES = 8 * BOX * 2;
		wait(reads_c);
		if (!exists) // the staging area has nothing to be read
			return;
		int lane = threadIdx.x % 32, warp = threadIdx.x % WARPGROUP / 32;
		/* the lane's row of matrix l/8, and its vector of 8 columns, which the swizzle exchanges */
		int box_row = lane / 16 * 8 + lane % 8, vector = 2 * warp + lane / 8 % 2;
		uint32_t at = area + box_row * BOX * 2 + (vector ^ lane % 8) * 16;
		int first = row + lane % 4 * 2, own = column + warp * 16 + lane / 4;
		as_constant(reads_c, [&](auto reads) {
			constexpr bool READS_C = decltype(reads)::value;
#pragma unroll
			for (int j = 0; j < WHOLE; j += TOGETHER)
				finish_columns<Element, READS_C, TOGETHER>(&sum[4 * j], out, at + j * GROUP_BYTES,
														   first + 8 * j, own);
			if constexpr (COUNT > WHOLE)
				finish_columns<Element, READS_C, COUNT - WHOLE>(
					&sum[4 * WHOLE], out, at + WHOLE * GROUP_BYTES, first + 8 * WHOLE, own);
		});
		fence_async_shared();
		sync();
		if (issues())
			tma_store(map, area, column, row);
	}
};
} // namespace hopper

#endif
