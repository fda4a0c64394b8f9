/* The way out where TMA can address C, with room in shared memory for all of the tile
 * that a block finishes: a consumer's part of the tile is finished in registers,
 * packed, and put into shared memory; from there a warp of the producer's warpgroup
 * stores it by TMA while the next tile is being multiplied. Where beta is not 0, the
 * same warp has loaded that part of C to the very same place, while this tile was
 * being multiplied.
 *
 * A part is 64 rows in boxes of 64 columns, or of 32 where a tile is split, with the
 * swizzle of their rows' length, so that ldmatrix and stmatrix find 8 rows in
 * different banks. A thread writes where it has read, and nobody else does.
 *
 * Two mbarriers a consumer hand the place over: `staged` by the consumer's four warps,
 * that C may be stored; `ready` by TMA or the warp that moves C, that the store has
 * read it and what the epilogue reads is there. */
#ifndef GEMMJUDGE_HOPPER_BULK_CUH
#define GEMMJUDGE_HOPPER_BULK_CUH

#include "finish.cuh"
#include "split.cuh"

/* How many of a part's boxes, from the left, go this way. What lies outside of C is
 * left out; but a stage that accesses other matrices must not be asked about such places,
 * and then boxes at the edges are finished one value at a time. */
template <class Element, class config>
__device__ __forceinline__ int bulk_boxes(int M, int N, int row, int column)
{
	constexpr int WIDTH = config::C_BOX, BOXES = config::BN / WIDTH;
	if (epilogue<Element>::only_c)
		return row < M ? min(BOXES, (N - column + WIDTH - 1) / WIDTH) : 0;
	return row + 64 <= M ? min(BOXES, (N - column) / WIDTH) : 0;
}

/* ---- the warp that moves a consumer's parts of C --------------------------------- */

/* Tile after tile; one thread. */
template <class Element, class config>
__device__ __forceinline__ void move_c(const CUtensorMap *map, const gemm_work &work,
									   uint32_t staging, uint32_t barriers, int consumer, int first,
									   int stride)
{
	uint32_t staged = barriers + 8 * consumer, ready = staged + 8 * config::CONSUMERS, phase = 0;
	int rank = split_rank<config>();
	staging += consumer * config::c_bytes;
	for (int tile = first; tile < work.tiles; tile += stride, phase ^= 1) {
		tile_origin at = block_tile<config>(work, tile);
		int row = at.row + consumer * 64;
		int boxes = bulk_boxes<Element, config>(work.M, work.N, row, at.column);
		int mine = boxes > rank ? (boxes - rank + work.splits - 1) / work.splits : 0;
		int x = at.column + rank * config::C_BOX, step = work.splits * config::C_BOX;
		if (work.reads_c && mine > 0) {
			mbarrier_expect(ready, mine * config::c_box_bytes);
			for (int i = 0; i < mine; i++)
				tma_load(staging + i * config::c_box_bytes, map, ready, x + i * step, row);
		} else {
			mbarrier_arrive(ready);
		}
		mbarrier_wait(staged, phase);
		for (int i = 0; i < mine; i++)
			tma_store(map, staging + i * config::c_box_bytes, x + i * step, row);
		tma_stores_read();
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

/* A box of a warp's sums through the epilogue into shared memory. `at`: of the
 * lane's row there, l%16, its unit l/16 of each pair of units of 8 columns. */
template <class Element, bool READS_C, int PAIRS>
__device__ __forceinline__ void finish_box(const float *sum, const epilogue<Element> &out,
										   const uint32_t (&at)[PAIRS], uint32_t box, int row,
										   int column)
{
	uint32_t old[PAIRS][4];
#pragma unroll
	for (int j = 0; READS_C && j < PAIRS; j++)
		load_matrices(old[j], at[j] + box);
#pragma unroll
	for (int j = 0; j < PAIRS; j++) { // pairs of units
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

/* A lane's places in a box of a part: see finish_box. The swizzle exchanges units by the
 * number of the line of 128 bytes that they lie in. */
template <class config>
__device__ __forceinline__ void box_places(uint32_t staging, uint32_t (&at)[config::C_BOX / 16])
{
	int lane = threadIdx.x % 32, row = threadIdx.x % WARPGROUP / 32 * 16 + lane % 16;
	int line = row * config::C_BOX * 2 / 128 % (config::C_BOX / 8);
#pragma unroll
	for (int j = 0; j < config::C_BOX / 16; j++)
		at[j] = staging + row * config::C_BOX * 2 + (2 * j + lane / 16 ^ line) * 16;
}

/* What bulk_boxes() leaves out of a warp's 16 x BN sums. They are staged where nobody
 * else looks: in the boxes' own places or, of a split tile, in the chunk's own sums. */
template <class Element, class config>
__device__ __forceinline__ void finish_left(const float (&sum)[config::SUMS],
											const epilogue<Element> &out, char *staging, int rank,
											int splits, int boxes, int row, int column)
{
	constexpr int WARP_FLOATS = 16 * CHUNK;
	int warp = threadIdx.x % WARPGROUP / 32, first = boxes * config::C_BOX / CHUNK;
	if (config::SPLIT)
		first += (rank + splits - first % splits) % splits;
	finish_chunks<Element, config::BN, config::C_BOX>(
		sum, out, (float *)staging + warp * WARP_FLOATS, 4 * WARP_FLOATS, c_quads(out), row, column,
		first, splits);
}

/* A warp's 16 x BN sums on their way into C. */
template <class Element, class config>
__device__ __forceinline__ void finish_bulk(const float (&sum)[config::SUMS],
											const epilogue<Element> &out, char *shared,
											const gemm_work &work, uint32_t barriers, int consumer,
											int rank, uint32_t phase, int row, int column)
{
	constexpr int WIDTH = config::C_BOX;
	int lane = threadIdx.x % 32, warp = threadIdx.x % WARPGROUP / 32;
	uint32_t staged = barriers + 8 * consumer, ready = staged + 8 * config::CONSUMERS;
	char *staging = shared + config::staging_offset + consumer * config::c_bytes;
	uint32_t at[WIDTH / 16];
	box_places<config>(shared_address(staging), at);
	int boxes = bulk_boxes<Element, config>(out.M, out.N, row - warp * 16, column);
	int lane_row = row + lane / 4, lane_column = column + lane % 4 * 2;

	mbarrier_wait(ready, phase);
#pragma unroll
	for (int i = 0; i < config::BN / WIDTH; i++)
		if (i < boxes && (!config::SPLIT || i % work.splits == rank)) {
			const float *from = &sum[i * WIDTH / 2];
			uint32_t box = (config::SPLIT ? i / work.splits : i) * config::c_box_bytes;
			if (work.reads_c)
				finish_box<Element, true>(from, out, at, box, lane_row, lane_column + i * WIDTH);
			else
				finish_box<Element, false>(from, out, at, box, lane_row, lane_column + i * WIDTH);
		}
	if (!epilogue<Element>::only_c && row < out.M)
		finish_left<Element, config>(
			sum, out, config::SPLIT ? shared + shared_sums<config>(0, consumer) : staging, rank,
			work.splits, boxes, row, column);
	fence_async_shared();
	__syncwarp();
	if (lane == 0)
		mbarrier_arrive(staged);
}

#endif
