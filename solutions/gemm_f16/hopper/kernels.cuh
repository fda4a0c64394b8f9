/* The kernels that multiply tiles by wgmma: one whose producer is a lane that issues TMA loads, one
 * whose producers stage B through registers. kernel_small.cuh has the third kernel. */
#ifndef HOPPER_KERNELS_CUH
#define HOPPER_KERNELS_CUH

#include "consumer.cuh"
#include "consumer_overlapped.cuh"
#include "producer_pad.cuh"
#include "producer_staged.cuh"

namespace hopper
{
/* Registers of a thread, of those that the launch gives to all. One consumer alone has enough. */
constexpr int PRODUCER_REGISTERS = 24;
template <int CONSUMERS>
constexpr int CONSUMER_REGISTERS =
	(65536 / ((CONSUMERS + 1) * WARPGROUP) / 8 * 8 * (CONSUMERS + 1) - PRODUCER_REGISTERS) /
	CONSUMERS / 8 * 8;

/* Barriers from number FIRST to before LAST, by one thread: the stages' `full`, for so many
 * arrivals, and `empty`; then the others, for one. No loop: with addresses that differ between
 * threads the compiler makes one over lanes of ten instructions each. */
template <class config, int FIRST, int LAST>
__device__ __forceinline__ void barriers_init(uint32_t full, int full_arrivals, int empty_arrivals)
{
#pragma unroll
	for (int i = FIRST; i < LAST; i++) {
		int arrivals = i < config::STAGES       ? full_arrivals
					   : i < config::C_BARRIERS ? empty_arrivals
												: 1;
		mbarrier_init(full + 8 * i, arrivals);
	}
	mbarriers_ready();
}

/* Shared memory, aligned to the swizzle's pattern. */
template <class config> struct shared_layout {
	uint32_t base, full, empty;

	__device__ __forceinline__ shared_layout(void)
	{
		extern __shared__ char shared_raw[];
		constexpr uint32_t ALIGNMENT = config::ALIGNMENT;
		base = (shared_address(shared_raw) + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
		base = __shfl_sync(0xFFFFFFFF, base, 0);
		full = base + config::BARRIER_OFFSET;
		empty = full + 8 * config::STAGES;
	}
};

template <class Element, class config, class Epilogue>
__global__ void __launch_bounds__(config::THREADS, 1)
	gemm_tma(const __grid_constant__ a_maps<config> maps_a,
			 const __grid_constant__ b_maps<config> maps_b,
			 const __grid_constant__ c_maps<config> maps_c, const schedule work,
			 const pad_work padding, const Epilogue out)
{
	constexpr int CONSUMERS = config::CONSUMERS;
	shared_layout<config> shared;
	int warpgroup = __shfl_sync(0xFFFFFFFF, threadIdx.x / WARPGROUP, 0);
	bool producer = __shfl_sync(0xFFFFFFFF, threadIdx.x / 32, 0) == CONSUMERS * 4; // this warp
	tma_loader<config> load = {&maps_a, maps_b.of, shared.base, shared.full};
	bool pads = config::PADS && (!config::K_MAJOR_B || padding.counter != NULL);
	int early = 0;
	uint32_t target = 0;
	if (producer) { // what takes longest comes first
		if (pads)
			target = pad_target(padding);
		if (elected()) {
			if (!config::CLASSES)
				tma_prefetch_map(maps_a.of);
			tma_prefetch_map(maps_b.of);
		}
		load.begin(work, cluster_id<config>());
		if (elected()) {
			if (config::CLASSES)
				tma_prefetch_map(load.map_a);
			barriers_init<config, 0, config::STAGES>(shared.full, 1, 0); // what first loads need
		}
	} else if (threadIdx.x == 0) {
		barriers_init<config, config::STAGES, config::BARRIERS>(shared.full, 0,
																CONSUMERS * config::LOADERS);
	}
	if (config::PADS && early_loads<config>::ANY && producer)
		early = produce_early(work, load);
	if (pads)
		pad_copy<CONSUMERS == 1 ? 4 : 3>(padding); // as registers allow
	if (config::CLUSTER)
		cluster_arrive();
	if (!config::PADS && producer)
		early = produce_early(work, load);
	if (config::CLUSTER)
		cluster_wait();
	else if (!pads) // pad_copy() has synchronised
		__syncthreads();

	if (warpgroup == CONSUMERS) {
		if (CONSUMERS > 1)
			registers_give<PRODUCER_REGISTERS>();
		if (pads && producer)
			pad_wait(padding, target);
		if (producer)
			produce(work, load, early, shared.empty);
	} else {
		if (CONSUMERS > 1)
			registers_take<CONSUMER_REGISTERS<CONSUMERS>>();
		if constexpr (config::OVERLAP)
			consume_overlapped<Element, config>(work, out, maps_c.of, shared.base, shared.full,
												shared.empty, warpgroup);
		else
			consume<Element, config>(work, out, maps_c.of, shared.base, shared.full, shared.empty,
									 warpgroup);
	}
	if (config::SPLIT_K) { // before a block ends whose sums are read
		__syncwarp();
		cluster_sync();
	}
}

/* A block has one tile, or its part of one along K. */
template <class Element, class config, class Epilogue>
__global__ void __launch_bounds__(config::THREADS, 1)
	gemm_staged(const __grid_constant__ a_maps<config> maps_a, const matrix_view B,
				const schedule work, const Epilogue out)
{
	shared_layout<config> shared;
	int warpgroup = __shfl_sync(0xFFFFFFFF, threadIdx.x / WARPGROUP, 0);
	auto sync = [] { // the block, or the cluster that shares a tile, knows its barriers
		if (config::SPLIT_K)
			cluster_sync();
		else
			named_barrier(0, config::THREADS);
	};
	if (warpgroup >= config::CONSUMERS) {
		bool first = __shfl_sync(0xFFFFFFFF, threadIdx.x % WARPGROUP / 32, 0) == 0; // warp
		tma_loader<config> load = {&maps_a, NULL, shared.base, shared.full};
		produce_staged(work, load, B, shared.empty, warpgroup - config::CONSUMERS, first, sync);
	} else {
		if (threadIdx.x == 0) // a stage has four warps' B and A's bytes
			barriers_init<config, 0, config::BARRIERS>(shared.full, WARPGROUP / 32 + 1,
													   config::CONSUMERS);
		sync();
		consume<Element, config>(work, out, NULL, shared.base, shared.full, shared.empty,
								 warpgroup);
	}
	if (config::SPLIT_K) // before a block ends whose sums are read
		cluster_sync();
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
