/* What a program does that calls a library for the product and has an epilogue
 * of its own: one more kernel, over C where the library left it. It applies the
 * whole chain in one pass and moves nothing but what the chain needs, 16 bytes at
 * a time, so that nothing but memory bounds it.
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
constexpr int KERNEL_BATCH = 4;                // vectors that a thread has on their way at a time
constexpr int KERNEL_BLOCKS_MAX = 132 * 8 * 4; // then each block goes round

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

/* V neighbouring values of the flat matrix, from `index` on. */
template <class Element, int V, class Chain>
__device__ __forceinline__ void kernel_apply(const Chain &chain, uint32_t index, int M, int N,
											 bool vector, float (&x)[V])
{
	int row = (int)(index / (uint32_t)N), column = (int)(index - (uint32_t)row * (uint32_t)N);
	if (vector) {
		chain.run(x, epilogue_place{row, column, M, N, true});
		return;
	}
#pragma unroll
	for (int i = 0; i < V; i++) { // the vector may go round the end of a row
		float one[1] = {x[i]};
		if (row < M)
			chain.run(one, epilogue_place{row, column, M, N, true});
		x[i] = one[0];
		if (++column == N) {
			column = 0;
			row++;
		}
	}
}

/* C = chain(X), both M x N; X may be C. `vector`: N is a multiple of V. */
template <class Element, class Chain>
static __global__ void __launch_bounds__(KERNEL_THREADS)
	kernel_chain(const Element *X, Element *C, int M, int N, bool vector, Chain chain)
{
	constexpr int V = 16 / sizeof(Element);
	uint32_t count = (uint32_t)M * (uint32_t)N, whole = count / V;
	uint32_t step = gridDim.x * KERNEL_THREADS * KERNEL_BATCH;
	for (uint32_t first = blockIdx.x * KERNEL_THREADS * KERNEL_BATCH + threadIdx.x; first < whole;
		 first += step) {
		float x[KERNEL_BATCH][V];
#pragma unroll
		for (int b = 0; b < KERNEL_BATCH; b++) {
			uint32_t at = first + b * KERNEL_THREADS;
			if (at < whole)
				epilogue_load(X + (size_t)at * V, V, true, x[b]);
		}
#pragma unroll
		for (int b = 0; b < KERNEL_BATCH; b++) {
			uint32_t at = first + b * KERNEL_THREADS;
			if (at >= whole)
				continue;
			kernel_apply<Element>(chain, at * V, M, N, vector, x[b]);
			epilogue_store(C + (size_t)at * V, V, true, x[b]);
		}
	}
	uint32_t last = whole * V + blockIdx.x * KERNEL_THREADS + threadIdx.x;
	if (last < count) { // fewer than V elements behind the last vector
		float one[1];
		epilogue_load(X + last, 1, true, one);
		kernel_apply<Element>(chain, last, M, N, false, one);
		epilogue_store(C + last, 1, true, one);
	}
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
	constexpr int V = 16 / sizeof(Element);
	auto made = epilogue_make(C, M, N, alpha, beta);
	using split = kernel_split<decltype(made.stages)>;
	auto rest = split::rest(made.stages);
	constexpr bool reads_c = kernel_reads_c<Element, decltype(rest)>::value;
	constexpr bool library_scales = split::scales && !reads_c;

	Element *X = reads_c ? kernel_scratch<Element>((size_t)M * N) : C;
	product(X, library_scales ? alpha : 1.0f, library_scales ? beta : 0.0f);
	uint32_t vectors = (uint32_t)M * (uint32_t)N / V;
	uint32_t blocks = vectors / (KERNEL_THREADS * KERNEL_BATCH) + 1;
	dim3 grid(blocks < KERNEL_BLOCKS_MAX ? blocks : KERNEL_BLOCKS_MAX);
	if constexpr (reads_c) // the whole chain, alpha_beta included
		kernel_chain<<<grid, KERNEL_THREADS>>>(X, C, M, N, N % V == 0, made.stages);
	else
		kernel_chain<<<grid, KERNEL_THREADS>>>(X, C, M, N, N % V == 0, rest);
}

#endif
