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
 *     out.store_runs<STEP>(row, column, x); // float x[RUNS][V]: the same at each STEP-th column
 *
 * store() drops what lies outside of C, so that a kernel can hand over a whole
 * tile, and writes V values at once where alignment allows it. A kernel that
 * moves C by other means (shared memory, TMA) calls apply(), which changes
 * values in registers and stores nothing; rows and columns must then lie in C.
 * Rows and columns are those of the row-major M x N matrix C.
 *
 * FOR STAGES. An epilogue is a chain of stages, applied left to right; with none
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
 * kernel, so that a stage costs its arithmetic and nothing else.
 *
 * FOR PROGRAMS OF ONE'S OWN. Several chains live in one program as types:
 *
 *     auto chain = epilogue_chain_of(stage_bias<half>{bias}, stage_gelu<half>{});
 *     kernel<<<grid, block>>>(A, B, M, N, K, epilogue_with(C, M, N, chain));
 *
 * where the kernel takes an epilogue<half, Chain>. FUSE.md has a whole program. */
#ifndef GEMMJUDGE_EPILOGUE_CUH
#define GEMMJUDGE_EPILOGUE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stddef.h>
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

/* ---- chains --------------------------------------------------------------- */

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

/* Stages one after the other. A plain struct: it travels as a kernel argument. */
template <class... Stages> struct epilogue_chain {
	static constexpr epilogue_accesses accesses = {};

	template <int V, class Coordinate>
	__device__ __forceinline__ void run(float (&)[V], const Coordinate &) const
	{
	}
	template <class Visit> __device__ __forceinline__ void memory(Visit &) const
	{
	}
	template <class Element> void take(Element *, float, float)
	{
	}
	template <class Bindings> void bind(const Bindings &, int)
	{
	}
};

