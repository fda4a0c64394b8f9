/* Host side: the product of a call, and what TMA can and cannot address of it. */
#ifndef HOPPER_PROBLEM_CUH
#define HOPPER_PROBLEM_CUH

#include <math.h>

#include "config.cuh"
#include "hopper_gemm.h"

namespace hopper
{
/* TMA wants 16-byte aligned bases and row pitches (PTX ISA 9.7.9.27.1). */
static inline bool tma_addressable(const void *matrix, int ld)
{
	return (uintptr_t)matrix % 16 == 0 && ld % 8 == 0;
}

/* The most elements, `most` or fewer, that can be accessed at once in all rows. */
static inline int aligned_width(const void *matrix, int columns, int ld, int most)
{
	int width = most;
	while (columns % width != 0 || ld % width != 0 || (uintptr_t)matrix % (width * 2) != 0)
		width /= 2;
	return width;
}

static inline int parts(int count, int of)
{
	return (count + of - 1) / of;
}

/* What the choice of a configuration needs to know of an epilogue. */
struct chain_facts {
	bool elementwise = true;   // what lies outside of C may go through it
	float instructions = 0.0f; // a value, beyond alpha and beta
};

struct problem {
	hopper_gemm p;
	bool reads_c;                                  // beta is not 0
	bool misaligned_a, misaligned_b, misaligned_c; // TMA cannot address the matrix
	bool misaligned;                               // or one of them
	b_layout layout_b;
	int classes;    // residue classes of A's rows
	bool workspace; // there is one
	chain_facts chain;

	explicit problem(const hopper_gemm &product, bool workspace, chain_facts chain = {})
		: p(product), reads_c(product.beta != 0.0f),
		  misaligned_a(!tma_addressable(product.a, product.lda)),
		  misaligned_b(!tma_addressable(product.b, product.ldb)),
		  misaligned_c(!tma_addressable(product.c, product.ldc)),
		  misaligned(misaligned_a || misaligned_b || misaligned_c),
		  layout_b(product.b_is_k_major ? B_K_MAJOR : B_N_MAJOR),
		  classes(VECTOR / aligned_width(product.a, product.lda, product.lda, VECTOR)),
		  workspace(workspace), chain(chain)
	{
	}

	/* What the product would be with `m` rows, without gaps between rows, with a workspace, and
	 * without C and a chain: so it has nothing of a batch. */
	problem dense(int m) const
	{
		problem made = *this;
		made.p.m = m;
		made.p.lda = p.k;
		made.p.ldb = columns_b();
		made.p.ldc = p.n;
		made.p.batch_invariant = 0;
		made.reads_c = false;
		made.workspace = true;
		made.chain = {};
		return made;
	}

	/* Rows and columns of B as it lies in memory. */
	int rows_b(void) const
	{
		return layout_b == B_K_MAJOR ? p.n : p.k;
	}
	int columns_b(void) const
	{
		return layout_b == B_K_MAJOR ? p.k : p.n;
	}
	/* Rows of tiles of `rows`, of all residue classes or without `by_class` of all rows. */
	int row_tiles(int rows, bool by_class) const
	{
		return by_class ? parts(parts(p.m, classes), rows) * classes : parts(p.m, rows);
	}
	/* k-iterations, where rows of A may begin up to a vector earlier. */
	int k_iterations(int k_block, bool by_class) const
	{
		return parts(p.k + (by_class ? VECTOR - VECTOR / classes : 0), k_block);
	}
};

/* How many elements the small kernel's 32-bit indices reach, and how many rows of A in one launch.
 * Tests define it smaller. */
#ifndef HOPPER_SMALL_INDICES
#define HOPPER_SMALL_INDICES (1ll << 30)
#endif

static inline int small_rows(const problem &q)
{
	long long rows = (HOPPER_SMALL_INDICES - 1) / q.p.lda / 16 * 16 - 16; // whole tiles
	return (int)(rows < 65535 * 16 ? rows : 65535 * 16);
}

/* Leading dimension of padded rows. */
static inline int padded_ld(int columns)
{
	return (columns + 63) / 64 * 64;
}

/* The workspace: counters, the pad copy's first; then padded A and padded B, or a tile of partial
 * sums for each block of TMA_SPLIT. */
constexpr size_t WORKSPACE_ALIGNMENT = 256, WORKSPACE_HEAD = 4096;
constexpr int SPLIT_COUNTERS = 64; // the first counter of TMA_SPLIT
constexpr int SPLIT_BLOCKS = 144;  // at most: no GPU has more multiprocessors
constexpr int SPLIT_MOST = 16;     // of them share a tile
constexpr int SPLIT_FROM_K = 1024; // below that nobody splits through memory
static_assert(SPLIT_COUNTERS * 4 + SPLIT_BLOCKS / 2 * 8 * 4 <= WORKSPACE_HEAD,
			  "a counter for each of a tile's eight warps");

static inline size_t padded_bytes_a(const problem &q)
{
	return q.misaligned_a ? (size_t)q.p.m * padded_ld(q.p.k) * 2 : 0;
}
static inline size_t padded_bytes_b(const problem &q)
{
	return q.misaligned_b ? (size_t)q.rows_b() * padded_ld(q.columns_b()) * 2 : 0;
}
static inline size_t split_bytes(const problem &q)
{
	long long tiles = (long long)parts(q.p.m, SPLIT_TILE) * parts(q.p.n, SPLIT_TILE);
	if (q.misaligned || q.p.k < SPLIT_FROM_K || tiles > SPLIT_BLOCKS)
		return 0;
	return (size_t)min((int)tiles * SPLIT_MOST, SPLIT_BLOCKS) * SPLIT_TILE * SPLIT_TILE * 4;
}
} // namespace hopper

#endif
