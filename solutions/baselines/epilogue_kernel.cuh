/* What a program does that calls a library for the product and has an epilogue
 * of its own: one more kernel, over C where the library left it. It applies the
 * whole chain in one pass and moves nothing but what the chain needs, 16 bytes at
 * a time and four times that on their way in each thread, so that nothing but memory
 * bounds it.
 *
 * The library takes alpha_beta along when the chain begins with it. */
#ifndef GEMMJUDGE_BASELINE_EPILOGUE_KERNEL_CUH
#define GEMMJUDGE_BASELINE_EPILOGUE_KERNEL_CUH

#include <cuda_runtime.h>
#include <stdint.h>
#include <type_traits>

#include "epilogue.cuh"

#include "alpha_beta.cuh"

constexpr int KERNEL_THREADS = 256;
constexpr int KERNEL_BATCH = 4; // vectors that a thread has in flight at a time

/* The chain as the library and the kernel share it. */
template <class Chain> struct kernel_split {
	static constexpr bool scales = false; // the library gets alpha = 1, beta = 0
	static auto rest(const Chain &chain)
	{
		return chain;
	}
};
template <class Element, class... Rest>
struct kernel_split<epilogue_chain<stage_alpha_beta<Element>, Rest...>> {
	static constexpr bool scales = true;
	static auto rest(const epilogue_chain<stage_alpha_beta<Element>, Rest...> &chain)
	{
		return chain.rest;
	}
};

/* Whether a stage looks at the C that solve() was called with, which the product
 * must then leave alone. */
template <class Stage, class Element, class = void> struct kernel_takes : std::false_type {
};
template <class Stage, class Element>
struct kernel_takes<
	Stage, Element,
	std::void_t<decltype(std::declval<Stage &>().take((Element *)nullptr, 0.0f, 0.0f))>>
	: std::true_type {
};
template <class Element, class Chain> struct kernel_reads_c;
template <class Element, class... Stages>
struct kernel_reads_c<Element, epilogue_chain<Stages...>>
	: std::bool_constant<(kernel_takes<Stages, Element>::value || ...)> {
};

/* A place in the flat matrix, and how far a thread's next vector lies from it.
 * Columns are counted in UNITs, which divide N: V where rows consist of whole vectors,
 * otherwise 1. */
struct kernel_position {
	uint32_t row, column;
};

template <int UNIT>
__host__ __device__ __forceinline__ kernel_position kernel_locate(uint32_t index, int N)
{
	uint32_t width = (uint32_t)(N / UNIT), row = index / UNIT / width;
	return {row, index / UNIT - row * width};
}

/* A vector that goes round the end of a row. */
template <int V, class Chain>
__device__ __forceinline__ void kernel_apply_each(const Chain &chain, epilogue_coordinate at,
												  float (&x)[V])
{
#pragma unroll
	for (int i = 0; i < V; i++) {
		float one[1] = {x[i]};
		chain.run(one, at);
		x[i] = one[0];
		if (++at.column == at.N) {
			at.column = 0;
			at.row++;
		}
	}
}

template <int UNIT, int V, class Chain>
__device__ __forceinline__ void kernel_apply(const Chain &chain, const epilogue_coordinate &at,
											 float (&x)[V])
{
	if constexpr (UNIT != V)
		if (at.column + V > at.N)
			return kernel_apply_each(chain, at, x);
	chain.run(x, at);
}

/* BATCH vectors of V values that lie KERNEL_THREADS vectors apart, from element
 * `first` on. All are loaded before the first is stored. */
template <int UNIT, int BATCH, int V, class Element, class Chain>
__device__ __forceinline__ void kernel_batch(const Element *X, Element *C, uint32_t first, int M,
											 int N, kernel_position step, const Chain &chain)
{
	kernel_position at = kernel_locate<UNIT>(first, N);
	float x[BATCH][V];
#pragma unroll
	for (int b = 0; b < BATCH; b++)
		epilogue_load_whole(X + (size_t)first + b * KERNEL_THREADS * V, x[b]);
#pragma unroll
	for (int b = 0; b < BATCH; b++) {
		epilogue_coordinate place{(int)at.row, (int)at.column * UNIT, M, N, true};
		kernel_apply<UNIT>(chain, place, x[b]);
		at.row += step.row;
		at.column += step.column;
		if (at.column >= (uint32_t)(N / UNIT)) {
			at.column -= (uint32_t)(N / UNIT);
			at.row++;
		}
	}
#pragma unroll
	for (int b = 0; b < BATCH; b++)
		epilogue_store_whole(C + (size_t)first + b * KERNEL_THREADS * V, x[b]);
}

