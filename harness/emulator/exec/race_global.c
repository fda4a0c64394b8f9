/* Races in global memory between blocks, and between launches and copies: two accesses to a byte,
 * one of them a write, that nothing orders, and of which one is neither atomic nor volatile or
 * ordered (FastTrack's, with the last write of each word and two readers; exec/shadow.h).
 *
 * Within a launch order comes from one block to another by a release and an acquire at one place:
 * a relaxed or volatile write, or an atomic, publishes what its warp had before its last fence, or
 * what barriers brought it of other warps' fences; a release publishes all. An atomic or an acquire
 * takes what was published where it reads, a volatile or relaxed read once a fence follows. What a
 * block does before a barrier comes before what it does after it (exec/race.c); lanes of a warp are
 * one here. Launches are ordered as streams, events and the host do (exec/operation.h).
 *
 * Two stores of the same value are no error; the kernel's first such is told. */
#include "emulator/exec/race_global.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/fault.h"
#include "emulator/exec/kernel_name.h"
#include "emulator/exec/race.h"
#include "emulator/exec/shadow.h"
#include "emulator/exec/sub.h"
#include "emulator/exec/undefined.h"

/* ------------------------------------------------------------------------
 * What was published, by the word */

#define BUCKETS 1024

struct place {
	struct place *next;
	uint64_t address;
	struct vector_clock *past;
};

static struct {
	pthread_mutex_t lock;
	struct place *buckets[BUCKETS];
	_Atomic uint64_t count;
} published = {.lock = PTHREAD_MUTEX_INITIALIZER};

void race_global_begin(void)
{
	for (int i = 0; published.count && i < BUCKETS; i++)
		while (published.buckets[i] != NULL) {
			struct place *place = published.buckets[i];
			published.buckets[i] = place->next;
			vector_clock_set(&place->past, NULL);
			free(place);
		}
	published.count = 0;
}

static struct place *find_place(uint64_t address, bool make)
{
	struct place **bucket = &published.buckets[address / SHADOW_WORD % BUCKETS];
	struct place *place = *bucket;
	while (place != NULL && place->address != address)
		place = place->next;
	if (place != NULL || !make || (place = calloc(1, sizeof *place)) == NULL)
		return place;
	*place = (struct place){.next = *bucket, .address = address};
	*bucket = place;
	published.count++;
	return place;
}

static void publish(uint64_t address, size_t bytes, struct vector_clock *past)
{
	pthread_mutex_lock(&published.lock);
	for (uint64_t at = address; past != NULL && at < address + bytes; at += SHADOW_WORD) {
		struct place *place = find_place(at & ~(uint64_t)(SHADOW_WORD - 1), true);
		if (place != NULL)
			vector_clock_join(&place->past, past);
	}
	pthread_mutex_unlock(&published.lock);
}

static void take(struct vector_clock **into, uint64_t address, size_t bytes)
{
	pthread_mutex_lock(&published.lock);
	for (uint64_t at = address; at < address + bytes; at += SHADOW_WORD) {
		const struct place *place = find_place(at & ~(uint64_t)(SHADOW_WORD - 1), false);
		if (place != NULL)
			vector_clock_join(into, place->past);
	}
	pthread_mutex_unlock(&published.lock);
}

void race_global_seen(struct warp *warp, const struct exec_instruction *in, uint32_t mask,
					  const uint64_t addresses[EXEC_LANES], size_t bytes)
{
	struct vector_clock_orders *orders = exec_race_orders(warp);
	const bool at_once = in->flags & EXEC_FLAG_ACQUIRE;
	uint64_t last = 0;
	if (!published.count || in->flags & EXEC_FLAG_BLOCK)
		return;
	for (; mask; mask &= mask - 1) {
		const uint64_t address = addresses[__builtin_ctz(mask)];
		if (address != last)
			take(at_once ? &orders->known : &orders->found, address, bytes);
		last = address;
	}
}

/* What the warp did comes before what follows from `into`. */
static void add_own(struct warp *warp, struct vector_clock **into)
{
	uint32_t *steps = exec_race_steps(warp);
	vector_clock_add(into, exec_race_number(warp->block), steps);
	steps[warp->index]++;
}

