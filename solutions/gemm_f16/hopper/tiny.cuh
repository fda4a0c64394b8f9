/* The kernel for shapes so small that only latency counts.
 *
 * A cold kernel waits for memory twice over: for every 128 bytes of its own
 * code, and for its operands. So this one is short, and asks for everything at
 * once: a warp loads its part of a 16 x 8*BN tile of C straight into mma.sync
 * fragments, without shared memory, descriptors or barriers on the way; the warps
 * of a block share the tile along K and meet once, to add up. No shape needs
 * another path: elements outside of K are zeros by predicated loads, and what
 * lies beyond M and N is multiplied (any element will do) and not stored.
 *
 * mma.sync sums over K in any order, as long as both operands have the same, and
 * columns may stand in any order too. So a lane takes neighbours: 4*STEPS of
 * them along K from A, BN along N from B. They are read VA and VB at a time, as
 * far as alignment allows; B's pairs along K are then cut from two rows.
 *
 * One more warp, the scout, multiplies nothing, waits for nobody and stores
 * nothing: it runs ahead, so that the code behind the meeting is there when the
 * others come to it.
 *
 * What bounds it: a trip to memory for parameters, operands and code each. On
 * larger shapes the first-level cache: a load of single elements of A touches 8
 * lines, one of B 4. Predicted: 2.1 us on an H200 at 16^3, as cuBLAS; 3 us at 127^3. */
#ifndef GEMMJUDGE_HOPPER_TINY_CUH
#define GEMMJUDGE_HOPPER_TINY_CUH

#include "epilogue.cuh"
#include "ptx.cuh"
#include "words.cuh"

/* WARPS share a tile of 16 rows and BN times 8 columns; each multiplies STEPS
 * times 16 along K at once. VA, VB: elements of A, of B, that are read at once; rows
 * then start at multiples of them. */
template <int WARPS_, int STEPS_, int BN_, int VA_, int VB_> struct tiny_config {
	static constexpr int WARPS = WARPS_, STEPS = STEPS_, BN = BN_, VA = VA_, VB = VB_;
	static constexpr int ROWS = 16, COLUMNS = 8 * BN;
	static constexpr int TILE = ROWS * COLUMNS;
	static constexpr int DEPTH = 16 * STEPS;   // of a warp's batch along K
	static constexpr int THREADS = 32 * WARPS; // that multiply
	static constexpr int BLOCK = THREADS + 32; // and the scout
	/* with room for all words of a batch in registers */
	static constexpr int BLOCKS = STEPS > 2 ? 2 : 3;
	static constexpr int VALUES = TILE / THREADS; // neighbours in C that a thread finishes
	static_assert(TILE % THREADS == 0 && COLUMNS % VALUES == 0, "threads share the tile evenly");
	static_assert(BN % VB == 0 && VA <= 4 && VB <= 4, "a load is of 8 bytes at most");
};

/* Keeps the compiler from computing what depends on x any earlier than here: all
 * code before the loads delays them. */
__device__ __forceinline__ int tiny_late(int x)
{
	asm volatile("" : "+r"(x));
	return x;
}

/* Element number `index` of a row that was read V at a time, of both rows: a pair along K. */
template <int V>
__device__ __forceinline__ uint32_t tiny_pair(const uint32_t *row, const uint32_t *next, int index)
{
	constexpr int WORD = V == 1 ? 1 : 2; // elements of a word
	int at = index / WORD;
	return __byte_perm(row[at], next[at], index % WORD == 0 ? 0x5410 : 0x7632);
}

/* A warp's part of the tile at `row`, `column`: all batches from `k` on, one at
 * least. Lane l has rows l/4 and l/4 + 8 of A, BN columns from l/4*BN on of B, and
 * of both 4*STEPS elements along K from l%4*4*STEPS on. Indices are well below 2^31. */
