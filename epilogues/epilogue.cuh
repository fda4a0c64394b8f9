/* The epilogue contract: what happens to an accumulator on its way into C.
 *
 * FOR KERNELS. A kernel opts in with two lines. solve() makes the epilogue and
 * passes it to the kernel by value; the kernel hands it every finished
 * accumulator once:
 *
 *     kernel<<<grid, block>>>(A, B, M, N, K, epilogue_make(C, M, N, alpha, beta));
 *     ...
 *     out.store(row, column, sum);          // one value
 *     out.store(row, column, sums);         // float sums[V]: V columns from `column` on
 *
 * store() drops what lies outside of C, so that a kernel can hand over a whole
 * tile, and writes V values at once where alignment allows it. A kernel that
 * moves C by other means (shared memory, TMA) calls apply(), which changes
 * values in registers and stores nothing; rows and columns must then lie in C.
 * Rows and columns are those of the row-major M x N matrix C.
 *
 * FOR STAGES. An epilogue is a chain of stages, applied left to right; with none
 * named it is alpha_beta alone: alpha * x + beta * C. A stage NAME is a file
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
 *     float operator()(float x) const;                        // each value alone
 *     template <int V> void operator()(float (&x)[V], const epilogue_place &at) const;
 *
 * A stage that reads memory may have `void prefetch(const epilogue_place &at)
 * const` besides, and `bool prefetches_rows() const`, false where only every 16th row matters to
 * that. The second form sees V neighbouring columns of a row, and loads
 * and stores with epilogue_load_matrix, epilogue_store_matrix and
 * epilogue_load_columns; one that touches no memory but C, and takes C from `at.c`
 * where that is not NULL, says `static constexpr bool only_c = true`. Both are inlined
 * into the kernel, so that a stage costs its arithmetic and nothing else. */
#ifndef GEMMJUDGE_EPILOGUE_CUH
#define GEMMJUDGE_EPILOGUE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <string.h>
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
struct epilogue_place {
	int row, column;
	int M, N;
	bool whole;     /* all V columns lie in C, and a vector access at this place of a matrix like C
					   is aligned */
	const float *c; /* C's values there (0 where beta is 0), for a kernel that has them; or NULL */
	uint32_t scratch; /* for prefetch(): see epilogue::prefetch() */
	bool beta_is_0;   /* said by a kernel that knows while it is compiled; else ask beta */
};

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

/* The values of a matrix like C that belong to a place. */
template <class Element, int V>
__device__ __forceinline__ void epilogue_load_matrix(const Element *matrix,
													 const epilogue_place &at, float (&x)[V])
{
	const Element *from = matrix + (size_t)at.row * at.N + at.column;
	if (at.whole)
		epilogue_load_whole(from, x);
	else
		epilogue_load(from, at.N - at.column, false, x);
}

template <class Element, int V>
__device__ __forceinline__ void epilogue_store_matrix(Element *matrix, const epilogue_place &at,
													  const float (&x)[V])
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
													  const epilogue_place &at, float (&x)[V])
{
	int left = at.N - at.column;
	if (at.column % V == 0 && (at.whole || left >= V))
		epilogue_load_whole(values + at.column, x);
	else
		epilogue_load(values + at.column, left, false, x);
}

__device__ __forceinline__ void epilogue_prefetch(const void *from)
{
	asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
}

template <class Element>
__device__ __forceinline__ void epilogue_prefetch_matrix(const Element *matrix,
														 const epilogue_place &at)
{
	epilogue_prefetch(matrix + (size_t)at.row * at.N + at.column);
}

/* The same for one value for each of the columns: one row in 16 asks for them. */
template <class Element>
__device__ __forceinline__ void epilogue_prefetch_columns(const Element *values,
														  const epilogue_place &at)
{
	if (at.row % 16 != 0)
		return;
	if (at.scratch == 0)
		return epilogue_prefetch(values + at.column);
	/* What is copied is not looked at: this is the way into the L1 cache, which no prefetch
	 * fills on Hopper. */
	int left = (at.N - at.column) * (int)sizeof(Element);
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at.scratch),
				 "l"(values + at.column), "r"(left < 4 ? left : 4)
				 : "memory");
}

/* ---- chains --------------------------------------------------------------- */

/* Stages one after the other. A plain struct: it travels as a kernel argument. */
template <class... Stages> struct epilogue_chain {
	template <int V> __device__ __forceinline__ void run(float (&)[V], const epilogue_place &) const
	{
	}
	__device__ __forceinline__ void prefetch(const epilogue_place &) const
	{
	}
	__device__ __forceinline__ bool prefetches_rows(void) const
	{
		return false;
	}
	template <class Element> void take(Element *, float, float)
	{
	}
	template <class Bindings> void bind(const Bindings &, int)
	{
	}
	static constexpr bool only_c = true;
};

