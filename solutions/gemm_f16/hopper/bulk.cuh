/* The way out by TMA, where it can address C: a consumer's part of the tile is
 * finished in registers, packed, and put into shared memory; from there a thread of
 * the producer's warpgroup has it stored while the next tile is being multiplied.
 * Where beta is not 0, the same thread has had that part of C loaded to the very
 * same place, while this tile was being multiplied.
 *
 * A part is 64 rows in boxes of 64 columns, with the 128-byte swizzle, so that
 * ldmatrix and stmatrix find 8 rows in different banks. A thread writes where it
 * has read, and nobody else does.
 *
 * Two mbarriers a consumer hand the place over: `staged` by the consumer's four warps,
 * that C may be stored; `ready` by TMA or the thread that moves C, that the store has
 * read it and what the epilogue reads is there. */
#ifndef GEMMJUDGE_HOPPER_BULK_CUH
#define GEMMJUDGE_HOPPER_BULK_CUH

#include "finish.cuh"

constexpr int BOX_BYTES = 64 * BOX * 2;

/* How many of a part's boxes, from the left, go by TMA. It leaves out what lies outside
 * of C; but a stage that accesses other matrices must not be asked about such places,
 * and then boxes at the edges are finished one value at a time. */
template <class Element, class config>
__device__ __forceinline__ int bulk_boxes(int M, int N, int row, int column)
{
	constexpr int BOXES = config::BN / BOX;
	if (epilogue<Element>::only_c)
		return row < M ? min(BOXES, (N - column + BOX - 1) / BOX) : 0;
	return row + 64 <= M ? min(BOXES, (N - column) / BOX) : 0;
}

/* Moves a consumer's parts of C, tile after tile. One thread. */
template <class Element, class config>
__device__ __forceinline__ void move_c(const CUtensorMap *map, const gemm_work &work,
									   uint32_t staging, uint32_t barriers, int consumer, int first,
									   int stride)
{
	uint32_t staged = barriers + 8 * consumer, ready = staged + 8 * config::CONSUMERS, phase = 0;
	staging += consumer * config::c_bytes;
	for (int tile = first; tile < work.tiles; tile += stride, phase ^= 1) {
		tile_place at = tile_find(work, tile);
		int m = config::SHARERS > 1 ? at.m * config::SHARERS + (int)cluster_block() : at.m;
		int row = m * config::BM + consumer * 64, column = at.n * config::BN;
		int boxes = bulk_boxes<Element, config>(work.M, work.N, row, column);
		if (work.reads_c && boxes > 0) {
			mbarrier_expect(ready, boxes * BOX_BYTES);
			for (int i = 0; i < boxes; i++)
				tma_load(staging + i * BOX_BYTES, map, ready, column + i * BOX, row);
		} else {
			mbarrier_arrive(ready);
		}
		mbarrier_wait(staged, phase);
		for (int i = 0; i < boxes; i++)
			tma_store(map, staging + i * BOX_BYTES, column + i * BOX, row);
		tma_stores_read();
	}
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
										   true, row, column, boxes * BOX / CHUNK, 1);
	fence_async_shared();
	__syncwarp();
	if (lane == 0)
		mbarrier_arrive(staged);
}

#endif
