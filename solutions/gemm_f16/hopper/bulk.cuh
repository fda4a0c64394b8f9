/* The way out where TMA can address C: a warp finishes its sums in registers, packs them,
 * and puts them into its own place in shared memory, box by box; each box leaves by TMA
 * while the warp goes on, and while the next tile is being multiplied. Where beta is not 0,
 * C's values have been loaded to the very same place during the multiplication.
 *
 * A box is 16 rows of 64 columns, or of 32 where a tile is split or has an odd number of
 * 32 columns, with the swizzle of their length, so that ldmatrix and stmatrix find 8 rows in
 * different banks. A thread writes where it has read, and nobody else does. */
#ifndef GEMMJUDGE_HOPPER_BULK_CUH
#define GEMMJUDGE_HOPPER_BULK_CUH

#include "finish.cuh"
#include "split.cuh"

/* ---- a warp's part of C, to and from shared memory ------------------------------- */

template <class config> struct c_part {
	static constexpr bool LOADS_C = true, LOADS_HALVES = false;
	typename config::classes classes;
	const CUtensorMap *maps; // of its rows' classes
	char *shared;
	uint32_t staging, barrier; // of this warp: its boxes; where loads complete
	uint32_t phase;            // of the barrier
	int rank;                  // every `splits`-th box is this block's, from this number on
	divisor splits;
	int row, column; // where the part begins in C
	int boxes;       // from the left, this block's or not, that go this way

	/* What lies outside of C is left out; but a stage that accesses other matrices must not be
	 * asked about such places, and then boxes at the edges are finished one value at a time. */
	template <class Element>
	__device__ __forceinline__ void begin(const epilogue<Element> &out, tile_origin at, int)
	{
		constexpr int WIDTH = config::C_BOX, BOXES = config::BN / WIDTH;
		row = at.row;
		column = at.column;
		if (epilogue<Element>::only_c)
			boxes = row < out.M ? min(BOXES, (out.N - column + WIDTH - 1) / WIDTH) : 0;
		else
			boxes = row + 16 <= out.M ? min(BOXES, (out.N - column) / WIDTH) : 0;
	}

	__device__ __forceinline__ const CUtensorMap *map(void) const
	{
		return &maps[classes.residue(row)];
	}

	__device__ __forceinline__ uint32_t place(int box) const
	{
		return (config::SPLIT ? splits.into(box) : box) * config::c_box_bytes;
	}

	/* The warp's places are free: what was stored from them has been read. (Lane 0 speaks, and not
	 * elected(): with that in its way out, a consumer's loop over K was slower, see NOTES.md.) */
	__device__ __forceinline__ void wait_free(void) const
	{
		if (threadIdx.x % 32 == 0)
			tma_stores_read();
		__syncwarp();
	}

	/* C's values into the places, once they are free. */
	__device__ __forceinline__ void load(void) const
	{
		if (threadIdx.x % 32 != 0 || rank >= boxes)
			return;
		tma_stores_read();
		int own = splits.into(boxes - rank + splits.value - 1);
		mbarrier_expect(barrier, own * config::c_box_bytes);
		for (int i = rank; i < boxes; i += splits.value)
			tma_load(staging + place(i), map(), barrier, column + i * config::C_BOX,
					 classes.number(row));
	}

	/* For the places, which have C's values if it is read. */
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
			tma_store(map(), staging + place(box), column + box * config::C_BOX,
					  classes.number(row));
	}
};

template <class config>
__device__ __forceinline__ c_part<config> c_part_make(const gemm_work &work,
													  const CUtensorMap *maps, char *shared,
													  uint32_t base, uint32_t full)
{
	int warp = threadIdx.x / 32;
	return {classes_of<config>(work),
			maps,
			shared,
			base + config::staging_offset + warp * config::c_bytes,
			full + 8 * (config::c_barriers + warp),
			0,
			split_rank<config>(),
			config::SPLIT ? work.splits : divisor{1, 0}};
}

/* ---- through the epilogue ------------------------------------------------------------- */

/* A lane's places in a box: see finish_box. The swizzle exchanges units by the number of
 * the line of 128 bytes that they lie in. */
template <class config>
__device__ __forceinline__ void box_places(uint32_t staging, uint32_t (&at)[config::C_BOX / 16])
{
	int lane = threadIdx.x % 32, row = lane % 16;
	int line = row * config::C_BOX * 2 / 128 % (config::C_BOX / 8);
#pragma unroll
	for (int j = 0; j < config::C_BOX / 16; j++)
		at[j] = staging + row * config::C_BOX * 2 + (2 * j + lane / 16 ^ line) * 16;
}

/* The rest of a warp's 16 x BN sums, right of `part.boxes`. They are staged where nobody
 * else looks: in the boxes' places or, of a split tile, where sums of one of its own chunks
 * would be. */
template <class Element, class config>
__device__ __forceinline__ void finish_left(const float (&sum)[config::SUMS],
											const epilogue<Element> &out,
											const c_part<config> &part)
{
	int warp = threadIdx.x / 32, first = part.boxes * config::C_BOX / CHUNK;
	char *staging = part.shared + config::staging_offset + warp * config::c_bytes;
	if (config::SPLIT) {
		first += part.splits.rest(part.rank + part.splits.value - part.splits.rest(first));
		staging = part.shared + shared_sums<config>(0, warp / 4) + part.rank * CHUNK_SUMS_BYTES +
				  warp % 4 * config::staging_bytes;
	}
	finish_chunks<Element, config::BN>(sum, out, (float *)staging, c_quads(out), part.row,
									   part.column, first, part.splits.value);
}

/* A warp's 16 x BN sums on their way into C, to where begin() said. */
template <class Element, class config>
__device__ __forceinline__ void finish(const float (&sum)[config::SUMS],
									   const epilogue<Element> &out, bool reads_c,
									   c_part<config> &part)
{
	constexpr int WIDTH = config::C_BOX;
	int lane = threadIdx.x % 32;
	uint32_t at[WIDTH / 16];
	box_places<config>(part.staging, at);
	int row = part.classes.below(part.row, lane / 4), below = part.classes.below(0, 8);
	int column = part.column + lane % 4 * 2;

	part.wait(reads_c);
#pragma unroll
	for (int i = 0; i < config::BN / WIDTH; i++)
		if (i < part.boxes && (!config::SPLIT || part.splits.rest(i) == part.rank)) {
			const float *from = &sum[i * WIDTH / 2];
			if (reads_c)
				finish_box<Element, true>(from, out, at, part.place(i), row, below,
										  column + i * WIDTH);
			else
				finish_box<Element, false>(from, out, at, part.place(i), row, below,
										   column + i * WIDTH);
			part.store(i);
		}
	if (!epilogue<Element>::only_c && part.boxes < config::BN / WIDTH && part.row < out.M) {
		part.wait_free(); // if C is read, maybe nothing was loaded, and waited for
		finish_left<Element, config>(sum, out, part);
	}
}

#endif
