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

/* The same of pairs of bytes: pairs 0 and 1 in x, 2 and 3 in y. */
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

#endif