void race_global_fence(struct warp *warp, const struct exec_instruction *in)
{
	struct vector_clock_orders *orders = exec_race_orders(warp);
	orders->waited |= in->sub == FENCE_GRID;
	if (in->sub != FENCE_GPU)
		return;
	vector_clock_join(&orders->known, orders->found);
	vector_clock_set(&orders->found, NULL);
	vector_clock_set(&orders->fenced, orders->known);
	add_own(warp, &orders->fenced);
}

/* A write that others may see in an order. */
static void release(struct warp *warp, const struct exec_instruction *in, uint64_t address,
					size_t bytes)
{
	struct vector_clock_orders *orders = exec_race_orders(warp);
	struct vector_clock *all = NULL;
	if (!(in->flags & EXEC_FLAG_RELEASE)) {
		if (orders->fenced != NULL)
			publish(address, bytes, orders->fenced);
		return;
	}
	vector_clock_set(&all, orders->known);
	add_own(warp, &all);
	publish(address, bytes, all);
	vector_clock_set(&all, NULL);
}

/* ------------------------------------------------------------------------
 * A word */

/* Who is at work. */
struct actor {
	const struct exec_operation *operation;
	struct vector_clock_orders *orders;
	struct shadow_stamp here;
	bool write;
};

struct conflict {
	struct shadow_stamp other;
	const char *verb;
	bool same; /* both store the same value */
};

/* Whether it comes after what another block did. */
static bool follows(const struct actor *actor, const struct shadow_stamp *other)
{
	if (other->block >= actor->operation->first)
		return vector_clock_has(actor->orders->known, other->block, other->warp, other->step);
	return exec_operation_follows(actor->operation, other->block, actor->orders->waited);
}

static bool unordered(const struct actor *actor, const struct shadow_stamp *other)
{
	return other->block && other->mask & actor->here.mask && other->block != actor->here.block &&
		   !(other->strong && actor->here.strong) && !follows(actor, other);
}

/* Whether the access makes what the reader did needless to know: it is the same one's, or comes
 * after it. */
static bool outlived(const struct actor *actor, const struct shadow_stamp *reader)
{
	return !reader->block || reader->block == actor->here.block || !reader->mask ||
		   follows(actor, reader);
}

static bool same_step(const struct shadow_stamp *a, const struct shadow_stamp *b)
{
	return a->block == b->block && a->step == b->step && a->warp == b->warp;
}

static void note_read(struct shadow_cell *cell, const struct actor *actor)
{
	const struct shadow_stamp *here = &actor->here;
	int k = 0;
	while (k < SHADOW_READERS && !same_step(&cell->reads[k], here) &&
		   !outlived(actor, &cell->reads[k]))
		k++;
	if (k == SHADOW_READERS)
		return;
	struct shadow_stamp *last = &cell->reads[k];
	if (same_step(last, here)) {
		last->mask |= here->mask & 0xf;
		last->strong &= here->strong;
	} else {
		*last = *here;
	}
}

static void note_write(struct shadow_cell *cell, const struct actor *actor, uint32_t value)
{
	struct shadow_stamp here = actor->here, last = cell->write;
	const uint32_t bits = (here.mask & 1 ? 0xffu : 0) | (here.mask & 2 ? 0xff00u : 0) |
						  (here.mask & 4 ? 0xff0000u : 0) | (here.mask & 8 ? 0xff000000u : 0);
	for (int k = 0; k < SHADOW_READERS; k++)
		cell->reads[k].mask &= ~here.mask & 0xf;
	if (same_step(&last, &here) && last.strong == here.strong && last.pc == here.pc) {
		here.mask |= last.mask;
		here.valued &= last.valued;
	}
	cell->value = (cell->value & ~bits) | (value & bits);
	cell->write = here;
}

static bool same_bytes(uint32_t a, uint32_t b, uint32_t mask)
{
	for (int k = 0; k < 4; k++)
		if (mask >> k & 1 && (uint8_t)(a >> 8 * k) != (uint8_t)(b >> 8 * k))
			return false;
	return true;
}

