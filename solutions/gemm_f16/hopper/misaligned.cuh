/* Rows that start at any 16-bit element, read in aligned vectors of 16 bytes: 8 elements are cut
 * out of the two vectors around them. No vector is read that has nothing of the matrix. */
#ifndef HOPPER_MISALIGNED_CUH
#define HOPPER_MISALIGNED_CUH

#include "ptx.cuh"

namespace hopper
{
/* A row-major matrix of 16-bit elements. */
struct matrix_view {
	const uint16_t *data;
	int rows, columns, ld; // elements between rows

	/* Behind the last element. */
	__host__ __device__ const uint16_t *end(void) const
	{
		return data + (size_t)(rows - 1) * ld + columns;
	}
};

/* The 16 bytes that start `shift` bytes (even, 0 to 14) into two vectors. */
__device__ __forceinline__ uint4 vectors_join(uint4 low, uint4 high, uint32_t shift)
{
	uint32_t w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
	uint32_t bits = (shift & 2) * 8;
#pragma unroll
	for (int i = 0; i < 6; i++)
		w[i] = shift & 8 ? w[i + 2] : w[i];
#pragma unroll
	for (int i = 0; i < 5; i++)
		w[i] = shift & 4 ? w[i + 1] : w[i];
	return make_uint4(__funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits),
					  __funnelshift_r(w[2], w[3], bits), __funnelshift_r(w[3], w[4], bits));
}

/* The first `count` (below 8) elements, zeros behind them. */
__device__ __forceinline__ uint4 vector_keep(uint4 x, int count)
{
	uint32_t w[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
	for (int i = 0; i < 4; i++)
		w[i] = count >= 2 * i + 2 ? w[i] : count == 2 * i + 1 ? w[i] & 0xFFFF : 0;
	return make_uint4(w[0], w[1], w[2], w[3]);
}

/* All but the first `count` (below 8) elements, zeros before them. */
__device__ __forceinline__ uint4 vector_drop(uint4 x, int count)
{
	uint4 first = vector_keep(x, count);
	return make_uint4(x.x ^ first.x, x.y ^ first.y, x.z ^ first.z, x.w ^ first.w);
}

/* The first `end` (even, 2 to 14) bytes of the vector that the matrix ends in, read in pieces of 8,
 * 4 and 2 bytes, as nothing behind the matrix may be read. */
struct vector_tail {
	uint2 eight;
	uint32_t four;
	uint16_t two;
};

__device__ __forceinline__ vector_tail tail_load(const char *from, uint32_t end, bool wanted)
{
	vector_tail tail = {};
	if (wanted && (end & 8))
		tail.eight = *(const uint2 *)from;
	if (wanted && (end & 4))
		tail.four = *(const uint32_t *)(from + (end & 8));
	if (wanted && (end & 2))
		tail.two = *(const uint16_t *)(from + (end & 12));
	return tail;
}

__device__ __forceinline__ uint4 tail_vector(const vector_tail &tail, uint32_t end)
{
	uint32_t w[4] = {tail.eight.x, tail.eight.y, 0, 0};
#pragma unroll
	for (uint32_t i = 0; i < 4; i++) {
		if ((end & 4) && i * 4 == (end & 8))
			w[i] = tail.four;
		if ((end & 2) && i * 4 == (end & 12))
			w[i] = tail.two;
	}
	return make_uint4(w[0], w[1], w[2], w[3]);
}
} // namespace hopper

#endif
