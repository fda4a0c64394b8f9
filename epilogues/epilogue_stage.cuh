/* What stages of an epilogue see; epilogue_reduce.cuh has reductions. An epilogue is a chain of
 * stages, applied left to right; with none named it is alpha_beta: alpha * x + beta * C. A stage
 * NAME is a file NAME.cuh that defines a class template stage_NAME<Element>. Its members are its
 * arguments, in the order in which the file's first comment declares them:
 *
 *     argument NAME = DEFAULT    float NAME             given as NAME:1:2.5
 *     input NAME N               const Element *NAME    N values, one a column
 *     input NAME M               const Element *NAME    M values, one a row
 *     input NAME M N             const Element *NAME    a matrix like C, with C's pitch
 *     input NAME 1               const Element *NAME    one value
 *     input NAME M/128 N/64      const Element *NAME    one for each block of 128 x 64 of C
 *     output NAME M N            Element *NAME          a matrix like C, written by the stage
 *     output NAME M N/2          Element *NAME          one for each two columns, dense
 *     reduce NAME M sum          float *NAME            sums, one a row
 *     reduce NAME 1 max          float *NAME            the largest, of values from 0 on
 *
 * Blocks may be of rows or of columns alone (M N/32), and the last ones are smaller. An input or
 * output may end with its type: float, half, bfloat16, int8 (int8_t *) or e4m3 (__nv_fp8_e4m3 *,
 * with an #include "epilogue_fp8.cuh"). Pointers are aligned to 16 bytes, as cudaMalloc's are. A
 * stage is called in one of two forms:
 *
 *     float operator()(float x) const;            // each value by itself; beside it, if cheaper,
 *     void operator()(float (&x)[2]) const;       // two at once, where a kernel has them
 *     template <int V> void operator()(float (&x)[V], const epilogue_coordinate &at) const;
 *
 * The second form sees V neighbouring columns of a row, some of which may lie outside of C. V is
 * the kernel's choice, from 1 on, so that a stage must not mix columns; one that needs pairs of
 * columns, an even one and the next, says `static constexpr int columns = 2`, and V is a multiple
 * of that. It loads and stores with the functions below. Such a stage says once what it accesses;
 * kernels derive what to prefetch, and whether values outside of C may go through it:
 *
 *     template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
 *     {
 *         visit.columns(bias);    // or rows(), matrix(), output(); C needs no word
 *         visit.other(scales);    // inputs of other lengths
 *         visit.reduction(sums, 1, 0); // one for so many rows and columns; 0: for all
 *     }
 *
 * One that does not say so is right, too, and not prefetched for; but reductions have to be said:
 * they are set to 0 before the kernel begins (epilogue_reduce.cuh: `deterministic`, `finish`). A
 * stage of the first form may have, for the judge, its formula: double reference(double x) const.
 * One of far fewer than nine instructions a value says so (`static constexpr int instructions =
 * 2`), as kernels choose their tiles by it. All is inlined: a stage costs its arithmetic only. */
#ifndef GEMMJUDGE_EPILOGUE_STAGE_CUH
#define GEMMJUDGE_EPILOGUE_STAGE_CUH

#ifndef EPILOGUE_WITHOUT_BF16 // by a compiler's caller: a fifth of compiling a small file
#include <cuda_bf16.h>
#endif
#include <cuda_fp16.h>
#include <stddef.h>
#include <stdint.h>
#include <type_traits>
#include <utility>

__device__ __forceinline__ float epilogue_to_float(half x)
{
	return __half2float(x);
}
#ifdef __CUDA_BF16_H__
__device__ __forceinline__ float epilogue_to_float(__nv_bfloat16 x)
{
	return __bfloat162float(x);
}
#endif
__device__ __forceinline__ float epilogue_to_float(float x)
{
	return x;
}
template <class Integer, std::enable_if_t<std::is_same_v<Integer, int8_t>, int> = 0>
__device__ __forceinline__ float epilogue_to_float(Integer x)
{
	return (float)x;
}

