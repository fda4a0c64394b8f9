/* Where a lane's thread tile lies in its warp's tile. Steps 11, multiply.cuh and cosma share it. */
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

#endif