template <class Stage, class = void> struct epilogue_stage_only_c {
	static constexpr bool value = std::is_invocable_v<const Stage &, float>;
};
template <class Stage> struct epilogue_stage_only_c<Stage, std::void_t<decltype(Stage::only_c)>> {
	static constexpr bool value = Stage::only_c;
};

template <class Stage, class = void> struct epilogue_stage_prefetches {
	static constexpr bool value = false;
};
template <class Stage>
struct epilogue_stage_prefetches<Stage, std::void_t<decltype(std::declval<const Stage &>().prefetch(
											std::declval<const epilogue_place &>()))>> {
	static constexpr bool value = true;
};

template <class First, class... Rest> struct epilogue_chain<First, Rest...> {
	First first;
	epilogue_chain<Rest...> rest;
	static constexpr bool only_c =
		epilogue_stage_only_c<First>::value && epilogue_chain<Rest...>::only_c;

	template <int V>
	__device__ __forceinline__ void run(float (&x)[V], const epilogue_place &at) const
	{
		if constexpr (std::is_invocable_v<const First &, float>) {
#pragma unroll
			for (int i = 0; i < V; i++)
				x[i] = first(x[i]);
		} else {
			first(x, at);
		}
		rest.run(x, at);
	}

	__device__ __forceinline__ void prefetch(const epilogue_place &at) const
	{
		if constexpr (epilogue_stage_prefetches<First>::value)
			first.prefetch(at);
		rest.prefetch(at);
	}
	__device__ __forceinline__ bool prefetches_rows(void) const
	{
		return first_prefetches_rows(first, 0) || rest.prefetches_rows();
	}

	/* What solve() carries itself goes to the stages that ask for it. */
	template <class Element> void take(Element *C, float alpha, float beta)
	{
		take_first(first, C, alpha, beta, 0);
		rest.take(C, alpha, beta);
	}

	/* What it does not carry was bound beforehand: stage number `index` on. */
	template <class Bindings> void bind(const Bindings &bindings, int index)
	{
		bindings.copy(index, &first, sizeof first);
		rest.bind(bindings, index + 1);
	}

  private:
	template <class Stage>
	static __device__ __forceinline__ auto first_prefetches_rows(const Stage &stage, int)
		-> decltype(stage.prefetches_rows())
	{
		return stage.prefetches_rows();
	}
	template <class Stage>
	static __device__ __forceinline__ bool first_prefetches_rows(const Stage &, long)
	{
		return epilogue_stage_prefetches<Stage>::value; // it may
	}
	template <class Stage, class Element>
	static auto take_first(Stage &stage, Element *C, float alpha, float beta, int)
		-> decltype(stage.take(C, alpha, beta))
	{
		stage.take(C, alpha, beta);
	}
	template <class Stage, class Element>
	static void take_first(Stage &, Element *, float, float, long)
	{
	}
};

/* EPILOGUE_CHAIN names a header that includes the stages and defines the
 * template epilogue_stages<Element>; gemmjudge writes one for --epilogue. */
#ifdef EPILOGUE_CHAIN
#include EPILOGUE_CHAIN
#else
#include "alpha_beta.cuh"
template <class Element> using epilogue_stages = epilogue_chain<stage_alpha_beta<Element>>;
#endif

template <class> struct stage_alpha_beta;
template <class Chain> constexpr bool epilogue_is_alpha_beta = false;
template <class Element>
constexpr bool epilogue_is_alpha_beta<epilogue_chain<stage_alpha_beta<Element>>> = true;

/* The arguments of the stages, set before solve() is called. */
struct epilogue_bindings {
	static constexpr int STAGES_MAX = 16, BYTES_MAX = 64;
	unsigned char bytes[STAGES_MAX][BYTES_MAX];
	size_t sizes[STAGES_MAX];

	void copy(int stage, void *to, size_t size) const
	{
		if (stage < STAGES_MAX && sizes[stage] > 0)
			memcpy(to, bytes[stage], size < sizes[stage] ? size : sizes[stage]);
	}
};

static epilogue_bindings epilogue_bound;

#ifdef EPILOGUE_CHAIN
/* Sets the arguments of stage number `stage`: `size` bytes laid out as the
 * stage's members are. Returns 0, or -1 when there is no such place. */