template <class First, class... Rest> struct epilogue_chain<First, Rest...> {
	First first;
	epilogue_chain<Rest...> rest;
	static constexpr epilogue_accesses accesses =
		epilogue_accesses_of<First>() + epilogue_chain<Rest...>::accesses;

	template <int V, class Coordinate>
	__device__ __forceinline__ void run(float (&x)[V], const Coordinate &at) const
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

	/* Calls visit.columns(pointer), rows, matrix and output for what the stages access. */
	template <class Visit> __device__ __forceinline__ void memory(Visit &visit) const
	{
		if constexpr (epilogue_declares<First>)
			first.memory(visit);
		rest.memory(visit);
	}

	/* What solve() carries itself goes to the stages that take it. */
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

/* A chain with its arguments. */
static inline epilogue_chain<> epilogue_chain_of(void)
{
	return {};
}
template <class First, class... Rest>
static inline epilogue_chain<First, Rest...> epilogue_chain_of(const First &first,
															   const Rest &...rest)
{
	epilogue_chain<First, Rest...> chain = {};
	chain.first = first;
	chain.rest = epilogue_chain_of(rest...);
	return chain;
}

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

template <class Element, class Chain = epilogue_stages<Element>> struct epilogue {
	Element *C;
	int M, N;
	Chain stages;

	/* What the chain accesses besides C: nothing, so that values outside of C may go through it;
	 * or not. */
	static constexpr epilogue_accesses accesses = Chain::accesses;
	static constexpr bool elementwise = accesses.none();
	/* The chain is alpha * x + beta * C. */
	static constexpr bool is_alpha_beta = epilogue_is_alpha_beta<Chain>;

	/* Whether V elements at this coordinate can be accessed at once. */
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
		stages.run(x, epilogue_coordinate{row, column, M, N, vector});
	}

	/* The same for a kernel that has loaded C's values itself (and not where beta is 0:
	 * then c is 0). Coordinates outside of C are fine if the chain is elementwise. */
	template <int V>
	__device__ __forceinline__ void apply(int row, int column, float (&x)[V],
										  const float (&c)[V]) const
	{
		stages.run(x, epilogue_coordinate_with_c{{row, column, M, N, true}, c});
	}

	/* The same for any chain, where columns may lie behind the row's end. The row lies in C. */
	template <int V>
	__device__ __forceinline__ void apply_edge(int row, int column, float (&x)[V],
											   const float (&c)[V]) const
	{
		stages.run(x, epilogue_coordinate_with_c{{row, column, M, N, false}, c});
	}

	/* The same where beta is 0, by code that serves no other case: then a stage's first
	 * addition takes alpha's multiplication in. */
	template <int V>
	__device__ __forceinline__ void apply_beta_0(int row, int column, float (&x)[V]) const
	{
		stages.run(x, epilogue_coordinate_beta_0{{row, column, M, N, true}});
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

	/* COUNT times V values; where(i, row, column) tells to which row and column the i-th belong.
	 * Those in rows from `rows` on, or in columns from N on, are dropped. V is 1, or divides N, and
	 * all coordinates are aligned to it. What is read of C is loaded before anything is stored: no
	 * load passes a store to what may be the same address, so that values stored one by one wait
	 * for memory one by one. */
	template <int COUNT, int V, class Coordinate>
	__device__ __forceinline__ void store_all(int rows, float (&x)[COUNT][V],
											  const Coordinate &where) const
	{
		int row, column;
		bool inside = true;
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			where(i, row, column);
			inside = inside && row < rows && column < N;
		}
		if (inside) {
			store_all_where<false>(rows, x, where); // without tests more loads are in flight
			return;
		}
		/* Copies that the compiler does not see through. Without them the registers of the values
		 * in this rare branch decide about those of the kernel's main loop, which then reads more
		 * operands from the same bank (solutions/sgemm/NOTES.md, "Two places for one sum"). */
		float edge[COUNT][V];
#pragma unroll
		for (int i = 0; i < COUNT; i++)
#pragma unroll
			for (int j = 0; j < V; j++)
				asm("mov.b32 %0, %1;" : "=f"(edge[i][j]) : "f"(x[i][j]));
		store_all_where<true>(rows, edge, where);
	}

	/* RUNS times V values of one row, STEP columns from run to run; likewise. */
	template <int STEP, int RUNS, int V>
	__device__ __forceinline__ void store_runs(int row, int column, const float (&x)[RUNS][V]) const
	{
		static_assert(STEP % V == 0, "all runs are aligned as the first one is");
		if (row >= M)
			return;
		if (N % V == 0 && epilogue_aligned<Element, V>(C + (size_t)row * N + column))
			store_runs_by<STEP, V>(row, column, x);
		else
			store_runs_by<STEP, 1>(row, column, x);
	}

  private:
	template <bool TESTED, int COUNT, int V, class Coordinate>
	__device__ __forceinline__ void store_all_where(int rows, float (&x)[COUNT][V],
													const Coordinate &where) const
	{
		int row, column;
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			where(i, row, column);
			if (!TESTED || (row < rows && column < N))
				apply(row, column, x[i], true);
		}
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			where(i, row, column);
			if (!TESTED || (row < rows && column < N))
				epilogue_store_whole(C + (size_t)row * N + column, x[i]);
		}
	}

	/* The same by accesses of WIDTH values. */
	template <int STEP, int WIDTH, int RUNS, int V>
	__device__ __forceinline__ void store_runs_by(int row, int column,
												  const float (&x)[RUNS][V]) const
	{
		float y[RUNS * V / WIDTH][WIDTH];
#pragma unroll
		for (int i = 0; i < RUNS * V; i++)
			y[i / WIDTH][i % WIDTH] = x[i / V][i % V];
		store_all(M, y, [&](int i, int &r, int &c) {
			r = row;
			c = column + i * WIDTH / V * STEP + i * WIDTH % V;
		});
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

/* The same with a chain of one's own. */
template <class Element, class Chain>
static inline epilogue<Element, Chain> epilogue_with(Element *C, int M, int N, const Chain &chain,
													 float alpha = 1.0f, float beta = 0.0f)
{
	epilogue<Element, Chain> made = {C, M, N, chain};
	made.stages.take(C, alpha, beta);
	return made;
}

#endif
