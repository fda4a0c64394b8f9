/* Which registers of a warp hold undefined values, where these were read, and what is said when
 * one is used. */
#include "emulator/exec/undefined.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/fault.h"
#include "emulator/exec/worker.h"

#define PART_BYTES 64

struct exec_undefined *exec_undefined_open(struct warp *warp)
{
	const struct exec_program *program = warp->worker->launch->program;
	struct exec_undefined *undefined = warp->undefined;
	if (undefined)
		return undefined;
	undefined = calloc(1, sizeof *undefined);
	if (!undefined)
		return NULL;
	undefined->part_count = program->register_bytes / PART_BYTES + 1;
	undefined->parts = calloc(undefined->part_count, sizeof *undefined->parts);
	undefined->predicates = calloc(program->predicate_count, sizeof *undefined->predicates);
	warp->undefined = undefined;
	if (!undefined->parts || !undefined->predicates)
		exec_undefined_free(warp);
	return warp->undefined;
}

void exec_undefined_free(struct warp *warp)
{
	struct exec_undefined *undefined = warp->undefined;
	if (undefined) {
		free(undefined->parts);
		free(undefined->predicates);
		free(undefined->local);
	}
	free(undefined);
	warp->undefined = NULL;
}

void exec_undefined_clear(struct warp *warp)
{
	struct exec_undefined *undefined = warp->undefined;
	if (!undefined)
		return;
	const struct exec_program *program = warp->worker->launch->program;
	memset(undefined->parts, 0, undefined->part_count * sizeof *undefined->parts);
	memset(undefined->predicates, 0, program->predicate_count * sizeof *undefined->predicates);
	undefined->carry = (struct exec_lanes){0};
	free(undefined->local);
	undefined->local = NULL;
	undefined->count = 0;
	undefined->again = undefined->noted = undefined->following = false;
}

bool exec_undefined_begin(struct warp *warp)
{
	struct exec_undefined *undefined = warp->undefined;
	undefined->following = undefined->again || undefined->count || undefined->local;
	return undefined->following;
}

bool exec_undefined_again(const struct warp *warp)
{
	return warp->undefined && warp->undefined->again && warp->worker->fault.kind == FAULT_NONE;
}

static bool is_load(int32_t kind)
{
	return kind == EFFECT_LOAD || kind == EFFECT_LOAD_ROWS || kind == EFFECT_LOAD_TILE;
}

bool exec_undefined_read(struct warp *warp, const struct exec_instruction *in, int lane,
						 const struct exec_block *block, uint64_t offset)
{
	bool stored = block->shared_written[offset] == EXEC_SHARED_UNDEFINED;
	if (!is_load(exec_effects(warp, in)[EFFECT_KIND])) {
		exec_fail(warp, in, lane, FAULT_UNINITIALISED, offset,
				  "reads shared memory that %s, at offset %llu",
				  stored ? "an undefined value was stored to" : "nothing wrote",
				  (unsigned long long)offset);
		return false;
	}
	struct exec_undefined *undefined = exec_undefined_open(warp);
	if (!undefined) {
		exec_fail(warp, in, lane, FAULT_MEMORY, 0, "no host memory to follow undefined values");
		return false;
	}
	if (!undefined->following) {
		undefined->again = true;
		return false;
	}
	if (!undefined->noted)
		undefined->read = (struct exec_read){exec_pc(warp, in), (uint32_t)offset, stored};
	undefined->noted = true;
	return true;
}

void exec_lanes_set(struct exec_undefined *undefined, struct exec_lanes *part, uint32_t mask,
					uint32_t lanes, const struct exec_read *read)
{
	uint32_t now = (part->lanes & ~mask) | (lanes & mask);
	undefined->count += (now != 0);
	undefined->count -= (part->lanes != 0);
	part->lanes = now;
	if (lanes & mask)
		part->read = *read;
}

enum exec_status exec_undefined_fail(struct warp *warp, const struct exec_instruction *in,
									 uint32_t lanes, const char *what, const struct exec_read *read)
{
	const struct exec_instruction *reader = warp->worker->launch->program->code + read->pc;
	char place[EXEC_PLACE];
	return exec_fail(warp, in, __builtin_ctz(lanes), FAULT_UNINITIALISED, read->offset,
					 "%s made of shared memory that %s, read by %s, offset %u", what,
					 read->stored ? "an undefined value was stored to" : "nothing wrote",
					 exec_place(warp, reader, place), read->offset);
}