extern "C" __attribute__((visibility("default"))) int epilogue_bind(int stage, const void *bytes,
																	size_t size)
{
	if (stage < 0 || stage >= epilogue_bindings::STAGES_MAX || size > epilogue_bindings::BYTES_MAX)
		return -1;
	memcpy(epilogue_bound.bytes[stage], bytes, size);
	epilogue_bound.sizes[stage] = size;
	return 0;
}
#endif

/* ---- what kernels use ------------------------------------------------------- */

template <class Element> struct epilogue {
	Element *C;
	int M, N;
	epilogue_stages<Element> stages;

	/* Whether V elements at this place can be accessed at once. */
	template <int V> __device__ __forceinline__ bool whole(int row, int column) const
	{
		return V == 1 ||
			   (column + V <= N && epilogue_aligned<Element, V>(C + (size_t)row * N + column));
	}

	/* x becomes the output values of V columns from `column` on; `vector` says
	 * that whole<V>() holds. Values of columns outside of C come out undefined. */
	template <int V>
	__device__ __forceinline__ void apply(int row, int column, float (&x)[V], bool vector) const
	{
		stages.run(x, epilogue_place{row, column, M, N, vector, nullptr, 0, false});
	}

	/* The same for a kernel that has loaded C's values itself (and not where beta is 0:
	 * then c is 0). Where only_c holds, places outside of C are fine. */
	template <int V>
	__device__ __forceinline__ void apply(int row, int column, float (&x)[V],
										  const float (&c)[V]) const
	{
		stages.run(x, epilogue_place{row, column, M, N, true, c, 0, false});
	}

	/* The same where some of it may lie outside of C: behind the end of a row that has N columns.
	 * The row lies in C. */
	template <int V>
	__device__ __forceinline__ void apply_edge(int row, int column, float (&x)[V],
											   const float (&c)[V]) const
	{
		stages.run(x, epilogue_place{row, column, M, N, false, c, 0, false});
	}

	/* The same where beta is 0, by code that serves no other case: then a stage's first
	 * addition takes alpha's multiplication in. */
	template <int V>
	__device__ __forceinline__ void apply_beta_0(int row, int column, float (&x)[V]) const
	{
		stages.run(x, epilogue_place{row, column, M, N, true, nullptr, 0, true});
	}

	/* The chain is alpha * x + beta * C. */
	static constexpr bool is_alpha_beta = epilogue_is_alpha_beta<epilogue_stages<Element>>;

	/* No stage reads or writes memory, apart from C where it is not handed over. */
	static constexpr bool only_c = epilogue_stages<Element>::only_c;

	/* Asks for what the stages will read at this place to be brought to the L2 cache; for
	 * kernels that know long before they finish. In steps of 32 bytes. What one row in 16 shares
	 * comes into the L1 cache too, if `scratch` is the address (in the shared window, a multiple
	 * of 4) of 4 bytes of shared memory into which this thread alone may copy anything, with
	 * cp.async; `column` is even then. */
	__device__ __forceinline__ void prefetch(int row, int column, uint32_t scratch = 0) const
	{
		stages.prefetch(epilogue_place{row, column, M, N, false, nullptr, scratch, false});
	}

	/* Whether prefetch() does something in other rows than every 16th. */
	__device__ __forceinline__ bool prefetches_rows(void) const
	{
		return stages.prefetches_rows();
	}

	/* One value: the output for C[row][column]. */
	__device__ __forceinline__ float apply(int row, int column, float x) const
	{
		float one[1] = {x};
		apply(row, column, one, true);
		return one[0];
	}

	template <int V>
	__device__ __forceinline__ void store(int row, int column, const float (&x)[V]) const
	{
		if (row >= M || column >= N)
			return;
		float y[V];
#pragma unroll
		for (int i = 0; i < V; i++)
			y[i] = x[i];
		bool vector = whole<V>(row, column);
		apply(row, column, y, vector);
		epilogue_store(C + (size_t)row * N + column, N - column, vector, y);
	}

	__device__ __forceinline__ void store(int row, int column, float x) const
	{
		float one[1] = {x};
		store(row, column, one);
	}
};

/* Host side, in solve(). A problem without alpha and beta leaves them out. */
template <class Element>
static inline epilogue<Element> epilogue_make(Element *C, int M, int N, float alpha = 1.0f,
											  float beta = 0.0f)
{
	epilogue<Element> made = {};
	made.C = C;
	made.M = M;
	made.N = N;
	made.stages.bind(epilogue_bound, 0);
	made.stages.take(C, alpha, beta);
	return made;
}

#endif