/* Whether a reader of this step, and of these bytes, is noted: no write has come since, as it would
 * have taken its bytes from the reader's, so that there is nothing to look for. */
static bool is_noted(const struct shadow_cell *cell, const struct shadow_stamp *here)
{
	for (int k = 0; k < SHADOW_READERS; k++) {
		const struct shadow_stamp *last = &cell->reads[k];
		if (same_step(last, here) && !(here->mask & ~last->mask) && last->strong <= here->strong)
			return true;
	}
	return false;
}

/* Notes the access, and looks for who races with it: true where somebody does, whom *found has.
 * `value`: the bytes of a store that has one. */
static bool touch(struct shadow_cell *cell, const struct actor *actor, uint32_t value,
				  struct conflict *found)
{
	bool races = false;
	if (!actor->write && is_noted(cell, &actor->here))
		return false;
	if (unordered(actor, &cell->write)) {
		*found = (struct conflict){cell->write, "writes", false};
		found->same = actor->write && actor->here.valued && cell->write.valued &&
					  same_bytes(value, cell->value, actor->here.mask & cell->write.mask);
		races = true;
	}
	for (int k = 0; actor->write && k < SHADOW_READERS; k++)
		if ((!races || found->same) && unordered(actor, &cell->reads[k])) {
			*found = (struct conflict){cell->reads[k], "reads", false};
			races = true;
		}
	if (actor->write)
		note_write(cell, actor, value);
	else
		note_read(cell, actor);
	return races;
}

/* ------------------------------------------------------------------------
 * Saying it */

#define ADVICE_BLOCKS                                                                              \
	"blocks of a launch run in any order, or at the same time: let each element have one writer, " \
	"use atomics alone, or order the blocks by a flag with __threadfence() before it is set and "  \
	"after it is seen"
#define ADVICE_STREAMS                                                                             \
	"put both into one stream, or an event between them (cudaEventRecord, cudaStreamWaitEvent)"
#define ADVICE_DEPENDENT                                                                           \
	"a dependent launch calls cudaGridDependencySynchronize() before it uses what the kernel "     \
	"before it does"

#define WHO 480

/* "which kernel first, block (0,0,0), writes (st.global.f32 at a.cu:7)" */
static void describe_other(const struct exec_operation *own, const struct exec_operation *other,
						   const struct conflict *conflict, char text[WHO])
{
	const struct shadow_stamp *stamp = &conflict->other;
	char kernel[KERNEL_NAME_SHOWN] = "", place[EXEC_PLACE] = "";
	if (other == NULL || other->program == NULL) {
		snprintf(text, WHO, "which %s %s", other != NULL ? other->name : "an earlier operation",
				 conflict->verb);
		return;
	}
	const uint32_t index = stamp->block - other->first, *grid = other->grid;
	kernel_name_show(other->name, kernel, sizeof kernel);
	if (stamp->pc < other->program->count)
		exec_program_place(other->program, stamp->pc, place);
	snprintf(text, WHO, "which %s%.80s%sblock (%u,%u,%u)%s %s (%s)", own == other ? "" : "kernel ",
			 own == other ? "" : kernel, own == other ? "" : ", ", index % grid[0],
			 index / grid[0] % grid[1], index / grid[0] / grid[1], own == other ? "" : ",",
			 conflict->verb, place);
}

static void describe_place(uint64_t address, char *text, size_t size)
{
	char what[MEMORY_TEXT];
	const struct allocation *at = memory_find(address);
	if (at != NULL)
		snprintf(text, size, "offset %llu of a %s", (unsigned long long)(address - at->base),
				 memory_describe(at, what));
	else
		snprintf(text, size, "0x%llx", (unsigned long long)address);
}

static const char *advice_for(const struct exec_operation *own, const struct exec_operation *other)
{
	if (own == other)
		return ADVICE_BLOCKS;
	return other != NULL && own->order.early && own->order.early == other->order.number &&
				   own->order.timeline == other->order.timeline
			   ? ADVICE_DEPENDENT
			   : ADVICE_STREAMS;
}

