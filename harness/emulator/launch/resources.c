/* What a worker needs for one cluster, allocated once. */
#include "emulator/launch/resources.h"

#include <stdlib.h>

#include "emulator/exec/copies.h"
#include "emulator/exec/footprint.h"
#include "emulator/exec/race.h"
#include "emulator/exec/undefined.h"
#include "emulator/ops/recursion.h"
#include "emulator/ops/wgmma.h"

static size_t align64(size_t bytes)
{
	return (bytes + 63) & ~(size_t)63;
}

struct layout {
	uint32_t warps, threads;
	size_t registers, predicates, local, shared;
	size_t warp_bytes, block_bytes, total;
};

static size_t unfenced_by_bytes(size_t shared)
{
	return align64(shared / EXEC_UNFENCED_UNIT * sizeof(uint32_t));
}

/* Shared memory and what is known of its bytes: what is written, pending, fenced. */
static size_t shared_and_shadows(const struct exec_launch *launch, size_t shared)
{
	const struct exec_program *program = launch->program;
	if (launch->check_none)
		return 2 * shared;
	return (2 + (program->async_copies ? EXEC_PENDING_KINDS : 0)) * shared +
		   (program->async_proxy ? shared + unfenced_by_bytes(shared) : 0);
}

static struct layout layout_of(const struct exec_launch *launch)
{
	const struct exec_program *program = launch->program;
	const struct launch *asked = launch->launch;
	struct layout layout = {0};
	layout.threads = asked->block[0] * asked->block[1] * asked->block[2];
	layout.warps = (layout.threads + EXEC_LANES - 1) / EXEC_LANES;
	layout.registers = align64(program->register_bytes) + 64;
	layout.predicates = align64(program->predicate_count * sizeof(uint32_t));
	layout.local = align64(program->local_bytes * EXEC_LANES);
	layout.shared = align64(program->dynamic_shared_offset + asked->dynamic_shared_bytes) + 64;
	layout.warp_bytes = layout.registers + layout.predicates + layout.local;
	layout.block_bytes = layout.warps * (layout.warp_bytes + align64(sizeof(struct warp))) +
						 shared_and_shadows(launch, layout.shared);
	layout.total =
		layout.block_bytes * launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
	return layout;
}

static void place_block(struct exec_worker *worker, const struct layout *layout,
						struct exec_block *block, uint8_t *at)
{
	const struct exec_program *program = worker->launch->program;
	block->cluster = &worker->cluster;
	block->warps = (struct warp *)at;
	at += layout->warps * align64(sizeof(struct warp));
	block->shared = at;
	at += layout->shared;
	block->shared_written = at;
	at += layout->shared;
	bool looks = !worker->launch->check_none, fences = looks && program->async_proxy;
	block->unfenced = fences ? at : NULL;
	at += fences ? layout->shared : 0;
	block->unfenced_by = fences ? (uint32_t *)(void *)at : NULL;
	at += fences ? unfenced_by_bytes(layout->shared) : 0;
	for (int kind = 0; looks && program->async_copies && kind < EXEC_PENDING_KINDS; kind++) {
		block->pending[kind] = at;
		at += layout->shared;
	}
	block->shared_base = program->shared_base;
	block->shared_bytes =
		program->dynamic_shared_offset + worker->launch->launch->dynamic_shared_bytes;
	block->warp_count = layout->warps;
	block->threads = layout->threads;
	for (uint32_t i = 0; i < layout->warps; i++) {
		struct warp *warp = &block->warps[i];
		warp->block = block;
		warp->worker = worker;
		warp->index = i;
		warp->base[0] = at;
		warp->base[1] = program->constants - 1;
		warp->predicates = (uint32_t *)(at + layout->registers);
		warp->local = at + layout->registers + layout->predicates;
		at += layout->warp_bytes;
	}
}

bool resources_create(struct exec_worker *worker, struct exec_launch *launch)
{
	struct layout layout = layout_of(launch);
	worker->launch = launch;
	worker->cluster.count = launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
	worker->cluster.blocks = calloc(worker->cluster.count, sizeof *worker->cluster.blocks);
	worker->cache = calloc(launch->program->cache_count + 1, sizeof *worker->cache);
	/* zeroed, and without touching the pages of registers that nobody uses */
	worker->storage = calloc(layout.total + 64, 1);
	if (launch->program->costs != NULL)
		worker->costs = calloc(launch->program->count + 1, sizeof *worker->costs);
	if (launch->footprints)
		worker->footprint = exec_footprint_create();
	if ((launch->footprints && worker->footprint == NULL) || worker->cluster.blocks == NULL ||
		worker->cache == NULL || worker->storage == NULL ||
		(launch->program->costs != NULL && worker->costs == NULL))
		return false;
	uint8_t *start = worker->storage + (64 - (uintptr_t)worker->storage % 64);
	for (uint32_t i = 0; i < worker->cluster.count; i++)
		place_block(worker, &layout, &worker->cluster.blocks[i], start + i * layout.block_bytes);
	pthread_mutex_lock(&launch->lock);
	worker->next = launch->workers;
	launch->workers = worker;
	pthread_mutex_unlock(&launch->lock);
	return true;
}

static void leave(struct exec_worker *worker)
{
	struct exec_launch *launch = worker->launch;
	if (launch == NULL)
		return;
	pthread_mutex_lock(&launch->lock);
	struct exec_worker **at = &launch->workers;
	while (*at != NULL && *at != worker)
		at = &(*at)->next;
	if (*at != NULL)
		*at = worker->next;
	pthread_mutex_unlock(&launch->lock);
}

void resources_free(struct exec_worker *worker)
{
	leave(worker);
	for (uint32_t b = 0; worker->storage != NULL && b < worker->cluster.count; b++)
		for (uint32_t i = 0; i < worker->cluster.blocks[b].warp_count; i++) {
			exec_copies_free(&worker->cluster.blocks[b].warps[i]);
			wgmma_free(&worker->cluster.blocks[b].warps[i]);
			recursion_free(&worker->cluster.blocks[b].warps[i]);
			exec_undefined_free(&worker->cluster.blocks[b].warps[i]);
		}
	for (uint32_t b = 0; worker->cluster.blocks != NULL && b < worker->cluster.count; b++)
		exec_race_free(&worker->cluster.blocks[b]);
	exec_bulk_free(&worker->cluster);
	free(worker->cluster.blocks);
	free(worker->cache);
	free(worker->costs);
	exec_footprint_free(worker->footprint);
	free(worker->storage);
}

size_t resources_bytes(const struct exec_launch *launch)
{
	return layout_of(launch).total;
}
