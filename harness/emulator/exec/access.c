/* One lane's access, with every check. Loads and stores (simd/resolve.h) come
 * here when their fast path does not apply. */
#include "emulator/exec/access.h"

#include <stdio.h>
#include <string.h>

#include "emulator/exec/fault.h"
#include "emulator/exec/pending.h"
#include "emulator/exec/race.h"
#include "emulator/exec/race_global.h"
#include "emulator/exec/undefined.h"
#include "emulator/exec/unfenced.h"
#include "emulator/exec/worker.h"

static bool contains(const struct exec_cached *cached, uint64_t address, uint64_t size)
{
	return cached->allocation != NULL && address >= cached->base && size <= cached->size &&
		   address - cached->base <= cached->size - size;
}

const struct exec_cached *exec_lookup(struct exec_worker *worker, uint32_t slot, uint64_t address,
									  uint64_t size)
{
	struct exec_cached *cached = &worker->cache[slot];
	if (contains(cached, address, size))
		return cached;
	for (uint32_t i = 0; i < worker->known_count; i++) {
		if (contains(&worker->known[i], address, size)) {
			*cached = worker->known[i];
			return cached;
		}
	}
	const struct allocation *allocation = memory_find(address);
	if (allocation == NULL)
		return NULL;
	struct exec_cached found = {allocation, allocation->base, allocation->size, false};
	found.written = worker->launch->check_none || allocation->written == NULL ||
					(!allocation->undefined[0] &&
					 memory_is_written(allocation, allocation->base, allocation->size));
	if (!contains(&found, address, size))
		return NULL;
	uint32_t known = sizeof worker->known / sizeof worker->known[0];
	worker->known[worker->known_count < known ? worker->known_count++ : address / 256 % known] =
		found;
	*cached = found;
	return cached;
}

/* Eight bits, which other host threads may set meanwhile. */
static uint8_t bits_at(const uint8_t *bits, uint64_t at)
{
	return __atomic_load_n(&bits[at / 8], __ATOMIC_RELAXED);
}

bool exec_written(const struct exec_cached *cached, uint64_t address, size_t bytes)
{
	if (cached->written)
		return true;
	const uint8_t *bits = cached->allocation->written;
	uint64_t at = address - cached->base, end = at + bytes;
	for (; at < end && at % 8; at++)
		if (!(bits_at(bits, at) >> (at % 8) & 1))
			return false;
	for (; at + 8 <= end; at += 8)
		if (bits_at(bits, at) != 0xff)
			return false;
	for (; at < end; at++)
		if (!(bits_at(bits, at) >> (at % 8) & 1))
			return false;
	return true;
}

/* The allocation has bytes that are not written from now on, whatever workers found before. */
static void forget_written(struct exec_worker *worker, const struct allocation *allocation)
{
	uint32_t count = worker->launch->program->cache_count + 1;
	for (uint32_t i = 0; i < count + worker->known_count; i++) {
		struct exec_cached *cached = i < count ? &worker->cache[i] : &worker->known[i - count];
		if (cached->allocation == allocation)
			cached->written = false;
	}
}

void exec_undefine(struct exec_worker *worker, uint64_t address, size_t bytes, const char *text)
{
	struct exec_launch *launch = worker->launch;
	struct allocation *allocation = (struct allocation *)memory_find(address);
	if (allocation == NULL || allocation->written == NULL)
		return;
	if (!allocation->undefined[0]) {
		pthread_mutex_lock(&launch->lock);
		snprintf(allocation->undefined, sizeof allocation->undefined, "%s", text);
		for (struct exec_worker *other = launch->workers; other != NULL; other = other->next)
			forget_written(other, allocation);
		pthread_mutex_unlock(&launch->lock);
	}
	memory_mark_undefined(allocation, address, bytes);
}

void exec_mark(const struct exec_cached *cached, uint64_t address, size_t bytes)
{
	if (cached->written)
		return;
	uint8_t *bits = cached->allocation->written;
	uint64_t at = address - cached->base, end = at + bytes;
	while (at < end) {
		uint64_t stop = (at | 7) + 1 < end ? (at | 7) + 1 : end;
		uint8_t field = (uint8_t)((0xffu >> (8 - (stop - at))) << (at % 8));
		/* neighbours may be written by other host threads */
		if ((bits_at(bits, at) & field) != field)
			__atomic_fetch_or(&bits[at / 8], field, __ATOMIC_RELAXED);
		at = stop;
	}
}

struct exec_block *exec_shared_block(struct warp *warp, uint64_t address, uint64_t *offset)
{
	struct exec_block *block = warp->block;
	uint64_t rank = address >> EXEC_SHARED_RANK_SHIFT;
	*offset = (address & ((1u << EXEC_SHARED_RANK_SHIFT) - 1)) - block->shared_base;
	if (rank == 0)
		return block;
	if (rank > block->cluster->count)
		return NULL;
	return &block->cluster->blocks[rank - 1];
}

