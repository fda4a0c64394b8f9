/* Copies odd operands into padded rows while they are multiplied: a slab of 512
 * along K after the other.
 *
 * All warps copy the first slab together (repack.cuh's way, through registers).
 * Then the producer's three idle warps of every block go on with the others, and
 * the producer waits for a slab before it loads the first step of it. What bounds
 * them is how much is on its way from memory, and they have few registers; so they
 * fetch runs of a row by bulk copies into shared memory, four at a time, and only
 * shift there.
 *
 * A counter a slab says how many warps have done their part, and one before them how many
 * blocks have seen all of that: the last one sets all to 0 again, for the next call. All blocks
 * must be running at once, which a cooperative launch promises. */
#ifndef GEMMJUDGE_HOPPER_SLABS_CUH
#define GEMMJUDGE_HOPPER_SLABS_CUH

#include "repack.cuh"
#include "tile.cuh"

constexpr int SLAB = 512;          // elements along K
constexpr int RUN = 512;           // elements of a row that a warp copies at once
constexpr int RUN_UNITS = RUN / 8; // of 16 bytes
static_assert(RUN_BYTES == RUN * 2 + 16, "a run's words, where its start lies within one");

/* Where a warp stands: run number `number` of a slab. */
struct slab_place {
	int slab, number;
};

/* A run of a row: from where, to where. */
struct slab_run {
	const char *from; // the aligned word that holds its start
	uint4 *to;
	uint32_t shift;
	int units; // that are copied, 0 or less for none
	bool lead; // its first word is not in the matrix: its first unit is left out
};

static __host__ __device__ __forceinline__ int slab_count(int K)
{
	return (K + SLAB - 1) / SLAB;
}

static __device__ __forceinline__ int b_runs_of_row(const packing_work &packing)
{
	return (packing.b.from.columns + RUN - 1) / RUN;
}

/* Runs of a slab: a part of each row of A, then whole rows of B. */
static __device__ __forceinline__ int slab_runs(const packing_work &packing, int slab)
{
	int b_rows = min(SLAB, packing.b.from.rows - slab * SLAB);
	return packing.a.from.rows + max(b_rows, 0) * b_runs_of_row(packing);
}

__device__ __forceinline__ slab_run run_find(const packing_work &packing, slab_place at)
{
	bool in_a = at.number < packing.a.from.rows;
	const repack_job &job = in_a ? packing.a : packing.b;
	int row = at.number, unit = at.slab * RUN_UNITS;
	if (!in_a) {
		int runs = b_runs_of_row(packing), number = at.number - packing.a.from.rows;
		row = number / runs;
		unit = (number - row * runs) * RUN_UNITS;
		row += at.slab * SLAB;
	}
	const char *from = (const char *)(job.from.data + (size_t)row * job.from.columns);
	slab_run run;
	run.shift = (uintptr_t)from % 16;
	run.from = from + (size_t)unit * 16 - run.shift;
	run.to = (uint4 *)(job.to + (size_t)row * job.padded) + unit;
	run.units = min(RUN_UNITS, repack_units(job, row) - unit);
	run.lead = row == 0 && unit == 0 && run.shift != 0;
	return run;
}

__device__ __forceinline__ bool run_has(const slab_run &run, int unit)
{
	return unit < run.units && !(run.lead && unit == 0);
}

/* The warp's part of the slab is there, for TMA to read. */
__device__ __forceinline__ void slab_done(unsigned *counters, int slab)
{
	fence_async();
	__syncwarp();
	if (threadIdx.x % 32 == 0) {
		__threadfence();
		asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counters + 1 + slab)
					 : "memory");
	}
}

/* ---- the first slab: all warps of all blocks ------------------------------------ */

struct run_words {
	slab_run run;
	uint4 low[RUN_UNITS / 32], high[RUN_UNITS / 32];
};

__device__ __forceinline__ void run_load(run_words &words)
{
	int lane = threadIdx.x % 32;
#pragma unroll
	for (int i = 0; i < RUN_UNITS / 32; i++) {
		const char *from = words.run.from + (lane + 32 * i) * 16;
		bool wanted = run_has(words.run, lane + 32 * i);
		words.low[i] = word_load(from, wanted);
		words.high[i] = word_load(from + 16, wanted && words.run.shift != 0);
	}
}

__device__ __forceinline__ void run_store(const run_words &words)
{
	int lane = threadIdx.x % 32;
#pragma unroll
	for (int i = 0; i < RUN_UNITS / 32; i++)
		if (run_has(words.run, lane + 32 * i))
			words.run.to[lane + 32 * i] =
				shift_together(words.low[i], words.high[i], words.run.shift);
}

