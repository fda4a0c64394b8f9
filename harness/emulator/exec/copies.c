#include "emulator/exec/copies.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/exec/memory.h"
#include "emulator/exec/worker.h"

/* ---- cp.async ------------------------------------------------------------------- */

void exec_copies_clear(struct warp *w)
{
	if (w->copies == NULL)
		return;
	w->copies->count = 0;
	memset(w->copies->committed, 0, sizeof w->copies->committed);
}

void exec_copies_free(struct warp *w)
{
	if (w->copies != NULL)
		free(w->copies->entries);
	free(w->copies);
	w->copies = NULL;
}

struct copy *copies_add(struct warp *w)
{
	if (w->copies == NULL)
		w->copies = calloc(1, sizeof *w->copies);
	struct exec_copies *copies = w->copies;
	if (copies == NULL)
		return NULL;
	if (copies->count == copies->capacity) {
		uint32_t larger = copies->capacity ? copies->capacity * 2 : 256;
		struct copy *grown = realloc(copies->entries, larger * sizeof *grown);
		if (grown == NULL)
			return NULL;
		copies->entries = grown;
		copies->capacity = larger;
	}
	return &copies->entries[copies->count++];
}

/* Whether two copies bring the same bytes to the same place. */
static bool copies_alike(const struct copy *a, const struct copy *b)
{
	return a->offset == b->offset && a->bytes == b->bytes && a->from_bytes == b->from_bytes &&
		   a->from == b->from;
}

static const struct exec_instruction *issuer_of_copy(const struct exec_span *span,
													 const struct copy *self)
{
	for (uint32_t i = 0; span->kind == EXEC_PENDING_WRITE && i < span->block->warp_count; i++) {
		const struct exec_copies *copies = span->block->warps[i].copies;
		for (uint32_t k = 0; copies != NULL && k < copies->count; k++) {
			const struct copy *copy = &copies->entries[k];
			if (copy->offset < span->offset + span->bytes &&
				span->offset < copy->offset + copy->bytes &&
				!(self != NULL && copies_alike(self, copy)))
				return copy->in;
		}
	}
	return NULL;
}

/* ---- cp.async.bulk -------------------------------------------------------------- */

void exec_bulk_free(struct exec_cluster *cluster)
{
	if (cluster->bulk != NULL) {
		free(cluster->bulk->entries);
		free(cluster->bulk->groups);
	}
	free(cluster->bulk);
	cluster->bulk = NULL;
}

/* NULL without memory. */
static struct exec_bulk *bulk_of(const struct warp *w)
{
	struct exec_cluster *cluster = w->block->cluster;
	if (cluster->bulk == NULL)
		cluster->bulk = calloc(1, sizeof *cluster->bulk);
	return cluster->bulk;
}

struct bulk *copies_add_bulk(struct warp *w)
{
	struct exec_bulk *bulk = bulk_of(w);
	if (bulk == NULL)
		return NULL;
	if (bulk->count == bulk->capacity) {
		uint32_t larger = bulk->capacity ? bulk->capacity * 2 : 32;
		struct bulk *grown = realloc(bulk->entries, larger * sizeof *grown);
		if (grown == NULL)
			return NULL;
		bulk->entries = grown;
		bulk->capacity = larger;
	}
	return &bulk->entries[bulk->count++];
}

struct groups *copies_groups(struct warp *w)
{
	struct exec_bulk *bulk = bulk_of(w);
	if (bulk == NULL)
		return NULL;
	for (uint32_t i = 0; i < bulk->group_count; i++)
		if (bulk->groups[i].warp == w)
			return &bulk->groups[i];
	if (bulk->group_count == bulk->group_capacity) {
		uint32_t larger = bulk->group_capacity ? bulk->group_capacity * 2 : 8;
		struct groups *grown = realloc(bulk->groups, larger * sizeof *grown);
		if (grown == NULL)
			return NULL;
		bulk->groups = grown;
		bulk->group_capacity = larger;
	}
	bulk->groups[bulk->group_count] = (struct groups){.warp = w};
	return &bulk->groups[bulk->group_count++];
}

/* Whether two loads bring the same bytes to the same place. */
static bool loads_alike(const struct bulk *a, const struct bulk *b)
{
	return a->kind == BULK_LOAD && b->kind == BULK_LOAD && a->shared == b->shared &&
		   a->tensor == b->tensor && a->bytes == b->bytes && a->source == b->source &&
		   a->map.address == b->map.address &&
		   memcmp(a->coordinates, b->coordinates, sizeof a->coordinates) == 0;
}

static const struct exec_instruction *issuer_of_bulk(const struct exec_span *span,
													 const struct bulk *self)
{
	const struct exec_bulk *bulk = span->block->cluster->bulk;
	for (uint32_t k = 0; bulk != NULL && k < bulk->count; k++) {
		const struct bulk *entry = &bulk->entries[k];
		if (entry != self && entry->block == span->block && copies_kind(entry) == span->kind &&
			entry->shared < span->offset + span->bytes &&
			span->offset < entry->shared + entry->bytes &&
			!(self != NULL && loads_alike(self, entry)))
			return entry->in;
	}
	return NULL;
}

const struct exec_layout *copies_layout(const struct exec_block *block, uint64_t offset)
{
	const uint32_t kept = block->layout_count < EXEC_LAYOUTS ? block->layout_count : EXEC_LAYOUTS;
	for (uint32_t back = 1; back <= kept; back++) {
		const struct exec_layout *layout =
			&block->layouts[(block->layout_count - back) % EXEC_LAYOUTS];
		if (offset >= layout->offset && offset - layout->offset < layout->bytes)
			return layout;
	}
	return NULL;
}

void copies_laid(const struct bulk *load)
{
	struct exec_block *block = load->block;
	const struct exec_layout layout = {(uint32_t)load->shared, (uint32_t)load->bytes,
									   load->map.swizzle, exec_pc(load->warp, load->in)};
	const struct exec_layout *last = copies_layout(block, load->shared);
	if (last == NULL || memcmp(last, &layout, sizeof layout) != 0)
		block->layouts[block->layout_count++ % EXEC_LAYOUTS] = layout;
}

/* ---- both ------------------------------------------------------------------------ */

const struct exec_instruction *copies_issuer(const struct exec_span *span, const struct copy *copy,
											 const struct bulk *bulk)
{
	const struct exec_instruction *issuer = issuer_of_bulk(span, bulk);
	return issuer != NULL ? issuer : issuer_of_copy(span, copy);
}

void copies_undefine(struct exec_block *block, uint64_t offset, const uint8_t *from, size_t bytes)
{
	const uint64_t address = (uint64_t)(uintptr_t)from;
	const struct allocation *allocation = memory_find(address);
	for (size_t i = 0; allocation != NULL && i < bytes; i++)
		if (!memory_is_written(allocation, address + i, 1) &&
			block->shared_written[offset + i] == EXEC_SHARED_READABLE)
			block->shared_written[offset + i] = EXEC_SHARED_UNDEFINED;
}
