/* Rows that start at any element, in groups of 64 that a warpgroup brings into a stage. */
#ifndef GEMMJUDGE_HOPPER_GROUPS_CUH
#define GEMMJUDGE_HOPPER_GROUPS_CUH

#include "tile.cuh"
#include "words.cuh"

/* A warpgroup's 64 rows of 64 or 128 elements on their way from memory into a stage. A thread has
 * a unit of each ROWS-th row. */
template <int COLUMNS> struct group {
	static constexpr int LANES = COLUMNS / UNIT, ROWS = WARPGROUP / LANES, UNITS = 64 / ROWS;
	static_assert(ROWS % 8 == 0, "they have the same place in the swizzle's pattern");

	uint4 low[UNITS], high[UNITS]; // the words around each unit
	word_tail tail;
	uint32_t tails; // bit i: low[i] is the matrix' last word, bit UNITS + i: high[i] is
	int count;      // elements of a unit that lie in the matrix, 8 or more for all

	/* The thread's first row, and its column. */
	static __device__ __forceinline__ int row(void)
	{
		return threadIdx.x % WARPGROUP / LANES;
	}
	static __device__ __forceinline__ int column(void)
	{
		return threadIdx.x % LANES * UNIT;
	}
};

/* An operand as this thread reads it: the aligned word that holds the start of
 * its unit in the first group. Units of rows 8 apart and steps of 64 elements
 * lie whole words apart, so that all of a thread's units start at the same place in
 * their words. */
struct word_stream {
	const char *word;
	size_t step;       // bytes between the thread's rows
	uint32_t shift;    // bytes before the unit
	const char *tail;  // the matrix' last word, when it ends within it
	uint32_t tail_end; // bytes of it
};

template <class Group>
__device__ __forceinline__ word_stream stream_make(const odd_matrix &matrix, int row, int column)
{
	const uint16_t *from =
		matrix.data + (long long)(row + Group::row()) * matrix.columns + column + Group::column();
	uint32_t shift = (uintptr_t)from % 16;
	const uint16_t *end = matrix.data + (size_t)matrix.rows * matrix.columns;
	uint32_t tail_end = (uintptr_t)end % 16;
	return {(const char *)from - shift, (size_t)matrix.columns * 2 * Group::ROWS, shift,
			tail_end != 0 ? (const char *)end - tail_end : NULL, tail_end};
}

/* All of the group lies in the matrix, and words behind it do. */
template <class Group>
__device__ __forceinline__ void group_load_inside(Group &g, const word_stream &from,
												  const char *word)
{
	g.count = 8;
	g.tails = 0;
#pragma unroll
	for (int i = 0; i < Group::UNITS; i++, word += from.step) {
		g.low[i] = word_load(word, true);
		g.high[i] = word_load(word + 16, from.shift != 0);
	}
}

/* Only rows 0 to `rows`, where the thread's first is number `row`, and `count` elements of each
 * unit do. */
template <class Group>
__device__ __forceinline__ void group_load_edge(Group &g, const word_stream &from, const char *word,
												int row, int rows, int count)
{
	g.count = count;
	g.tails = 0;
	bool needs_high = (int)from.shift / 2 + min(count, 8) > 8;
#pragma unroll
	for (int i = 0; i < Group::UNITS; i++, word += from.step) {
		bool low = (uint32_t)(row + Group::ROWS * i) < (uint32_t)rows && count > 0,
			 high = low && needs_high;
		if (low && word == from.tail)
			g.tails |= 1u << i;
		if (high && word + 16 == from.tail)
			g.tails |= 1u << (Group::UNITS + i);
		g.low[i] = word_load(word, low && word != from.tail);
		g.high[i] = word_load(word + 16, high && word + 16 != from.tail);
	}
	g.tail = tail_load(from.tail, from.tail_end, g.tails != 0);
}

/* Into boxes of 64 columns, as TMA would have put them, from `to` on. */
template <class Group>
__device__ __forceinline__ void group_store(Group &g, const word_stream &from, uint32_t to)
{
	int row = Group::row(), box = Group::column() / BOX, unit = Group::column() % BOX / UNIT;
	to += box * 64 * BOX * 2 + row * 128 + (unit ^ row % 8) * 16;
	if (g.tails != 0) {
		uint4 tail = tail_word(g.tail, from.tail_end);
#pragma unroll
		for (int i = 0; i < Group::UNITS; i++) {
			g.low[i] = g.tails >> i & 1 ? tail : g.low[i];
			g.high[i] = g.tails >> (Group::UNITS + i) & 1 ? tail : g.high[i];
		}
	}
#pragma unroll
	for (int i = 0; i < Group::UNITS; i++) {
		uint4 x = shift_together(g.low[i], g.high[i], from.shift);
		if (g.count < 8)
			x = unit_keep(x, g.count);
		shared_store(to + i * Group::ROWS * 128, x);
	}
}

#endif
