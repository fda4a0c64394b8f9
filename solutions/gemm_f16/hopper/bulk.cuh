/* The way out through shared memory, with room there for a whole tile: a consumer's
 * part of the tile is finished in registers, packed, and put into shared memory; from
 * there a warp of the producer's warpgroup stores it while the next tile is being
 * multiplied. Where beta is not 0, the same warp has loaded that part of C to the very
 * same place, while this tile was being multiplied. TMA does both where it can address
 * C; else the warp shifts.
 *
 * A part is 64 rows in boxes of 64 columns, with the 128-byte swizzle, so that
 * ldmatrix and stmatrix find 8 rows in different banks. A thread writes where it
 * has read, and nobody else does.
 *
 * Two mbarriers a consumer hand the place over: `staged` by the consumer's four warps,
 * that C may be stored; `ready` by TMA or the warp that moves C, that the store has
 * read it and what the epilogue reads is there. */
#ifndef GEMMJUDGE_HOPPER_BULK_CUH
#define GEMMJUDGE_HOPPER_BULK_CUH

#include "finish.cuh"
#include "words.cuh"

constexpr int BOX_BYTES = 64 * BOX * 2;

/* How many of a part's boxes, from the left, go this way. What lies outside of C is
 * left out; but a stage that accesses other matrices must not be asked about such places,
 * and then boxes at the edges are finished one value at a time. */
template <class Element, class config>
__device__ __forceinline__ int bulk_boxes(int M, int N, int row, int column)
{
	constexpr int BOXES = config::BN / BOX;
	if (epilogue<Element>::only_c)
		return row < M ? min(BOXES, (N - column + BOX - 1) / BOX) : 0;
	return row + 64 <= M ? min(BOXES, (N - column) / BOX) : 0;
}

/* ---- the warp that moves a consumer's parts of C --------------------------------- */

/* A part of C on its way, and the same part in shared memory. */
struct c_part {
	int row, column;   // of C, where it begins
	int rows, columns; // that are moved
	uint32_t staging;
};

/* A unit of 8 columns in shared memory. */
__device__ __forceinline__ uint32_t staged_unit(const c_part &part, int row, int unit)
{
	return part.staging + unit / 8 * BOX_BYTES + row * 128 + (unit % 8 ^ row % 8) * 16;
}

__device__ __forceinline__ uint32_t staged_element(const c_part &part, int row, int column)
{
	return staged_unit(part, row, column / 8) + column % 8 * 2;
}

/* By TMA; one thread. */
__device__ __forceinline__ void part_load_boxes(const CUtensorMap *map, const c_part &part,
												uint32_t ready)
{
	int boxes = (part.columns + BOX - 1) / BOX;
	mbarrier_expect(ready, boxes * BOX_BYTES);
	for (int i = 0; i < boxes; i++)
		tma_load(part.staging + i * BOX_BYTES, map, ready, part.column + i * BOX, part.row);
}

__device__ __forceinline__ void part_store_boxes(const CUtensorMap *map, const c_part &part)
{
	int boxes = (part.columns + BOX - 1) / BOX;
	for (int i = 0; i < boxes; i++)
		tma_store(map, part.staging + i * BOX_BYTES, part.column + i * BOX, part.row);
	tma_stores_read();
}

/* Where TMA cannot address C: 16 bytes of shared memory a lane, from the two aligned
 * words around them; from single elements where those are not all in C, and zeros
 * outside of it, as TMA has it. */
__device__ __forceinline__ void part_load_words(const odd_matrix &C, const c_part &part)
{
	const char *end = (const char *)(C.data + (size_t)C.rows * C.columns);
	int units = (part.columns + BOX - 1) / BOX * 8, lane = threadIdx.x % 32;
#pragma unroll 1
	for (int i = lane; i < 64 * units; i += 32) {
		int row = i / units, unit = i - row * units;
		int count = row < part.rows ? part.columns - unit * 8 : 0; // elements of the unit in C
		const uint16_t *from =
			C.data + (size_t)(part.row + row) * C.columns + part.column + unit * 8;
		uint32_t shift = (uintptr_t)from % 16, x[4] = {};
		const char *word = (const char *)from - shift;
		if (count > 0 && word >= (const char *)C.data && word + 32 <= end) {
			uint4 all = shift_together(*(const uint4 *)word, *(const uint4 *)(word + 16), shift);
			shared_store(staged_unit(part, row, unit), all);
		} else {
#pragma unroll
			for (int j = 0; j < 8; j++)
				if (j < count)
					x[j / 2] |= (uint32_t)from[j] << j % 2 * 16;
			shared_store(staged_unit(part, row, unit), make_uint4(x[0], x[1], x[2], x[3]));
		}
	}
}

/* Elements from here to where the first aligned word begins. */
__device__ __forceinline__ int elements_to_word(const uint16_t *from)
{
	return (16 - (uintptr_t)from % 16) % 16 / 2;
}

