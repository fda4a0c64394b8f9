/* The way out where TMA cannot address C, because its rows start at any element: a warp
 * finishes its sums in registers, packs them, and puts them into its own place in shared memory,
 * each row as far behind a multiple of 16 bytes as it is in C. So what of a row lies in whole
 * units of 16 bytes goes from there to C as it is, a unit a lane; the few elements at the row's
 * two ends go one by one. Where beta is not 0, C's values have come to the very same place
 * by the same steps.
 *
 * Single elements stored straight from the lanes would reach memory as parts of sectors, each
 * of which the L2 cache has to fetch first. Bulk copies of a row each would do without the
 * lanes, but an instruction of theirs is issued for one lane after the other. */
#ifndef GEMMJUDGE_HOPPER_ROWS_CUH
#define GEMMJUDGE_HOPPER_ROWS_CUH

#include "finish.cuh"

/* A warp's 16 rows of BN columns of C. Rows 8 apart start alike: 16 * N bytes lie between them. */
template <class Element, int BN, class Classes> struct c_rows {
	static constexpr bool LOADS_C = true, LOADS_HALVES = false;
	static constexpr int PITCH = row_pitch(BN);
	static constexpr int PLACE_BYTES = 16 * PITCH;
	/* lanes that have a row's units, and rows that the warp has at once */
	static constexpr int LANES = BN > 128 ? 32 : BN / UNIT, TOGETHER = 32 / LANES;
	static constexpr int PASSES = 16 / TOGETHER;
	static constexpr int BATCH = PASSES < 4 ? PASSES : 4; // passes whose loads are together

	Classes classes;
	int N;
	uint32_t staging; // this warp's place
	bool pairs;       // all rows start at even elements
	/* of the part that begin() named */
	Element *from;
	int row, column;
	int rows, columns;   // of it that lie in C
	uint16_t ends[2][4]; // C's old values at the ends of the lane's rows l/4 and l/4 + 8

	/* Elements from one of its rows to the next. */
	__device__ __forceinline__ int leading(void) const
	{
		return classes.apart() * N;
	}

	__device__ __forceinline__ void begin(const epilogue<Element> &out, tile_origin at, int)
	{
		row = at.row;
		column = at.column;
		from = out.C + (size_t)row * N + column;
		rows = min(16, classes.number(out.M - row + classes.apart() - 1));
		columns = rows > 0 ? max(min(BN, N - column), 0) : 0;
	}

	/* How many elements behind a unit row `row` starts, how many it has before the next one,
	 * and in the units behind them that are whole. */
	__device__ __forceinline__ int lead(int row) const
	{
		return ((uint32_t)(uintptr_t)from / 2 + row * leading()) % UNIT;
	}
	__device__ __forceinline__ int head(int row) const
	{
		return min(-lead(row) & UNIT - 1, columns);
	}
	__device__ __forceinline__ int middle(int row) const
	{
		return (columns - head(row)) & ~(UNIT - 1);
	}

	/* Where an element of the lane's first row is. */
	__device__ __forceinline__ uint32_t place(int column) const
	{
		int row = threadIdx.x % 32 / 4;
		return staging + row * PITCH + (lead(row) + column) * 2;
	}

	/* The lane's whole units in BATCH passes: calls each(i, place, element, inside) with where
	 * they are in shared memory and in C. */
	template <class Each> __device__ __forceinline__ void for_units(int first, Each each) const
	{
		int lane = threadIdx.x % 32, offset = lane % LANES * UNIT;
#pragma unroll
		for (int i = 0; i < BATCH; i++) {
			int row = (first + i) * TOGETHER + lane / LANES, at = head(row) + offset;
			bool inside = at + UNIT <= columns && row < rows;
			each(i, staging + row * PITCH + (lead(row) + at) * 2,
				 from + (size_t)row * leading() + at, inside);
		}
	}

	/* The elements at the ends of the lane's two rows: calls each(half, i, offset, inside) with
	 * their offset in the row, four for each row. */
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
		return (uint16_t *)from + (size_t)(threadIdx.x % 32 / 4) * leading();
	}

	/* The warp's place is free: what was stored from it has been read. */
	__device__ __forceinline__ void wait_free(void) const
	{
		__syncwarp();
	}

	/* C's values into the place, once it is free; the ends into registers. */
	__device__ __forceinline__ void load(void)
	{
		wait_free();
		if (rows < 16 || columns < BN)
			place_clear<PLACE_BYTES>(staging);
#pragma unroll 1
		for (int pass = 0; pass < PASSES; pass += BATCH)
			for_units(pass, [&](int, uint32_t place, const Element *unit, bool inside) {
				if (inside)
					copy_async(place, unit);
			});
		const uint16_t *row = row_of_lane();
		for_ends([&](int half, int i, int offset, bool inside) {
			ends[half][i] = element_load(row + (size_t)8 * half * leading() + offset, inside);
		});
	}

	/* For the place, which has C's values if it is read. */
	__device__ __forceinline__ void wait(bool reads_c)
	{
		if (reads_c) {
			uint32_t row = place(0);
			for_ends([&](int half, int i, int offset, bool inside) {
				if (inside)
					shared_store(row + half * 8 * PITCH + offset * 2, ends[half][i]);
			});
			copies_commit();
			copies_wait<0>();
		}
		__syncwarp();
	}

	__device__ __forceinline__ void store(void) const
	{
		__syncwarp();
#pragma unroll 1
		for (int pass = 0; pass < PASSES; pass += BATCH) {
			uint4 units[BATCH];
			for_units(pass, [&](int i, uint32_t place, Element *, bool inside) {
				units[i] = shared_load(place, inside);
			});
			for_units(pass, [&](int i, uint32_t, Element *to, bool inside) {
				if (inside)
					global_store(to, units[i]);
			});
		}
		uint32_t at = place(0);
		uint16_t *row = row_of_lane();
		for_ends([&](int half, int i, int offset, bool inside) {
			uint16_t x = shared_load_element(at + half * 8 * PITCH + offset * 2, inside);
			if (inside)
				row[(size_t)8 * half * leading() + offset] = x;
		});
	}
};