bool exec_block_ended(struct warp *warp, const struct exec_instruction *in, int lane,
					  const struct exec_block *block)
{
	if (block == warp->block || block->live > 0)
		return false;
	exec_fail(warp, in, lane, FAULT_ADDRESS, block->rank,
			  "reaches the shared memory of block %u of the cluster, which has ended: it must wait "
			  "for the others",
			  block->rank);
	return true;
}

static bool misaligned(struct warp *warp, const struct exec_instruction *in, int lane,
					   uint64_t address, size_t bytes, size_t align)
{
	if (address % align == 0)
		return false;
	exec_fail(warp, in, lane, FAULT_ALIGNMENT, address,
			  "address 0x%llx of a %zu-byte access is not a multiple of %zu",
			  (unsigned long long)address, bytes, align);
	return true;
}

#define ADVICE_BOUNDS                                                                              \
	": look at the bounds of loops (< and not <=, and what is subtracted) and at how large the "   \
	"array is"
#define ADVICE_INDEX "an index leaves a __shared__ array" ADVICE_BOUNDS
#define ADVICE_LOCAL "an index leaves an array of the thread, below or above" ADVICE_BOUNDS
#define ADVICE_FORGOTTEN                                                                           \
	"the launch gives the extern __shared__ array no bytes: their number is the third parameter, " \
	"<<<grid, block, bytes>>>"
#define ADVICE_ELEMENTS                                                                            \
	"the third parameter of a launch counts bytes, not elements: multiply it by sizeof an "        \
	"element "                                                                                     \
	"(what is accessed would then be inside)"
#define ADVICE_FEW                                                                                 \
	"the launch gives fewer bytes of dynamic shared memory than the kernel uses, or " ADVICE_INDEX

/* What to do about an access that ends at this offset, behind the block's shared memory. */
static const char *advise_shared(const struct warp *warp, const struct exec_instruction *in,
								 uint64_t end)
{
	const struct exec_launch *launch = warp->worker->launch;
	const struct exec_program *program = launch->program;
	const uint64_t given = launch->launch->dynamic_shared_bytes;
	if (exec_shared_shifted(program))
		return ADVICE_ALIGN;
	if (!program->dynamic_shared)
		return ADVICE_INDEX;
	if (given == 0)
		return ADVICE_FORGOTTEN;
	return in->size > 1 && end <= program->dynamic_shared_offset + given * in->size
			   ? ADVICE_ELEMENTS
			   : ADVICE_FEW;
}

static __attribute__((cold)) struct exec_block *
fail_shared(struct warp *warp, const struct exec_instruction *in, int lane, uint64_t address,
			uint64_t offset, size_t bytes, const struct exec_block *block)
{
	const bool first = warp->worker->fault.kind == FAULT_NONE;
	exec_fail(warp, in, lane, FAULT_ADDRESS, address,
			  "shared address 0x%llx (offset %lld, %zu bytes) is outside the block's %zu bytes "
			  "of shared memory",
			  (unsigned long long)address, (long long)offset, bytes,
			  block != NULL ? block->shared_bytes : (size_t)0);
	if (first && block != NULL)
		warp->worker->fault.advice = advise_shared(warp, in, offset + bytes);
	return NULL;
}

struct exec_block *exec_shared_place(struct warp *warp, const struct exec_instruction *in, int lane,
									 struct exec_address at, size_t bytes, size_t align,
									 uint64_t *offset)
{
	uint64_t address = at.address;
	if (misaligned(warp, in, lane, address, bytes, align))
		return NULL;
	if (at.space == PTX_GENERIC && address >> EXEC_WINDOW_SHIFT == 1)
		address -= EXEC_WINDOW_SHARED;
	struct exec_block *block = exec_shared_block(warp, address, offset);
	if (block == NULL || *offset >= block->shared_bytes || bytes > block->shared_bytes - *offset)
		return fail_shared(warp, in, lane, address, *offset, bytes, block);
	return exec_block_ended(warp, in, lane, block) ? NULL : block;
}

static void *access_shared(struct warp *warp, const struct exec_instruction *in, int lane,
						   uint64_t address, size_t bytes, bool write)
{
	uint64_t offset;
	struct exec_block *block = exec_shared_place(
		warp, in, lane, (struct exec_address){address, PTX_SHARED}, bytes, 1, &offset);
	if (block == NULL)
		return NULL;
	if (write) {
		if (exec_pending_write(warp, in, lane, block, offset, bytes, NULL, NULL) != EXEC_NEXT)
			return NULL;
		memset(block->shared_written + offset, 0xff, bytes);
		if (block->unfenced != NULL)
			exec_unfenced_add(block, in, offset, bytes);
	} else {
		for (size_t i = 0; i < bytes; i++) {
			uint8_t known = block->shared_written[offset + i];
			if (known == EXEC_SHARED_PENDING) {
				exec_pending_read(warp, in, lane, block, offset + i, "reads");
				return NULL;
			}
			if (known != EXEC_SHARED_READABLE &&
				!exec_undefined_read(warp, in, lane, block, offset + i))
				return NULL;
		}
	}
	if (exec_race_access(block, warp, in, lane, offset, bytes,
						 write ? EXEC_RACE_WRITE : EXEC_RACE_READ) != EXEC_NEXT)
		return NULL;
	return block->shared + offset;
}