/* The other way: rows in aligned words of C, shifted together from shared memory. */
__device__ __forceinline__ void part_store_words(uint16_t *C, int N, const c_part &part)
{
	int lane = threadIdx.x % 32;
#pragma unroll 2
	for (int row = 0; row < part.rows; row++) {
		uint16_t *to = C + (size_t)(part.row + row) * N + part.column;
		int head = elements_to_word(to);
		for (int i = lane; head + i * 8 + 8 <= part.columns; i += 32) {
			/* unit i is the last that this word begins in */
			uint4 low = shared_load(staged_unit(part, row, i)), high = {};
			if (head != 0)
				high = shared_load(staged_unit(part, row, i + 1));
			*(uint4 *)(to + head + i * 8) = shift_together(low, high, head * 2);
		}
	}
	/* what is left at both ends of a row: 7 elements each at most */
#pragma unroll 1
	for (int i = lane; i < part.rows * 16; i += 32) {
		int row = i / 16, place = i % 16;
		uint16_t *to = C + (size_t)(part.row + row) * N + part.column;
		int head = min(elements_to_word(to), part.columns);
		int tail = head + (part.columns - head) / 8 * 8;
		int column = place < 8 ? place : tail + place - 8;
		if (place < 8 ? column < head : column < part.columns)
			to[column] = shared_element(staged_element(part, row, column));
	}
}

/* Moves a consumer's parts of C, tile after tile; a warp. `map` counts where work.bulk_c. */
template <class Element, class config>
__device__ __forceinline__ void move_c(const CUtensorMap *map, const gemm_work &work, Element *C,
									   uint32_t staging, uint32_t barriers, int consumer, int first,
									   int stride)
{
	uint32_t staged = barriers + 8 * consumer, ready = staged + 8 * config::CONSUMERS, phase = 0;
	int lane = threadIdx.x % 32;
	for (int tile = first; tile < work.tiles; tile += stride, phase ^= 1) {
		tile_origin at = block_tile<config>(work, tile);
		int row = at.row + consumer * 64, column = at.column;
		int boxes = bulk_boxes<Element, config>(work.M, work.N, row, column);
		c_part part = {row, column, boxes > 0 ? min(64, work.M - row) : 0,
					   min(boxes * BOX, work.N - column), staging + consumer * config::c_bytes};
		if (work.reads_c && boxes > 0 && work.bulk_c) {
			if (lane == 0)
				part_load_boxes(map, part, ready);
		} else {
			if (work.reads_c)
				part_load_words({(const uint16_t *)C, work.M, work.N}, part);
			__syncwarp();
			if (lane == 0)
				mbarrier_arrive(ready);
		}
		mbarrier_wait(staged, phase);
		if (!work.bulk_c)
			part_store_words((uint16_t *)C, work.N, part);
		else if (lane == 0)
			part_store_boxes(map, part);
		__syncwarp();
	}
}

/* ---- the consumer ------------------------------------------------------------------- */

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

/* A box of a warp's sums, 16 x 64, through the epilogue into shared memory. `at`: of the
 * lane's row there, l%16, its unit l/16 of each pair of units of 8 columns. */
template <class Element, bool READS_C>
__device__ __forceinline__ void finish_box(const float *sum, const epilogue<Element> &out,
										   const uint32_t (&at)[4], uint32_t box, int row,
										   int column)
{
	uint32_t old[4][4];
#pragma unroll
	for (int j = 0; READS_C && j < 4; j++)
		load_matrices(old[j], at[j] + box);
#pragma unroll
	for (int j = 0; j < 4; j++) { // pairs of units
		uint32_t words[4];
#pragma unroll
		for (int i = 0; i < 4; i++) { // matrices: upper and lower rows of both units
			int half_row = i % 2, unit = i / 2;
			const float *from = sum + 8 * j + 4 * unit + 2 * half_row;
			float x[2] = {from[0], from[1]}, c[2] = {};
			if (READS_C)
				words_unpack<Element>(old[j][i], c);
			out.apply(row + 8 * half_row, column + 16 * j + 8 * unit, x, c);
			words[i] = words_pack<Element>(x);
		}
		store_matrices(at[j] + box, words);
	}
}

/* A warp's 16 x BN sums on their way into C; `staging` is the consumer's part. */
template <class Element, class config>
__device__ __forceinline__ void
finish_bulk(const float (&sum)[config::SUMS], const epilogue<Element> &out, float *staging,
			bool reads_c, uint32_t barriers, int consumer, uint32_t phase, int row, int column)
{
	int lane = threadIdx.x % 32, warp = threadIdx.x % WARPGROUP / 32;
	uint32_t staged = barriers + 8 * consumer, ready = staged + 8 * config::CONSUMERS;
	uint32_t base = shared_address(staging) + (warp * 16 + lane % 16) * 128, at[4];
#pragma unroll
	for (int j = 0; j < 4; j++)
		at[j] = base + (2 * j + lane / 16 ^ lane % 8) * 16;
	int boxes = bulk_boxes<Element, config>(out.M, out.N, row - warp * 16, column);
	int lane_row = row + lane / 4, lane_column = column + lane % 4 * 2;

	mbarrier_wait(ready, phase);
#pragma unroll
	for (int i = 0; i < config::BN / BOX; i++)
		if (i < boxes) {
			const float *from = &sum[i * BOX / 2];
			if (reads_c)
				finish_box<Element, true>(from, out, at, i * BOX_BYTES, lane_row,
										  lane_column + i * BOX);
			else
				finish_box<Element, false>(from, out, at, i * BOX_BYTES, lane_row,
										   lane_column + i * BOX);
		}
	if (!epilogue<Element>::only_c && row < out.M)
		finish_chunks<Element, config::BN>(sum, out, staging + warp * 16 * CHUNK, BOX_BYTES / 4,
										   c_quads(out), row, column, boxes * BOX / CHUNK, 1);
	fence_async_shared();
	__syncwarp();
	if (lane == 0)
		mbarrier_arrive(staged);
}

#endif
