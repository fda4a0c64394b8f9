/* What an emulated GPU counted of a kernel (emulator/DESIGN.md, "Counters"), as what it demands of
 * a GPU: for files whose tiles nobody declares. */
#ifndef GEMMJUDGE_SCHEDULES_COUNTED_H
#define GEMMJUDGE_SCHEDULES_COUNTED_H

#include "schedules/demand.h"
#include "schedules/resources.h"
#include "testcases/case.h"

/* Sums over all launches. */
struct counted_kernel {
	double launches, blocks, threads, dynamic_shared; /* the last two summed over blocks */
	double instructions, fp32, integer, conversion;   /* the last three by the lane */
	double barriers, flops, tensor_flops, tensor_flops_8, tensor_flops_tf32;
	double load_requests, load_sectors, footprint_sectors, store_requests, store_sectors;
	double atomic_requests, atomic_sectors;
	double async_requests, async_sectors, bulk_load_requests, bulk_load_bytes, bulk_store_bytes;
	double shared_load_requests, shared_load_passes, shared_load_conflicts;
	double shared_store_requests, shared_store_passes, shared_store_conflicts;
	double lines, wgmma_bytes;
};

/* Sets the member that a counter of this name fills; others are left alone. */
void counted_set(struct counted_kernel *kernel, const char *name, double value);

/* What the launches demand of the GPU. `resources` may be NULL: 32 registers, no static shared
 * memory. Memory traffic, which is not counted, is estimated: each operand once where they stay in
 * L2 together, else what the blocks of a wave need if they lie in a square. */
void counted_demand(const struct counted_kernel *kernel, const struct kernel_resources *resources,
					const struct tune_gpu *gpu, const struct problem *problem,
					const struct test_case *test, struct demand *out);

/* Bytes of all operands, each once. */
double counted_operand_bytes(const struct problem *problem, const struct test_case *test);

/* What would multiply most on tensor cores: by the width of the problem's left operand. */
enum tune_unit counted_unit(const struct problem *problem);

/* Passes over shared memory's banks, what TMA, cp.async and wgmma take of them too. */
double counted_shared_passes(const struct counted_kernel *kernel);
double counted_l2_bytes(const struct counted_kernel *kernel);

/* Blocks bring tiles to shared memory by plain loads and stores, and wait for them at barriers with
 * nothing under way: how often a block does, or 0. */
double counted_waits(const struct counted_kernel *kernel);

#endif