template <class Element, class config>
__device__ __forceinline__ void tiny_multiply(const uint16_t *A, const uint16_t *B, int M, int N,
											  int K, int row, int column, int k,
											  float (&sum)[config::BN][4])
{
	constexpr int STEPS = config::STEPS, BN = config::BN, VA = config::VA, VB = config::VB;
	constexpr int RUN = 4 * STEPS; // a lane's elements along K
	constexpr int A_WORDS = VA == 1 ? RUN : RUN / 2, B_WORDS = VB == 1 ? BN : BN / 2;
	int lane = threadIdx.x % 32, elements = K * N;
	row += lane / 4;
	int a[2] = {min(row, M - 1) * K, min(row + 8, M - 1) * K};
	column += lane / 4 * BN;

#pragma unroll 1
	do {
		int from = tiny_late(k) + lane % 4 * RUN; // of this lane
		uint32_t a_words[2][A_WORDS], b_words[RUN][B_WORDS];
#pragma unroll
		for (int half = 0; half < 2; half++)
#pragma unroll
			for (int i = 0; i < RUN; i += VA)
				elements_load<VA>(A + (a[half] + from) + i, from + i < K,
								  &a_words[half][i * A_WORDS / RUN]);
#pragma unroll
		for (int i = 0; i < RUN; i++) {
			/* behind the matrix' end, also in rows behind it, nothing is read */
			int at = (from + i) * N + column;
#pragma unroll
			for (int j = 0; j < BN; j += VB)
				elements_load<VB>(B + at + j, at < elements - j, &b_words[i][j * B_WORDS / BN]);
		}
#pragma unroll
		for (int step = 0; step < STEPS; step++) {
			uint32_t a_pairs[2][2]; // along K, row
#pragma unroll
			for (int i = 0; i < 2; i++)
#pragma unroll
				for (int half = 0; half < 2; half++) {
					const uint32_t *words = a_words[half];
					int at = 2 * step + i; // in pairs
					a_pairs[i][half] =
						VA == 1 ? __byte_perm(words[at * 2], words[at * 2 + 1], 0x5410) : words[at];
				}
			const uint32_t(*b)[B_WORDS] = &b_words[4 * step];
#pragma unroll
			for (int j = 0; j < BN; j++)
				mma_sync<Element>(sum[j], a_pairs[0][0], a_pairs[0][1], a_pairs[1][0],
								  a_pairs[1][1], tiny_pair<VB>(b[0], b[1], j),
								  tiny_pair<VB>(b[2], b[3], j));
		}
		k += config::DEPTH * config::WARPS;
	} while (k < K);
}

/* The warp's sums into its place in shared memory, columns in their order again:
 * number c of mma.sync's 8 columns j is column c*BN + j. */
template <class config>
__device__ __forceinline__ void tiny_share(const float (&sum)[config::BN][4], float *to)
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

/* What the epilogue will read for the tile; a row of it may lie across two lines. */
template <class config, class Element>
__device__ __forceinline__ void tiny_prefetch(const epilogue<Element> &out, int row, int column)
{
	int lane = threadIdx.x % 32;
	row += lane / 2;
	if (row < out.M)
		out.prefetch(row, lane % 2 ? min(column + config::COLUMNS, out.N) - 1 : column);
}

/* A thread's neighbours in a row of the tile: added up and, unless beyond an edge,
 * stored. As in finish.cuh, what is not is handed to the epilogue as behind its row's
 * end; all that the scout has is such. */
template <class Element, class config>
__device__ __forceinline__ void tiny_finish(const epilogue<Element> &out, const float *sums,
											int row, int column, bool scout)
{
	constexpr int V = config::VALUES, LANES = config::COLUMNS / V;
	int t = threadIdx.x % config::THREADS;
	row += t / LANES;
	column += t % LANES * V;

	float x[V] = {};
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
	int end = scout || row >= out.M ? 0 : out.N; // of what is stored
	row = min(row, out.M - 1);
	out.apply(row, column < end ? column : out.N, x, false);
	Element *to = out.C + (size_t)row * out.N + column;
#pragma unroll
	for (int i = 0; i < V; i++)
		if (column + i < end)
			to[i] = epilogue_from_float<Element>(x[i]);
}

template <class Element, class config>
__global__ void __launch_bounds__(config::BLOCK, config::BLOCKS)
	gemm_tiny(const uint16_t *A, const uint16_t *B, int K, const epilogue<Element> out)
{
	__shared__ alignas(16) float sums[(config::WARPS + 1) * config::TILE]; // a place a warp
	int row = blockIdx.y * config::ROWS, column = blockIdx.x * config::COLUMNS;
	int warp = threadIdx.x / 32;
	bool scout = warp == config::WARPS;

	float sum[config::BN][4] = {};
	tiny_multiply<Element, config>(A, B, out.M, out.N, K, row, column,
								   scout ? K : warp * config::DEPTH, sum);
	tiny_share<config>(sum, sums + warp * config::TILE);
	if (scout)
		tiny_prefetch<config>(out, row, column);
	else
		named_barrier(0, config::THREADS);
	tiny_finish<Element, config>(out, sums, row, column, scout);
}

#endif
