/* What all epilogue stores have in common: a consumer's sums through the epilogue, packed into
 * 16-bit elements in a staging area in shared memory, from where they go to C. store_tma.cuh and
 * store_rows.cuh are the two ways from there.
 *
 * Accumulators of a warp's 16 rows (PTX ISA 9.7.15.5.1.1): lane l has rows l/4 and l/4 + 8, and of
 * every 8 columns 2*(l%4) and the next. Nothing branches around single values: each one's loads
 * would wait for those of the one before. */
#ifndef HOPPER_STORE_CUH
#define HOPPER_STORE_CUH

#include "epilogue.cuh"
#include "scheduler.cuh"

namespace hopper
{
/* Prefetches what the epilogue will read at a coordinate, into the L2 cache. */
struct epilogue_prefetch {
	int row, column, ld;

	static __device__ __forceinline__ void l2(const void *from)
	{
		asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
	}
	template <class Element> __device__ __forceinline__ void columns(const Element *values) const
	{
		l2(values + column);
	}
	template <class Element> __device__ __forceinline__ void rows(const Element *values) const
	{
		l2(values + row);
	}
	template <class Element> __device__ __forceinline__ void matrix(const Element *values) const
	{
		l2(values + (size_t)row * ld + column);
	}
	template <class Element> __device__ __forceinline__ void output(const Element *) const
	{
	}
	template <class Element> __device__ __forceinline__ void other(const Element *) const
	{
	}
	__device__ __forceinline__ void reduction(const float *, int, int) const
	{
	}
};

/* Prefetches what the epilogue reads of one of a tile's sectors. One value a column goes into the
 * L1 cache, too, which no prefetch instruction fills on Hopper: a copy to `scratch` does, and
 * nobody looks at it. */
struct sector_prefetch : epilogue_prefetch {
	int N;
	bool first_row; // of those that share one value a column
	uint32_t scratch;

	template <class Element> __device__ __forceinline__ void columns(const Element *values) const
	{
		constexpr int WORD = sizeof(Element) < 4 ? 4 / sizeof(Element) : 1; // elements
		if (first_row) {
			int first = column / WORD * WORD, left = (N - first) * (int)sizeof(Element);
			asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(scratch),
						 "l"(values + first), "r"(left < 4 ? left : 4)
						 : "memory");
		}
	}
	template <class Element> __device__ __forceinline__ void rows(const Element *values) const
	{
		if (column % 32 == 0)
			l2(values + row);
	}
};

/* Prefetches what the epilogue reads of a warp's 16 rows of a tile, while the tile is multiplied;
 * an access brings 32 bytes.
 */
template <class config, class Epilogue>
__device__ __forceinline__ void prefetch_rows(const schedule<config> &work, const Epilogue &out,
											  tile_origin at, const shared_layout<config> &shared)
{
	uint32_t scratch = shared.base + config::SCRATCH_OFFSET + threadIdx.x / 32 * SCRATCH_BYTES;
	constexpr int SECTOR = 16, SECTORS = config::TILE_N / SECTOR;
	constexpr bool BY_ROW = Epilogue::accesses.rows + Epilogue::accesses.matrices > 0;
	static_assert(SECTORS * 4 <= SCRATCH_BYTES, "a slot for each sector of a row");
	copies_wait(); // of the tile before, into the same slots
#pragma unroll 1
	for (int i = threadIdx.x % 32; i < (BY_ROW ? 16 : 1) * SECTORS; i += 32) {
		int row = work.row_class.below(at.row, i / SECTORS), sector = i % SECTORS;
		int column = at.column + sector * SECTOR;
		sector_prefetch prefetch = {
			{row, column, out.ld}, out.N, i < SECTORS, scratch + sector * 4};
		if (row < out.M && column < out.N)
			out.stages.memory(prefetch);
	}
	copies_commit();
}

/* Two neighbouring elements of a word, and back. */
template <class Element> __device__ __forceinline__ void word_unpack(uint32_t word, float (&x)[2])
{
	epilogue_unpack((epilogue_vector<Element, 2>(&)[1])word, x);
}

template <class Element> __device__ __forceinline__ uint32_t word_pack(const float (&x)[2])
{
	if constexpr (std::is_same_v<Element, half>) {
		half2 pair = __floats2half2_rn(x[0], x[1]);
		return *(uint32_t *)&pair;
	} else {
		__nv_bfloat162 pair = __floats2bfloat162_rn(x[0], x[1]);
		return *(uint32_t *)&pair;
	}
}

/* V sums through the epilogue; `c` has C's old values if READS_C. EDGE: some may lie outside of C,
 * and the epilogue accesses more than C: it is told where the row ends. */
template <bool READS_C, bool EDGE, int V, class Epilogue>
__device__ __forceinline__ void apply(const Epilogue &out, int row, int column, float (&x)[V],
									  const float (&c)[V])
{
	if constexpr (EDGE && READS_C)
		out.apply_edge(min(row, out.M - 1), row < out.M ? column : out.N, x, c);
	else if constexpr (EDGE) // as inside of C, so that a row has the same bits there and here
		out.apply_beta_0(min(row, out.M - 1), row < out.M ? column : out.N, x, false);
	else if constexpr (READS_C)
		out.apply(row, column, x, c);
	else
		out.apply_beta_0(row, column, x);
}

/* Calls then(flag) with the flag as a type whose value is a constant. */
template <class Then> __device__ __forceinline__ void as_constant(bool flag, Then then)
{
	if (flag)
		then(std::true_type());
	else
		then(std::false_type());
}
} // namespace hopper

#endif