template <class Element> __device__ Element epilogue_from_float(float x) = delete;
template <> __device__ __forceinline__ half epilogue_from_float<half>(float x)
{
	return __float2half_rn(x);
}
#ifdef __CUDA_BF16_H__
template <> __device__ __forceinline__ __nv_bfloat16 epilogue_from_float<__nv_bfloat16>(float x)
{
	return __float2bfloat16_rn(x);
}
#endif
template <> __device__ __forceinline__ float epilogue_from_float<float>(float x)
{
	return x;
}
template <> __device__ __forceinline__ int8_t epilogue_from_float<int8_t>(float x) // saturates
{
	return (int8_t)__float2int_rn(fminf(fmaxf(x, -128.0f), 127.0f));
}

/* V elements that are loaded and stored with one instruction (16 bytes at most). */
template <class Element, int V> struct alignas(sizeof(Element) * V) epilogue_vector {
	Element at[V];
};

/* Where V neighbouring values belong: C[row][column] and the columns after it. */
struct epilogue_coordinate {
	int row, column;
	int M, N;
	bool whole; /* all V columns lie in C, and vector accesses to matrices like C are aligned */
	int ld = N; /* elements between rows of a matrix like C */
};

/* By a kernel that has C's values there (0 where beta is 0), and by code only for beta = 0. */
struct epilogue_coordinate_with_c : epilogue_coordinate {
	const float *c;
};
struct epilogue_coordinate_beta_0 : epilogue_coordinate {
};
using epilogue_place = epilogue_coordinate; // its earlier name, which stages of users have

/* How many of V elements one access takes. */
template <class Element, int V>
constexpr int epilogue_width = sizeof(Element) * V <= 16 ? V : 16 / sizeof(Element);

/* Whether V elements from `pointer` on can be accessed at once. */
template <class Element, int V>
__device__ __forceinline__ bool epilogue_aligned(const Element *pointer)
{
	return V == 1 || (uintptr_t)pointer % (sizeof(Element) * epilogue_width<Element, V>) == 0;
}

/* Vectors as floats: of two bf16 in a word each takes one instruction, which the upper one alone
 * takes two of. */
template <class Element, int WIDTH, int COUNT, int V>
__device__ __forceinline__ void epilogue_unpack(const epilogue_vector<Element, WIDTH> (&all)[COUNT],
												float (&x)[V])
{
	static_assert(V == WIDTH * COUNT, "each value once");
#pragma unroll
	for (int i = 0; i < V; i++) {
#ifdef __CUDA_BF16_H__
		if constexpr (std::is_same_v<Element, __nv_bfloat16> && WIDTH % 2 == 0) {
			uint32_t word = ((const uint32_t *)all)[i / 2];
			x[i] = __uint_as_float(i % 2 == 0 ? word << 16 : word & 0xFFFF0000u);
			continue;
		}
#endif
		x[i] = epilogue_to_float(all[i / WIDTH].at[i % WIDTH]);
	}
}

/* V elements with as few accesses as can be: `from` is aligned to them, or to 16 bytes. */
template <class Element, int V>
__device__ __forceinline__ void epilogue_load_whole(const Element *from, float (&x)[V])
{
	constexpr int WIDTH = epilogue_width<Element, V>;
	epilogue_vector<Element, WIDTH> all[V / WIDTH];
#pragma unroll
	for (int i = 0; i < V / WIDTH; i++)
		all[i] = ((const epilogue_vector<Element, WIDTH> *)from)[i];
	epilogue_unpack(all, x);
}

template <class Element, int V>
__device__ __forceinline__ void epilogue_store_whole(Element *to, const float (&x)[V])
{
	constexpr int WIDTH = epilogue_width<Element, V>;
	epilogue_vector<Element, WIDTH> all[V / WIDTH];
#pragma unroll
	for (int i = 0; i < V; i++)
		all[i / WIDTH].at[i % WIDTH] = epilogue_from_float<Element>(x[i]);
#pragma unroll
	for (int i = 0; i < V / WIDTH; i++)
		((epilogue_vector<Element, WIDTH> *)to)[i] = all[i];
}

