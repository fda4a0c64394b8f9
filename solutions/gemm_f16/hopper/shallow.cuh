/* The kernel for products so short along K that reading and writing is all there is to
 * do, of rows that start anywhere: small blocks, several on each multiprocessor, so that one
 * stores while another waits for its operands.
 *
 * Rows of A and of C may start at any element, but those 8 apart start alike. So a block of
 * WARPS warps has rows of C that start alike, 16 a warp, and its columns begin where they have a
 * unit of 16 bytes: then C is read and written in whole units, but for the ends of rows. A's rows
 * come as they lie in memory, in whole units too, with what is before their first element; as all
 * of them start alike, what is moved is not A but the count along K, and the rows of B with it.
 * Those of B start each elsewhere: they come in whole units, and are shifted into place within
 * shared memory, for all warps. Then mma.sync multiplies.
 *
 * What bounds it: the multiprocessor's requests to the L2 cache, of a line each: a row of 64
 * elements of A lies in two or three, one of 128 elements of B or C in three. */
#ifndef GEMMJUDGE_HOPPER_SHALLOW_CUH
#define GEMMJUDGE_HOPPER_SHALLOW_CUH

#include "window.cuh"
#include "words.cuh"

template <int WARPS_, int BN_> struct shallow_config {
	static constexpr int WARPS = WARPS_, BN = BN_;
	static constexpr int BM = 16 * WARPS, THREADS = 32 * WARPS;
	static constexpr int DEPTH = 64;             // along K, at once
	static constexpr int BLOCKS = 512 / THREADS; // as registers allow
	/* rows of B that a warp shifts at once, two for a lane; of a part of DEPTH as many come as are
	 * needed, in such batches */
	static constexpr int BATCH = 2 * UNIT * (32 / (BN / UNIT));
	static constexpr int A_PITCH = row_pitch(DEPTH); // bytes
	static constexpr int B_PITCH = row_pitch(BN);    // one unit more than there are columns
	static constexpr int A_BYTES = BM * A_PITCH, B_BYTES = DEPTH * B_PITCH;
};

/* Copies the unit at an offset (in bytes) of a matrix whose data begin with a unit; zeros for what
 * is not in it, or not wanted. */
__device__ __forceinline__ void unit_copy(uint32_t to, const odd_matrix &matrix, int offset,
										  bool wanted)
{
	int bytes = min(matrix.rows * matrix.columns * 2 - offset, 16);
	bool inside = wanted && offset >= 0 && bytes > 0;
	copy_async(to, (const char *)matrix.data + (inside ? offset : 0), inside ? bytes : 0);
}

/* The block's rows of A, every `apart`-th from `row` on, DEPTH elements along K from number `k`
 * after the unit that their first element lies in; zeros outside of the matrix. */
template <class config>
__device__ __forceinline__ void shallow_load_a(const odd_matrix &A, uint32_t to, int row, int apart,
											   int lead, int k)
{
	constexpr int LANES = config::DEPTH / UNIT, STEP = config::THREADS / LANES; // of a row; rows
	int first = threadIdx.x / LANES, unit = k + threadIdx.x % LANES * UNIT;
	int offset = ((row + first * apart) * A.columns - lead + unit) * 2;
	to += first * config::A_PITCH + threadIdx.x % LANES * 16;
#pragma unroll
	for (int i = 0; i < config::BM / STEP; i++)
		unit_copy(to + i * STEP * config::A_PITCH, A, offset + i * STEP * apart * A.columns * 2,
				  unit < lead + A.columns);
}

/* Zeros for what A's rows have before their first element, and behind their last one. */
template <class config>
__device__ __forceinline__ void shallow_trim_a(const odd_matrix &A, uint32_t at, int lead, int k)
{
	int end = lead + A.columns - k, last = end / UNIT * UNIT;
	at += threadIdx.x * config::A_PITCH;
	if ((int)threadIdx.x >= config::BM)
		return;
	if (k < lead)
		shared_store(at, unit_drop(shared_load(at), lead));
	if (end > last && last < config::DEPTH)
		shared_store(at + last * 2, unit_keep(shared_load(at + last * 2), end - last));
}

/* How far behind a unit an element of a matrix lies, whose data begin with one. */
__device__ __forceinline__ int element_lead(const odd_matrix &matrix, int row, int column)
{
	return (row * matrix.columns + column) & UNIT - 1;
}

/* `rows` rows of B from `k` on (which may be negative), and from the unit that `column` lies in
 * on; zeros outside of the matrix. */
template <class config>
__device__ __forceinline__ void shallow_load_b(const odd_matrix &B, uint32_t to, int k, int column,
											   int rows)
{
	constexpr int LANES = config::BN / UNIT, STEP = config::THREADS / LANES;
	static_assert(config::BATCH % STEP == 0, "loads are all needed, or none");
	int first = threadIdx.x / LANES, lane = threadIdx.x % LANES;
	int offset = (((k + first) * B.columns + column & ~(UNIT - 1)) + lane * UNIT) * 2;
#pragma unroll
	for (int i = 0; i < config::DEPTH / STEP; i++) {
		if (i * STEP >= rows)
			break;
		unit_copy(to + (first + i * STEP) * config::B_PITCH + lane * 16, B,
				  offset + i * STEP * B.columns * 2, true);
	}
	int row = threadIdx.x; // each row's last unit
	if (row < rows)
		unit_copy(to + row * config::B_PITCH + LANES * 16, B,
				  (((k + row) * B.columns + column & ~(UNIT - 1)) + config::BN) * 2, true);
}

