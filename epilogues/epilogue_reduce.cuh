/* How a stage reduces: it hands over one value a column, and these combine them in no particular
 * order, so that the rounding of sums differs from call to call. */
#ifndef GEMMJUDGE_EPILOGUE_REDUCE_CUH
#define GEMMJUDGE_EPILOGUE_REDUCE_CUH

#include "epilogue_stage.cuh"

/* The element for each so many rows and columns (0: for all) that belongs to a column. */
template <int ROWS, int COLUMNS>
__device__ __forceinline__ float *epilogue_reduced(float *to, const epilogue_coordinate &at,
												   int column)
{
#ifdef EPILOGUE_APART // the judge's own run of a stage combines nothing: it wants each value
	return to + (size_t)at.row * at.N + column;
#else
	constexpr int HEIGHT = ROWS > 0 ? ROWS : 1, WIDTH = COLUMNS > 0 ? COLUMNS : 1;
	size_t width = COLUMNS > 0 ? (at.N + WIDTH - 1) / WIDTH : 1;
	return to + (ROWS > 0 ? at.row / HEIGHT * width : 0) + (COLUMNS > 0 ? column / WIDTH : 0);
#endif
}

/* Whether the i-th of the columns shares its element with the one before. */
template <int COLUMNS>
__device__ __forceinline__ bool epilogue_shares(const epilogue_coordinate &at, int i)
{
#ifdef EPILOGUE_APART
	return false;
#else
	return i > 0 && (COLUMNS == 0 || (at.column + i) % (COLUMNS > 0 ? COLUMNS : 1) != 0);
#endif
}

template <int ROWS, int COLUMNS, int V>
__device__ __forceinline__ void epilogue_reduce_sum(float *sums, const epilogue_coordinate &at,
													const float (&x)[V])
{
	float sum = 0.0f;
#pragma unroll
	for (int i = 0; i < V; i++) {
		if (at.column + i >= at.N)
			break;
		sum = epilogue_shares<COLUMNS>(at, i) ? sum + x[i] : x[i];
		if (i + 1 == V || at.column + i + 1 >= at.N || !epilogue_shares<COLUMNS>(at, i + 1))
			atomicAdd(epilogue_reduced<ROWS, COLUMNS>(sums, at, at.column + i), sum);
	}
}

/* Of values from 0 on, whose bits are ordered as they are; NaN counts as the largest. */
template <int ROWS, int COLUMNS, int V>
__device__ __forceinline__ void epilogue_reduce_max(float *largest, const epilogue_coordinate &at,
													const float (&x)[V])
{
	int most = 0;
#pragma unroll
	for (int i = 0; i < V; i++) {
		if (at.column + i >= at.N)
			break;
		int bits = __float_as_int(x[i]) & 0x7FFFFFFF;
		most = epilogue_shares<COLUMNS>(at, i) && most > bits ? most : bits;
		if (i + 1 == V || at.column + i + 1 >= at.N || !epilogue_shares<COLUMNS>(at, i + 1))
			atomicMax((int *)epilogue_reduced<ROWS, COLUMNS>(largest, at, at.column + i), most);
	}
}

#endif
