/* The way out: a consumer's sums through the epilogue into C.
 *
 * Accumulator layout of a warp's 16 rows (PTX ISA 9.7.15.5.1.1): lane l has
 * rows l/4 and l/4 + 8, and of every 8 columns 2*(l%4) and the next. Four ways
 * lead from there to C, and consume() is the same with each (window.cuh is shallow.cuh's):
 *  - bulk.cuh: by TMA, where it can address C;
 *  - turned.cuh: the same for the sums of a turned tile;
 *  - rows.cuh: row by row, where it cannot;
 *  - here: in chunks of columns that are turned around in shared memory, so that one, two or
 *    four neighbouring columns are finished by a lane. For epilogues that access more
 *    than C, where TMA cannot address C.
 * Nothing branches around single values: a branch would make each one's loads
 * wait for those of the one before. */
#ifndef GEMMJUDGE_HOPPER_FINISH_CUH
#define GEMMJUDGE_HOPPER_FINISH_CUH

#include "epilogue.cuh"
#include "tile.cuh"

/* What the epilogue will read for a warp's 16 rows, into the caches while the tile is being
 * multiplied; a prefetch brings 32 bytes. `scratch` is the warp's. */
template <class Element, int BN>
__device__ __forceinline__ void prefetch_rows(const epilogue<Element> &out, tile_origin at,
											  uint32_t scratch)
{
	constexpr int SECTOR = 32 / sizeof(Element), SECTORS = BN / SECTOR;
	static_assert(SECTORS * 4 <= SCRATCH_BYTES, "a place for each sector of a row");
	if (!epilogue<Element>::only_c)
		copies_wait<0>(); // of the tile before, into the same places
	int rows = out.prefetches_rows() ? 16 : 1;
#pragma unroll 1
	for (int i = threadIdx.x % 32; i < rows * SECTORS; i += 32) {
		int r = at.row + i / SECTORS, c = at.column + i % SECTORS * SECTOR;
		if (r < out.M && c < out.N)
			out.prefetch(r, c, scratch + i % SECTORS * 4);
	}
	if (!epilogue<Element>::only_c)
		copies_commit();
}

/* Two neighbouring elements of a word, and back. */
template <class Element> __device__ __forceinline__ void words_unpack(uint32_t word, float (&x)[2])
{
	auto pair = *(epilogue_vector<Element, 2> *)&word;
	x[0] = epilogue_to_float(pair.at[0]);
	x[1] = epilogue_to_float(pair.at[1]);
}

template <class Element> __device__ __forceinline__ uint32_t words_pack(const float (&x)[2])
{
	if constexpr (std::is_same_v<Element, half>) {
		half2 pair = __floats2half2_rn(x[0], x[1]);
		return *(uint32_t *)&pair;
	} else {
		__nv_bfloat162 pair = __floats2bfloat162_rn(x[0], x[1]);
		return *(uint32_t *)&pair;
	}
}

/* Zeros into a warp's place of whole units: of a part that is not all in C, what lies outside
 * goes through the epilogue too. */
template <int BYTES> __device__ __forceinline__ void place_clear(uint32_t place)
{
	for (int i = threadIdx.x % 32 * 16; i < BYTES; i += 32 * 16)
		shared_store(place + i, make_uint4(0, 0, 0, 0));
	__syncwarp();
}

/* ---- through shared memory, in boxes --------------------------------------------------- */

/* A box of a warp's 16 rows of sums through the epilogue into shared memory. `at`: of the
 * lane's row there, l%16, its unit l/16 of each pair of units of 8 columns. The sums are of
 * `row`, l/4 of the box, and the one `below` it, 8 further down in the box. */
