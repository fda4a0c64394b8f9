/* The mainloop of a consumer warpgroup: multiplies its part of the tile, stage by stage. Two
 * mbarriers belong to a stage: `full` says that its operands are there, `empty` counts the
 * consumers that have read them. */
#ifndef HOPPER_MAINLOOP_CUH
#define HOPPER_MAINLOOP_CUH

#include "misaligned.cuh"
#include "ping_pong.cuh"
#include "scheduler.cuh"
#include "wgmma.cuh"

namespace hopper
{
/* Bytes from a K-major operand's first row and element to its `subtile`-th 64 rows, and to the
 * elements from 16 * `step` on; ROWS: of a slice. */
template <int ROWS> __device__ __forceinline__ constexpr int k_major_offset(int subtile, int step)
{
	int slice = step / (SLICE / 16), within = step % (SLICE / 16);
	return slice * ROWS * SLICE * 2 + subtile * 64 * SLICE * 2 + within * 32;
}

/* What a consumer keeps from one tile's mainloop to the next. */
template <class Element, class config> struct mainloop {
	using instruction = wgmma<Element, config::WGMMA_N>;
	using sums = typename instruction::sum[config::SUBTILES][config::SUMS];

	/* The consumer's operands in the first stage, for wgmma. A, and B if it is K-major: groups of 8
	 * rows of 128 bytes, and slices of these. B N-major: groups of 8 rows of K, 1024 bytes apart,
	 * in boxes of 64 columns. */
	uint32_t a, b;
	uint32_t full, empty;
	ring<config> at;
	consumer_turns<config> turns;
	/* of the tile that run() is at */
	int loader = 0;          // the block that this thread tells of stages that have been read
	int last = 0;            // the stage that is being read, or -1
	uint32_t next_ready = 0; // whether the next stage is known to be full

	__device__ __forceinline__ mainloop(const shared_layout<config> &shared, int consumer)
		: full(shared.full), empty(shared.empty), at{0, 0}, turns(shared, consumer)
	{
		constexpr int B_COLUMN = config::K_MAJOR_B ? SLICE * 2 : config::TILE_K * 2; // bytes
		int own = consumer * config::CONSUMER_EXTENT; // its first row, or swapped its first column
		bool all_a = config::SWAPPED || config::PING_PONG; // of a stage is the consumer's
		a = wgmma_operand(shared.base + (all_a ? 0 : own * SLICE * 2), 16);
		b = wgmma_operand(shared.base + config::B_OFFSET + (config::SWAPPED ? own * B_COLUMN : 0),
						  config::K_MAJOR_B ? 16 : config::B_BOX_BYTES);
	}

	/* Threads 0 to LOADERS - 1 of the warpgroup tell a block each: first those above each other,
	 * which load B for this block, then the others beside it, which load A. */
	__device__ __forceinline__ void begin(void)
	{
		int thread = threadIdx.x % WARPGROUP, beside = thread - config::CLUSTER_M;
		cluster_coordinate here = schedule<config>::coordinate();
		loader = thread < config::CLUSTER_M
					 ? thread + config::CLUSTER_M * here.n
					 : here.m + config::CLUSTER_M * (beside + (beside >= here.n));
		last = -1;
		next_ready = 0;
	}

	/* One arrival of the warpgroup at each block that fills the stage `last`. */
	__device__ __forceinline__ void release_last(void)
	{
		int thread = threadIdx.x % WARPGROUP;
		if (config::SHARERS == 1) {
			if (thread == 0)
				mbarrier_arrive(empty + 8 * last);
		} else if (thread < config::LOADERS) {
			mbarrier_arrive_cluster(empty + 8 * last, loader);
		}
	}

	/* Issues the stage's products, which are added to the sums if `accumulate`. */
	__device__ __forceinline__ void multiply(sums &sum, bool accumulate)
	{
		constexpr bool SWAPPED = config::SWAPPED, K_MAJOR_B = config::K_MAJOR_B;
		constexpr bool M_MAJOR = SWAPPED && !K_MAJOR_B; // B comes first
		constexpr bool N_MAJOR = !SWAPPED && !K_MAJOR_B;
		uint32_t offset = at.stage * (config::STAGE_BYTES >> 4);
		uint32_t stage_a = a + offset;
		uint32_t stage_b = b + (config::PING_PONG ? turns.k * (config::B_BYTES >> 4) : offset);
		wgmma_fence();
#pragma unroll
		for (int j = 0; j < config::TILE_K / 16; j++) {
#pragma unroll
			for (int i = 0; i < config::SUBTILES; i++) {
				int sub_a = SWAPPED ? 0 : i, sub_b = SWAPPED ? i : 0;
				uint64_t da = wgmma_descriptor(stage_a, k_major_offset<config::A_ROWS>(sub_a, j));
				uint64_t db = wgmma_descriptor(
					stage_b, K_MAJOR_B ? k_major_offset<config::TILE_N>(sub_b, j)
									   : sub_b * config::B_BOX_BYTES + j * 16 * 128);
				instruction::template multiply<M_MAJOR, N_MAJOR>(
					sum[i], SWAPPED ? db : da, SWAPPED ? da : db, accumulate || j > 0);
			}
		}
		wgmma_commit();
	}

	/* A stage: issues its products, calls meanwhile(), and releases the stage before, which has
	 * been read by then; in a tile's first one calls first() instead. */
	template <class Meanwhile, class First>
	__device__ __forceinline__ void iterate(sums &sum, bool accumulate, Meanwhile meanwhile,
											First first)
	{
		mbarrier_wait_unless(next_ready, full + 8 * at.stage, at.phase);
		turns.b_wait();
		multiply(sum, accumulate);
		turns.k++;
		meanwhile();
		ring<config> then = at;
		then.next();
		next_ready = mbarrier_done(full + 8 * then.stage, then.phase);
		wgmma_wait<1>();
		if (last >= 0)
			release_last();
		else
			first();
		last = at.stage;
		at.next();
	}

	/* Waits for all products, and releases the last stage. */
	__device__ __forceinline__ void end(sums &sum)
	{
		wgmma_wait<0>();
#pragma unroll
		for (int i = 0; i < config::SUBTILES * config::SUMS; i++)
			sum_changes(sum[i / config::SUMS][i % config::SUMS]);
		release_last();
	}

	/* A tile: `iterations` stages, at least one. The loop has one way in and one way out, and no
	 * copy of its body: else the compiler would move sums while wgmma is at work on them (its
	 * warnings C7514 to C7519). */
	template <class First>
	__device__ __forceinline__ void run(sums &sum, int iterations, First first)
	{
		begin();
		int k = 0;
#pragma unroll 1
		do {
			iterate(
				sum, k > 0, [] {}, first);
		} while (++k < iterations);
		turns.pass();
		end(sum);
		if (config::PING_PONG)
			at.skip(iterations); // the other consumer's
	}

	/* As run() where sums are promoted: the tensor cores sum a stage, and f32 additions do the
	 * rest. While this consumer adds, the other one's products are made. */
	__device__ __forceinline__ void run_promoted(sums &sum, int iterations)
	{
		sums part;
		begin();
#pragma unroll
		for (int i = 0; i < config::SUMS; i++)
			sum[0][i] = 0;
#pragma unroll 1
		for (int k = 0; k < iterations; k++) {
			mbarrier_wait(full + 8 * at.stage, at.phase);
			multiply(part, false);
			last = at.stage;
			at.next();
			end(part);
#pragma unroll
			for (int i = 0; i < config::SUMS; i++)
				sum[0][i] += part[0][i];
		}
	}

	/* Zeros for the elements of the tile's first stage that lie before A's rows: B has zeros there,
	 * but zero times infinity is NaN. Then all consumers may multiply. */
	__device__ __forceinline__ void clear_skew(uint32_t base, int skew) const
	{
		constexpr int THREADS = config::CONSUMERS * WARPGROUP;
		mbarrier_wait(full + 8 * at.stage, at.phase);
#pragma unroll
		for (int first = 0; first < config::TILE_M; first += THREADS) {
			int row = first + threadIdx.x;
			uint32_t vector = base + at.stage * config::STAGE_BYTES + row * SLICE * 2 +
							  row % 8 * 16; // exchanged by the swizzle
			if (row < config::TILE_M)
				shared_store(vector, vector_drop(shared_load(vector), skew));
		}
		fence_async_shared();
		named_barrier(1, THREADS);
	}
};
} // namespace hopper

#endif