/* A warp's part, TOGETHER runs at a time. */
template <int TOGETHER>
__device__ __forceinline__ void slab_first(const packing_work &packing, int warp, int warps)
{
	int runs = slab_runs(packing, 0);
#pragma unroll 1
	for (int first = warp; first < runs; first += TOGETHER * warps) {
		run_words words[TOGETHER];
#pragma unroll
		for (int i = 0; i < TOGETHER; i++) {
			words[i].run = {};
			if (first + i * warps < runs)
				words[i].run = run_find(packing, {0, first + i * warps});
			run_load(words[i]);
		}
#pragma unroll
		for (int i = 0; i < TOGETHER; i++)
			run_store(words[i]);
	}
}

/* The first slab, and the ends that runs leave out. */
template <int TOGETHER> __device__ __forceinline__ void slabs_begin(const packing_work &packing)
{
	int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32;
	slab_first<TOGETHER>(packing, warp, warps);
	repack_ends(packing, warp);
	slab_done(packing.counters, 0);
	__syncthreads();
}

/* ---- the others: the copying warps ------------------------------------------------ */

__device__ __forceinline__ bool place_next(slab_place &at, const packing_work &packing, int slabs,
										   int warp, int warps)
{
	at.number += warps;
	while (at.slab < slabs && at.number >= slab_runs(packing, at.slab))
		at = {at.slab + 1, warp};
	return at.slab < slabs;
}

/* Asks for a run's words; one lane. */
__device__ __forceinline__ void run_fetch(const slab_run &run, uint32_t to, uint32_t barrier)
{
	int skip = run.lead ? 16 : 0;
	int bytes = run.units > 0 ? run.units * 16 + (run.shift != 0 ? 16 : 0) - skip : 0;
	mbarrier_expect(barrier, bytes);
	if (bytes > 0)
		bulk_load(to + skip, run.from + skip, bytes, barrier);
}

/* A copying warp; `ring` is its RUNS_AHEAD places of RUN_BYTES, and the barriers behind. */
__device__ __forceinline__ void slabs_copy(const packing_work &packing, int slabs, uint32_t ring,
										   int warp, int warps)
{
	int lane = threadIdx.x % 32;
	uint32_t barriers = ring + RUNS_AHEAD * RUN_BYTES;
	if (lane < RUNS_AHEAD) {
		mbarrier_init(barriers + 8 * lane, 1);
		mbarriers_ready();
	}
	__syncwarp();

	slab_place ahead = {1, warp - warps}, at = ahead;
	for (int i = 0; i < RUNS_AHEAD; i++)
		if (place_next(ahead, packing, slabs, warp, warps) && lane == 0)
			run_fetch(run_find(packing, ahead), ring + i * RUN_BYTES, barriers + 8 * i);

	int slot = 0, slab = 1;
	uint32_t phase = 0;
	bool more = place_next(at, packing, slabs, warp, warps);
#pragma unroll 1
	while (true) {
		for (; slab < at.slab; slab++) // a warp may have no part of some
			slab_done(packing.counters, slab);
		if (!more)
			break;
		slab_run run = run_find(packing, at);
		uint32_t words = ring + slot * RUN_BYTES;
		mbarrier_wait(barriers + 8 * slot, phase);
#pragma unroll
		for (int i = 0; i < RUN_UNITS / 32; i++)
			if (run_has(run, lane + 32 * i)) {
				uint32_t at_unit = words + (lane + 32 * i) * 16;
				uint4 low = shared_load(at_unit), high = {};
				if (run.shift != 0)
					high = shared_load(at_unit + 16);
				run.to[lane + 32 * i] = shift_together(low, high, run.shift);
			}
		fence_async_shared(); // the place is read, and filled again by a bulk copy
		__syncwarp();
		if (place_next(ahead, packing, slabs, warp, warps) && lane == 0)
			run_fetch(run_find(packing, ahead), words, barriers + 8 * slot);
		if (++slot == RUNS_AHEAD) {
			slot = 0;
			phase ^= 1;
		}
		more = place_next(at, packing, slabs, warp, warps);
	}
}

/* ---- the producer's side ---------------------------------------------------------- */

/* Waits until a slab is there; one thread. */
__device__ __forceinline__ void slab_wait(unsigned *counters, int slab)
{
	unsigned wanted = gridDim.x * (slab == 0 ? blockDim.x / 32 : COPY_WARPS), done;
	do
		asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
					 : "=r"(done)
					 : "l"(counters + 1 + slab)
					 : "memory");
	while (done != wanted);
	fence_async();
}

/* Once a block has waited for all slabs; one thread. */
__device__ __forceinline__ void slabs_leave(unsigned *counters, int slabs)
{
	if (atomicAdd(counters, 1) == gridDim.x - 1)
		for (int i = 0; i <= slabs; i++)
			counters[i] = 0;
}

#endif
