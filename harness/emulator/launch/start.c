/* The state in which the blocks of a cluster start. */
#include "emulator/launch/start.h"

#include <string.h>

#include "emulator/exec/copies.h"
#include "emulator/exec/fault.h"
#include "emulator/exec/footprint.h"
#include "emulator/exec/pending.h"
#include "emulator/exec/race.h"
#include "emulator/exec/undefined.h"
#include "emulator/exec/worker.h"
#include "emulator/ops/recursion.h"
#include "emulator/ops/wgmma.h"

/* PTX ISA, "%total_smem_size": in units of its allocation. */
static uint32_t total_shared(const struct exec_block *block)
{
	uint32_t unit = block->shared_base > 0 ? 128 : 256; /* from sm_80 on; before */
	return ((uint32_t)block->shared_bytes + unit - 1) / unit * unit;
}

/* Blocks go to the multiprocessors in turn. */
static uint32_t multiprocessor(const struct exec_block *block, const struct exec_launch *launch)
{
	const uint32_t *grid = launch->launch->grid;
	uint64_t index =
		block->id[0] + (uint64_t)grid[0] * (block->id[1] + (uint64_t)grid[1] * block->id[2]);
	return (uint32_t)(index % launch->multiprocessors);
}

static uint32_t special_value(const struct exec_block *block, const struct warp *warp, int special,
							  uint32_t lane)
{
	const struct exec_launch *launch = warp->worker->launch;
	const struct launch *asked = launch->launch;
	const uint32_t *size = asked->block, *cluster = launch->cluster;
	uint32_t thread = warp->index * EXEC_LANES + lane, below = (1u << lane) - 1;
	uint32_t i = 0;
	switch (special) {
	case EXEC_TID_X: return thread % size[0];
	case EXEC_TID_Y: return thread / size[0] % size[1];
	case EXEC_TID_Z: return thread / size[0] / size[1];
	case EXEC_NTID_Z: i++; /* fall through */
	case EXEC_NTID_Y: i++; /* fall through */
	case EXEC_NTID_X: return size[i];
	case EXEC_CTAID_Z: i++; /* fall through */
	case EXEC_CTAID_Y: i++; /* fall through */
	case EXEC_CTAID_X: return block->id[i];
	case EXEC_NCTAID_Z: i++; /* fall through */
	case EXEC_NCTAID_Y: i++; /* fall through */
	case EXEC_NCTAID_X: return asked->grid[i];
	case EXEC_CLUSTERID_Z: i++; /* fall through */
	case EXEC_CLUSTERID_Y: i++; /* fall through */
	case EXEC_CLUSTERID_X: return block->id[i] / cluster[i];
	case EXEC_NCLUSTERID_Z: i++; /* fall through */
	case EXEC_NCLUSTERID_Y: i++; /* fall through */
	case EXEC_NCLUSTERID_X: return asked->grid[i] / cluster[i];
	case EXEC_CLUSTER_CTAID_Z: i++; /* fall through */
	case EXEC_CLUSTER_CTAID_Y: i++; /* fall through */
	case EXEC_CLUSTER_CTAID_X: return block->id[i] % cluster[i];
	case EXEC_CLUSTER_NCTAID_Z: i++; /* fall through */
	case EXEC_CLUSTER_NCTAID_Y: i++; /* fall through */
	case EXEC_CLUSTER_NCTAID_X: return cluster[i];
	case EXEC_CLUSTER_CTARANK: return block->rank;
	case EXEC_CLUSTER_NCTARANK: return block->cluster->count;
	case EXEC_LANEID: return lane;
	case EXEC_WARPID: return warp->index;
	case EXEC_NWARPID: return launch->multiprocessor_warps;
	case EXEC_SMID: return multiprocessor(block, launch);
	case EXEC_NSMID: return launch->multiprocessors;
	case EXEC_GRIDID: return (uint32_t)asked->id;
	case EXEC_LANEMASK_EQ: return 1u << lane;
	case EXEC_LANEMASK_LE: return below | 1u << lane;
	case EXEC_LANEMASK_LT: return below;
	case EXEC_LANEMASK_GE: return ~below;
	case EXEC_LANEMASK_GT: return ~(below | 1u << lane);
	case EXEC_DYNAMIC_SMEM: return (uint32_t)asked->dynamic_shared_bytes;
	case EXEC_TOTAL_SMEM: return total_shared(block);
	case EXEC_AGGR_SMEM: return total_shared(block) + (uint32_t)block->shared_base;
	case EXEC_RESERVED_SMEM: return (uint32_t)block->shared_base;
	case EXEC_ENVREG1: return (uint32_t)(asked->grid_workspace >> 32);
	case EXEC_ENVREG2: return (uint32_t)asked->grid_workspace;
	default: return 0;
	}
}