static void *access_local(struct warp *warp, const struct exec_instruction *in, int lane,
						  uint64_t address, size_t bytes)
{
	size_t size = warp->worker->launch->program->local_bytes;
	uint64_t offset = address - EXEC_LOCAL_BASE;
	if (offset >= size || bytes > size - offset) {
		exec_fail(warp, in, lane, FAULT_ADDRESS, address,
				  "local address 0x%llx is outside the thread's %zu bytes of local memory",
				  (unsigned long long)address, size);
		warp->worker->fault.advice = ADVICE_LOCAL;
		return NULL;
	}
	return warp->local + (size_t)lane * size + offset;
}

static void *access_param(struct warp *warp, const struct exec_instruction *in, int lane,
						  uint64_t address, size_t bytes, bool write)
{
	const struct exec_launch *launch = warp->worker->launch;
	size_t size = launch->program->function->parameter_bytes;
	if (write || address >= size || bytes > size - address) {
		exec_fail(warp, in, lane, FAULT_ADDRESS, address,
				  "offset %llu is outside the kernel's %zu bytes of parameters",
				  (unsigned long long)address, size);
		return NULL;
	}
	return (uint8_t *)launch->launch->parameters + address;
}

static void *access_global(struct warp *warp, const struct exec_instruction *in, int lane,
						   uint64_t address, size_t bytes, bool write)
{
	const struct exec_cached *cached = exec_lookup(warp->worker, in->cache, address, bytes);
	if (cached == NULL) {
		exec_fail_address(warp, in, lane, address, bytes, write);
		return NULL;
	}
	if (write && cached->allocation->read_only) {
		exec_fail(warp, in, lane, FAULT_ADDRESS, address, "writes to constant memory at 0x%llx",
				  (unsigned long long)address);
		return NULL;
	}
	if (warp->block->race != NULL &&
		race_global_access(warp, in, lane, address, bytes, write) != EXEC_NEXT)
		return NULL;
	if (write) {
		exec_mark(cached, address, bytes);
	} else if (!exec_written(cached, address, bytes) &&
			   !exec_undefined_read_global(warp, in, lane, cached->allocation, address)) {
		return NULL;
	}
	return (void *)(uintptr_t)address;
}

void *exec_access(struct warp *warp, const struct exec_instruction *in, int lane,
				  enum ptx_space space, uint64_t address, size_t bytes, size_t align, bool write)
{
	if (misaligned(warp, in, lane, address, bytes, align))
		return NULL;
	if (space == PTX_GENERIC) {
		uint64_t window = address >> EXEC_WINDOW_SHIFT << EXEC_WINDOW_SHIFT;
		space = window == EXEC_WINDOW_SHARED  ? PTX_SHARED
				: window == EXEC_WINDOW_LOCAL ? PTX_LOCAL
				: window == EXEC_WINDOW_PARAM ? PTX_PARAM
											  : PTX_GLOBAL;
		address -= space == PTX_GLOBAL ? 0 : window;
	}
	switch (space) {
	case PTX_SHARED: return access_shared(warp, in, lane, address, bytes, write);
	case PTX_LOCAL: return access_local(warp, in, lane, address, bytes);
	case PTX_PARAM: return access_param(warp, in, lane, address, bytes, write);
	default: return access_global(warp, in, lane, address, bytes, write);
	}
}

void *exec_access_source(struct warp *warp, const struct exec_instruction *in, int lane,
						 struct exec_address at, size_t bytes, size_t align, bool *written)
{
	bool global =
		at.space == PTX_GLOBAL || (at.space == PTX_GENERIC && !(at.address >> EXEC_WINDOW_SHIFT));
	const struct exec_cached *cached =
		global ? exec_lookup(warp->worker, in->cache, at.address, bytes) : NULL;
	*written = cached == NULL || exec_written(cached, at.address, bytes);
	if (!*written && at.address % align == 0)
		return warp->block->race != NULL &&
					   race_global_access(warp, in, lane, at.address, bytes, false) != EXEC_NEXT
				   ? NULL
				   : (void *)(uintptr_t)at.address;
	return exec_access(warp, in, lane, at.space, at.address, bytes, align, false);
}

struct exec_address exec_listed_address(const struct warp *warp, const int32_t *entry, int lane)
{
	bool wide = (entry[1] & 0xff) == 8;
	const void *at = warp->base[entry[0] & 1] + entry[0];
	uint64_t base = wide ? ((const uint64_t *)at)[lane] : ((const uint32_t *)at)[lane];
	uint64_t address = base + (uint64_t)(int64_t)entry[2];
	return (struct exec_address){wide ? address : (uint32_t)address,
								 (enum ptx_space)(entry[1] >> 8)};
}
