/* The kernel for products so small that only latency counts.
 *
 * A cold kernel waits for memory twice: for every 128 bytes of its own code, and for its operands.
 * So this one is short and requests everything at once: a warp loads its part of a 16 x 8*BN tile
 * of C straight into mma.sync fragments, without shared memory, descriptors or barriers on the way;
 * the warps of a block share the tile along K and meet once, to add up. Elements outside of K are
 * zeros by predicated loads; what lies beyond M and N is multiplied and not stored.
 *
 * mma.sync sums over K in any order, as long as both operands have the same, and columns may stand
 * in any order too. So a lane takes neighbours: 4 of them along K from A, BN along N from B, read
 * VA and VB at a time as alignment allows; B's pairs along K are then cut from two rows. Of a
 * K-major B it takes 4 along K of each of its columns, as of A.
 *
 * One more warp, the scout, multiplies and stores nothing: it runs ahead, so that the code behind
 * the barrier is in the cache when the others come to it. */
#ifndef HOPPER_KERNEL_SMALL_CUH
#define HOPPER_KERNEL_SMALL_CUH

#include "misaligned.cuh"
#include "store.cuh"
#include "wgmma.cuh"

namespace hopper
{
/* WARPS share a tile of 16 rows and 8*BN columns, each 16 along K at once. Rows of A, of B, start
 * at multiples of VA, of VB elements. */
template <int WARPS_, int BN_, int VA_, int VB_, b_layout B_LAYOUT = B_N_MAJOR>
struct small_config {
	static constexpr int WARPS = WARPS_, BN = BN_, VA = VA_, VB = VB_;
	static constexpr bool K_MAJOR_B = B_LAYOUT == B_K_MAJOR;
	static constexpr int ROWS = 16, COLUMNS = 8 * BN, TILE = ROWS * COLUMNS;
	static constexpr int DEPTH = 16;                       // of a warp along K at once
	static constexpr int THREADS = 32 * WARPS;             // that multiply
	static constexpr int BLOCK = THREADS + 32, BLOCKS = 3; // with the scout; on a multiprocessor
	static constexpr int VALUES = TILE / THREADS;          // neighbours in C that a thread finishes
	static_assert(TILE % THREADS == 0 && COLUMNS % VALUES == 0, "threads share the tile evenly");
	static_assert((K_MAJOR_B || BN % VB == 0) && VA <= 4 && VB <= 4, "8 bytes at most a load");
};

/* Keeps the compiler from computing what depends on x any earlier: code before the loads delays
 * them. */
__device__ __forceinline__ int not_earlier(int x)
{
	asm volatile("" : "+r"(x));
	return x;
}

/* Elements (k, n) and (k + 1, n) of an N-major B side by side in a register, as mma.sync takes
 * them: `row` and `next` are the lane's columns of rows k and k + 1, read V at a time. */
template <int V>
__device__ __forceinline__ uint32_t pair_of_rows(const uint32_t *row, const uint32_t *next, int n)
{
	constexpr int WORD = V == 1 ? 1 : 2; // elements of a register
	return __byte_perm(row[n / WORD], next[n / WORD], n % WORD == 0 ? 0x5410 : 0x7632);
}

/* Elements k to k + 3 of a row of A, or of a K-major B, read V at a time from `from` on; those from
 * `end` on are zeros. pair() has k and k + 1, or k + 2 and k + 3, in a register. */
template <int V> struct run_of_k {
	uint32_t words[V == 1 ? 4 : 2];

	__device__ __forceinline__ void load(const uint16_t *from, int k, int end, bool wanted)
	{
#pragma unroll
		for (int i = 0; i < 4; i += V)
			elements_load<V>(from + i, wanted && k + i < end, &words[V == 1 ? i : i / 2]);
	}
	__device__ __forceinline__ uint32_t pair(int i) const
	{
		return V == 1 ? __byte_perm(words[i * 2], words[i * 2 + 1], 0x5410) : words[i];
	}
};

/* A warp's part of the tile at `row`, `column`: every WARPS-th 16 along K from `k` on, one at
 * least. Lane l has rows l/4 and l/4 + 8 of A, BN columns from l/4*BN on of B, and of both 4
 * elements along K from l%4*4 on. Indices are below 2^31. */
template <class Element, class config>
__device__ __forceinline__ void small_multiply(const matrix_view &A, const matrix_view &B, int row,
											   int column, int k, float (&sum)[config::BN][4])
{
	constexpr int BN = config::BN, VA = config::VA, VB = config::VB, RUN = 4;
	constexpr int B_WORDS = VB == 1 ? BN : BN / 2;
	int lane = threadIdx.x % 32, K = A.columns;
	row += lane / 4;
	int a[2] = {min(row, A.rows - 1) * A.ld, min(row + 8, A.rows - 1) * A.ld};
	column += lane / 4 * BN;
	bool wanted[BN];
#pragma unroll
	for (int j = 0; j < BN; j++)
		wanted[j] = column + j < (config::K_MAJOR_B ? B.rows : B.columns);

#pragma unroll 1
	do {
		int from = not_earlier(k) + lane % 4 * RUN; // of this lane
		run_of_k<VA> a_runs[2];
		run_of_k<VB> b_runs[BN]; // of a K-major B
		uint32_t b_words[RUN][B_WORDS];
#pragma unroll
		for (int half = 0; half < 2; half++)
			a_runs[half].load(A.data + (a[half] + from), from, K, true);
#pragma unroll
		for (int j = 0; config::K_MAJOR_B && j < BN; j++)
			b_runs[j].load(B.data + ((column + j) * B.ld + from), from, K, wanted[j]);
#pragma unroll
		for (int i = 0; !config::K_MAJOR_B && i < RUN; i++) {
			int at = (from + i) * B.ld + column;
#pragma unroll
			for (int j = 0; j < BN; j += VB)
				elements_load<VB>(B.data + at + j, from + i < K && wanted[j],
								  &b_words[i][j * B_WORDS / BN]);
		}
#pragma unroll
		for (int j = 0; j < BN; j++) {
			uint32_t b[2];
#pragma unroll
			for (int i = 0; i < 2; i++)
				b[i] = config::K_MAJOR_B ? b_runs[j].pair(i)
										 : pair_of_rows<VB>(b_words[i * 2], b_words[i * 2 + 1], j);
			mma_sync<Element>(sum[j], a_runs[0].pair(0), a_runs[1].pair(0), a_runs[0].pair(1),
							  a_runs[1].pair(1), b[0], b[1]);
		}
		k += config::DEPTH * config::WARPS;
	} while (k < K);
}

/* The warp's sums into its part of shared memory, columns in their order again: number c of
 * mma.sync's 8 columns j is column c*BN + j. */
template <class config>
__device__ __forceinline__ void small_share(const float (&sum)[config::BN][4], float *to)
{
	constexpr int BN = config::BN;
	int lane = threadIdx.x % 32;
	to += lane / 4 * config::COLUMNS + lane % 4 * 2 * BN;
#pragma unroll
	for (int half = 0; half < 2; half++)
#pragma unroll
		for (int c = 0; c < 2; c++)
#pragma unroll
			for (int j = 0; j < BN; j++)
				to[half * 8 * config::COLUMNS + c * BN + j] = sum[j][2 * half + c];
}

/* A thread's neighbours in a row of the tile: added up, and stored if they lie in C. The epilogue
 * is told where the row ends; for the scout, that it has ended. */
template <class Element, class config, class Epilogue>
__device__ __forceinline__ void small_finish(const Epilogue &out, int ldc, bool reads_c,
											 const float *sums, int row, int column, bool scout)
{
	constexpr int V = config::VALUES > Epilogue::columns ? config::VALUES : Epilogue::columns;
	constexpr int LANES = config::COLUMNS / V;
	int t = threadIdx.x % config::THREADS;
	if (V > config::VALUES && t * V >= config::TILE) // a stage takes more columns at once
		return;
	row += t / LANES;
	column += t % LANES * V;
	int end = scout || row >= out.M ? 0 : out.N; // of what is stored
	row = min(row, out.M - 1);
	Element *to = out.C + (size_t)row * ldc + column;
	float x[V] = {}, c[V] = {};
#pragma unroll
	for (int i = 0; i < V; i++)
		if (reads_c && column + i < end)
			c[i] = epilogue_to_float(to[i]);
	if (!scout) {
#pragma unroll
		for (int warp = 0; warp < config::WARPS; warp++) {
			const float *from = sums + warp * config::TILE + t * V;
			auto part = *(const epilogue_vector<float, V> *)from;
#pragma unroll
			for (int i = 0; i < V; i++)
				x[i] = warp == 0 ? part.at[i] : x[i] + part.at[i];
		}
	}
	out.apply_edge(row, column < end ? column : out.N, x, c);
#pragma unroll
	for (int i = 0; i < V; i++)
		if (column + i < end)
			to[i] = epilogue_from_float<Element>(x[i]);
}

/* Prefetches what the epilogue will read, by the scout's lanes, while the other warps multiply:
 * both ends of each row of the tile, as it may lie across two lines. */
template <class config, class Epilogue>
__device__ __forceinline__ void small_prefetch(const Epilogue &out, int ldc, bool reads_c, int row,
											   int column)
{
	int lane = threadIdx.x % 32;
	int end = min(column + config::COLUMNS, out.N);
	epilogue_prefetch prefetch = {row + lane / 2, lane % 2 ? end - 1 : column, out.ld};
	if (prefetch.row >= out.M)
		return;
	if (reads_c)
		prefetch.l2(out.C + (size_t)prefetch.row * ldc + prefetch.column);
	out.stages.memory(prefetch);
}

template <class Element, class config, class Epilogue>
__global__ void __launch_bounds__(config::BLOCK, config::BLOCKS)
	gemm_small(const matrix_view A, const matrix_view B, int first, int ldc, bool reads_c,
			   const Epilogue out) // A's rows are those of C from number `first` on
{
	__shared__ alignas(16) float sums[(config::WARPS + 1) * config::TILE]; // a part a warp
	int row = blockIdx.y * config::ROWS, column = blockIdx.x * config::COLUMNS;
	int warp = threadIdx.x / 32;
	bool scout = warp == config::WARPS;

	float sum[config::BN][4] = {};
	small_multiply<Element, config>(A, B, row, column, scout ? A.columns : warp * config::DEPTH,
									sum);
	small_share<config>(sum, sums + warp * config::TILE);
	if (!scout)
		named_barrier(0, config::THREADS);
	else
		small_prefetch<config>(out, ldc, reads_c, first + row, column);
	small_finish<Element, config>(out, ldc, reads_c, sums, first + row, column, scout);
}
/* C = beta * C: all that is left where alpha is 0. A and B are not read, as BLAS has it, so that
 * NaN in them does not count; beta = 0 does not read C. */
constexpr int SCALE_THREADS = 256;

template <class Element>
__global__ void __launch_bounds__(SCALE_THREADS)
	scale(Element *C, int rows, int columns, int ldc, float beta)
{
	constexpr int V = VECTOR;
	for (int row = blockIdx.y; row < rows; row += gridDim.y) {
		Element *to = C + (size_t)row * ldc;
		uint32_t vectors = (uintptr_t)to % 16 == 0 ? columns / V : 0;
		uint32_t first = blockIdx.x * SCALE_THREADS + threadIdx.x;
		uint32_t stride = gridDim.x * SCALE_THREADS;
		for (uint32_t i = first; i < vectors; i += stride) {
			float x[V] = {};
			if (beta != 0.0f)
				epilogue_load_whole(to + i * V, x);
#pragma unroll
			for (int j = 0; j < V; j++)
				x[j] *= beta;
			epilogue_store_whole(to + i * V, x);
		}
		for (uint32_t i = vectors * V + first; i < (uint32_t)columns; i += stride)
			to[i] =
				epilogue_from_float<Element>(beta != 0.0f ? beta * epilogue_to_float(to[i]) : 0.0f);
	}
}
} // namespace hopper

#endif
