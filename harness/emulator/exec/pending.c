/* Asynchronous copies under way, counted for each byte of shared memory: those that will write
 * it and those that read it. PTX ISA 9.7.9.25.1: until a copy has been waited for, its
 * destination must not be read, nor its source modified; and nothing orders it with another
 * write to the same bytes (9.7.9.25.3.1). */
#include "emulator/exec/pending.h"

#include <string.h>

#include "emulator/exec/copies.h"
#include "emulator/exec/fault.h"

#define MOST UINT8_MAX                /* a byte with so many stays pending until its block ends, */
#define UNCOUNTED ((uint32_t)1 << 31) /* which pending_count then has */

void exec_pending_begin(struct exec_block *block, enum exec_pending kind, uint64_t offset,
						size_t bytes)
{
	uint8_t *counts = block->pending[kind];
	if (kind == EXEC_PENDING_WRITE)
		memset(block->shared_written + offset,
			   counts != NULL ? EXEC_SHARED_PENDING : EXEC_SHARED_READABLE, bytes);
	if (counts == NULL)
		return;
	block->pending_count++;
	uint8_t most = 0;
	for (size_t i = 0; i < bytes; i++) {
		counts[offset + i] += counts[offset + i] < MOST;
		most = counts[offset + i] > most ? counts[offset + i] : most;
	}
	if (most == MOST)
		block->pending_count |= UNCOUNTED;
}

void exec_pending_end(struct exec_block *block, enum exec_pending kind, uint64_t offset,
					  size_t bytes)
{
	uint8_t *counts = block->pending[kind];
	if (counts == NULL)
		return;
	block->pending_count--;
	for (size_t i = 0; i < bytes; i++)
		counts[offset + i] -= counts[offset + i] < MOST;
	if (kind != EXEC_PENDING_WRITE)
		return;
	for (size_t i = 0; i < bytes; i++)
		if (counts[offset + i] == 0)
			block->shared_written[offset + i] = EXEC_SHARED_READABLE;
}

void exec_pending_clear(struct exec_block *block)
{
	for (int kind = 0; block->pending_count && kind < EXEC_PENDING_KINDS; kind++)
		memset(block->pending[kind], 0, block->shared_bytes);
	block->pending_count = 0;
}

static bool any(const uint8_t *counts, size_t bytes)
{
	uint8_t some = 0;
	for (size_t i = 0; i < bytes; i++)
		some |= counts[i];
	return some != 0;
}

bool exec_pending_touched(const struct exec_block *block, uint64_t offset, size_t bytes)
{
	return block->pending_count && (any(block->pending[EXEC_PENDING_WRITE] + offset, bytes) ||
									any(block->pending[EXEC_PENDING_READ] + offset, bytes));
}

enum exec_status exec_pending_write(struct warp *warp, const struct exec_instruction *in, int lane,
									struct exec_block *block, uint64_t offset, size_t bytes,
									const struct copy *copy, const struct bulk *bulk)
{
	if (!exec_pending_touched(block, offset, bytes))
		return EXEC_NEXT;
	for (int kind = 0; kind < EXEC_PENDING_KINDS; kind++) {
		const struct exec_span span = {block, (enum exec_pending)kind, offset, bytes};
		const struct exec_instruction *issuer = copies_issuer(&span, copy, bulk);
		if (issuer == NULL)
			continue;
		char place[EXEC_PLACE];
		return exec_fail_undefined(warp, in, lane, FAULT_ASYNC, offset,
								   "writes shared memory at offset %llu, which an asynchronous "
								   "copy that nothing waited for %s (%s)",
								   (unsigned long long)offset,
								   kind == EXEC_PENDING_WRITE ? "is still to write" : "still reads",
								   exec_place(warp, issuer, place));
	}
	return EXEC_NEXT;
}

enum exec_status exec_pending_read(struct warp *warp, const struct exec_instruction *in, int lane,
								   const struct exec_block *block, uint64_t offset,
								   const char *verb)
{
	const struct exec_span span = {block, EXEC_PENDING_WRITE, offset, 1};
	const struct exec_instruction *issuer = copies_issuer(&span, NULL, NULL);
	char place[EXEC_PLACE];
	return exec_fail_undefined(warp, in, lane, FAULT_ASYNC, offset,
							   "%s shared memory at offset %llu that an asynchronous copy (%s) is "
							   "still to write: a wait is missing",
							   verb, (unsigned long long)offset,
							   issuer != NULL ? exec_place(warp, issuer, place) : "one of many");
}

/* Steele's and Vigna's SplitMix64: the same for every run, whatever the threads do. */
uint32_t exec_pending_early(struct exec_cluster *cluster)
{
	uint64_t x = cluster->draws += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(x >> 32);
}
