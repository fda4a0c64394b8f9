/* The largest tile of ffma.cuh by warps of two kinds, on Hopper: four producer warps copy operands
 * into shared memory, eight consumer warps read it and multiply, and do nothing else.
 *
 * Changes from multiply.cuh, whose warps each copy, wait and multiply:
 *   - Copies cost the consumers no instruction.
 *   - Each stage has two mbarriers in place of a barrier of the block: `full`, at which copies
 *     arrive by themselves when they have ended, and `empty`, at which consumer warps arrive. A
 *     warp waits for operands, and not for the products of other warps.
 *   - FMAs walk rows of the thread tile, so that a value of A comes from the reuse cache for 16
 *     FMAs in a row, and columns lie as 0, 2, 1, 3. Of such walks the compiler makes loops that
 *     differ by 4%; of walks along columns, by 45%.
 *   - Sums leave through shared memory, 32 neighbours an access, which needs few registers and so
 *     leaves the compiler free to place the sums.
 *
 * Arithmetic intensity: 2*128*256 FLOP for 384 floats, 42.7 FLOP per byte of global memory.
 *
 * Bottleneck: issue slots. Counted in SASS (CUDA 13.0, tools/sass-slots), the loop needs
 * 1.114 slots an FMA, where multiply.cuh's needs 1.187; the producers need 0.02 more.
 *
 * reached (H200, CUDA 13.0, 2026-11-26; tools/gpu-check run OUT 540 f32_specialised): of cuBLAS
 * 102.3% at 4096^3, 105.5% at 8192^3, 104.9% at 4096x4096x512, where multiply.cuh reaches 99.1%,
 * 99.8% and 102.0%. With a round of tiles or less it is slower (2048^3 93.3% against 101.5%), and
 * so it was with misaligned rows of B (4095x4093x4091 96.2% against 97.9%): ffma.cuh leaves both to
 * multiply.cuh. Why one round is slow is not known, nor why a later call, with tensor.cu in turns,
 * had 98.4% at 4096^3 and 103.0% at 8192^3. */
#ifndef GEMMJUDGE_SGEMM_FFMA_SPECIALISED_CUH
#define GEMMJUDGE_SGEMM_FFMA_SPECIALISED_CUH

#include "../gemm_f16/hopper/ptx.cuh"
#include "ffma_kernel.cuh"

/* A block's shared memory. Shape has one pair of tiles, a stage of this ring. */
template <class Shape> struct ffma_specialised_memory {
	static constexpr int STAGES = 3;
	typename Shape::tiles stages[STAGES];
	uint64_t full[STAGES], empty[STAGES];
};

/* Consumers come first, so that Shape's functions number them. Together they may have as many
 * registers as the block is launched with: 168 a thread. */
template <class Shape> struct ffma_specialised_threads {
	static constexpr int CONSUMERS = Shape::THREADS, PRODUCERS = 128, ALL = CONSUMERS + PRODUCERS;
	static constexpr int CONSUMER_REGISTERS = 224, PRODUCER_REGISTERS = 56;
	static_assert(CONSUMERS * CONSUMER_REGISTERS + PRODUCERS * PRODUCER_REGISTERS <= ALL * 168,
				  "setmaxnreg would wait for ever");
};

/* A place in the ring of stages: the producers' and the consumers' go around on their own. */
template <class Shape> struct ffma_specialised_place {
	int stage = 0;
	uint32_t parity = 0; // of the phase of `full` that ends when this stage is there

	__device__ __forceinline__ ffma_specialised_place next(void) const
	{
		bool around = stage + 1 == ffma_specialised_memory<Shape>::STAGES;
		return {around ? 0 : stage + 1, around ? parity ^ 1 : parity};
	}
};

/* A block's part of the product: where its operands begin, and its tile's corner. */
struct ffma_specialised_work {
	const float *a, *b; // row `row` of A, row 0 of B
	int batch, row, column;
};

/* The producer warps: together 8 columns of A at a time, and each warp a row of B. As in async.cuh,
 * the first stage is the one that K may not fill. */
