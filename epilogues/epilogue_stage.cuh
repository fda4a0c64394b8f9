/* What stages of an epilogue see: how one is written, where its values belong, and how it loads
 * and stores. epilogue.cuh has what kernels do with them.
 *
 * An epilogue is a chain of stages, applied left to right; with none
 * named it is alpha_beta: alpha * x + beta * C. A stage NAME is a file
 * NAME.cuh that defines a class template stage_NAME<Element>. Its members are
 * its arguments, in the order in which the file's first comment declares them:
 *
 *     argument NAME = DEFAULT    float NAME             given as NAME:1:2.5
 *     input NAME N               const Element *NAME    N values, one a column
 *     input NAME M               const Element *NAME    M values, one a row
 *     input NAME M N             const Element *NAME    a matrix like C
 *     output NAME M N            Element *NAME          likewise, written by the stage
 *
 * Pointers are aligned to 16 bytes, as cudaMalloc's are. It is called in one of two
 * forms:
 *
 *     float operator()(float x) const;                        // each value by itself
 *     template <int V> void operator()(float (&x)[V], const epilogue_coordinate &at) const;
 *
 * The second form sees V neighbouring columns of a row, and loads and stores with
 * epilogue_load_matrix, epilogue_store_matrix and epilogue_load_columns. Such a stage
 * says once what it accesses, and kernels derive the rest (what to prefetch, and whether
 * values outside of C may go through it):
 *
 *     template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
 *     {
 *         visit.columns(bias);    // or rows(), matrix(), output(); C needs no word
 *     }
 *
 * One that does not say so is right, too, and not prefetched for. All is inlined into the
 * kernel, so that a stage costs its arithmetic and nothing else. */
#ifndef GEMMJUDGE_EPILOGUE_STAGE_CUH
#define GEMMJUDGE_EPILOGUE_STAGE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stddef.h>
#include <stdint.h>
#include <type_traits>
#include <utility>

__device__ __forceinline__ float epilogue_to_float(half x)
{
	return __half2float(x);
}
__device__ __forceinline__ float epilogue_to_float(__nv_bfloat16 x)
{
	return __bfloat162float(x);
}
__device__ __forceinline__ float epilogue_to_float(float x)
{
	return x;
}

template <class Element> __device__ __forceinline__ Element epilogue_from_float(float x);
template <> __device__ __forceinline__ half epilogue_from_float<half>(float x)
{
	return __float2half_rn(x);
}
template <> __device__ __forceinline__ __nv_bfloat16 epilogue_from_float<__nv_bfloat16>(float x)
{
	return __float2bfloat16_rn(x);
}
template <> __device__ __forceinline__ float epilogue_from_float<float>(float x)
{
	return x;
}

/* V elements that are loaded and stored with one instruction (16 bytes at most). */
template <class Element, int V> struct alignas(sizeof(Element) * V) epilogue_vector {
	Element at[V];
};

/* Where V neighbouring values belong: C[row][column] and the columns after it. */
struct epilogue_coordinate {
	int row, column;
	int M, N;
	bool whole; /* all V columns lie in C, and a vector access at this coordinate of a matrix like C
				   is aligned */
};

/* The same by a kernel that has C's values there (0 where beta is 0), and by code that is only for
 * beta = 0. */
struct epilogue_coordinate_with_c : epilogue_coordinate {
	const float *c;
};
struct epilogue_coordinate_beta_0 : epilogue_coordinate {
};
using epilogue_place = epilogue_coordinate; /* its earlier name, which stages of users have */

/* Whether V elements from `pointer` on can be accessed at once. */
template <class Element, int V>
__device__ __forceinline__ bool epilogue_aligned(const Element *pointer)
{
	static_assert(sizeof(Element) * V <= 16, "a vector access is at most 16 bytes");
	return V == 1 || (uintptr_t)pointer % (sizeof(Element) * V) == 0;
}

/* V elements with one access: `from` is aligned to them. */
template <class Element, int V>
__device__ __forceinline__ void epilogue_load_whole(const Element *from, float (&x)[V])
{
	epilogue_vector<Element, V> all = *(const epilogue_vector<Element, V> *)from;
#pragma unroll
	for (int i = 0; i < V; i++)
		x[i] = epilogue_to_float(all.at[i]);
}

template <class Element, int V>
__device__ __forceinline__ void epilogue_store_whole(Element *to, const float (&x)[V])
{
	epilogue_vector<Element, V> all;
#pragma unroll
	for (int i = 0; i < V; i++)
		all.at[i] = epilogue_from_float<Element>(x[i]);
	*(epilogue_vector<Element, V> *)to = all;
}

/* V elements, `left` of which exist; the others become 0. They are converted in one
 * place, so that the usual case does not wait inside of a branch. */
template <class Element, int V>
__device__ __forceinline__ void epilogue_load(const Element *from, int left, bool whole,
											  float (&x)[V])
{
	epilogue_vector<Element, V> all;
	if (whole && epilogue_aligned<Element, V>(from)) {
		all = *(const epilogue_vector<Element, V> *)from;
	} else {
#pragma unroll
		for (int i = 0; i < V; i++)
			all.at[i] = i < left ? from[i] : epilogue_from_float<Element>(0.0f);
	}
#pragma unroll
	for (int i = 0; i < V; i++)
		x[i] = epilogue_to_float(all.at[i]);
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
	const Element *from = matrix + (size_t)at.row * at.N + at.column;
	if (at.whole)
		epilogue_load_whole(from, x);
	else
		epilogue_load(from, at.N - at.column, false, x);
}

template <class Element, int V>
__device__ __forceinline__ void
epilogue_store_matrix(Element *matrix, const epilogue_coordinate &at, const float (&x)[V])
{
	Element *to = matrix + (size_t)at.row * at.N + at.column;
	if (at.whole)
		epilogue_store_whole(to, x);
	else
		epilogue_store(to, at.N - at.column, false, x);
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

/* ---- what a stage says of itself ------------------------------------------------ */

/* What stages access besides C. */
struct epilogue_accesses {
	int columns, rows, matrices, outputs; // members that each kind has

	constexpr bool none(void) const
	{
		return columns + rows + matrices + outputs == 0;
	}
	constexpr epilogue_accesses operator+(const epilogue_accesses &other) const
	{
		return {columns + other.columns, rows + other.rows, matrices + other.matrices,
				outputs + other.outputs};
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
		return {1, 1, 1, 1};
	}
}

/* Whether a stage that declares what it accesses has so many members of each kind. */
template <class Stage>
constexpr bool epilogue_declared(int columns, int rows, int matrices, int outputs)
{
	constexpr epilogue_accesses has = epilogue_accesses_of<Stage>();
	return !epilogue_declares<Stage> || (has.columns == columns && has.rows == rows &&
										 has.matrices == matrices && has.outputs == outputs);
}

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
