/* Calls of functions that have not returned yet. Functions are inlined, so that such a call is a
 * jump back to the beginning of a body that is under way: the lanes' registers, and the variables
 * of that body in local memory, are kept, and put back at its end.
 *
 * A warp has a list of such calls, the innermost last. Lanes that have diverged are in calls of
 * their own; each returns from the last one that it is in. */
#include "emulator/ops/recursion.h"

#include <stdlib.h>

#include "emulator/exec/schedule.h"
#include "emulator/exec/undefined.h"
#include "emulator/simd/lanes.h"

#define KEPT_MOST ((size_t)64 << 20) /* bytes, of a warp */
#define FRAME_LEAST 16u              /* bytes of a thread's stack, besides arguments and results */

struct recursion {
	uint32_t lanes; /* that have not returned */
	const struct exec_instruction *in;
	uint32_t used[EXEC_LANES]; /* of the thread's stack, so far */
	uint32_t carry;
	size_t bytes;
	uint8_t *kept;             /* registers, predicates, local memory, all lanes */
	struct exec_lanes *traced; /* undefined parts of registers, and predicates; NULL: none were */
};

struct exec_recursions {
	struct recursion *entries;
	uint32_t count, capacity;
	size_t bytes;
};

static void drop_last(struct exec_recursions *all)
{
	struct recursion *last = &all->entries[--all->count];
	all->bytes -= last->bytes;
	free(last->kept);
	free(last->traced);
}

void recursion_clear(struct warp *w)
{
	while (w->recursions != NULL && w->recursions->count)
		drop_last(w->recursions);
}

void recursion_free(struct warp *w)
{
	recursion_clear(w);
	if (w->recursions != NULL)
		free(w->recursions->entries);
	free(w->recursions);
	w->recursions = NULL;
}

static const struct exec_program *program_of(const struct warp *w)
{
	return w->worker->launch->program;
}

/* Local memory that is kept: the body's own, and its parameters and results. In turn, from 0 on;
 * false behind the last one. */
static bool next_span(const struct warp *w, const struct exec_instruction *in, uint32_t index,
					  size_t *offset, size_t *bytes)
{
	const struct exec_recursion *body = &program_of(w)->recursions[in->imm];
	const int32_t *copy = &in->list[3 * (index - 1)];
	if (index > (uint32_t)in->count + in->sub)
		return false;
	*offset = index == 0 ? body->local : (size_t)copy[index <= in->count ? 1 : 0];
	*bytes = index == 0 ? body->local_end - body->local : (size_t)copy[2];
	*offset -= index == 0 ? 0 : EXEC_LOCAL_BASE;
	return true;
}

static uint8_t *local_of(const struct warp *w, int lane, size_t offset)
{
	return w->local + (size_t)lane * program_of(w)->local_bytes + offset;
}

static size_t kept_bytes(const struct warp *w, const struct exec_instruction *in)
{
	const struct exec_program *program = program_of(w);
	size_t offset, bytes;
	size_t all = program->register_bytes + program->predicate_count * sizeof(uint32_t);
	for (uint32_t i = 0; next_span(w, in, i, &offset, &bytes); i++)
		all += bytes * EXEC_LANES;
	return all;
}

static void keep(struct warp *w, struct recursion *entry)
{
	const struct exec_program *program = program_of(w);
	size_t offset, bytes, predicates = program->predicate_count * sizeof(uint32_t);
	uint8_t *to = entry->kept;
	entry->carry = w->carry;
	memcpy(to, w->base[0], program->register_bytes);
	memcpy(to + program->register_bytes, w->predicates, predicates);
	to += program->register_bytes + predicates;
	for (uint32_t i = 0; next_span(w, entry->in, i, &offset, &bytes); i++)
		for (int lane = 0; lane < EXEC_LANES; lane++, to += bytes)
			memcpy(to, local_of(w, lane, offset), bytes);
	if (w->undefined == NULL)
		return;
	const size_t parts = w->undefined->part_count;
	entry->traced = malloc((parts + program->predicate_count) * sizeof *entry->traced);
	if (entry->traced == NULL)
		return;
	memcpy(entry->traced, w->undefined->parts, parts * sizeof *entry->traced);
	memcpy(entry->traced + parts, w->undefined->predicates,
		   program->predicate_count * sizeof *entry->traced);
}

static void put_back_traced(struct warp *w, const struct recursion *entry, uint32_t mask)
{
	const size_t parts = w->undefined->part_count;
	for (size_t i = 0; i < parts + program_of(w)->predicate_count; i++) {
		const struct exec_lanes none = {0},
								*old = entry->traced != NULL ? &entry->traced[i] : &none;
		exec_lanes_set(w->undefined,
					   i < parts ? &w->undefined->parts[i] : &w->undefined->predicates[i - parts],
					   mask, old->lanes, &old->read);
	}
}

static void put_back(struct warp *w, const struct recursion *entry, uint32_t mask)
{
	const struct exec_program *program = program_of(w);
	const uint8_t *from = entry->kept;
	size_t offset, bytes;
	for (size_t at = 0; at < program->register_bytes; at += EXEC_SLOT_ALIGN) {
		const size_t size = program->slot_bytes[at / EXEC_SLOT_ALIGN];
		for (uint32_t left = size ? mask : 0; left; left &= left - 1)
			memcpy(w->base[0] + at + (size_t)first_lane(left) * size,
				   from + at + (size_t)first_lane(left) * size, size);
	}
	from += program->register_bytes;
	for (uint32_t i = 0; i < program->predicate_count; i++, from += sizeof(uint32_t)) {
		uint32_t old;
		memcpy(&old, from, sizeof old);
		w->predicates[i] = (w->predicates[i] & ~mask) | (old & mask);
	}
	w->carry = (w->carry & ~mask) | (entry->carry & mask);
	for (uint32_t i = 0; next_span(w, entry->in, i, &offset, &bytes); i++)
		for (int lane = 0; lane < EXEC_LANES; lane++, from += bytes)
			if (IN_MASK(lane))
				memcpy(local_of(w, lane, offset), from, bytes);
	if (w->undefined != NULL)
		put_back_traced(w, entry, mask);
}

