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
 *     out.by_lanes().store(row, column, sum); // one value; lanes share them where a stage wants
 * two
 *
 * store() drops what lies outside of C, so that a kernel can hand over a whole
 * tile, and writes V values at once where alignment allows it. A kernel that
 * moves C by other means (shared memory, TMA) calls apply(), which changes
 * values in registers and stores nothing; rows and columns must then lie in C.
 * Rows and columns are those of the row-major M x N matrix C.
 *
 * FOR STAGES. epilogue_stage.cuh says how one is written.
 *
 * FOR PROGRAMS OF ONE'S OWN. Several chains live in one program as types:
 *
 *     auto chain = epilogue_chain_of(stage_bias<half>{bias}, stage_gelu<half>{});
 *     kernel<<<grid, block>>>(A, B, M, N, K, epilogue_with(C, M, N, chain));
 *
 * where the kernel takes an epilogue<half, Chain>. FUSE.md has a whole program. */
#ifndef GEMMJUDGE_EPILOGUE_CUH
#define GEMMJUDGE_EPILOGUE_CUH

#include "epilogue_chain.cuh"

template <class Element, class Chain = epilogue_stages<Element>> struct epilogue {
	Element *C;
	int M, N;
	Chain stages;
	int ld = N; /* elements between rows of C and of matrices like C */

	/* What the chain accesses besides C: nothing, so that values outside of C may go through it;
	 * or not. */
	static constexpr epilogue_accesses accesses = Chain::accesses;
	static constexpr bool elementwise = accesses.none();
	/* So many neighbouring columns, from a multiple of it on, have to come at once. */
	static constexpr int columns = Chain::columns;
	/* Of all stages, about, for a value. */
	static constexpr int instructions = Chain::instructions;
	/* The chain is alpha * x + beta * C. */
	static constexpr bool is_alpha_beta = epilogue_is_alpha_beta<Chain>;

	/* For a kernel whose threads hand over single values: neighbouring lanes share theirs where a
	 * stage needs pairs of columns, so that each chain works. Lanes 2i and 2i + 1 of a warp have to
	 * hold an even column and the next one of the same row, and to call store() together; the
	 * second may stay away if its column is N. */
	__device__ __forceinline__ decltype(auto) by_lanes(void) const
	{
		if constexpr (columns == 1) {
			return (*this);
		} else {
			epilogue<Element, epilogue_chain_by_lanes<Chain>> shared = {C, M, N, {stages}, ld};
			return shared;
		}
	}

	/* Whether V elements at this coordinate can be accessed at once. */
	template <int V> __device__ __forceinline__ bool whole(int row, int column) const
	{
		return V == 1 ||
			   (column + V <= N && epilogue_aligned<Element, V>(C + (size_t)row * ld + column));
	}

	/* x becomes the output values of V columns from `column` on; `vector` says
	 * that whole<V>() holds. Values of columns outside of C come out undefined. */
	template <int V>
	__device__ __forceinline__ void apply(int row, int column, float (&x)[V], bool vector) const
	{
		stages.run(x, epilogue_coordinate{row, column, M, N, vector, ld});
	}

	/* As apply() above, for a kernel that has loaded C's values itself (and not where beta is 0:
	 * then c is 0). Coordinates outside of C are fine if the chain is elementwise. */
	template <int V>
	__device__ __forceinline__ void apply(int row, int column, float (&x)[V],
										  const float (&c)[V]) const
	{
		stages.run(x, epilogue_coordinate_with_c{{row, column, M, N, true, ld}, c});
	}

	/* As apply() with C's values, for any chain, where columns may lie behind the row's end. The
	 * row lies in C. */
	template <int V>
	__device__ __forceinline__ void apply_edge(int row, int column, float (&x)[V],
											   const float (&c)[V]) const
	{
		stages.run(x, epilogue_coordinate_with_c{{row, column, M, N, false, ld}, c});
	}

	/* As apply() where beta is 0, by code that serves no other case: then a stage's first
	 * addition takes alpha's multiplication in. `vector`: all columns lie in C. */
	template <int V>
	__device__ __forceinline__ void apply_beta_0(int row, int column, float (&x)[V],
												 bool vector = true) const
	{
		stages.run(x, epilogue_coordinate_beta_0{{row, column, M, N, vector, ld}});
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
		epilogue_store(C + (size_t)row * ld + column, N - column, vector, y);
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
		bool inside = !Chain::by_lanes; // lanes that share a pair take the same branch
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
		if (N % V == 0 && epilogue_aligned<Element, V>(C + (size_t)row * ld + column))
			store_runs_by<STEP, V>(row, column, x);
		else if constexpr (columns > 1)
			store_runs_pairs<STEP>(row, column, x);
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
				epilogue_store_whole(C + (size_t)row * ld + column, x[i]);
		}
	}

	/* Applies the chain to runs and stores them, as many columns at a time as a stage needs at
	 * once. */
	template <int STEP, int RUNS, int V>
	__device__ __forceinline__ void store_runs_pairs(int row, int column,
													 const float (&x)[RUNS][V]) const
	{
		constexpr int WIDTH = columns;
#pragma unroll
		for (int i = 0; i < RUNS * V; i += WIDTH) {
			float y[WIDTH];
#pragma unroll
			for (int j = 0; j < WIDTH; j++)
				y[j] = x[i / V][i % V + j];
			store(row, column + i / V * STEP + i % V, y);
		}
	}

	/* Applies the chain to runs and stores them by accesses of WIDTH values. */
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

#include "epilogue_call.cuh"

/* Host side, in solve(). A problem without alpha and beta leaves them out. */
template <class Element>
static inline epilogue<Element> epilogue_make(Element *C, int M, int N, float alpha = 1.0f,
											  float beta = 0.0f)
{
	epilogue<Element> made = {};
	made.C = C;
	made.M = M;
	made.N = made.ld = N;
	made.stages.bind(epilogue_bound, 0);
	made.stages.take(C, alpha, beta);
	epilogue_begin(made);
	epilogue_end_later(made);
	return made;
}

/* An epilogue with a chain of one's own, for rows of C that lie `ld` elements apart (0: N). */
template <class Element, class Chain>
static inline epilogue<Element, Chain> epilogue_with(Element *C, int M, int N, const Chain &chain,
													 float alpha = 1.0f, float beta = 0.0f,
													 int ld = 0)
{
	epilogue<Element, Chain> made = {C, M, N, chain, ld > 0 ? ld : N};
	made.stages.take(C, alpha, beta);
	return made;
}

#endif
