/* The kernel for products so short along K that reading and writing is all there is to
 * do, of rows that start anywhere: small blocks, many on each multiprocessor, so that one
 * stores while another waits for its operands.
 *
 * A block of four warps has a tile of 64 rows. It brings 32 of K at a time into shared memory,
 * element by element (two where rows start at even elements), which asks nothing of
 * alignment; mma.sync multiplies, a warp 16 rows of C, and they leave row by row
 * (rows.cuh).
 *
 * What bounds it: instructions. A warp's 16 x 64 part takes about 130 for every 32 of K to come
 * in, 26 to be multiplied, and 250 on the way out; so it is no good where K is large. */
#ifndef GEMMJUDGE_HOPPER_SHALLOW_CUH
#define GEMMJUDGE_HOPPER_SHALLOW_CUH

#include "rows.cuh"
#include "words.cuh"

/* BN columns of C; VA, VB elements of A, of B, that are read at once, whose rows then start at
 * multiples of them. */
template <int BN_, int VA_, int VB_> struct shallow_config {
	static constexpr int BN = BN_, VA = VA_, VB = VB_;
	static constexpr int WARPS = 4, BM = 16 * WARPS, THREADS = 32 * WARPS;
	static constexpr int DEPTH = 32; // along K, at once
	static constexpr int BLOCKS = BN > 64 ? 3 : 5; // as registers allow
	/* elements of a row in shared memory: 8 rows lie in different banks */
	static constexpr int A_PITCH = DEPTH + 8, B_PITCH = BN + 8;
	static constexpr int A_LOADS = BM * DEPTH / VA / THREADS, B_LOADS = DEPTH * BN / VB / THREADS;
};

/* A row-major matrix' ROWS x COLUMNS elements from `row` and `column` on, on their way through
 * registers, V at once; zeros outside of the matrix. */
template <int THREADS, int V, int ROWS, int COLUMNS> struct element_tile {
	static constexpr int LOADS = ROWS * COLUMNS / V / THREADS;
	static constexpr int LANES = COLUMNS / V, STEP = THREADS / LANES; // rows between loads
	static_assert(THREADS % LANES == 0, "a thread keeps its columns");
	uint32_t x[LOADS];

	__device__ __forceinline__ void load(const odd_matrix &matrix, int row, int column)
	{
		column += threadIdx.x % LANES * V;
		row += threadIdx.x / LANES;
		const uint16_t *from = matrix.data + (size_t)row * matrix.columns + column;
		int rows = column < matrix.columns ? matrix.rows - row : 0;
#pragma unroll
		for (int i = 0; i < LOADS; i++)
			elements_load<V>(from + (size_t)i * STEP * matrix.columns, i * STEP < rows, &x[i]);
	}

	__device__ __forceinline__ void store(uint16_t *to, int pitch) const
	{
		to += threadIdx.x / LANES * pitch + threadIdx.x % LANES * V;
#pragma unroll
		for (int i = 0; i < LOADS; i++)
			if (V == 2)
				*(uint32_t *)(to + i * STEP * pitch) = x[i];
			else
				to[i * STEP * pitch] = (uint16_t)x[i];
	}
};

/* A warp's 16 rows of A by all columns of B, as they lie in shared memory. */
template <class Element, class config>
__device__ __forceinline__ void shallow_multiply(float (&sum)[config::BN / 2], uint32_t a,
												 uint32_t b)
{
	int lane = threadIdx.x % 32, row = lane % 16, unit = lane / 16 * 8;
	a += (row * config::A_PITCH + unit) * 2;
	b += (row * config::B_PITCH + unit) * 2;
#pragma unroll
	for (int k = 0; k < config::DEPTH; k += 16) {
		uint32_t rows[4];
		load_matrices(rows, a + k * 2);
#pragma unroll
		for (int j = 0; j < config::BN; j += 16) {
			uint32_t columns[4];
			load_matrices_transposed(columns, b + (k * config::B_PITCH + j) * 2);
#pragma unroll
			for (int half = 0; half < 2; half++) {
				float *d = &sum[j / 2 + 4 * half];
				mma_sync<Element>(d, rows[0], rows[1], rows[2], rows[3], columns[2 * half],
								  columns[2 * half + 1]);
			}
		}
	}
}

/* A warp's part of C (finish.cuh), with `staging` as its place in shared memory. */
template <int BN, class Element>
__device__ __forceinline__ auto shallow_way_out(const epilogue<Element> &out, char *staging)
{
	if constexpr (epilogue<Element>::only_c)
		return c_rows_make<Element, BN>(out, shared_address(staging));
	else
		return c_chunks{(float *)staging, 0, 1};
}

template <class Element, class config>
__global__ void __launch_bounds__(config::THREADS, config::BLOCKS)
	gemm_shallow(const odd_matrix A, const odd_matrix B, const bool reads_c,
				 const epilogue<Element> out)
{
	constexpr int BN = config::BN;
	__shared__ alignas(16) uint16_t a[config::BM * config::A_PITCH];
	__shared__ alignas(16) uint16_t b[config::DEPTH * config::B_PITCH];
	__shared__ alignas(16) char place[config::WARPS * c_rows<Element, BN>::PLACE_BYTES];
	int warp = threadIdx.x / 32;
	int row = blockIdx.y * config::BM, column = blockIdx.x * BN;

	char *staging = place + warp * c_rows<Element, BN>::PLACE_BYTES;
	auto part = shallow_way_out<BN>(out, staging);
	part.begin(out, row + warp * 16, column);
	if (!part.LOADS_C)
		prefetch_rows<Element, BN>(out, row + warp * 16, column);
	if (part.LOADS_C && reads_c)
		part.load();
	float sum[BN / 2] = {};
#pragma unroll 1
	for (int k = 0; k < A.columns; k += config::DEPTH) {
		element_tile<config::THREADS, config::VA, config::BM, config::DEPTH> a_part;
		element_tile<config::THREADS, config::VB, config::DEPTH, BN> b_part;
		a_part.load(A, row, k);
		b_part.load(B, k, column);
		if (k > 0)
			__syncthreads(); // those before have been read
		a_part.store(a, config::A_PITCH);
		b_part.store(b, config::B_PITCH);
		__syncthreads();
		shallow_multiply<Element, config>(
			sum, shared_address(a) + warp * 16 * config::A_PITCH * 2, shared_address(b));
	}
	finish(sum, out, reads_c, part);
	part.wait_free(); // before the block ends
}

#endif
