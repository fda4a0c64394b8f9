/* The register-staged producer, for a misaligned B: producer warpgroups load the two aligned
 * vectors around each 8 elements, shift them together in registers, and store them where TMA would
 * have put them. A comes by TMA. Nothing is copied first, and no block waits for another. Each
 * producer warpgroup fills every PRODUCERS-th stage, so that loads of several stages are in flight
 * although a thread has registers for one. */
#ifndef HOPPER_PRODUCER_STAGED_CUH
#define HOPPER_PRODUCER_STAGED_CUH

#include "misaligned.cuh"
#include "producer_tma.cuh"

namespace hopper
{
/* A warpgroup's part of B on its way into a stage: 64 rows of 64 or 128 columns, or if B is K-major
 * as many rows of 64. A thread has 8 elements of each ROWS-th row. */
template <class config> struct staged_rows {
	static constexpr bool K_MAJOR = config::K_MAJOR_B;
	static constexpr int COLUMNS = K_MAJOR ? SLICE : config::TILE_N;
	static constexpr int LANES = COLUMNS / VECTOR, ROWS = WARPGROUP / LANES;
	static constexpr int COUNT = (K_MAJOR ? config::TILE_N : SLICE) / ROWS;
	static_assert(ROWS % 8 == 0, "a thread's rows have the same offset in the swizzle's pattern");

	uint4 low[COUNT], high[COUNT]; // the vectors around the thread's elements
	vector_tail tail;
	uint32_t tails; // bit i: low[i] is the matrix's last vector; bit COUNT + i: high[i] is
	int inside;     // of the thread's 8 elements, how many lie before the row's end
	int before;     // and how many, of a K-major B, before its beginning

	/* The thread's first row, and its column. */
	static __device__ __forceinline__ int row(void)
	{
		return threadIdx.x % WARPGROUP / LANES;
	}
	static __device__ __forceinline__ int column(void)
	{
		return threadIdx.x % LANES * VECTOR;
	}
};

/* An operand as a thread reads it. Rows 8 apart lie whole vectors apart, so that all of a thread's
 * elements start at the same offset in their vectors. */
struct row_stream {
	const char *vector; // that the thread's first elements start in
	const char *first;  // of the matrix
	size_t pitch;       // bytes between the thread's rows
	uint32_t shift;     // bytes before its elements
	const char *tail;   // the matrix's last vector, if the matrix ends within it
	uint32_t tail_end;  // bytes of it
};

template <class Rows>
__device__ __forceinline__ row_stream stream_make(const matrix_view &matrix, int row, int column)
{
	const uint16_t *from =
		matrix.data + (long long)(row + Rows::row()) * matrix.ld + column + Rows::column();
	uint32_t shift = (uintptr_t)from % 16;
	const uint16_t *end = matrix.end();
	uint32_t tail_end = (uintptr_t)end % 16;
	return {(const char *)from - shift,
			(const char *)matrix.data,
			(size_t)matrix.ld * 2 * Rows::ROWS,
			shift,
			tail_end != 0 ? (const char *)end - tail_end : NULL,
			tail_end};
}

/* Loads a thread's rows where all of them lie in the matrix, and so do the vectors behind them. */
template <class Rows>
__device__ __forceinline__ void rows_load_inside(Rows &rows, const row_stream &from,
												 const char *vector)
{
	rows.inside = VECTOR;
	if constexpr (Rows::K_MAJOR)
		rows.before = 0;
	rows.tails = 0;
#pragma unroll
	for (int i = 0; i < Rows::COUNT; i++, vector += from.pitch) {
		rows.low[i] = vector_load(vector, true);
		rows.high[i] = vector_load(vector + 16, from.shift != 0);
	}
}

/* As rows_load() at the matrix's edges. The thread's rows are `row`, row + ROWS, and so on; those
 * from 0 to before `end` lie in the matrix. Of its 8 columns the first `before` lie in front of the
 * matrix, and those from number `inside` on behind it. */
template <class Rows>
__device__ __forceinline__ void rows_load_edge(Rows &rows, const row_stream &from,
											   const char *vector, int row, int end, int inside,
											   int before)
{
	rows.inside = inside;
	if constexpr (Rows::K_MAJOR)
		rows.before = before;
	rows.tails = 0;
	bool needs_high = (int)from.shift / 2 + min(inside, VECTOR) > VECTOR;
#pragma unroll
	for (int i = 0; i < Rows::COUNT; i++, vector += from.pitch) {
		bool low = (uint32_t)(row + Rows::ROWS * i) < (uint32_t)end && inside > 0;
		bool high = low && needs_high;
		if (low && vector == from.tail)
			rows.tails |= 1u << i;
		if (high && vector + 16 == from.tail)
			rows.tails |= 1u << (Rows::COUNT + i);
		rows.low[i] = vector_load(vector, low && vector != from.tail &&
											  (before == 0 || vector + 16 > from.first));
		rows.high[i] = vector_load(vector + 16, high && vector + 16 != from.tail);
	}
	rows.tail = tail_load(from.tail, from.tail_end, rows.tails != 0);
}

/* Into boxes of 64 columns from `to` on, swizzled. */
template <class Rows>
__device__ __forceinline__ void rows_store(Rows &rows, const row_stream &from, uint32_t to)
{
	int row = Rows::row(), box = Rows::column() / BOX, vector = Rows::column() % BOX / VECTOR;
	to += box * 64 * BOX * 2 + row * 128 + (vector ^ row % 8) * 16;
	if (rows.tails != 0) {
		uint4 tail = tail_vector(rows.tail, from.tail_end);
#pragma unroll
		for (int i = 0; i < Rows::COUNT; i++) {
			rows.low[i] = rows.tails >> i & 1 ? tail : rows.low[i];
			rows.high[i] = rows.tails >> (Rows::COUNT + i) & 1 ? tail : rows.high[i];
		}
	}
#pragma unroll
	for (int i = 0; i < Rows::COUNT; i++) {
		uint4 x = vectors_join(rows.low[i], rows.high[i], from.shift);
		if (rows.inside < VECTOR)
			x = vector_keep(x, rows.inside);
		if constexpr (Rows::K_MAJOR)
			x = rows.before > 0 ? vector_drop(x, rows.before) : x;
		shared_store(to + i * Rows::ROWS * 128, x);
	}
}

/* Producer warpgroup number `producer` fills every PRODUCERS-th stage of the block's one tile.
 * ready() is called once the first loads are in flight, and returns when the barriers are
 * initialised. `loads_a`: this warp issues A's loads. */
template <class config, class Ready>
__device__ __forceinline__ void
produce_staged(const schedule<config> &work, tma_loader<config> load, const matrix_view &B,
			   uint32_t empty, int producer, bool loads_a, Ready ready)
{
	using rows_of = staged_rows<config>;
	constexpr bool K_MAJOR = config::K_MAJOR_B;
	k_range own = work.own_k();
	load.begin(work, work.first_tile());
	if (loads_a && elected())
		tma_prefetch_map(load.map_a);
	row_stream b = stream_make<rows_of>(B, K_MAJOR ? load.column : -load.skew,
										K_MAJOR ? -load.skew : load.column);
	bool whole_n = K_MAJOR ? load.column + config::TILE_N <= B.rows
						   : load.column + config::TILE_N + VECTOR <= B.columns;

	bool is_ready = false;
	int turn = producer;
	for (int k = own.begin + producer; k < own.end;
		 k += config::PRODUCERS, turn += config::PRODUCERS) {
		int stage = turn % config::STAGES, first_k = k * SLICE - load.skew;
		const char *vector =
			b.vector + (K_MAJOR ? (size_t)k * SLICE * 2 : (size_t)k * rows_of::COUNT * b.pitch);
		rows_of rows;
		if (whole_n && first_k >= 0 &&
			first_k + SLICE + (K_MAJOR ? VECTOR : 0) <= (K_MAJOR ? B.columns : B.rows))
			rows_load_inside(rows, b, vector);
		else if (K_MAJOR)
			rows_load_edge(rows, b, vector, load.column + rows_of::row(), B.rows,
						   B.columns - first_k - rows_of::column(),
						   max(-first_k - rows_of::column(), 0));
		else
			rows_load_edge(rows, b, vector, first_k + rows_of::row(), B.rows,
						   B.columns - load.column - rows_of::column(), 0);
		if (!is_ready)
			ready();
		is_ready = true;
		mbarrier_wait(empty + 8 * stage, turn / config::STAGES % 2 ^ 1); // at first all are
		if (loads_a && elected()) {
			mbarrier_expect(load.full + 8 * stage, config::A_BYTES);
			load.load_a(stage, k);
		}
		__syncwarp();
		rows_store(rows, b, load.base + stage * config::STAGE_BYTES + config::A_BYTES);
		fence_async_shared(); // wgmma reads it
		__syncwarp();
		if (threadIdx.x % 32 == 0)
			mbarrier_arrive(load.full + 8 * stage);
	}
	if (!is_ready)
		ready();
}
} // namespace hopper

#endif
