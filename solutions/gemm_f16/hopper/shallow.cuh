/* The kernel for products so short along K that reading and writing is all there is to
 * do, of rows that start anywhere: small blocks, many on each multiprocessor, so that one
 * stores while another waits for its operands.
 *
 * A block of four warps has 64 rows of C. It brings 32 of K at a time into shared memory,
 * element by element (two where rows start at even elements), which asks nothing of
 * alignment; mma.sync multiplies, a warp 16 rows of C.
 *
 * C's rows may start at any element, but those 8 apart start alike. So a block has rows that
 * start alike, and its columns begin where they have a unit of 16 bytes: then C is read and
 * written in whole units, but for the ends of rows.
 *
 * What bounds it: instructions, and requests to shared memory; a warp takes about 200 for every
 * 32 of K to come in and be multiplied with 128 columns. So it is no good where K is large. */
#ifndef GEMMJUDGE_HOPPER_SHALLOW_CUH
#define GEMMJUDGE_HOPPER_SHALLOW_CUH

#include "finish.cuh"
#include "words.cuh"

/* BN columns of C; VA, VB elements of A, of B, that are read at once, whose rows then start at
 * multiples of them. */
template <int BN_, int VA_, int VB_> struct shallow_config {
	static constexpr int BN = BN_, VA = VA_, VB = VB_;
	static constexpr int WARPS = 4, BM = 16 * WARPS, THREADS = 32 * WARPS;
	static constexpr int DEPTH = 32;               // along K, at once
	static constexpr int BLOCKS = BN > 64 ? 4 : 5; // as registers allow
	static constexpr int A_PITCH = row_pitch(DEPTH) / 2, B_PITCH = row_pitch(BN) / 2; // elements
};

/* ROWS x COLUMNS elements of a row-major matrix from `row` and `column` (which may be
 * negative) on, of every `apart`-th row, on their way through registers, V at once; zeros outside
 * of the matrix. */