template <class Shape>
static __device__ __forceinline__ void ffma_produce(ffma_specialised_memory<Shape> &shared,
													const ffma_product &p,
													const ffma_specialised_work &work)
{
	typedef ffma_specialised_threads<Shape> threads;
	constexpr int BLOCK_K = Shape::BLOCK_K, COLUMNS = 8, WARPS = threads::PRODUCERS / 32;
	int thread = (int)threadIdx.x - threads::CONSUMERS, warp = thread / 32;
	async_tile_a<Shape::BLOCK_M, COLUMNS, Shape::LD_A, threads::PRODUCERS> copies_a(p.M - work.row,
																					p.K, thread);
	async_tile_b<1, Shape::BLOCK_N, 32, 4> copies_b(work.column, p.N, p.N, thread % 32);
	uint32_t full = hopper::shared_address(shared.full);
	uint32_t empty = hopper::shared_address(shared.empty);
	int tiles = (p.K + BLOCK_K - 1) / BLOCK_K, depth = p.K - (tiles - 1) * BLOCK_K;
	const float *a = work.a, *b = work.b + (size_t)warp * p.N;
	size_t rows = (size_t)WARPS * p.N;
	float *to_b = shared.stages[0].b[0] + warp * Shape::BLOCK_N;
#pragma unroll
	for (int k = 0; k < BLOCK_K; k += COLUMNS)
		copies_a.copy_first(shared.stages[0].a[0] + k * Shape::LD_A, a + k, depth - k);
#pragma unroll 1
	for (int k = 0; k < BLOCK_K; k += WARPS)
		copies_b.copy_first(to_b + k * Shape::BLOCK_N, b + k / WARPS * rows, depth - warp - k);
	hopper::copies_arrive(full);
	a += depth;
	b += (size_t)depth * p.N;
	ffma_specialised_place<Shape> at;
#pragma unroll 1
	for (int tile = 1; tile < tiles; tile++) {
		at = at.next();
		hopper::mbarrier_wait(empty + 8 * at.stage, at.parity ^ 1);
		to_b = shared.stages[at.stage].b[0] + warp * Shape::BLOCK_N;
#pragma unroll
		for (int k = 0; k < BLOCK_K; k += COLUMNS)
			copies_a.copy(shared.stages[at.stage].a[0] + k * Shape::LD_A, a + k);
#pragma unroll 2 // all at once would take more registers than there are
		for (int k = 0; k < BLOCK_K; k += WARPS, b += rows)
			copies_b.copy(to_b + k * Shape::BLOCK_N, b);
		hopper::copies_arrive(full + 8 * at.stage);
		a += BLOCK_K;
	}
	hopper::copies_commit();
	hopper::copies_wait();
}

/* Shape::read() by instructions that stay in their place before the products. `a` and `b`: this
 * thread's first word of the tiles. */
template <class Shape>
static __device__ __forceinline__ void ffma_read(typename Shape::fragment &to, uint32_t a,
												 uint32_t b, int k)
{
	auto load = [](float(&x)[4], uint32_t from) {
		asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
					 : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
					 : "r"(from));
	};
#pragma unroll
	for (int m = 0; m < Shape::COUNT_M; m++)
		load(to.a[m].at, a + (k * Shape::LD_A + m * Shape::SUB_M) * 4);
#pragma unroll
	for (int n = 0; n < Shape::COUNT_N; n++)
		load(to.b[n].at, b + (k * Shape::BLOCK_N + n * Shape::SUB_N) * 4);
}

/* Shape::add_product() along rows (lanes.cuh). */
template <class Shape>
static __device__ __forceinline__ void ffma_add_rows(typename Shape::sums &sum,
													 const typename Shape::fragment &f)
{
	constexpr int V = Shape::V, COLUMNS = Shape::COUNT_N * V;
#pragma unroll
	for (int row = 0; row < Shape::COUNT_M * V; row++)
#pragma unroll
		for (int step = 0; step < COLUMNS; step++) {
			int column = evens_first<V>(snake(row, step, COLUMNS));
			int m = row / V, i = row % V, n = column / V, j = column % V;
			sum.at[m][i][n][j] += f.a[m].at[i] * f.b[n].at[j];
		}
}