/* V elements, `left` of which exist; the others become 0. No conversion waits inside a branch. */
template <class Element, int V>
__device__ __forceinline__ void epilogue_load(const Element *from, int left, bool whole,
											  float (&x)[V])
{
	constexpr int WIDTH = epilogue_width<Element, V>;
	epilogue_vector<Element, WIDTH> all[V / WIDTH];
	if (whole && epilogue_aligned<Element, V>(from)) {
#pragma unroll
		for (int i = 0; i < V / WIDTH; i++)
			all[i] = ((const epilogue_vector<Element, WIDTH> *)from)[i];
	} else {
#pragma unroll
		for (int i = 0; i < V; i++)
			all[i / WIDTH].at[i % WIDTH] = i < left ? from[i] : epilogue_from_float<Element>(0.0f);
	}
	epilogue_unpack(all, x);
}

template <class Element, int V>
__device__ __forceinline__ void epilogue_store(Element *to, int left, bool whole,
											   const float (&x)[V])
{
	if (whole && epilogue_aligned<Element, V>(to))
		return epilogue_store_whole(to, x);
#pragma unroll
	for (int i = 0; i < V; i++)
		if (i < left)
			to[i] = epilogue_from_float<Element>(x[i]);
}

/* The values of a matrix like C that belong to a coordinate. */
template <class Element, int V>
__device__ __forceinline__ void epilogue_load_matrix(const Element *matrix,
													 const epilogue_coordinate &at, float (&x)[V])
{
	const Element *from = matrix + (size_t)at.row * at.ld + at.column;
	if (at.whole)
		epilogue_load_whole(from, x);
	else
		epilogue_load(from, at.N - at.column, false, x);
}

template <class Element, int V>
__device__ __forceinline__ void
epilogue_store_matrix(Element *matrix, const epilogue_coordinate &at, const float (&x)[V])
{
	Element *to = matrix + (size_t)at.row * at.ld + at.column;
	if (at.whole)
		epilogue_store_whole(to, x);
	else
		epilogue_store(to, at.N - at.column, false, x);
}

/* One value for each two columns, of a dense matrix with half as many (rounded up). */
template <class Element, int PAIRS>
__device__ __forceinline__ void epilogue_store_pairs(Element *matrix, const epilogue_coordinate &at,
													 const float (&x)[PAIRS])
{
	Element *to = matrix + (size_t)at.row * ((at.N + 1) / 2) + at.column / 2;
	epilogue_store(to, (at.N - at.column + 1) / 2, at.whole, x);
}

/* Those of one value for each of the N columns. */
template <class Element, int V>
__device__ __forceinline__ void epilogue_load_columns(const Element *values,
													  const epilogue_coordinate &at, float (&x)[V])
{
	int left = at.N - at.column;
	if (at.column % V == 0 && (at.whole || left >= V))
		epilogue_load_whole(values + at.column, x);
	else
		epilogue_load(values + at.column, left, false, x);
}

/* One value for all. */
template <class Element> __device__ __forceinline__ float epilogue_load_one(const Element *value)
{
	return epilogue_to_float(*value);
}

/* Those of one value for each block of ROWS rows and COLUMNS columns; 0: all share one. */
template <int ROWS, int COLUMNS, class Element, int V>
__device__ __forceinline__ void epilogue_load_blocks(const Element *values,
													 const epilogue_coordinate &at, float (&x)[V])
{
	constexpr int HEIGHT = ROWS > 0 ? ROWS : 1, WIDTH = COLUMNS > 0 ? COLUMNS : 1;
	const Element *from = values;
	if constexpr (ROWS > 0)
		from += (size_t)(at.row / HEIGHT) * (COLUMNS > 0 ? (at.N + WIDTH - 1) / WIDTH : 1);
#pragma unroll
	for (int i = 0; i < V; i++) {
		int column = at.column + i;
		bool inside = at.whole || column < at.N;
		if (i > 0 && (COLUMNS == 0 || column % WIDTH != 0 || !inside))
			x[i] = x[i - 1];
		else
			x[i] = inside ? epilogue_to_float(from[COLUMNS > 0 ? column / WIDTH : 0]) : 0.0f;
	}
}