/* Who the other side is, seen from `own`. */
static const struct exec_operation *other_of(const struct exec_operation *own,
											 const struct conflict *conflict)
{
	return conflict->other.block >= own->first ? own : exec_operation_of(conflict->other.block);
}

static enum exec_status report(struct warp *warp, const struct exec_instruction *in, int lane,
							   uint64_t address, const struct conflict *conflict, bool write)
{
	struct exec_launch *launch = warp->worker->launch;
	const struct exec_operation *own = &launch->operation, *other = other_of(own, conflict);
	char who[WHO], where[MEMORY_TEXT + 64];
	if (conflict->same &&
		(launch->say == NULL || warp->worker->fault.kind != FAULT_NONE ||
		 __atomic_exchange_n(&launch->program->doubles_told, true, __ATOMIC_RELAXED)))
		return EXEC_NEXT;
	describe_other(own, other, conflict, who);
	describe_place(address, where, sizeof where);
	if (conflict->same) {
		exec_fail(warp, in, lane, FAULT_RACE, address,
				  "note: stores to %s the value that is stored there by another, %s, and nothing "
				  "orders the two: no error, as the result is the same",
				  where, who);
		exec_race_tell(warp);
		return EXEC_NEXT;
	}
	exec_fail(warp, in, lane, FAULT_RACE, address, "%s %s, %s: nothing orders the two",
			  write ? "writes" : "reads", where, who);
	warp->worker->fault.advice = advice_for(own, other);
	return EXEC_FAULT;
}

/* ------------------------------------------------------------------------
 * Accesses */

/* One instruction's access: of `lanes` lanes from `lane` on, `each` bytes a lane. */
struct span {
	const struct warp *warp;
	const struct exec_instruction *in;
	int lane;
	uint64_t address, end;
	size_t each;
	bool stores; /* by st: its values are known */
};

static bool is_store(const struct warp *warp, const struct exec_instruction *in, size_t bytes)
{
	return exec_effects(warp, in)[EFFECT_KIND] == EFFECT_STORE && in->size &&
		   bytes == (size_t)in->size * in->count;
}

/* The bytes of the word at `word` that the store brings. */
static uint32_t stored_value(const struct span *span, uint64_t word)
{
	const struct exec_instruction *in = span->in;
	uint8_t out[SHADOW_WORD] = {0};
	uint32_t value;
	if (in->size % SHADOW_WORD == 0 &&
		span->address % SHADOW_WORD == 0) { /* a part of one element */
		const uint64_t at = word - span->address, within = at % span->each;
		const int32_t slot = in->list[within / in->size];
		memcpy(&value,
			   span->warp->base[slot & 1] + slot +
				   (span->lane + (int)(at / span->each)) * in->reg_size + (int)(within % in->size),
			   sizeof value);
		return value;
	}
	for (uint64_t k = 0; k < SHADOW_WORD; k++) {
		if (word + k < span->address || word + k >= span->end)
			continue;
		const uint64_t at = word + k - span->address, within = at % span->each;
		const int lane = span->lane + (int)(at / span->each);
		const int32_t slot = in->list[within / in->size];
		out[k] = span->warp->base[slot & 1][slot + lane * in->reg_size + (int)(within % in->size)];
	}
	memcpy(&value, out, sizeof out);
	return value;
}

static uint32_t mask_of(uint64_t word, uint64_t address, uint64_t end)
{
	uint32_t mask = 0;
	for (uint64_t k = 0; k < SHADOW_WORD; k++)
		mask |= (uint32_t)(word + k >= address && word + k < end) << k;
	return mask;
}

