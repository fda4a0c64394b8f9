/* How a consumer's sums get into C. The tensor cores leave each lane with pairs of columns; to
 * store whole sectors of 32 bytes, four lanes exchange what they have, so that each gets a run of
 * RUN neighbouring columns. What a kernel stores with has
 *
 *     run exchange(row, column, x)    x: pairs of sums, pair i of columns column + 8*i and the next
 *     void store(row, column, run)    a run of C's values; drops what lies outside of C
 *
 * and may convert sums in either. */
#ifndef GEMMJUDGE_WGMMA_OUT_CUH
#define GEMMJUDGE_WGMMA_OUT_CUH

#include "../../gemm_f16/hopper/scheduler.cuh"
#include "epilogue.cuh"

constexpr int RUN = 8; // columns

/* Lane q of four has pair q of each of four groups of 8 columns; afterwards it has all of group q.
 * Two rounds: the lanes of each two, then of both twos, exchange half of what they have. */
__device__ __forceinline__ void pairs_exchange(float (&x)[RUN])
{
#pragma unroll
	for (int distance = 1; distance <= 2; distance *= 2) {
		bool upper = threadIdx.x & distance;
#pragma unroll
		for (int pair = 0; pair < 4; pair++) {
			if (pair & distance)
				continue;
#pragma unroll
			for (int i = 0; i < 2; i++) {
				float &low = x[2 * pair + i], &high = x[2 * (pair + distance) + i];
				float other = __shfl_xor_sync(0xFFFFFFFF, upper ? low : high, distance);
				low = upper ? other : low;
				high = upper ? high : other;
			}
		}
	}
}

/* Lanes side by side exchange pairs of bytes: pairs 0 and 1 in x, 2 and 3 in y. */
__device__ __forceinline__ uint2 byte_pairs_exchange(uint32_t x, uint32_t y)
{
	bool upper = threadIdx.x & 1;
	uint32_t other = __shfl_xor_sync(0xFFFFFFFF, __byte_perm(x, y, upper ? 0x5410 : 0x7632), 1);
	x = __byte_perm(x, other, upper ? 0x3254 : 0x5410);
	y = __byte_perm(y, other, upper ? 0x3276 : 0x7610);
	upper = threadIdx.x & 2;
	other = __shfl_xor_sync(0xFFFFFFFF, upper ? x : y, 2);
	return upper ? make_uint2(other, y) : make_uint2(x, other);
}

/* Sums in f32, through the epilogue. */
template <class Element> struct epilogue_out {
	epilogue<Element> out;
	struct run {
		float x[RUN];
	};

	__device__ __forceinline__ run exchange(int, int, const float (&x)[RUN]) const
	{
		run to;
#pragma unroll
		for (int i = 0; i < RUN; i++)
			to.x[i] = x[i];
		pairs_exchange(to.x);
		return to;
	}
	__device__ __forceinline__ void store(int row, int column, const run &from) const
	{
		out.store(row, column, from.x);
	}
};

/* The store of a warp's 16 rows of a tile, straight from registers; hopper::consume() calls it.
 * Lane l has rows l/4 and l/4 + 8, and of every 8 columns 2*(l%4) and the next (PTX ISA, wgmma's
 * accumulators). Some runs are exchanged TOGETHER before the first is stored, as stores branch, and
 * an exchange has to wait for its answer. */
struct direct_store {
	static constexpr bool LOADS_ALL = true; // nothing, as C is not read
	int row, column;

	template <class Out>
	__device__ __forceinline__ void begin(const Out &, hopper::tile_origin at, int)
	{
		row = at.row + threadIdx.x % 32 / 4;
		column = at.column;
	}
	__device__ __forceinline__ void load(void) const
	{
	}
	__device__ __forceinline__ void wait_free(void) const
	{
	}

	template <class Sum, int SUMS, class Out>
	__device__ __forceinline__ void finish(const Sum (&sums)[SUMS], const Out &out, bool) const
	{
		constexpr int RUNS = SUMS / RUN, TOGETHER = 4;
		int quarter = threadIdx.x % 4;
#pragma unroll
		for (int first = 0; first < RUNS; first += TOGETHER) {
			typename Out::run runs[TOGETHER]; // even ones are of the upper row
#pragma unroll
			for (int r = 0; r < TOGETHER; r++) {
				Sum x[RUN];
#pragma unroll
				for (int i = 0; i < RUN; i++)
					x[i] = sums[(first + r) / 2 * 16 + i / 2 * 4 + r % 2 * 2 + i % 2];
				runs[r] =
					out.exchange(row + r % 2 * 8, column + (first + r) / 2 * 32 + quarter * 2, x);
			}
#pragma unroll
			for (int r = 0; r < TOGETHER; r++)
				out.store(row + r % 2 * 8, column + (first + r) / 2 * 32 + quarter * RUN, runs[r]);
		}
	}
};

#endif
