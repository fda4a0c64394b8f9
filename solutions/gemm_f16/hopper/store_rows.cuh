/* The epilogue store row by row, where TMA cannot address C because its rows start at any element:
 * a warp finishes its sums and puts them into its own staging area in shared memory, each row as
 * far behind a multiple of 16 bytes as it is in C. So the part of a row that is whole vectors of 16
 * bytes goes to C as it is, a vector a lane; the few elements at the row's two ends go one by one.
 * Where C is read, its values have come to the same area in the same way.
 *
 * Single elements stored straight from the lanes would reach memory as parts of sectors, each of
 * which the L2 cache fetches first. Bulk copies of a row would be issued for one lane after the
 * other. */
#ifndef HOPPER_STORE_ROWS_CUH
#define HOPPER_STORE_ROWS_CUH

#include "store.cuh"

namespace hopper
{
/* A lane's pair of neighbouring elements in shared memory, at a whole word if WHOLE, and back. */
template <bool WHOLE> __device__ __forceinline__ uint32_t pair_load(uint32_t from)
{
	if (WHOLE)
		return shared_load_word(from);
	return shared_load_element(from, true) | (uint32_t)shared_load_element(from + 2, true) << 16;
}
template <bool WHOLE> __device__ __forceinline__ void pair_store(uint32_t to, uint32_t pair)
{
	if (WHOLE) {
		shared_store(to, pair);
	} else {
		shared_store(to, (uint16_t)pair);
		shared_store(to + 2, (uint16_t)(pair >> 16));
	}
}

/* A warp's 16 rows of a tile, or of one of its chunks of 32 columns after the other if the tile is
 * split. Rows 8 apart start alike: 16 * ldc bytes lie between them. */
template <class Element, class config> struct misaligned_rows {
	static constexpr bool LOADS_ALL = false;
	static constexpr int COLUMNS = config::SPLIT_K ? CHUNK : config::TILE_N;
	static constexpr int PITCH = padded_pitch(COLUMNS);
	/* lanes that have a row's vectors, and rows that the warp has at once */
	static constexpr int LANES = COLUMNS > 128 ? 32 : COLUMNS / VECTOR, TOGETHER = 32 / LANES;
	static constexpr int PASSES = 16 / TOGETHER;
	static constexpr int BATCH = PASSES < 4 ? PASSES : 4; // passes whose loads are together

	residue_rows<config::CLASSES> residue;
	int ldc;
	uint32_t staging; // the warp's staging area
	bool pairs;       // all rows start at even elements
	/* of the tile or chunk that begin() named */
	Element *from;
	int row, column;
	int rows, columns;        // of it that lie in C
	uint16_t ends[2][4] = {}; // C's old values there: see for_ends()
	/* of a split tile */
	int rank; // every `split`-th chunk is this block's, from this number on
	divisor split;
	tile_origin tile;

	__device__ __forceinline__ misaligned_rows(const schedule<config> &work, const Element *C,
											   const shared_layout<config> &shared)
		: residue(work.row_class), ldc(work.ldc)
	{
		staging = shared.base + config::STORE_OFFSET + threadIdx.x / 32 * config::ROWS_BYTES;
		pairs = work.ldc % 2 == 0 && (uintptr_t)C % 4 == 0;
		rank = work.split_rank();
		split = work.split;
	}

	/* The tile, or the block's first chunk of it. */
	template <class Epilogue>
	__device__ __forceinline__ void begin(const Epilogue &out, tile_origin at, int)
	{
		tile = at;
		begin_chunk(out, config::SPLIT_K ? rank : 0);
	}
	template <class Epilogue>
	__device__ __forceinline__ void begin_chunk(const Epilogue &out, int chunk)
	{
		bool exists = chunk < config::CHUNKS; // a block may have no chunk at all
		row = tile.row;
		column = exists ? tile.column + chunk * CHUNK : out.N;
		from = out.C + (size_t)row * ldc + column;
		rows = min(16, residue.index(out.M - row + residue.stride() - 1));
		columns = rows > 0 ? max(min(COLUMNS, out.N - column), 0) : 0;
	}

	/* Elements from the first row to another one. */
	__device__ __forceinline__ size_t distance(int row) const
	{
		return (size_t)residue.below(0, row) * ldc;
	}

	/* A row in C is a head, whole vectors, and a tail. lead(): elements between a 16-byte boundary
	 * and the row's begin; head(): those before its first whole vector; middle(): those in whole
	 * vectors. */
	__device__ __forceinline__ int lead(int row) const
	{
		return ((uint32_t)(uintptr_t)from / 2 + (uint32_t)distance(row)) % VECTOR;
	}
	__device__ __forceinline__ int head(int row) const
	{
		return min(-lead(row) & VECTOR - 1, columns);
	}
	__device__ __forceinline__ int middle(int row) const
	{
		return (columns - head(row)) & ~(VECTOR - 1);
	}

	/* Where an element of the lane's row l/4 is in shared memory. */
	__device__ __forceinline__ uint32_t address(int column) const
	{
		int row = threadIdx.x % 32 / 4;
		return staging + row * PITCH + (lead(row) + column) * 2;
	}

	/* The lane's whole vectors in BATCH passes: calls each(i, address, element, inside) with where
	 * they are in shared memory and in C. */
	template <class Each> __device__ __forceinline__ void for_vectors(int first, Each each) const
	{
		int lane = threadIdx.x % 32, offset = lane % LANES * VECTOR;
#pragma unroll
		for (int i = 0; i < BATCH; i++) {
			int row = (first + i) * TOGETHER + lane / LANES, at = head(row) + offset;
			bool inside = at + VECTOR <= columns && row < rows;
			each(i, staging + row * PITCH + (lead(row) + at) * 2, from + distance(row) + at,
				 inside);
		}
	}

	/* The single elements of the lane's rows l/4 and l/4 + 8 (half = 0, 1), which start alike.
	 * Their heads and tails have 7 elements at most, and a row has four lanes, so that a lane has
	 * two of the head (i = 0, 1) and two of the tail (i = 2, 3): calls each(half, i, offset,
	 * inside) with their offset in the row. */
	template <class Each> __device__ __forceinline__ void for_ends(Each each) const
	{
		int row = threadIdx.x % 32 / 4, first = head(row), tail = first + middle(row);
#pragma unroll
		for (int half = 0; half < 2; half++)
#pragma unroll
			for (int i = 0; i < 4; i++) {
				int offset = threadIdx.x % 4 + i % 2 * 4 + (i < 2 ? 0 : tail);
				bool inside = offset < (i < 2 ? first : columns) && row + 8 * half < rows;
				each(half, i, offset, inside);
			}
	}
	__device__ __forceinline__ uint16_t *row_of_lane(void) const
	{
		return (uint16_t *)from + distance(threadIdx.x % 32 / 4);
	}

	__device__ __forceinline__ void wait_free(void) const
	{
		__syncwarp();
	}

	/* Loads C into the staging area, once it is free; its ends into registers. Of a part that is
	 * not all in C, what lies outside goes through the epilogue, too: as zeros. */
	__device__ __forceinline__ void load(void)
	{
		wait_free();
		if (rows < 16 || columns < COLUMNS) {
			for (int i = threadIdx.x % 32 * 16; i < 16 * PITCH; i += 32 * 16)
				shared_store(staging + i, make_uint4(0, 0, 0, 0));
			__syncwarp();
		}
#pragma unroll 1
		for (int pass = 0; pass < PASSES; pass += BATCH)
			for_vectors(pass, [&](int, uint32_t address, const Element *vector, bool inside) {
				if (inside)
					copy_async(address, vector);
			});
		const uint16_t *row = row_of_lane();
		for_ends([&](int half, int i, int offset, bool inside) {
			ends[half][i] = element_load(row + distance(8 * half) + offset, inside);
		});
	}

	/* Waits for the staging area, and for C in it if it is read. */
	__device__ __forceinline__ void wait(bool reads_c)
	{
		if (reads_c) {
			uint32_t row = address(0);
			for_ends([&](int half, int i, int offset, bool inside) {
				if (inside)
					shared_store(row + half * 8 * PITCH + offset * 2, ends[half][i]);
			});
			copies_commit();
			copies_wait();
		}
		__syncwarp();
	}

	/* The sums through the epilogue into the staging area. */
	template <bool READS_C, bool WHOLE, class Epilogue>
	__device__ __forceinline__ void finish_pairs(const float *sum, const Epilogue &out)
	{
		constexpr int BATCH = 8; // pairs whose old values are in flight together
		int lane = threadIdx.x % 32;
		uint32_t at = address(lane % 4 * 2);
		int first_row = residue.below(row, lane / 4), first_column = column + lane % 4 * 2;
		auto pair = [&](int i) { return at + i % 2 * 8 * PITCH + i / 2 * 16; };
#pragma unroll
		for (int first = 0; first < COLUMNS / 4; first += BATCH) { // pairs of both rows
			uint32_t old[BATCH];
#pragma unroll
			for (int i = 0; READS_C && i < BATCH; i++)
				old[i] = pair_load<WHOLE>(pair(first + i));
#pragma unroll
			for (int i = first; i < first + BATCH; i++) {
				float x[2] = {sum[2 * i], sum[2 * i + 1]}, c[2] = {};
				if (READS_C)
					word_unpack<Element>(old[i - first], c);
				/* by the code that serves any beta, as C is at hand here, or zeros */
				apply<true, !Epilogue::elementwise>(out, residue.below(first_row, i % 2 * 8),
													first_column + i / 2 * 8, x, c);
				pair_store<WHOLE>(pair(i), word_pack<Element>(x));
			}
		}
	}

	template <class Epilogue>
	__device__ __forceinline__ void finish_chunk(const float *sum, const Epilogue &out,
												 bool reads_c)
	{
		wait(reads_c);
		if (reads_c && pairs)
			finish_pairs<true, true>(sum, out);
		else if (reads_c)
			finish_pairs<true, false>(sum, out);
		else if (pairs)
			finish_pairs<false, true>(sum, out);
		else
			finish_pairs<false, false>(sum, out);
		__syncwarp();
#pragma unroll 1
		for (int pass = 0; pass < PASSES; pass += BATCH) {
			uint4 vectors[BATCH];
			for_vectors(pass, [&](int i, uint32_t address, Element *, bool inside) {
				vectors[i] = shared_load(address, inside);
			});
			for_vectors(pass, [&](int i, uint32_t, Element *to, bool inside) {
				if (inside)
					global_store(to, vectors[i]);
			});
		}
		uint32_t staged = address(0);
		uint16_t *to = row_of_lane();
		for_ends([&](int half, int, int offset, bool inside) {
			uint16_t x = shared_load_element(staged + half * 8 * PITCH + offset * 2, inside);
			if (inside)
				to[distance(8 * half) + offset] = x;
		});
	}

	template <class Epilogue>
	__device__ __forceinline__ void finish(const float (&sum)[config::SUMS], const Epilogue &out,
										   bool reads_c)
	{
		if (!config::SPLIT_K)
			finish_chunk(sum, out, reads_c);
#pragma unroll
		for (int i = 0; i < config::CHUNKS; i++)
			if (config::SPLIT_K && split.remainder(i) == rank) {
				if (i != rank) {
					begin_chunk(out, i);
					if (reads_c)
						load();
				}
				finish_chunk(&sum[i * CHUNK_SUMS], out, reads_c);
			}
	}
};
} // namespace hopper

#endif
