/* The mainloop of a consumer warpgroup: multiplies its part of the tile, stage by stage. Two
 * mbarriers belong to a stage: `full` says that its operands are there, `empty` counts the
 * consumers that have read them. */
#ifndef HOPPER_MAINLOOP_CUH
#define HOPPER_MAINLOOP_CUH

#include "misaligned.cuh"
#include "scheduler.cuh"
#include "wgmma.cuh"

namespace hopper
{
/* The block that a thread tells when its warpgroup has read a stage: one of the LOADERS that load
 * something for this block, those of the same columns of C, which share B, first. */
template <class config> __device__ __forceinline__ int loader_of(int thread)
{
	cluster_coordinate here = coordinate_in_cluster<config>();
	if (thread < config::CLUSTER_M)
		return thread + config::CLUSTER_M * here.n;
	int other = thread - config::CLUSTER_M;
	return here.m + config::CLUSTER_M * (other + (other >= here.n));
}

/* One arrival of the warpgroup at each block that fills the stage. */
template <class config>
__device__ __forceinline__ void stage_release(uint32_t empty, int stage, int loader)
{
	int thread = threadIdx.x % WARPGROUP;
	if (config::SHARERS == 1) {
		if (thread == 0)
			mbarrier_arrive(empty + 8 * stage);
	} else if (thread < config::LOADERS) {
		mbarrier_arrive_cluster(empty + 8 * stage, loader);
	}
}

/* A consumer's operands in the first stage, for wgmma. A, and B if it is K-major: groups of 8 rows
 * of 128 bytes, and slices of these. B N-major: groups of 8 rows of K, 1024 bytes apart, in boxes
 * of 64 columns. */
struct stage_operands {
	uint32_t a, b;
};

template <class config>
__device__ __forceinline__ stage_operands operands_make(uint32_t base, int consumer)
{
	constexpr int B_COLUMN = config::K_MAJOR_B ? SLICE * 2 : config::TILE_K * 2; // bytes
	int own = consumer * config::CONSUMER_EXTENT; // its first row, or swapped its first column
	return {wgmma_operand(base + (config::SWAPPED ? 0 : own * SLICE * 2), 16),
			wgmma_operand(base + config::A_BYTES + (config::SWAPPED ? own * B_COLUMN : 0),
						  config::K_MAJOR_B ? 16 : config::B_BOX_BYTES)};
}

/* Bytes from a K-major operand's first row and element to its `subtile`-th 64 rows, and to the
 * elements from 16 * `step` on; ROWS: of a slice. */
template <int ROWS> __device__ __forceinline__ constexpr int k_major_offset(int subtile, int step)
{
	int slice = step / (SLICE / 16), within = step % (SLICE / 16);
	return slice * ROWS * SLICE * 2 + subtile * 64 * SLICE * 2 + within * 32;
}

/* Issues a stage's products, which are added to the sums if `accumulate`. */
template <class Element, class config>
__device__ __forceinline__ void multiply_stage(float (&sum)[config::SUBTILES][config::SUMS],
											   stage_operands first, int stage, bool accumulate)
{
	constexpr bool M_MAJOR = config::SWAPPED && !config::K_MAJOR_B; // B comes first
	constexpr bool N_MAJOR = !config::SWAPPED && !config::K_MAJOR_B;
	uint32_t a = first.a + stage * (config::STAGE_BYTES >> 4);
	uint32_t b = first.b + stage * (config::STAGE_BYTES >> 4);
	wgmma_fence();
#pragma unroll
	for (int j = 0; j < config::TILE_K / 16; j++) {
#pragma unroll
		for (int i = 0; i < config::SUBTILES; i++) {
			int sub_a = config::SWAPPED ? 0 : i, sub_b = config::SWAPPED ? i : 0;
			uint64_t da = wgmma_descriptor(a, k_major_offset<config::TILE_M>(sub_a, j));
			uint64_t db =
				wgmma_descriptor(b, config::K_MAJOR_B ? k_major_offset<config::TILE_N>(sub_b, j)
													  : sub_b * config::B_BOX_BYTES + j * 16 * 128);
			wgmma<Element, config::WGMMA_N>::template multiply<M_MAJOR, N_MAJOR>(
				sum[i], config::SWAPPED ? db : da, config::SWAPPED ? da : db, accumulate || j > 0);
		}
	}
	wgmma_commit();
}

/* Waits for all products. The compiler does not know that the sums change here, and might have
 * copied some. */
template <class config>
__device__ __forceinline__ void multiply_wait(float (&sum)[config::SUBTILES][config::SUMS])
{
	wgmma_wait<0>();
#pragma unroll
	for (int i = 0; i < config::SUBTILES * config::SUMS; i++)
		asm volatile("" : "+f"(sum[i / config::SUMS][i % config::SUMS])::"memory");
}

/* What a consumer keeps from one tile's mainloop to the next. */
template <class Element, class config> struct mainloop {
	stage_operands operands;
	uint32_t full, empty;
	ring at;
	/* of the tile that run() is at */
	int loader;          // loader_of() this thread
	int last;            // the stage that is being read, or -1
	uint32_t next_ready; // whether the next stage is known to be full

	__device__ __forceinline__ void begin(void)
	{
		loader = loader_of<config>(threadIdx.x % WARPGROUP);
		last = -1;
		next_ready = 0;
	}

	/* A stage: issues its products, calls meanwhile(), and releases the stage before, which has
	 * been read by then; in a tile's first one calls first() instead. */
	template <class Meanwhile, class First>
	__device__ __forceinline__ void iterate(float (&sum)[config::SUBTILES][config::SUMS],
											bool accumulate, Meanwhile meanwhile, First first)
	{
		mbarrier_wait_unless(next_ready, full + 8 * at.stage, at.phase);
		multiply_stage<Element, config>(sum, operands, at.stage, accumulate);
		meanwhile();
		ring then = at;
		then.next<config>();
		next_ready = mbarrier_done(full + 8 * then.stage, then.phase);
		wgmma_wait<1>();
		if (last >= 0)
			stage_release<config>(empty, last, loader);
		else
			first();
		last = at.stage;
		at.next<config>();
	}

	__device__ __forceinline__ void end(float (&sum)[config::SUBTILES][config::SUMS])
	{
		multiply_wait<config>(sum);
		stage_release<config>(empty, last, loader);
	}

	/* A tile: `iterations` stages, at least one. The loop has one way in and one way out, and no
	 * copy of its body: else the compiler would move sums while wgmma is at work on them (its
	 * warnings C7514 to C7519). */
	template <class First>
	__device__ __forceinline__ void run(float (&sum)[config::SUBTILES][config::SUMS],
										int iterations, First first)
	{
		begin();
		int k = 0;
#pragma unroll 1
		do {
			iterate(
				sum, k > 0, [] {}, first);
		} while (++k < iterations);
		end(sum);
	}
};

/* Zeros for the elements of the tile's first stage that lie before A's rows: B has zeros there, but
 * zero times infinity is none. Then all consumers may multiply. */
template <class config>
__device__ __forceinline__ void clear_skew(uint32_t stage, uint32_t full, uint32_t phase, int skew)
{
	constexpr int THREADS = config::CONSUMERS * WARPGROUP;
	mbarrier_wait(full, phase);
#pragma unroll
	for (int first = 0; first < config::TILE_M; first += THREADS) {
		int row = first + threadIdx.x;
		uint32_t vector = stage + row * SLICE * 2 + row % 8 * 16; // exchanged by the swizzle
		if (row < config::TILE_M)
			shared_store(vector, vector_drop(shared_load(vector), skew));
	}
	fence_async_shared();
	named_barrier(1, THREADS);
}
} // namespace hopper

#endif