template <class Element, bool READS_C, int PAIRS>
__device__ __forceinline__ void finish_box(const float *sum, const epilogue<Element> &out,
										   const uint32_t (&at)[PAIRS], uint32_t box, int row,
										   int below, int column)
{
	/* all values before the first is stored: what the epilogue loads is under way together */
	uint32_t words[PAIRS][4];
#pragma unroll
	for (int j = 0; READS_C && j < PAIRS; j++)
		load_matrices(words[j], at[j] + box);
#pragma unroll
	for (int j = 0; j < PAIRS; j++) // pairs of units
#pragma unroll
		for (int i = 0; i < 4; i++) { // matrices: upper and lower rows of both units
			int half_row = i % 2, unit = i / 2;
			const float *from = sum + 8 * j + 4 * unit + 2 * half_row;
			float x[2] = {from[0], from[1]}, c[2];
			if (READS_C) {
				words_unpack<Element>(words[j][i], c);
				out.apply(row + below * half_row, column + 16 * j + 8 * unit, x, c);
			} else {
				out.apply_beta_0(row + below * half_row, column + 16 * j + 8 * unit, x);
			}
			words[j][i] = words_pack<Element>(x);
		}
#pragma unroll
	for (int j = 0; j < PAIRS; j++)
		store_matrices(at[j] + box, words[j]);
}

/* ---- through shared memory, in chunks ------------------------------------------------- */

/* Where a float of a chunk lies: the four rows that half a warp writes at once have
 * their groups of 8 columns in different banks. */
__device__ __forceinline__ int staged_at(int row, int column)
{
	return row * CHUNK + (column ^ row % 4 * 8);
}

/* A chunk of a warp's sums into its staging area. */
__device__ __forceinline__ void stage_chunk(const float *sum, float *staging)
{
	int lane = threadIdx.x % 32;
	__syncwarp();
#pragma unroll
	for (int j = 0; j < CHUNK / 8; j++) {
		float *to = staging + staged_at(lane / 4, j * 8) + lane % 4 * 2;
		*(float2 *)to = make_float2(sum[4 * j], sum[4 * j + 1]);
		*(float2 *)(to + 8 * CHUNK) = make_float2(sum[4 * j + 2], sum[4 * j + 3]);
	}
	__syncwarp();
}

/* A staged chunk, V columns a lane. INSIDE: all of it lies in C, and V elements
 * can be stored at once. Else V is 1; a value outside of C is handed to the
 * epilogue as one behind its row's end, for which nothing is read or written. */
template <class Element, int V, bool INSIDE>
__device__ __forceinline__ void store_chunk(const epilogue<Element> &out, const float *chunk,
											int row, int column)
{
	constexpr int LANES = CHUNK / V, ROWS = 32 / LANES, PASSES = 16 / ROWS;
	static_assert(INSIDE || V == 1, "a vector may not lie across the edge");
	int lane = threadIdx.x % 32, chunk_row = lane / LANES, chunk_column = lane % LANES * V;
	row += chunk_row;
	column += chunk_column;

	alignas(16) float x[PASSES][V];
#pragma unroll
	for (int pass = 0; pass < PASSES; pass++) {
		int at = row + pass * ROWS;
		*(epilogue_vector<float, V> *)x[pass] =
			*(const epilogue_vector<float, V> *)(chunk +
												 staged_at(chunk_row + pass * ROWS, chunk_column));
		bool inside = INSIDE || (at < out.M && column < out.N);
		out.apply(INSIDE ? at : min(at, out.M - 1), inside ? column : out.N, x[pass], INSIDE);
	}
	Element *to = out.C + (size_t)row * out.N + column;
	size_t step = (size_t)ROWS * out.N;
#pragma unroll
	for (int pass = 0; pass < PASSES; pass++, to += step) {
		epilogue_vector<Element, V> values;
#pragma unroll
		for (int i = 0; i < V; i++)
			values.at[i] = epilogue_from_float<Element>(x[pass][i]);
		if (INSIDE || (row + pass * ROWS < out.M && column < out.N))
			*(epilogue_vector<Element, V> *)to = values;
	}
}

/* A staged chunk that lies in C, where rows may start at any element: in pairs of columns,
 * which can be accessed at once because they begin at an even element. In a row that starts
 * at an odd one, the first and the last column are left, and come one by one. */