/* The consumer warps. Fragments of the next k are read while those of this k are multiplied. */
template <class Shape>
static __device__ __forceinline__ void ffma_consume(ffma_specialised_memory<Shape> &shared,
													typename Shape::sums &sum, int K)
{
	constexpr int BLOCK_K = Shape::BLOCK_K;
	constexpr uint32_t STAGE = sizeof(typename Shape::tiles);
	uint32_t a = hopper::shared_address(shared.stages[0].a[0] + Shape::row());
	uint32_t b = hopper::shared_address(shared.stages[0].b[0] + Shape::column());
	uint32_t full = hopper::shared_address(shared.full);
	uint32_t empty = hopper::shared_address(shared.empty);
	int tiles = (K + BLOCK_K - 1) / BLOCK_K;
	ffma_specialised_place<Shape> at;
	typename Shape::fragment f[2];
	hopper::mbarrier_wait(full, 0);
	ffma_read<Shape>(f[0], a, b, 0);
#pragma unroll 1
	for (int tile = 0; tile < tiles; tile++) {
		ffma_specialised_place<Shape> next = at.next();
#pragma unroll
		for (int k = 0; k < BLOCK_K; k++) {
			if (k < BLOCK_K - 1) {
				ffma_read<Shape>(f[(k + 1) % 2], a + at.stage * STAGE, b + at.stage * STAGE, k + 1);
			} else if (tile + 1 < tiles) {
				hopper::mbarrier_wait(full + 8 * next.stage, next.parity);
				ffma_read<Shape>(f[0], a + next.stage * STAGE, b + next.stage * STAGE, 0);
			}
			ffma_add_rows<Shape>(sum, f[k % 2]);
		}
		__syncwarp();
		if (threadIdx.x % 32 == 0)
			hopper::mbarrier_arrive(empty + 8 * at.stage);
		at = next;
	}
}

/* A warp's sums go to C through the memory of the stages. */
template <class Shape>
static __device__ __forceinline__ void
ffma_store_warp(ffma_specialised_memory<Shape> &shared, const typename Shape::sums &sum,
				const ffma_product &p, const epilogue<float> &out,
				const ffma_specialised_work &work)
{
	constexpr int ROWS = Shape::WARP_M, COLUMNS = Shape::WARP_N, LD = COLUMNS + 4;
	typedef float warp_sums[ROWS * LD];
	static_assert(sizeof(warp_sums) * Shape::THREADS / 32 <= sizeof(shared.stages), "all warps'");
	int warp = threadIdx.x / 32;
	int row = warp / Shape::WARPS_N * ROWS, column = warp % Shape::WARPS_N * COLUMNS;
	float *mine = ((warp_sums *)shared.stages)[warp];
	hopper::named_barrier(1, Shape::THREADS); // all consumers have read their last fragments
	Shape::each(sum, -row, -column,
				[&](int i, int j, const float(&x)[Shape::V]) { ffma_put(&mine[i * LD + j], x); });
	__syncwarp();
	ffma_store_shared<ROWS, 1, COLUMNS, LD, 4>(mine, out, p, work.batch, work.row + row,
											   work.column + column);
}

/* The least registers that the compiler gives it, far below those of the launch bounds. */
constexpr int FFMA_SPECIALISED_REGISTERS = 100;

/* Blocks: a tile each, times the batch. Rows of B and C are aligned to 16 bytes. */
template <class Shape>
static __global__ void __launch_bounds__(ffma_specialised_threads<Shape>::ALL, 1)
	ffma_specialised(const ffma_product p, const ffma_grid grid, const epilogue<float> out)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
	typedef ffma_specialised_threads<Shape> threads;
	extern __shared__ __align__(16) char raw[];
	ffma_specialised_memory<Shape> &shared = *(ffma_specialised_memory<Shape> *)raw;
	int m, n, batch = blockIdx.y;
	grid.find(blockIdx.x, m, n);
	ffma_specialised_work work = {p.A + ((size_t)batch * p.M + (size_t)m * Shape::BLOCK_M) * p.K,
								  p.B + (size_t)batch * p.K * p.N, batch, m * Shape::BLOCK_M,
								  n * Shape::BLOCK_N};
	if (threadIdx.x == 0) {
		for (int i = 0; i < shared.STAGES; i++) {
			hopper::mbarrier_init(hopper::shared_address(&shared.full[i]), threads::PRODUCERS);
			hopper::mbarrier_init(hopper::shared_address(&shared.empty[i]),
								  threads::CONSUMERS / 32);
		}
		hopper::mbarriers_ready();
	}
	__syncthreads();
	/* The shuffle tells the compiler that a warp takes one side. */
	if (__shfl_sync(~0u, threadIdx.x / 128, 0) == threads::CONSUMERS / 128) {
		hopper::registers_give<threads::PRODUCER_REGISTERS>();
		ffma_produce<Shape>(shared, p, work);
		return;
	}
	hopper::registers_take<threads::CONSUMER_REGISTERS>();
	typename Shape::sums sum = {};
	ffma_consume<Shape>(shared, sum, p.K);
	ffma_store_warp<Shape>(shared, sum, p, out, work);
#else
	__trap(); // compiled for another GPU than this one
#endif
}

#endif