template <int THREADS, int V, int ROWS, int COLUMNS> struct element_tile {
	static constexpr int LOADS = ROWS * COLUMNS / V / THREADS;
	static constexpr int LANES = COLUMNS / V, STEP = THREADS / LANES; // rows between loads
	static_assert(THREADS % LANES == 0, "a thread keeps its columns");
	uint32_t x[LOADS];

	__device__ __forceinline__ void load(const odd_matrix &matrix, int row, int apart, int column)
	{
		column += threadIdx.x % LANES * V;
		row += threadIdx.x / LANES * apart;
		const uint16_t *from = matrix.data + (long long)row * matrix.columns + column;
		size_t step = (size_t)STEP * apart * matrix.columns;
		int rows = column >= 0 && column < matrix.columns ? matrix.rows - row : 0;
#pragma unroll
		for (int i = 0; i < LOADS; i++, from += step)
			elements_load<V>(from, i * STEP * apart < rows, &x[i]);
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
	int lane = threadIdx.x % 32, row = lane % 16, unit = lane / 16 * UNIT;
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

/* A warp's 16 rows of BN columns of C, `apart` rows from each other, whose columns begin at a
 * unit; the first and the last unit of C's rows may lie in it in part. */
template <class Element, int BN> struct c_window {
	static constexpr int PITCH = row_pitch(BN);
	static constexpr int PLACE_BYTES = 16 * PITCH;
	static constexpr int LANES = BN / UNIT, TOGETHER = 32 / LANES; // of a row; rows at once
	static constexpr int PASSES = 16 / TOGETHER;

	uint32_t staging;
	Element *from;
	int row, apart, column;
	int rows, begin, end; // rows and columns that lie in C
	size_t leading;       // elements between rows

	__device__ __forceinline__ bool whole(void) const
	{
		return rows >= 16 && begin == 0 && end == BN;
	}

	/* The lane's units that lie in C: calls each(pass, place, element) with where they are in
	 * shared memory and in C. */
	template <class Each> __device__ __forceinline__ void for_units(Each each) const
	{
		int first = threadIdx.x % 32 / LANES, offset = threadIdx.x % LANES * UNIT;
		uint32_t place = staging + first * PITCH + offset * 2;
		Element *unit = from + first * leading + offset;
		int below = offset >= begin && offset + UNIT <= end ? rows - first : 0;
#pragma unroll
		for (int pass = 0; pass < PASSES; pass++, unit += TOGETHER * leading)
			if (pass * TOGETHER < below)
				each(pass, place + pass * TOGETHER * PITCH, unit);
	}

	/* The lane's elements of units that lie in C in part: calls each(place, element). */
	template <class Each> __device__ __forceinline__ void for_ends(Each each) const
	{
		int whole = (begin + UNIT - 1) / UNIT * UNIT, tail = max(end / UNIT * UNIT, whole);
#pragma unroll 1
		for (int i = threadIdx.x % 32; i < 16 * 2 * UNIT; i += 32) {
			int row = i / (2 * UNIT), which = i % (2 * UNIT);
			int column = which < UNIT ? begin + which : tail + which - UNIT;
			int stop = which < UNIT ? min(whole, end) : end;
			if (row < rows && column < stop)
				each(staging + row * PITCH + column * 2, (uint16_t *)from + row * leading + column);
		}
	}

	/* C's values into the place. */
	__device__ __forceinline__ void load(void) const
	{
		if (!whole()) {
			place_clear<PLACE_BYTES>(staging);
			for_ends(
				[](uint32_t place, const uint16_t *element) { shared_store(place, *element); });
		}
		for_units([](int, uint32_t place, const Element *unit) { copy_async(place, unit); });
	}

	__device__ __forceinline__ void store(void) const
	{
		uint4 units[PASSES];
		__syncwarp();
		for_units([&](int pass, uint32_t place, Element *) { units[pass] = shared_load(place); });
		for_units([&](int pass, uint32_t, Element *unit) { global_store(unit, units[pass]); });
		if (!whole())
			for_ends([](uint32_t place, uint16_t *element) {
				*element = shared_load_element(place, true);
			});
	}
};

template <class Element, int BN>
__device__ __forceinline__ void finish(const float (&sum)[BN / 2], const epilogue<Element> &out,
									   bool reads_c, const c_window<Element, BN> &part)
{
	int lane = threadIdx.x % 32, row = part.row + lane / 4 * part.apart, below = 8 * part.apart;
	int column = part.column + lane % 4 * 2;
	uint32_t at[BN / 16];
#pragma unroll
	for (int j = 0; j < BN / 16; j++)
		at[j] = part.staging + lane % 16 * part.PITCH + (2 * j + lane / 16) * 16;
	if (reads_c) {
		copies_wait();
		__syncwarp();
		finish_box<Element, true>(sum, out, at, 0, row, below, column);
	} else {
		finish_box<Element, false>(sum, out, at, 0, row, below, column);
	}
	part.store();
}

/* The warp's part of C from `row` and `column` on, with `staging` as its place. */
template <int BN, class Element>
__device__ __forceinline__ auto shallow_way_out(const epilogue<Element> &out, char *staging,
												bool reads_c, int row, int apart, int column)
{
	if constexpr (epilogue<Element>::only_c) {
		c_window<Element, BN> part = {shared_address(staging),
									  out.C + (long long)row * out.N + column,
									  row,
									  apart,
									  column,
									  (out.M - row + apart - 1) / apart,
									  max(-column, 0),
									  min(BN, out.N - column),
									  (size_t)apart * out.N};
		if (reads_c)
			part.load();
		return part;
	} else {
		prefetch_rows<Element, BN>(out, row, column);
		return c_chunks{(float *)staging, 0, 1, row, column};
	}
}

/* A block has every `apart`-th row of C. */
template <class Element, class config>
__global__ void __launch_bounds__(config::THREADS, config::BLOCKS)
	gemm_shallow(const odd_matrix A, const odd_matrix B, const int apart, const bool reads_c,
				 const epilogue<Element> out)
{
	constexpr int BN = config::BN, PLACE = c_window<Element, BN>::PLACE_BYTES;
	__shared__ alignas(16) uint16_t a[config::BM * config::A_PITCH];
	__shared__ alignas(16) uint16_t b[config::DEPTH * config::B_PITCH];
	__shared__ alignas(16) char place[config::WARPS * PLACE];
	int warp = threadIdx.x / 32;
	int row = blockIdx.y / apart * config::BM * apart + blockIdx.y % apart;
	int column = blockIdx.x * BN;
	if (epilogue<Element>::only_c) // to where the rows have a unit
		column -= ((uintptr_t)out.C / sizeof(Element) + (size_t)row * out.N) % UNIT;
	if (row >= out.M || column >= out.N)
		return;

	auto part = shallow_way_out<BN>(out, place + warp * PLACE, reads_c, row + warp * 16 * apart,
									apart, column);
	float sum[BN / 2] = {};
#pragma unroll 1
	for (int k = 0; k < A.columns; k += config::DEPTH) {
		element_tile<config::THREADS, config::VA, config::BM, config::DEPTH> a_part;
		element_tile<config::THREADS, config::VB, config::DEPTH, BN> b_part;
		a_part.load(A, row, apart, k);
		b_part.load(B, k, 1, column);
		if (k > 0)
			__syncthreads(); // those before have been read
		a_part.store(a, config::A_PITCH);
		b_part.store(b, config::B_PITCH);
		__syncthreads();
		shallow_multiply<Element, config>(sum, shared_address(a) + warp * 16 * config::A_PITCH * 2,
										  shared_address(b));
	}
	finish(sum, out, reads_c, part);
}

#endif