template <class Element>
__device__ __forceinline__ void store_chunk_pairs(const epilogue<Element> &out, const float *chunk,
												  int row, int column)
{
	constexpr int PAIRS = CHUNK / 2, ROWS = 32 / PAIRS, PASSES = 16 / ROWS;
	int lane = threadIdx.x % 32, pair = lane % PAIRS, first = lane / PAIRS;
	Element *to = out.C + (size_t)(row + first) * out.N + column;
	bool odd = (uintptr_t)to / sizeof(Element) % 2; // rows two apart are alike
	static_assert(ROWS == 2);
	/* there is one pair less in an odd row; its lane does another's again, and stores nothing */
	int begin = odd ? min(2 * pair + 1, CHUNK - 3) : 2 * pair;
	float x[PASSES][2];
#pragma unroll
	for (int pass = 0; pass < PASSES; pass++) {
		int r = first + pass * ROWS;
		x[pass][0] = chunk[staged_at(r, begin)];
		x[pass][1] = chunk[staged_at(r, begin + 1)];
		out.apply(row + r, column + begin, x[pass], true);
	}
#pragma unroll
	for (int pass = 0; pass < PASSES; pass++, to += (size_t)ROWS * out.N)
		if (begin >= 2 * pair)
			epilogue_store_whole(to + begin, x[pass]);

	int r = lane / 2, left = lane % 2 * (CHUNK - 1);
	float one[1] = {chunk[staged_at(r, left)]};
	to = out.C + (size_t)(row + r) * out.N + column;
	odd = (uintptr_t)to / sizeof(Element) % 2;
	out.apply(row + r, odd ? column + left : out.N, one, false);
	if (odd)
		to[left] = epilogue_from_float<Element>(one[0]);
}

/* Whether four neighbouring columns can be stored at once. */
template <class Element> __device__ __forceinline__ bool c_quads(const epilogue<Element> &out)
{
	return out.N % 4 == 0 && (uintptr_t)out.C % (4 * sizeof(Element)) == 0;
}

/* The chunks of a warp's sums from number `first` on, every `step`-th, one after the other
 * through `staging`. The loop is not unrolled, or the epilogue would stand here many times. */
template <class Element, int BN>
__device__ __forceinline__ void finish_chunks(const float (&sum)[BN / 2],
											  const epilogue<Element> &out, float *staging,
											  bool quads, int row, int column, int first, int step)
{
#pragma unroll 1
	for (int chunk = first; chunk < BN / CHUNK && column + chunk * CHUNK < out.N; chunk += step) {
#pragma unroll
		for (int i = 0; i < BN / CHUNK; i++)
			if (i == chunk)
				stage_chunk(&sum[i * CHUNK_SUMS], staging);
		int x = column + chunk * CHUNK;
		bool inside = row + 16 <= out.M && x + CHUNK <= out.N;
		if (inside && quads)
			store_chunk<Element, 4, true>(out, staging, row, x);
		else if (inside)
			store_chunk_pairs(out, staging, row, x);
		else
			store_chunk<Element, 1, false>(out, staging, row, x);
	}
}

/* A warp's 16 rows of BN columns of C, or, of a split tile, of the chunks whose number is this
 * block's rank modulo `splits`. */
struct c_chunks {
	static constexpr bool LOADS_C = false, LOADS_HALVES = false; // the epilogue does itself
	float *staging;
	int rank;
	divisor splits;
	int row, column; // where the part begins in C

	template <class Element>
	__device__ __forceinline__ void begin(const epilogue<Element> &, tile_origin at, int)
	{
		row = at.row;
		column = at.column;
	}
	__device__ __forceinline__ void load(void) const
	{
	}
	__device__ __forceinline__ void wait_free(void) const
	{
	}
};

template <class Element, int SUMS>
__device__ __forceinline__ void finish(const float (&sum)[SUMS], const epilogue<Element> &out, bool,
									   const c_chunks &part)
{
	if (part.row < out.M)
		finish_chunks<Element, SUMS * 2>(sum, out, part.staging, c_quads(out), part.row,
										 part.column, part.rank, part.splits.value);
}

#endif