/* What a stage says of itself: what it accesses besides C. */
struct epilogue_accesses {
	int columns, rows, matrices, outputs, others, reductions; // members that each kind has

	constexpr bool none(void) const
	{
		return columns + rows + matrices + outputs + others + reductions == 0;
	}
	constexpr bool operator==(const epilogue_accesses &other) const
	{
		return columns == other.columns && rows == other.rows && matrices == other.matrices &&
			   outputs == other.outputs && others == other.others && reductions == other.reductions;
	}
	constexpr epilogue_accesses operator+(const epilogue_accesses &other) const
	{
		return {columns + other.columns, rows + other.rows,     matrices + other.matrices,
				outputs + other.outputs, others + other.others, reductions + other.reductions};
	}
};

struct epilogue_count {
	epilogue_accesses found;
	__host__ __device__ constexpr void columns(const void *)
	{
		found.columns++;
	}
	__host__ __device__ constexpr void rows(const void *)
	{
		found.rows++;
	}
	__host__ __device__ constexpr void matrix(const void *)
	{
		found.matrices++;
	}
	__host__ __device__ constexpr void output(const void *)
	{
		found.outputs++;
	}
	__host__ __device__ constexpr void other(const void *)
	{
		found.others++;
	}
	__host__ __device__ constexpr void reduction(float *, int, int)
	{
		found.reductions++;
	}
};

template <class Stage, class = void> constexpr bool epilogue_declares = false;
template <class Stage>
constexpr bool epilogue_declares<Stage, std::void_t<decltype(std::declval<const Stage &>().memory(
											std::declval<epilogue_count &>()))>> = true;

/* Of a stage that sees coordinates and says nothing, everything is assumed. */
template <class Stage> constexpr epilogue_accesses epilogue_accesses_of(void)
{
	if constexpr (epilogue_declares<Stage>) {
		epilogue_count count = {};
		Stage{}.memory(count);
		return count.found;
	} else if constexpr (std::is_invocable_v<const Stage &, float>) {
		return {};
	} else {
		return {1, 1, 1, 1, 0, 0};
	}
}

/* Whether a stage that declares what it accesses has so many members of a kind. */
template <class Stage> constexpr bool epilogue_visits(int epilogue_accesses::*kind, int members)
{
	return !epilogue_declares<Stage> || epilogue_accesses_of<Stage>().*kind == members;
}

/* How many neighbouring columns a stage needs at once. */
template <class Stage, class = void> constexpr int epilogue_columns = 1;
template <class Stage>
constexpr int
	epilogue_columns<Stage, std::enable_if_t<std::is_same_v<decltype(Stage::columns), const int>>> =
		Stage::columns;

template <class Stage, class = void> constexpr bool epilogue_takes = false;
template <class Stage>
constexpr bool epilogue_takes<Stage, std::void_t<decltype(std::declval<Stage &>().take(
										 std::declval<half *>(), 1.0f, 1.0f))>> = true;

/* Whether a stage has no members behind the `bytes` of those that it declares. One with a take()
 * may: it fills them itself. */
template <class Stage> constexpr bool epilogue_ends_at(size_t bytes)
{
	constexpr size_t align = alignof(Stage);
	return epilogue_takes<Stage> ||
		   (bytes == 0 ? std::is_empty_v<Stage>
					   : sizeof(Stage) == (bytes + align - 1) / align * align);
}

#endif