/* Shifts a warp's rows of B, every UNIT-th of `rows`, the first at `first`; two a lane at once. */
template <class config, int WORDS>
__device__ __forceinline__ void shallow_shift_rows(uint32_t first, uint32_t bits, int rows)
{
	constexpr int LANES = config::BN / UNIT, BYTES = 32 / LANES * UNIT * config::B_PITCH;
	int lane = threadIdx.x % 32;
	uint32_t at = first + lane / LANES * UNIT * config::B_PITCH + lane % LANES * 16;
#pragma unroll
	for (int done = 0; done < config::DEPTH; done += config::BATCH, at += 2 * BYTES) {
		if (done >= rows)
			break;
		uint4 low[2], high[2];
#pragma unroll
		for (int i = 0; i < 2; i++) {
			low[i] = shared_load(at + i * BYTES);
			high[i] = shared_load(at + i * BYTES + 16);
		}
		__syncwarp(); // before a unit is written that another lane reads
#pragma unroll
		for (int i = 0; i < 2; i++)
			shared_store(at + i * BYTES, words_shift<WORDS>(low[i], high[i], bits));
	}
}

/* Shifts B's rows to where they begin with `column`. A warp has rows that start alike. */
template <class config>
__device__ __forceinline__ void shallow_shift_b(const odd_matrix &B, uint32_t at, int k, int column,
												int rows)
{
#pragma unroll 1
	for (int first = threadIdx.x / 32; first < UNIT; first += config::WARPS) {
		int lead = element_lead(B, k + first, column);
		uint32_t row = at + first * config::B_PITCH, bits = lead % 2 * 16;
		switch (lead / 2) {
		case 0:
			if (lead > 0)
				shallow_shift_rows<config, 0>(row, bits, rows);
			break;
		case 1: shallow_shift_rows<config, 1>(row, bits, rows); break;
		case 2: shallow_shift_rows<config, 2>(row, bits, rows); break;
		case 3: shallow_shift_rows<config, 3>(row, bits, rows); break;
		}
	}
}

/* A warp's 16 rows of A by all columns of B, as they lie in shared memory. */
template <class Element, class config>
__device__ __forceinline__ void shallow_multiply(float (&sum)[config::BN / 2], uint32_t a,
												 uint32_t b, int depth)
{
	int lane = threadIdx.x % 32, row = lane % 16, unit = lane / 16;
	a += row * config::A_PITCH + unit * 16;
	b += row * config::B_PITCH + unit * 16;
#pragma unroll 1
	for (int k = 0; k < depth; k += 16, a += 16 * 2, b += 16 * config::B_PITCH) {
		uint32_t rows[4];
		load_matrices(rows, a);
#pragma unroll
		for (int j = 0; j < config::BN; j += 16) {
			uint32_t columns[4];
			load_matrices_transposed(columns, b + j * 2);
#pragma unroll
			for (int half = 0; half < 2; half++) {
				float *d = &sum[j / 2 + 4 * half];
				mma_sync<Element>(d, rows[0], rows[1], rows[2], rows[3], columns[2 * half],
								  columns[2 * half + 1]);
			}
		}
	}
}

/* A block has every `apart`-th row of C; those of A start alike too. */
template <class Element, class config>
__global__ void __launch_bounds__(config::THREADS, config::BLOCKS)
	gemm_shallow(const odd_matrix A, const odd_matrix B, const int apart, const bool reads_c,
				 const epilogue<Element> out)
{
	constexpr int BN = config::BN, DEPTH = config::DEPTH;
	using window = c_window<Element, BN>;
	extern __shared__ char shared[];
	uint32_t a = shared_address(shared), b = a + config::A_BYTES;
	uint32_t places = reads_c ? b + config::B_BYTES : a; // else they take the operands' place
	int warp = threadIdx.x / 32;
	int row = blockIdx.y / apart * config::BM * apart + blockIdx.y % apart;
	/* to where the rows have a unit */
	int column = blockIdx.x * BN;
	column -= ((uintptr_t)out.C / sizeof(Element) + (size_t)row * out.N) % UNIT;
	if (row >= out.M || column >= out.N)
		return;

	auto part = c_window_make<BN>(out, places + warp * window::PLACE_BYTES, row + warp * 16 * apart,
								  apart, column);
	int lead = element_lead(A, row, 0), left = lead + A.columns;
	float sum[BN / 2] = {};
#pragma unroll 1
	for (int k = 0; left > 0; k += DEPTH, left -= DEPTH) {
		int depth = min(left, DEPTH);
		int rows = (depth + config::BATCH - 1) / config::BATCH * config::BATCH;
		shallow_load_a<config>(A, a, row, apart, lead, k);
		shallow_load_b<config>(B, b, k - lead, column, rows);
		copies_commit();
		if (reads_c && k == 0)
			part.load();
		copies_commit();
		copies_wait<1>(); // not for C
		__syncthreads();
		shallow_trim_a<config>(A, a, lead, k);
		shallow_shift_b<config>(B, b, k - lead, column, rows);
		__syncthreads();
		shallow_multiply<Element, config>(sum, a + warp * 16 * config::A_PITCH, b, depth);
		__syncthreads(); // they have been read
	}
	finish(sum, out, reads_c, part);
}

#endif