/* The last call that the lane is in and has not returned from, or NULL. */
static struct recursion *innermost(struct warp *w, int lane)
{
	for (uint32_t k = w->recursions != NULL ? w->recursions->count : 0; k-- > 0;)
		if (w->recursions->entries[k].lanes >> lane & 1)
			return &w->recursions->entries[k];
	return NULL;
}

/* Puts the entry at the end of the list, with what it keeps; false without memory. */
static bool add(struct warp *w, struct recursion *entry)
{
	if (w->recursions == NULL)
		w->recursions = calloc(1, sizeof *w->recursions);
	struct exec_recursions *all = w->recursions;
	if (all == NULL || all->bytes + entry->bytes > KEPT_MOST)
		return false;
	if (all->count == all->capacity) {
		const uint32_t larger = all->capacity ? all->capacity * 2 : 16;
		struct recursion *grown = realloc(all->entries, larger * sizeof *grown);
		if (grown == NULL)
			return false;
		all->entries = grown;
		all->capacity = larger;
	}
	entry->kept = malloc(entry->bytes);
	if (entry->kept == NULL)
		return false;
	keep(w, entry);
	all->bytes += entry->bytes;
	all->entries[all->count++] = *entry;
	return true;
}

/* Keeps what the lanes return to; false after a fault. */
static bool enter(struct warp *w, const struct exec_instruction *in, uint32_t mask)
{
	const size_t most = w->worker->launch->stack_bytes;
	struct recursion entry = {.lanes = mask, .in = in, .bytes = kept_bytes(w, in)};
	uint32_t frame = FRAME_LEAST;
	for (int i = 0; i < in->count + in->sub; i++)
		frame += (uint32_t)in->list[3 * i + 2];
	frame = (frame + 15) / 16 * 16;
	for (uint32_t left = mask; left; left &= left - 1) {
		const int lane = first_lane(left);
		const struct recursion *outer = innermost(w, lane);
		entry.used[lane] = (outer != NULL ? outer->used[lane] : 0) + frame;
		if (entry.used[lane] <= most)
			continue;
		exec_fail(w, in, lane, FAULT_ADDRESS, 0,
				  "calls itself too often: that takes %u bytes of stack, and a thread has %zu",
				  entry.used[lane], most);
		w->worker->fault.advice = "cudaDeviceSetLimit(cudaLimitStackSize, ...) gives it more";
		return false;
	}
	if (!add(w, &entry)) {
		exec_fail(w, in, -1, FAULT_UNSUPPORTED, 0,
				  "the emulated GPU has no memory for so deep a recursion");
		return false;
	}
	return true;
}

/* in->target: the beginning of the body; in->imm: its place among the program's recursions;
 * in->list: in->count arguments and in->sub results, each from where to where in local memory, and
 * how many bytes */
HANDLER(call_again)
{
	if (!enter(w, in, mask))
		return EXEC_FAULT;
	for (int i = 0; i < in->count; i++)
		for (uint32_t left = mask; left; left &= left - 1) {
			const int32_t *copy = &in->list[3 * i];
			const int lane = first_lane(left);
			memmove(local_of(w, lane, (size_t)copy[1] - EXEC_LOCAL_BASE),
					local_of(w, lane, (size_t)copy[0] - EXEC_LOCAL_BASE), (size_t)copy[2]);
		}
	return exec_branch(w, in, mask);
}

/* Copies what the call gives back, between local memory and `values`. */
static void move_results(struct warp *w, const struct exec_instruction *in, int lane, bool out,
						 uint8_t values[EXEC_RESULT_BYTES])
{
	const int32_t *copy = in->list + (size_t)3 * in->count;
	for (int i = 0; i < in->sub; i++, copy += 3) {
		uint8_t *local = local_of(w, lane, (size_t)copy[out ? 1 : 0] - EXEC_LOCAL_BASE);
		memcpy(out ? local : values, out ? values : local, (size_t)copy[2]);
		values += copy[2];
	}
}

static void leave(struct warp *w, const struct recursion *entry, uint32_t mask)
{
	uint8_t values[EXEC_RESULT_BYTES];
	for (uint32_t left = mask; left; left &= left - 1) {
		const int lane = first_lane(left);
		move_results(w, entry->in, lane, false, values);
		put_back(w, entry, 1u << lane);
		move_results(w, entry->in, lane, true, values);
	}
}

/* The end of the body: lanes that were called again return to where that was. in->imm: as above */
HANDLER(return_again)
{
	uint32_t rest = mask;
	w->pc = exec_pc(w, in) + 1;
	for (uint32_t k = w->recursions != NULL ? w->recursions->count : 0, left = mask;
		 k-- > 0 && left;) {
		struct recursion *entry = &w->recursions->entries[k];
		const uint32_t lanes = entry->lanes & left;
		left &= ~lanes;
		if (!lanes || entry->in->imm != in->imm)
			continue;
		leave(w, entry, lanes);
		entry->lanes &= ~lanes;
		exec_park(w, exec_pc(w, entry->in) + 1, lanes, EXEC_READY);
		rest &= ~lanes;
	}
	while (w->recursions != NULL && w->recursions->count &&
		   !w->recursions->entries[w->recursions->count - 1].lanes)
		drop_last(w->recursions);
	return rest == mask ? EXEC_NEXT : EXEC_JUMP;
}
