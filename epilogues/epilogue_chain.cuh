/* Stages one after the other, and their arguments, which are bound before solve() is called.
 * epilogue.cuh includes it: kernels and stages need no word of it. */
#ifndef GEMMJUDGE_EPILOGUE_CHAIN_CUH
#define GEMMJUDGE_EPILOGUE_CHAIN_CUH

#include <string.h>

#include "epilogue_reduce.cuh"
#include "epilogue_stage.cuh"

/* Whether what a stage reduces are deterministic sums. */
template <class Stage, class = void> constexpr bool epilogue_is_deterministic = false;
template <class Stage>
constexpr bool epilogue_is_deterministic<
	Stage, std::enable_if_t<std::is_same_v<decltype(Stage::deterministic), const bool>>> =
	Stage::deterministic;

/* Whether it completes what it reduces by a finish(). */
template <class Stage, class = void> constexpr bool epilogue_finishes = false;
template <class Stage>
constexpr bool epilogue_finishes<
	Stage, std::void_t<decltype(std::declval<const Stage &>().finish(1.0f, 1, 1))>> = true;
template <class Stage>
constexpr bool epilogue_is_completed = epilogue_is_deterministic<Stage> || epilogue_finishes<Stage>;

/* About how many instructions a stage takes for a value: kernels choose tiles by it. */
template <class Stage, class = void> constexpr int epilogue_instructions = 9;
template <class Stage>
constexpr int epilogue_instructions<
	Stage, std::enable_if_t<std::is_same_v<decltype(Stage::instructions), const int>>> =
	Stage::instructions;

/* Stages one after the other. A plain struct: it travels as a kernel argument. */
template <class... Stages> struct epilogue_chain {
	static constexpr epilogue_accesses accesses = {};
	static constexpr int columns = 1;
	static constexpr bool by_lanes = false;
	static constexpr int instructions = 0;
	static constexpr bool completed = false;

	template <int V, class Coordinate>
	__device__ __forceinline__ void run(float (&)[V], const Coordinate &) const
	{
	}
	template <class Visit> __host__ __device__ __forceinline__ void memory(Visit &) const
	{
	}
	template <class Use> void each(const Use &) const
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
	/* So many neighbouring columns, from a multiple of it on, have to come at once. */
	static constexpr int columns = epilogue_columns<First> > epilogue_chain<Rest...>::columns
									   ? epilogue_columns<First>
									   : epilogue_chain<Rest...>::columns;
	static constexpr int instructions =
		epilogue_instructions<First> + epilogue_chain<Rest...>::instructions;
	static constexpr bool by_lanes = false;

	/* Whether a kernel of its own completes what the stages reduce. */
	static constexpr bool completed =
		epilogue_is_completed<First> || epilogue_chain<Rest...>::completed;

	template <int V, class Coordinate>
	__device__ __forceinline__ void run(float (&x)[V], const Coordinate &at) const
	{
		static_assert(V % columns == 0,
					  "a stage of this chain needs two neighbouring columns at once: this kernel "
					  "hands over single ones; out.by_lanes().store() lets lanes share theirs");
		if constexpr (V % 2 == 0 && std::is_invocable_v<const First &, float(&)[2]>) {
#pragma unroll
			for (int i = 0; i < V; i += 2)
				first(*(float(*)[2])(x + i));
		} else if constexpr (std::is_invocable_v<const First &, float>) {
#pragma unroll
			for (int i = 0; i < V; i++)
				x[i] = first(x[i]);
		} else {
			first(x, at);
		}
		rest.run(x, at);
	}

	/* Calls visit.columns(pointer), rows, matrix and output for what the stages access. */
	template <class Visit> __host__ __device__ __forceinline__ void memory(Visit &visit) const
	{
		if constexpr (epilogue_declares<First>)
			first.memory(visit);
		rest.memory(visit);
	}

	template <class Use> void each(const Use &use) const
	{
		use(first);
		rest.each(use);
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

/* A chain that needs pairs of columns, for threads that have one column each: lanes 2i and 2i + 1
 * of a warp hold the values of an even column and of the next one of a row, and come together.
 * Where the second one lies outside of C its lane need not come. The even one's lane runs the
 * chain. */
template <class Chain> struct epilogue_chain_by_lanes : Chain {
	static constexpr int columns = 1;
	static constexpr bool by_lanes = true;

	template <int V>
	__device__ __forceinline__ void run(float (&x)[V], const epilogue_coordinate &at) const
	{
		if constexpr (V % Chain::columns == 0) {
			Chain::run(x, at);
		} else {
			static_assert(V == 1 && Chain::columns == 2, "a lane has half of a pair");
			bool both = (at.column | 1) < at.N;
			unsigned members = 3u << (lane() & 30);
			float pair[2] = {x[0], 0.0f};
			if (both)
				pair[1] = __shfl_xor_sync(members, x[0], 1);
			if (at.column % 2 == 0)
				Chain::run(pair, epilogue_coordinate{at.row, at.column, at.M, at.N, false, at.ld});
			x[0] = pair[0];
			float second = both ? __shfl_xor_sync(members, pair[1], 1) : 0.0f;
			if (at.column % 2 == 1)
				x[0] = second;
		}
	}

  private:
	static __device__ __forceinline__ unsigned lane(void)
	{
		unsigned number;
		asm("mov.u32 %0, %%laneid;" : "=r"(number));
		return number;
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
#if !defined(SOLUTION_PART) || SOLUTION_PART < 0 // one object of a solution in parts has it
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
#endif

#endif
