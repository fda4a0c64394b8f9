/* Where a lane's thread tile lies in its warp's tile, and in which order its outputs take their
 * FMAs. Steps 11b, 11c, tile_sizes, slice_k, multiply.cuh and cosma share it. */
#ifndef GEMMJUDGE_SGEMM_LANES_CUH
#define GEMMJUDGE_SGEMM_LANES_CUH

/* The lane's place among the LANES_M x LANES_N of its warp: the lowest bit chooses
 * the column, the next ones the row, the rest the column again. A float4 read
 * of A or B then has at most 8 different addresses in either half of a warp,
 * 128 bytes, which shared memory delivers in a cycle. Rows or columns of lanes
 * in plain order would need twice as many for one of the two operands. */
template <class T> static __device__ __forceinline__ int lane_row(int lane)
{
	if constexpr (T::LANES_N == 1)
		return lane;
	return lane >> 1 & (T::LANES_M - 1);
}
template <class T> static __device__ __forceinline__ int lane_column(int lane)
{
	if constexpr (T::LANES_N == 1)
		return 0;
	return lane / (2 * T::LANES_M) << 1 | (lane & 1);
}

/* An FMA that reads three registers takes two issue slots on Hopper, as does one with two of one
 * bank (odd, even). So FMAs walk a thread tile in a snake: a step changes one operand, and the
 * other one comes from the reuse cache. Along one side the even ones of each RUN neighbours, which
 * were read together, come before the odd ones: that leaves the compiler a choice of banks. Counted
 * with tools/sass-slots (NOTES.md). */
template <int RUN> static constexpr __device__ int evens_first(int i)
{
	return i / RUN * RUN + i % RUN % 2 * RUN / 2 + i % RUN / 2;
}
static constexpr __device__ int snake(int line, int step, int length)
{
	return line % 2 == 0 ? step : length - 1 - step;
}

#endif