template <class Element, int BN, class Classes>
__device__ __forceinline__ c_rows<Element, BN, Classes>
c_rows_make(Classes classes, const epilogue<Element> &out, uint32_t staging)
{
	bool pairs = out.N % 2 == 0 && (uintptr_t)out.C % 4 == 0;
	return {classes, out.N, staging, pairs};
}

/* A lane's pair of neighbouring elements in shared memory, which begins with a word if WHOLE, and
 * back. */
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

/* The part's sums through the epilogue into its place. */
template <bool READS_C, bool WHOLE, class Element, int BN, class Classes>
__device__ __forceinline__ void finish_row_pairs(const float *sum, const epilogue<Element> &out,
												 const c_rows<Element, BN, Classes> &part)
{
	constexpr int TOGETHER = 8; // pairs whose old values are under way together
	int lane = threadIdx.x % 32;
	uint32_t at = part.place(lane % 4 * 2);
	int row = part.classes.below(part.row, lane / 4), column = part.column + lane % 4 * 2;
	auto place = [&](int i) { return at + i % 2 * 8 * part.PITCH + i / 2 * 16; };
#pragma unroll
	for (int first = 0; first < BN / 4; first += TOGETHER) { // pairs of both rows
		uint32_t old[TOGETHER];
#pragma unroll
		for (int i = 0; READS_C && i < TOGETHER; i++)
			old[i] = pair_load<WHOLE>(place(first + i));
#pragma unroll
		for (int i = first; i < first + TOGETHER; i++) {
			float x[2] = {sum[2 * i], sum[2 * i + 1]}, c[2] = {};
			if (READS_C)
				words_unpack<Element>(old[i - first], c);
			out.apply(part.classes.below(row, i % 2 * 8), column + i / 2 * 8, x, c);
			pair_store<WHOLE>(place(i), words_pack<Element>(x));
		}
	}
}

/* A warp's sums on their way into C, to where begin() said. */
template <class Element, int BN, class Classes>
__device__ __forceinline__ void finish_rows(const float *sum, const epilogue<Element> &out,
											bool reads_c, c_rows<Element, BN, Classes> &part)
{
	part.wait(reads_c);
	if (reads_c && part.pairs)
		finish_row_pairs<true, true>(sum, out, part);
	else if (reads_c)
		finish_row_pairs<true, false>(sum, out, part);
	else if (part.pairs)
		finish_row_pairs<false, true>(sum, out, part);
	else
		finish_row_pairs<false, false>(sum, out, part);
	part.store();
}

template <class Element, int BN, class Classes>
__device__ __forceinline__ void finish(const float (&sum)[BN / 2], const epilogue<Element> &out,
									   bool reads_c, c_rows<Element, BN, Classes> &part)
{
	finish_rows(sum, out, reads_c, part);
}

/* ---- split tiles ------------------------------------------------------------------------ */

/* Of a warp's 16 rows of BN columns of C the chunks whose number is this block's rank modulo
 * `splits`, one after the other. */
template <class Element, int BN, class Classes> struct c_row_chunks {
	static constexpr bool LOADS_C = true, LOADS_HALVES = false;
	c_rows<Element, CHUNK, Classes> rows; // of a chunk
	int rank;
	divisor splits;
	tile_origin tile;

	__device__ __forceinline__ void begin_chunk(const epilogue<Element> &out, int chunk)
	{
		rows.begin(out, {tile.row, chunk < BN / CHUNK ? tile.column + chunk * CHUNK : out.N}, 0);
	}

	/* The first chunk, which may be none at all. */
	__device__ __forceinline__ void begin(const epilogue<Element> &out, tile_origin at, int)
	{
		tile = at;
		begin_chunk(out, rank);
	}

	__device__ __forceinline__ void load(void)
	{
		rows.load();
	}
	__device__ __forceinline__ void wait_free(void) const
	{
		rows.wait_free();
	}
};

template <class Element, int BN, class Classes>
__device__ __forceinline__ void finish(const float (&sum)[BN / 2], const epilogue<Element> &out,
									   bool reads_c, c_row_chunks<Element, BN, Classes> &part)
{
#pragma unroll
	for (int i = 0; i < BN / CHUNK; i++)
		if (part.splits.rest(i) == part.rank) {
			if (i != part.rank) {
				part.begin_chunk(out, i);
				if (reads_c)
					part.load();
			}
			finish_rows(&sum[i * CHUNK_SUMS], out, reads_c, part.rows);
		}
}

#endif
