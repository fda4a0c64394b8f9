/* Which registers of a warp hold undefined values, where these were read, and what is said when
 * one is used. */
#include "emulator/exec/undefined.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/fault.h"
#include "emulator/exec/uneven.h"
#include "emulator/exec/worker.h"

#define PART_BYTES 64
#define ADVICE_LOCAL                                                                               \
	"the thread reads an element of an array of its own that it has not written: give the array "  \
	"initial values, or write all elements that are read, also where a tile reaches past the "     \
	"matrix"

struct exec_undefined *exec_undefined_open(struct warp *warp)
{
	const struct exec_program *program = warp->worker->launch->program;
	struct exec_undefined *undefined = warp->undefined;
	if (undefined != NULL)
		return undefined;
	undefined = calloc(1, sizeof *undefined);
	if (undefined == NULL)
		return NULL;
	undefined->part_count = program->register_bytes / PART_BYTES + 1;
	undefined->parts = calloc(undefined->part_count, sizeof *undefined->parts);
	undefined->predicates = calloc(program->predicate_count, sizeof *undefined->predicates);
	warp->undefined = undefined;
	if (undefined->parts == NULL || undefined->predicates == NULL)
		exec_undefined_free(warp);
	return warp->undefined;
}

void exec_undefined_free(struct warp *warp)
{
	struct exec_undefined *undefined = warp->undefined;
	if (undefined != NULL) {
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
	if (undefined == NULL)
		return;
	const struct exec_program *program = warp->worker->launch->program;
	memset(undefined->parts, 0, undefined->part_count * sizeof *undefined->parts);
	memset(undefined->predicates, 0, program->predicate_count * sizeof *undefined->predicates);
	undefined->carry = (struct exec_lanes){0};
	free(undefined->local);
	undefined->local = NULL;
	undefined->count = undefined->open_count = 0;
	undefined->again = undefined->noted = undefined->following = false;
}

/* What a recursive call keeps of local memory is not followed, nor is what alloca gives. */
bool exec_undefined_begin_local(struct warp *warp)
{
	const struct exec_program *program = warp->worker->launch->program;
	const size_t each = program->local_bytes;
	if (!program->stack || program->recursion_count || warp->worker->launch->check_none)
		return true;
	struct exec_undefined *undefined = exec_undefined_open(warp);
	if (undefined == NULL || (undefined->local = malloc(each * EXEC_LANES)) == NULL)
		return false;
	memset(undefined->local, EXEC_SHARED_READABLE, each * EXEC_LANES);
	for (size_t lane = 0; lane < EXEC_LANES; lane++) {
		memset(undefined->local + lane * each, EXEC_SHARED_UNWRITTEN, program->stack);
		memset(warp->local + lane * each, MEMORY_FILL, program->stack);
	}
	return true;
}

bool exec_undefined_begin(struct warp *warp)
{
	struct exec_undefined *undefined = warp->undefined;
	undefined->following =
		undefined->again || undefined->count || undefined->open_count || undefined->local != NULL;
	return undefined->following;
}

bool exec_undefined_again(const struct warp *warp)
{
	return warp->undefined != NULL && warp->undefined->again &&
		   warp->worker->fault.kind == FAULT_NONE;
}

static bool is_load(int32_t kind)
{
	return kind == EFFECT_LOAD || kind == EFFECT_LOAD_ROWS || kind == EFFECT_LOAD_TILE ||
		   kind == EFFECT_TEXTURE;
}

/* A load reads what is not defined, as exec_undefined_read() has it. */
static bool read_undefined(struct warp *warp, const struct exec_instruction *in, int lane,
						   struct exec_read read)
{
	struct exec_undefined *undefined = exec_undefined_open(warp);
	if (undefined == NULL) {
		exec_fail(warp, in, lane, FAULT_MEMORY, 0, "no host memory to follow undefined values");
		return false;
	}
	if (!undefined->following) {
		undefined->again = true;
		return false;
	}
	if (!undefined->noted)
		undefined->read = read;
	undefined->noted = true;
	undefined->noted_lanes |= 1u << lane;
	return true;
}

bool exec_undefined_read(struct warp *warp, const struct exec_instruction *in, int lane,
						 const struct exec_block *block, uint64_t offset)
{
	bool stored = block->shared_written[offset] == EXEC_SHARED_UNDEFINED;
	if (is_load(exec_effects(warp, in)[EFFECT_KIND]))
		return read_undefined(warp, in, lane,
							  (struct exec_read){exec_pc(warp, in), stored, PTX_SHARED, offset});
	exec_fail(
		warp, in, lane, FAULT_UNINITIALISED, offset, "reads shared memory that %s, at offset %llu",
		stored ? "an undefined value was stored to" : "nothing wrote", (unsigned long long)offset);
	return false;
}

bool exec_undefined_read_global(struct warp *warp, const struct exec_instruction *in, int lane,
								const struct allocation *allocation, uint64_t address)
{
	bool stored = allocation->undefined[0] != '\0';
	char what[MEMORY_TEXT];
	if (is_load(exec_effects(warp, in)[EFFECT_KIND]))
		return read_undefined(warp, in, lane,
							  (struct exec_read){exec_pc(warp, in), stored, PTX_GLOBAL, address});
	exec_fail(warp, in, lane, FAULT_UNINITIALISED, address,
			  "reads memory that %s: byte %llu of a %s",
			  stored ? "an undefined value was stored to" : "nothing wrote",
			  (unsigned long long)(address - allocation->base), memory_describe(allocation, what));
	return false;
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

void exec_lanes_set_all(struct exec_undefined *undefined, const int32_t *references, int32_t count,
						uint32_t mask, uint32_t lanes, const struct exec_read *read)
{
	for (int32_t i = 0; i < count; i++) {
		struct exec_lanes *part = exec_lanes_of(undefined, references[i]);
		for (uint32_t p = exec_lanes_parts(references[i]); p-- > 0; part++)
			if (part->lanes | lanes)
				exec_lanes_set(undefined, part, mask, lanes, read);
	}
}

const char *exec_undefined_describe(const struct warp *warp, const struct exec_read *read,
									char text[EXEC_READ_TEXT])
{
	const struct exec_instruction *reader = warp->worker->launch->program->code + read->pc;
	const struct allocation *allocation =
		read->space == PTX_GLOBAL ? memory_find(read->offset) : NULL;
	uint64_t offset = read->offset - (allocation != NULL ? allocation->base : 0);
	char place[EXEC_PLACE], what[MEMORY_TEXT];
	snprintf(text, EXEC_READ_TEXT, "%smemory that %s, read by %s, %s %llu%s%s",
			 read->space == PTX_LOCAL    ? "local "
			 : read->space == PTX_GLOBAL ? ""
										 : "shared ",
			 read->stored ? "an undefined value was stored to" : "nothing wrote",
			 exec_place(warp, reader, place), read->space == PTX_GLOBAL ? "byte" : "offset",
			 (unsigned long long)offset, allocation != NULL ? " of a " : "",
			 allocation != NULL ? memory_describe(allocation, what) : "");
	return text;
}

enum exec_status exec_undefined_fail(struct warp *warp, const struct exec_instruction *in,
									 uint32_t lanes, const char *what, const struct exec_read *read)
{
	char text[EXEC_READ_TEXT];
	exec_fail(warp, in, __builtin_ctz(lanes), FAULT_UNINITIALISED, read->offset, "%s made of %s",
			  what, exec_undefined_describe(warp, read, text));
	if (read->space == PTX_SHARED && exec_shared_shifted(warp->worker->launch->program))
		warp->worker->fault.advice = ADVICE_ALIGN;
	else if (read->space == PTX_SHARED)
		exec_uneven_explain(warp);
	else if (read->space == PTX_LOCAL)
		warp->worker->fault.advice = ADVICE_LOCAL;
	return EXEC_FAULT;
}