/* Looks at words from *word on that have one lock, up to the first that races: true. */
static bool touch_line(const struct span *span, struct actor *actor, uint64_t *word,
					   struct conflict *found)
{
	bool races = false;
	struct shadow_cell *cell = shadow_find(*word, true);
	const uint64_t first = *word, stop = (first | (SHADOW_LINE - 1)) + 1;
	shadow_lock(first);
	for (; *word < span->end && *word < stop && !races; *word += SHADOW_WORD) {
		const bool whole = *word >= span->address && *word + SHADOW_WORD <= span->end;
		const uint32_t value = span->stores ? stored_value(span, *word) : 0;
		actor->here.mask = (whole ? 0xf : mask_of(*word, span->address, span->end)) & 0xf;
		races = cell != NULL && touch(cell + (*word - first) / SHADOW_WORD, actor, value, found);
	}
	shadow_unlock(first);
	return races;
}

enum exec_status race_global_lanes(struct warp *warp, const struct exec_instruction *in, int lane,
								   uint64_t address, size_t bytes, uint32_t lanes, bool write)
{
	const uint32_t pc = exec_pc(warp, in);
	const bool ordered = in->flags & (EXEC_FLAG_VOLATILE | EXEC_FLAG_REDUCES);
	const bool strong = ordered && !(in->flags & EXEC_FLAG_BLOCK);
	const struct span span = {warp,
							  in,
							  lane,
							  address,
							  address + bytes * lanes,
							  bytes,
							  write && !strong && is_store(warp, in, bytes)};
	struct actor actor = {
		.operation = &warp->worker->launch->operation,
		.orders = exec_race_orders(warp),
		.here = {.block = exec_race_number(warp->block),
				 .step = exec_race_steps(warp)[warp->index],
				 .pc = pc < SHADOW_PCS ? pc : SHADOW_PCS - 1,
				 .warp = warp->index & 31,
				 .strong = strong,
				 .valued = span.stores},
		.write = write,
	};
	if (!memory_reserved(address))
		return EXEC_NEXT;
	if (write && strong && in->flags & EXEC_FLAG_VOLATILE)
		release(warp, in, address, span.end - address);
	for (uint64_t word = address & ~(uint64_t)(SHADOW_WORD - 1); word < span.end;) {
		struct conflict found;
		if (!touch_line(&span, &actor, &word, &found))
			continue;
		const uint64_t at = word - SHADOW_WORD > address ? word - SHADOW_WORD : address;
		if (report(warp, in, lane + (int)((at - address) / bytes), at, &found, write) != EXEC_NEXT)
			return EXEC_FAULT;
	}
	return EXEC_NEXT;
}

enum exec_status race_global_access(struct warp *warp, const struct exec_instruction *in, int lane,
									uint64_t address, size_t bytes, bool write)
{
	return race_global_lanes(warp, in, lane, address, bytes, 1, write);
}

bool race_global_copy(const struct machine_order *order, const struct machine_copy *copy,
					  struct fault *fault)
{
	const uint64_t address = copy->address, end = address + copy->bytes;
	struct exec_operation own = {.name = copy->call, .grid = {1, 1, 1}};
	struct vector_clock_orders none = {0};
	struct actor actor = {.operation = &own, .orders = &none, .write = copy->write};
	struct conflict found;
	bool races = false;
	uint64_t word = address & ~(uint64_t)(SHADOW_WORD - 1);
	if (!memory_reserved(address) || (!copy->keep && !exec_operation_any()))
		return true;
	exec_operation_begin(&own, order);
	actor.here.block = own.first;
	actor.here.pc = SHADOW_PCS - 1;
	for (; word < end && !races; word += SHADOW_WORD) {
		struct shadow_cell *cell = shadow_find(word, copy->keep);
		actor.here.mask = mask_of(word, address, end) & 0xf;
		races = cell != NULL && touch(cell, &actor, 0, &found);
	}
	if (!races)
		return true;
	char who[WHO], where[MEMORY_TEXT + 64];
	const struct exec_operation *other = other_of(&own, &found);
	describe_other(&own, other, &found, who);
	describe_place(word - SHADOW_WORD, where, sizeof where);
	*fault = (struct fault){
		.kind = FAULT_RACE, .address = word - SHADOW_WORD, .advice = advice_for(&own, other)};
	snprintf(fault->text, sizeof fault->text, "%s: %s %s, %s: nothing orders the two", copy->call,
			 copy->write ? "writes" : "reads", where, who);
	return false;
}
