/* A consumer whose way out of a tile is deferred: in registers, while the tensor cores are at work
 * on the next tile's sums, which are others; a chunk of columns in each of its first steps. Both
 * tiles' sums must find room, so that a tile has 192 columns at most. For epilogues that access
 * nothing but C, and do not read that.
 *
 * What leaves has registers of its own in both halves of the loop over tiles, and no branch around
 * it: else the compiler would wait for wgmma there (its warnings C7517 and C7518). */
#ifndef GEMMJUDGE_HOPPER_DEFERRED_CUH
#define GEMMJUDGE_HOPPER_DEFERRED_CUH

#include "consume.cuh"

template <class config> struct deferred : config {
	static_assert(!config::ODD && !config::SPLIT && !config::TURNED && config::HALVES == 1,
				  "the sums of the tile before leave by bulk.cuh");
	static constexpr bool DEFERRED = true;
	static constexpr int LEAST_STEPS = config::CHUNKS;
};

/* A chunk of a warp's sums into its box of columns, and that on its way with its last chunk.
 * Outside of C nothing arrives. */
template <class Element, class config>
__device__ __forceinline__ void
finish_chunk(const float *sum, const epilogue<Element> &out, const c_part<config> &part,
			 const uint32_t (&places)[config::C_BOX / 16], int chunk)
{
	constexpr int CHUNKS = config::C_BOX / CHUNK; // of a box
	int lane = threadIdx.x % 32, box = chunk / CHUNKS, within = chunk % CHUNKS;
	uint32_t at[CHUNK / 16];
#pragma unroll
	for (int j = 0; j < CHUNK / 16; j++)
		at[j] = places[within * (CHUNK / 16) + j];
	finish_box<Element, false>(sum + chunk * CHUNK_SUMS, out, at, part.place(box),
							   part.row + lane / 4, 8, part.column + chunk * CHUNK + lane % 4 * 2);
	if (within == CHUNKS - 1 && box < part.boxes)
		part.store(box);
}

/* The same as multiply(), while the sums `before` leave as `part` says. */
template <class Element, class config>
__device__ __forceinline__ void
multiply_beside(float (&sum)[1][config::SUMS], const float (&before)[config::SUMS], int steps,
				const epilogue<Element> &out, const c_part<config> &part, stage_operands operands,
				uint32_t full, uint32_t empty, ring &at)
{
	int last = -1, filler = filler_of<config>(threadIdx.x % WARPGROUP);
	uint32_t there = 0;
	auto step = [&](bool adds, auto meanwhile) {
		multiply_step<Element, config>(sum, operands, adds, full, empty, at, last, there, filler,
									   meanwhile, [] {});
	};
	uint32_t places[config::C_BOX / 16];
	box_places<config>(part.staging, places);
#pragma unroll
	for (int chunk = 0; chunk < config::CHUNKS; chunk++)
		step(chunk > 0, [&] {
			if (chunk == 0)
				part.wait_free();
			finish_chunk(before, out, part, places, chunk);
		});
#pragma unroll 1
	for (int k = config::CHUNKS; k < steps; k++)
		step(true, [] {});
	multiply_wait<config>(sum);
	stage_release<config>(empty, last, filler);
}

template <class Element, class config>
__device__ __forceinline__ void
consume_deferred(const gemm_work &work, const epilogue<Element> &out, const CUtensorMap *maps_c,
				 char *shared, uint32_t base, uint32_t full, uint32_t empty, int consumer,
				 int first, int stride)
{
	static_assert(epilogue<Element>::only_c, "what lies outside of C goes through it too");
	int begin, end, tile = first;
	block_steps<config>(work, begin, end);
	ring at = {0, 0};
	stage_operands operands = operands_make<config>(base, consumer_begin<config>(consumer));
	auto part = c_part_make<config>(work, maps_c, shared, base, full);
	float sum[1][config::SUMS], other[1][config::SUMS];

	auto multiplied = [&] { // whether there are more
		tile_origin origin = block_tile<config>(work, tile);
		part.begin(out, part_origin<config>(work, origin, consumer, 0), 0);
		tile += stride;
		return tile < work.tiles;
	};
	if (tile >= work.tiles)
		return;
	multiply<Element, config>(sum, end - begin, operands, full, empty, at, [] {});
	for (bool more = multiplied(); more;) {
		multiply_beside(other, sum[0], end - begin, out, part, operands, full, empty, at);
		more = multiplied();
		if (more) {
			multiply_beside(sum, other[0], end - begin, out, part, operands, full, empty, at);
			more = multiplied();
		} else {
#pragma unroll
			for (int i = 0; i < config::SUMS; i++)
				sum[0][i] = other[0][i];
		}
	}
	finish(sum[0], out, false, part);
	part.wait_free(); // before the block ends
}

#endif