/* What the last block has: less than a batch for each thread, and at the end less
 * than a vector. */
template <int UNIT, int V, class Element, class Chain>
__device__ __forceinline__ void kernel_rest(const Element *X, Element *C, uint32_t first, int M,
											int N, const Chain &chain)
{
	uint32_t count = (uint32_t)M * (uint32_t)N, whole = count / V * V;
	for (; first < whole; first += KERNEL_THREADS * V)
		kernel_batch<UNIT, 1, V>(X, C, first, M, N, {}, chain);
	uint32_t last = whole + threadIdx.x;
	if (last < count)
		kernel_batch<1, 1, 1>(X, C, last, M, N, {}, chain);
}

/* C = chain(X), both M x N; X may be C. Each thread divides once, to find its place. */
template <int UNIT, class Element, class Chain>
static __global__ void __launch_bounds__(KERNEL_THREADS)
	kernel_chain(const Element *X, Element *C, int M, int N, kernel_position step, Chain chain)
{
	constexpr int V = 16 / sizeof(Element);
	uint32_t first = (blockIdx.x * KERNEL_THREADS * KERNEL_BATCH + threadIdx.x) * V;
	if (blockIdx.x + 1 < gridDim.x)
		kernel_batch<UNIT, KERNEL_BATCH, V>(X, C, first, M, N, step, chain);
	else
		kernel_rest<UNIT, V>(X, C, first, M, N, chain);
}

template <int UNIT, class Element, class Chain>
static void kernel_launch_units(const Element *X, Element *C, int M, int N, const Chain &chain)
{
	constexpr int STEP = KERNEL_THREADS * (16 / sizeof(Element)); // elements
	uint32_t blocks = (uint32_t)M * (uint32_t)N / (STEP * KERNEL_BATCH) + 1;
	kernel_position step = kernel_locate<UNIT>(STEP, N);
	kernel_chain<UNIT><<<blocks, KERNEL_THREADS>>>(X, C, M, N, step, chain);
}

template <class Element, class Chain>
static void kernel_launch(const Element *X, Element *C, int M, int N, const Chain &chain)
{
	constexpr int V = 16 / sizeof(Element);
	if (N % V == 0)
		kernel_launch_units<V>(X, C, M, N, chain);
	else
		kernel_launch_units<1>(X, C, M, N, chain);
}

/* Memory of its own for the product, where C is still needed. */
template <class Element> static Element *kernel_scratch(size_t elements)
{
	static Element *memory;
	static size_t capacity;
	if (elements > capacity) {
		cudaFree(memory);
		capacity = cudaMalloc(&memory, elements * sizeof(Element)) == cudaSuccess ? elements : 0;
	}
	return memory;
}

/* C = chain(A * B): `product(out, alpha, beta)` has the library compute
 * out = alpha * A * B + beta * out, and the kernel does the rest. */
template <class Element, class Product>
static void kernel_after(Product product, Element *C, int M, int N, float alpha, float beta)
{
	auto made = epilogue_make(C, M, N, alpha, beta);
	using split = kernel_split<decltype(made.stages)>;
	auto rest = split::rest(made.stages);
	constexpr bool reads_c = kernel_reads_c<Element, decltype(rest)>::value;
	constexpr bool library_scales = split::scales && !reads_c;

	Element *X = reads_c ? kernel_scratch<Element>((size_t)M * N) : C;
	product(X, library_scales ? alpha : 1.0f, library_scales ? beta : 0.0f);
	if constexpr (reads_c) // the whole chain, alpha_beta included
		kernel_launch(X, C, M, N, made.stages);
	else
		kernel_launch(X, C, M, N, rest);
}

#endif