static void start_warp(struct exec_block *block, struct warp *warp)
{
	const struct exec_program *program = warp->worker->launch->program;
	uint32_t left = block->threads - warp->index * EXEC_LANES;
	warp->exists = left >= EXEC_LANES ? EXEC_FULL : (1u << left) - 1;
	warp->live = warp->active = warp->exists;
	warp->pc = warp->group_count = warp->carry = warp->cluster_arrived = 0;
	warp->registers = warp->worker->launch->registers;
	warp->limit = UINT32_MAX;
	warp->turn = false;
	warp->divided = 0;
	exec_copies_clear(warp);
	wgmma_clear(warp);
	recursion_clear(warp);
	exec_undefined_clear(warp);
	if (!exec_undefined_begin_local(warp))
		exec_fail(warp, NULL, 0, FAULT_MEMORY, 0, "no host memory to follow undefined values");
	warp->predicates[EXEC_ALWAYS] = EXEC_FULL;
	warp->predicates[EXEC_NEVER] = 0;
	warp->predicates[EXEC_IS_CLUSTER] = warp->worker->launch->launch->cluster[0] ? EXEC_FULL : 0;
	for (int special = EXEC_WIDE; special < EXEC_SPECIALS; special++) {
		if (program->special[special] < 0)
			continue;
		uint64_t *values = (uint64_t *)(void *)(warp->base[0] + program->special[special]);
		for (uint32_t lane = 0; lane < EXEC_LANES; lane++)
			values[lane] = special == EXEC_GRIDID_WIDE ? warp->worker->launch->launch->id : 0;
	}
	for (int special = 0; special < EXEC_WIDE; special++) {
		if (program->special[special] < 0)
			continue;
		uint32_t *values = (uint32_t *)(warp->base[0] + program->special[special]);
		for (uint32_t lane = 0; lane < EXEC_LANES; lane++)
			values[lane] = special_value(block, warp, special, lane);
	}
	for (uint32_t i = 0; i < program->shared_place_count; i++) {
		const struct exec_shared_place *place = &program->shared_places[i];
		uint64_t address = block->own_bits + place->offset;
		uint8_t *values = warp->base[0] + place->slot;
		for (uint32_t lane = 0; lane < EXEC_LANES; lane++)
			memcpy(values + lane * place->size, &address, place->size);
	}
}

static void start_block(struct exec_block *block)
{
	const struct exec_launch *launch = block->warps[0].worker->launch;
	block->live = block->threads;
	block->steps = block->polls = 0;
	block->registers_free = 0;
	memset(block->shared_written, launch->check_none ? EXEC_SHARED_READABLE : EXEC_SHARED_UNWRITTEN,
		   block->shared_bytes);
	exec_pending_clear(block);
	if (block->unfenced != NULL)
		memset(block->unfenced, 0, block->shared_bytes);
	block->unfenced_low = ~(uint64_t)0;
	block->unfenced_high = 0;
	block->init_count = block->inits_fenced = 0;
	block->maps_acquired = false;
	block->uneven = (struct exec_uneven){0};
	block->layout_count = 0;
	memset(block->shared, MEMORY_FILL, block->shared_bytes);
	for (int i = 0; i < EXEC_BARRIERS; i++)
		block->barriers[i] = (struct exec_barrier){.all = 1};
	for (uint32_t i = 0; i < block->warp_count; i++)
		start_warp(block, &block->warps[i]);
	struct warp *first = &block->warps[0];
	if (launch->check_race && !exec_race_start(block))
		exec_fail(first, NULL, 0, FAULT_MEMORY, 0, "no host memory to look for races");
}

void start_cluster(struct exec_worker *worker, uint64_t index)
{
	const struct exec_launch *launch = worker->launch;
	const uint32_t *size = launch->cluster, *grid = launch->launch->grid;
	uint32_t clusters[3] = {grid[0] / size[0], grid[1] / size[1], grid[2] / size[2]};
	uint32_t first[3] = {(uint32_t)(index % clusters[0]) * size[0],
						 (uint32_t)(index / clusters[0] % clusters[1]) * size[1],
						 (uint32_t)(index / clusters[0] / clusters[1]) * size[2]};
	struct exec_cluster *cluster = &worker->cluster;
	worker->idle = 0;
	if (worker->footprint != NULL)
		exec_footprint_clear(worker->footprint);
	cluster->arrived = cluster->live = 0;
	cluster->draws = launch->seed + index * 0xd1342543de82ef95u;
	for (uint32_t rank = 0; rank < cluster->count; rank++) {
		struct exec_block *block = &cluster->blocks[rank];
		block->rank = rank;
		block->own_bits = cluster->count > 1 ? (uint64_t)(rank + 1) << EXEC_SHARED_RANK_SHIFT : 0;
		block->id[0] = first[0] + rank % size[0];
		block->id[1] = first[1] + rank / size[0] % size[1];
		block->id[2] = first[2] + rank / size[0] / size[1];
		start_block(block);
		cluster->live += block->threads;
	}
}
