/* Rows that start at any 16-bit element, read in aligned 16-byte words: a unit is
 * 8 elements, cut out of the two words around them. Nothing outside of the
 * matrix is read: at its two ends single elements are. */
#ifndef GEMMJUDGE_HOPPER_WORDS_CUH
#define GEMMJUDGE_HOPPER_WORDS_CUH

#include <stdint.h>

/* A row-major matrix of 16-bit elements whose rows follow each other closely. */
struct odd_matrix {
	const uint16_t *data;
	int rows, columns;
};

/* The 16 bytes that start WORDS words (0..3) and `bits` bits, 0 or 16, into two units. */
template <int WORDS>
__device__ __forceinline__ uint4 words_shift(uint4 low, uint4 high, uint32_t bits)
{
	uint32_t w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
	return make_uint4(__funnelshift_r(w[WORDS], w[WORDS + 1], bits),
					  __funnelshift_r(w[WORDS + 1], w[WORDS + 2], bits),
					  __funnelshift_r(w[WORDS + 2], w[WORDS + 3], bits),
					  __funnelshift_r(w[WORDS + 3], w[WORDS + 4], bits));
}

/* The 16 bytes that start `shift` bytes (even, 0..14) into two words. */
__device__ __forceinline__ uint4 shift_together(uint4 low, uint4 high, uint32_t shift)
{
	uint32_t w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
	for (int i = 0; i < 6; i++)
		w[i] = shift & 8 ? w[i + 2] : w[i];
#pragma unroll
	for (int i = 0; i < 5; i++)
		w[i] = shift & 4 ? w[i + 1] : w[i];
	return words_shift<0>(make_uint4(w[0], w[1], w[2], w[3]), make_uint4(w[4], 0, 0, 0),
						  (shift & 2) * 8);
}

/* The first `count` (below 8) elements, zeros behind them. */
__device__ __forceinline__ uint4 unit_keep(uint4 x, int count)
{
	uint32_t w[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
	for (int i = 0; i < 4; i++)
		w[i] = count >= 2 * i + 2 ? w[i] : count == 2 * i + 1 ? w[i] & 0xFFFF : 0;
	return make_uint4(w[0], w[1], w[2], w[3]);
}

/* All but the first `count` (below 8) elements, zeros before them. */
__device__ __forceinline__ uint4 unit_drop(uint4 x, int count)
{
	uint4 first = unit_keep(x, count);
	return make_uint4(x.x ^ first.x, x.y ^ first.y, x.z ^ first.z, x.w ^ first.w);
}

/* A word if `wanted`, else zeros; without a branch, so that many are under way at once. */
__device__ __forceinline__ uint4 word_load(const void *word, bool wanted)
{
	uint4 x = make_uint4(0, 0, 0, 0);
	asm volatile("{\n\t"
				 ".reg .pred wanted;\n\t"
				 "setp.ne.b32 wanted, %5, 0;\n\t"
				 "@wanted ld.global.nc.v4.b32 {%0, %1, %2, %3}, [%4];\n\t"
				 "}"
				 : "+r"(x.x), "+r"(x.y), "+r"(x.z), "+r"(x.w)
				 : "l"(word), "r"((int)wanted));
	return x;
}

/* V elements if `wanted`, else zeros; without a branch, so that many are under way at
 * once. A single element comes in the word's lower half. */
template <int V>
__device__ __forceinline__ void elements_load(const uint16_t *from, bool wanted, uint32_t *x)
{
	x[0] = 0;
	if constexpr (V == 4) {
		x[1] = 0;
		asm volatile("{\n\t"
					 ".reg .pred wanted;\n\t"
					 "setp.ne.b32 wanted, %3, 0;\n\t"
					 "@wanted ld.global.nc.v2.b32 {%0, %1}, [%2];\n\t"
					 "}"
					 : "+r"(x[0]), "+r"(x[1])
					 : "l"(from), "r"((int)wanted));
	} else if constexpr (V == 2) {
		asm volatile("{\n\t"
					 ".reg .pred wanted;\n\t"
					 "setp.ne.b32 wanted, %2, 0;\n\t"
					 "@wanted ld.global.nc.b32 %0, [%1];\n\t"
					 "}"
					 : "+r"(x[0])
					 : "l"(from), "r"((int)wanted));
	} else {
		asm volatile("{\n\t"
					 ".reg .pred wanted;\n\t"
					 "setp.ne.b32 wanted, %2, 0;\n\t"
					 "@wanted ld.global.nc.u16 %0, [%1];\n\t"
					 "}"
					 : "+r"(x[0])
					 : "l"(from), "r"((int)wanted));
	}
}

/* The first `end` (even, 2..14) bytes of a word, in the pieces in which they can be read. */
struct word_tail {
	uint2 eight;
	uint32_t four;
	uint16_t two;
};

__device__ __forceinline__ word_tail tail_load(const char *word, uint32_t end, bool wanted)
{
	word_tail tail = {};
	if (wanted && (end & 8))
		tail.eight = *(const uint2 *)word;
	if (wanted && (end & 4))
		tail.four = *(const uint32_t *)(word + (end & 8));
	if (wanted && (end & 2))
		tail.two = *(const uint16_t *)(word + (end & 12));
	return tail;
}

__device__ __forceinline__ uint4 tail_word(const word_tail &tail, uint32_t end)
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

#endif
