/* Races in shared memory between the warps of a block: two accesses to a byte, at
 * least one of them a write, that nothing orders.
 *
 * Each warp has a vector clock, one entry per warp of the block: the latest step of that warp that
 * is known to lie before its own, for all of its lanes, and a later one for some. Barriers and
 * mbarriers carry clocks from those who arrive to those who wait. A lane that arrives speaks for
 * itself, and for what its warp did before its lanes last met (__syncwarp(), or another .sync
 * instruction); and what some lanes wait for the others know when they next meet. For every byte
 * the last write and each warp's last reads are kept, as steps of their warps, and where they
 * stand. Most words of four bytes are only accessed as a whole: their first byte stands for all.
 *
 * Two stores of the same value to a byte are no error, whichever is the last: what was there before
 * the second is kept until the next access of the block, which comes after the store was carried
 * out, and compared then. The kernel's first such is told.
 *
 * Lanes of one warp are checked against each other, too: between the instructions at which they
 * meet they need not run in step. Stores of several lanes by one instruction are not.
 *
 * A volatile access orders nothing. A loop that does nothing but to look at a volatile place until
 * it changes is no race, whatever it finds. Atomics and ordered accesses are not checked, nor are
 * accesses from other blocks of a cluster. What orders global memory (exec/race_global.c) is
 * carried along. */
#include "emulator/exec/race.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/fault.h"
#include "emulator/exec/race_clock.h"
#include "emulator/exec/race_code.h"
#include "emulator/exec/undefined.h"
#include "emulator/exec/uneven.h"
#include "emulator/exec/worker.h"

#define DOUBLES 1024 /* bytes that one instruction of a warp stores: 32 lanes of 32 */

struct written {
	struct race_seen seen;
	uint32_t readers; /* warps that read since then: what `reads` has of others is out of date */
	uint8_t warp;
	bool split; /* of a word's first byte: the others have their own; else it stands for them */
};

#define WORD 4u

struct point { /* an mbarrier */
	uint64_t offset;
	struct clock clock;
	struct vector_clock_orders orders;
};

/* A byte that another warp has stored to, too, and what it stored there. */
struct doubled {
	uint64_t at;
	int lane;
	uint8_t value;
	uint8_t warp;
	struct race_seen other;
};

/* Those of the store that is being carried out. */
struct doubles {
	struct warp *warp;
	const struct exec_instruction *in;
	uint32_t count;
	struct doubled bytes[DOUBLES];
};

struct exec_race {
	struct doubles doubles;
	struct clock clocks[RACE_WARPS];
	/* The steps of a warp that come before what any of its lanes does next: those before they last
	 * met, and what all of them waited for. */
	struct known met[RACE_WARPS];
	struct clock barriers[EXEC_BARRIERS];
	struct clock cluster, exited;
	/* What some lanes of a warp have waited for since its lanes last met, and which. */
	struct clock taken[RACE_WARPS];
	uint32_t takers[RACE_WARPS];
	uint32_t number; /* of the block, among those of all launches */
	/* What warps know of other blocks, and what carries that. The barrier of a cluster's is the
	 * first block's. */
	struct vector_clock_orders warp_orders[RACE_WARPS], barrier_orders[EXEC_BARRIERS];
	struct vector_clock_orders cluster_orders, exited_orders;
	struct point *points;
	uint32_t point_count, point_capacity;
	struct written *writes;  /* of each byte */
	struct race_seen *reads; /* of each byte, by each warp */
	size_t bytes;
	uint32_t warps;
	uint32_t before; /* no step of this block is below it, and none of earlier ones above: what they
						left in the two tables, of which most is never touched, may stay there */
};

#define BEFORE_MOST (UINT32_MAX / 2)

/* Moves `before` past the steps of the last block. */
static void forget(struct exec_race *race)
{
	for (uint32_t i = 0; i < race->warps; i++)
		if (race->clocks[i].all[i] > race->before)
			race->before = race->clocks[i].all[i];
	if (race->before < BEFORE_MOST)
		return;
	memset(race->writes, 0, (race->bytes + WORD) * sizeof *race->writes);
	memset(race->reads, 0, (race->bytes + WORD) * race->warps * sizeof *race->reads);
	race->before = 0;
}

static void clear_orders(struct exec_race *race)
{
	for (int i = 0; i < RACE_WARPS; i++)
		vector_clock_orders_clear(&race->warp_orders[i]);
	for (int i = 0; i < EXEC_BARRIERS; i++)
		vector_clock_orders_clear(&race->barrier_orders[i]);
	vector_clock_orders_clear(&race->cluster_orders);
	vector_clock_orders_clear(&race->exited_orders);
	for (uint32_t i = 0; i < race->point_count; i++)
		vector_clock_orders_clear(&race->points[i].orders);
	race->point_count = 0;
}

/* By its place in the grid, so that it is the same whoever runs it. */
static uint32_t number_of(const struct exec_block *block)
{
	const struct exec_launch *launch = block->warps[0].worker->launch;
	const uint32_t *grid = launch->launch->grid, *id = block->id;
	return launch->operation.first + id[0] + grid[0] * (id[1] + grid[1] * id[2]);
}

uint32_t exec_race_number(const struct exec_block *block)
{
	return block->race->number;
}

struct vector_clock_orders *exec_race_orders(const struct warp *warp)
{
	return &warp->block->race->warp_orders[warp->index];
}

uint32_t *exec_race_steps(const struct warp *warp)
{
	return warp->block->race->clocks[warp->index].all;
}

bool exec_race_start(struct exec_block *block)
{
	struct exec_race *race = block->race;
	if (race == NULL) {
		race = block->race = calloc(1, sizeof *race);
		if (race == NULL)
			return false;
		race->bytes = block->shared_bytes;
		race->warps = block->warp_count;
		race->writes = calloc(race->bytes + WORD, sizeof *race->writes);
		race->reads = calloc((race->bytes + WORD) * race->warps, sizeof *race->reads);
		if (race->writes == NULL || race->reads == NULL)
			return false;
	}
	forget(race);
	clear_orders(race);
	race->number = number_of(block);
	memset(race->barriers, 0, sizeof race->barriers);
	memset(&race->cluster, 0, sizeof race->cluster);
	memset(&race->exited, 0, sizeof race->exited);
	memset(race->takers, 0, sizeof race->takers);
	race->doubles.count = 0;
	for (uint32_t i = 0; i < RACE_WARPS; i++) {
		race->clocks[i] = (struct clock){.all = {0}};
		race->met[i] = (struct known){.all = race->before};
		for (uint32_t k = 0; k < RACE_WARPS; k++)
			race->clocks[i].all[k] = race->before;
		race->clocks[i].all[i]++;
	}
	return true;
}

void exec_race_free(struct exec_block *block)
{
	if (block->race != NULL) {
		clear_orders(block->race);
		free(block->race->points);
		free(block->race->writes);
		free(block->race->reads);
	}
	free(block->race);
	block->race = NULL;
}

/* The lanes whose part does not come before what this lane of the warp does: others, in its own
 * warp. */
static uint32_t unordered(const struct exec_race *race, uint32_t warp, int lane, uint32_t other,
						  const struct race_seen *seen)
{
	const struct known known =
		other == warp ? race->met[warp] : clock_of_warp(&race->clocks[warp], other);
	uint32_t lanes = known_lacks(known, seen);
	if (lanes && race->takers[warp] >> lane & 1)
		lanes &= known_lacks(clock_of_warp(&race->taken[warp], other), seen);
	return other == warp ? lanes & ~(1u << lane) : lanes;
}

#define ADVICE_LANES                                                                               \
	"a thread that arrives speaks for itself alone: __syncwarp() before one arrives for its warp"

#define ADVICE_WAITS                                                                               \
	"a thread that waits at an mbarrier waits for itself alone: let all lanes wait, or "           \
	"__syncwarp() after one has waited for its warp"

static enum exec_status report(struct warp *warp, const struct exec_instruction *in, int lane,
							   uint64_t offset, const char *verb, uint32_t other_warp,
							   const char *other_verb, const struct race_seen *other)
{
	const struct exec_instruction *there = &warp->worker->launch->program->code[other->pc];
	const struct exec_race *race = warp->block->race;
	const struct known own = clock_of_warp(&race->clocks[warp->index], other_warp);
	const bool by_lanes = other->clock <= own.some;
	char place[EXEC_PLACE], which[32] = "";
	if (other_warp == warp->index)
		return race_report_lanes(warp, in, lane, offset, verb, other_verb, other);
	if (by_lanes)
		snprintf(which, sizeof which, "lane %d of ", __builtin_ctz(known_lacks(own, other)));
	exec_fail(warp, in, lane, FAULT_RACE, offset,
			  "%s shared memory at offset %llu, which %swarp %u %s (%s) without a barrier between",
			  verb, (unsigned long long)offset, which, other_warp, other_verb,
			  exec_place(warp, there, place));
	if (by_lanes)
		warp->worker->fault.advice = ADVICE_LANES;
	else if (race->takers[warp->index] &&
			 !known_lacks(clock_of_warp(&race->taken[warp->index], other_warp), other))
		warp->worker->fault.advice = ADVICE_WAITS;
	else if (warp->block->init_count)
		warp->worker->fault.advice = ADVICE_PHASES;
	else
		exec_uneven_explain(warp);
	return EXEC_FAULT;
}

void exec_race_tell(const struct warp *warp)
{
	warp->worker->launch->say(warp->worker->fault.text);
	warp->worker->fault = (struct fault){.kind = FAULT_NONE};
}

/* Says once what is no error: a fault's text, which is none. */
static void tell(const struct doubles *doubles)
{
	struct exec_worker *worker = doubles->warp->worker;
	struct exec_launch *launch = worker->launch;
	const struct doubled *first = &doubles->bytes[0];
	char place[EXEC_PLACE];
	if (launch->say == NULL || worker->fault.kind != FAULT_NONE ||
		__atomic_exchange_n(&launch->program->doubles_told, true, __ATOMIC_RELAXED))
		return;
	exec_fail(doubles->warp, doubles->in, first->lane, FAULT_RACE, first->at,
			  "note: stores to shared memory at offset %llu the value that warp %u stores there "
			  "(%s), and "
			  "nothing orders the two: no error, as the result is the same",
			  (unsigned long long)first->at, first->warp,
			  exec_place(doubles->warp, &launch->program->code[first->other.pc], place));
	exec_race_tell(doubles->warp);
}

/* The store has been carried out. */
static enum exec_status settle(struct exec_block *block)
{
	struct doubles *doubles = &block->race->doubles;
	const uint32_t count = doubles->count;
	doubles->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct doubled *byte = &doubles->bytes[i];
		if (block->shared[byte->at] != byte->value)
			return report(doubles->warp, doubles->in, byte->lane, byte->at, "writes", byte->warp,
						  "writes", &byte->other);
	}
	if (count)
		tell(doubles);
	return EXEC_NEXT;
}

/* Whether a store to bytes that another warp has stored to waits for their values. */
static bool add_double(struct exec_block *block, struct warp *warp,
					   const struct exec_instruction *in, int lane, uint64_t at, uint32_t bytes,
					   const struct written *last)
{
	struct doubles *doubles = &block->race->doubles;
	const int32_t kind = exec_effects(warp, in)[EFFECT_KIND];
	const bool stores =
		kind == EFFECT_STORE || kind == EFFECT_STORE_ROWS || kind == EFFECT_STORE_TILE;
	if (!stores || doubles->count + bytes > DOUBLES)
		return false;
	doubles->warp = warp;
	doubles->in = in;
	for (uint64_t end = at + bytes; at < end; at++)
		doubles->bytes[doubles->count++] =
			(struct doubled){at, lane, block->shared[at], last->warp, last->seen};
	return true;
}

/* Whether the store whose doubles are kept is still being looked at: its lanes come in order, and
 * the rows of a tile, all of one lane, as they lie. */
static bool continues(const struct doubles *doubles, const struct warp *warp,
					  const struct exec_instruction *in, int lane, uint64_t offset)
{
	const struct doubled *last = &doubles->bytes[doubles->count - 1];
	if (doubles->warp != warp || doubles->in != in)
		return false;
	return lane > last->lane || (exec_effects(warp, in)[EFFECT_KIND] == EFFECT_STORE_TILE &&
								 lane == last->lane && offset > last->at);
}

static struct clock *clock_of(struct exec_race *race, enum exec_race_point kind, uint64_t at)
{
	if (kind == EXEC_RACE_BARRIER)
		return &race->barriers[at];
	if (kind == EXEC_RACE_CLUSTER)
		return &race->cluster;
	if (kind == EXEC_RACE_EXIT)
		return &race->exited;
	for (uint32_t i = 0; i < race->point_count; i++)
		if (race->points[i].offset == at)
			return &race->points[i].clock;
	if (race->point_count == race->point_capacity) {
		uint32_t larger = race->point_capacity ? race->point_capacity * 2 : 16;
		struct point *grown = realloc(race->points, larger * sizeof *grown);
		if (grown == NULL)
			return &race->cluster; /* orders too much: finds less, claims nothing false */
		race->points = grown;
		race->point_capacity = larger;
	}
	race->points[race->point_count] = (struct point){.offset = at};
	return &race->points[race->point_count++].clock;
}

/* What carries order in global memory; at an mbarrier also from another block of the cluster. */
static struct vector_clock_orders *orders_of(struct exec_block *block, enum exec_race_point kind,
											 uint64_t at)
{
	struct exec_race *race = block->race;
	if (kind == EXEC_RACE_BARRIER)
		return &race->barrier_orders[at];
	if (kind == EXEC_RACE_EXIT)
		return &race->exited_orders;
	struct clock *clock = kind == EXEC_RACE_CLUSTER ? NULL : clock_of(race, kind, at);
	if (clock == NULL || clock == &race->cluster)
		return &block->cluster->blocks[0].race->cluster_orders;
	return &((struct point *)(void *)((char *)clock - offsetof(struct point, clock)))->orders;
}

/* Several blocks of a cluster meet there: what the warp's own did is new to the others. */
static void add_own(const struct warp *warp, struct vector_clock_orders *orders)
{
	const struct exec_race *race = warp->block->race;
	vector_clock_add(&orders->known, race->number, race->clocks[warp->index].all);
}

void exec_race_release(struct exec_block *block, const struct warp *warp, uint32_t lanes,
					   enum exec_race_point kind, uint64_t at)
{
	if (block->race == NULL)
		return;
	struct vector_clock_orders *carried = orders_of(block, kind, at);
	vector_clock_orders_join(carried, &warp->block->race->warp_orders[warp->index]);
	if (block->cluster->count > 1 && (kind == EXEC_RACE_CLUSTER || kind == EXEC_RACE_MBARRIER))
		add_own(warp, carried);
	if (warp->block != block) {
		exec_race_steps(warp)[warp->index]++;
		return;
	}
	settle(block); /* what it finds ends the turn */
	const uint32_t i = warp->index;
	struct clock *own = &block->race->clocks[i], said = *own;
	if (lanes & block->race->takers[i])
		clock_join(&said, &block->race->taken[i]);
	if (warp->live & ~lanes) {
		said.all[i] = block->race->met[i].all;
		said.some[i] = own->all[i];
		said.lanes[i] = lanes;
	}
	clock_join(clock_of(block->race, kind, at), &said);
	own->all[i]++;
}

/* Until the lanes of the warp meet, what some waited for is theirs. */
static void take(struct exec_race *race, uint32_t warp, uint32_t lanes, const struct clock *point)
{
	if (!race->takers[warp])
		race->taken[warp] = (struct clock){.all = {0}};
	race->takers[warp] |= lanes;
	clock_join(&race->taken[warp], point);
}

/* The lanes meet. */
static void know(struct exec_race *race, uint32_t warp)
{
	if (race->takers[warp])
		clock_join(&race->clocks[warp], &race->taken[warp]);
	race->takers[warp] = 0;
}

void exec_race_acquire(struct exec_block *block, const struct warp *warp, uint32_t lanes,
					   enum exec_race_point kind, uint64_t at)
{
	if (block->race == NULL)
		return;
	vector_clock_orders_join(&warp->block->race->warp_orders[warp->index],
							 orders_of(block, kind, at));
	if (warp->block != block)
		return;
	const uint32_t i = warp->index;
	const struct clock *point = clock_of(block->race, kind, at);
	struct known *met = &block->race->met[i];
	if (warp->live & ~lanes) {
		take(block->race, i, lanes, point);
		return;
	}
	know(block->race, i);
	clock_join(&block->race->clocks[i], point);
	/* what the warp's own lanes did before it is ordered for all of them, too */
	*met = known_joined(*met, clock_of_warp(point, i));
	if (!(warp->live & ~met->lanes) && met->some)
		*met = (struct known){.all = met->some};
}

void exec_race_meet(const struct warp *warp)
{
	struct exec_race *race = warp->block->race;
	know(race, warp->index);
	race->met[warp->index] = (struct known){.all = race->clocks[warp->index].all[warp->index]++};
}

void exec_race_reset(struct exec_block *block, uint32_t barrier)
{
	if (block->race == NULL)
		return;
	memset(&block->race->barriers[barrier], 0, sizeof block->race->barriers[barrier]);
	vector_clock_orders_clear(&block->race->barrier_orders[barrier]);
}

/* How many bytes from this one on are looked at as one; a word of which only a part is accessed is
 * split. */
static uint32_t unit_of(struct exec_race *race, uint64_t at, uint64_t end)
{
	const uint64_t first = at & ~(uint64_t)(WORD - 1);
	struct written *word = &race->writes[first];
	if (word->split)
		return 1;
	if (at == first && end - at >= WORD)
		return WORD;
	for (uint32_t i = 1; i < WORD; i++) {
		word[i] = *word;
		if (word->readers)
			memcpy(&race->reads[(first + i) * race->warps], &race->reads[first * race->warps],
				   race->warps * sizeof *race->reads);
	}
	word->split = true;
	return 1;
}

/* One lane's access. */
struct access {
	struct warp *warp;
	const struct exec_instruction *in;
	int lane;
	enum exec_race_kind kind;
	struct race_seen here;
};

static void note_read(struct exec_race *race, uint64_t at, const struct access *access)
{
	const uint32_t warp = access->warp->index;
	struct race_seen *own = &race->reads[at * race->warps + warp];
	uint32_t *readers = &race->writes[at].readers;
	const bool again = *readers >> warp & 1 && own->clock == access->here.clock;
	const uint32_t lanes = again ? own->lanes : 0;
	*own = access->here;
	own->lanes |= lanes;
	*readers |= 1u << warp;
}

/* Several lanes, or turns of a loop, that store to one place at one instruction. */
static bool is_same_store(const struct written *last, const struct access *access)
{
	return last->warp == access->warp->index && last->seen.clock == access->here.clock &&
		   last->seen.pc == access->here.pc;
}

/* Whether nothing orders the other access and this one. */
static bool races_with(const struct exec_race *race, const struct access *access, uint32_t other,
					   const struct race_seen *seen)
{
	const uint32_t own = access->warp->index;
	if (!unordered(race, own, access->lane, other, seen) || race_polls(access->warp, seen->pc) ||
		race_polls(access->warp, access->here.pc))
		return false;
	if (other != own)
		return true;
	/* of lanes of one warp: what each of them does for itself */
	if (access->kind != EXEC_RACE_READ && access->kind != EXEC_RACE_WRITE)
		return false;
	return !(seen->lanes >> access->lane & 1 && access->kind == EXEC_RACE_READ) &&
		   seen->pc != access->here.pc && !race_is_collective(access->warp, seen->pc) &&
		   !race_is_collective(access->warp, access->here.pc);
}

static enum exec_status check_reads(const struct exec_race *race, uint64_t at,
									const struct access *access)
{
	const struct race_seen *reads = race->reads + at * race->warps;
	uint32_t others = race->writes[at].readers;
	for (; others; others &= others - 1) {
		const uint32_t other = (uint32_t)__builtin_ctz(others);
		if (races_with(race, access, other, &reads[other]))
			return report(access->warp, access->in, access->lane, at, "writes", other, "reads",
						  &reads[other]);
	}
	return EXEC_NEXT;
}

/* Of bytes that are looked at as one. */
static enum exec_status look_at(struct exec_block *block, uint64_t at, uint32_t bytes,
								const struct access *access)
{
	const enum exec_race_kind kind = access->kind;
	const bool write = kind == EXEC_RACE_WRITE || kind == EXEC_RACE_MAKE;
	struct exec_race *race = block->race;
	struct written *last = &race->writes[at];
	struct warp *warp = access->warp;
	const bool apart = last->seen.clock && races_with(race, access, last->warp, &last->seen);
	if (apart && !(kind == EXEC_RACE_WRITE &&
				   add_double(block, warp, access->in, access->lane, at, bytes, last)))
		return report(warp, access->in, access->lane, at,
					  write                   ? "writes"
					  : kind == EXEC_RACE_USE ? "uses"
											  : "reads",
					  last->warp, "writes", &last->seen);
	if (kind == EXEC_RACE_LOOK)
		return EXEC_NEXT;
	if (!write) {
		note_read(race, at, access);
		return EXEC_NEXT;
	}
	if (check_reads(race, at, access) != EXEC_NEXT)
		return EXEC_FAULT;
	const bool again = is_same_store(last, access);
	const uint32_t lanes = again ? last->seen.lanes : 0;
	last->readers = 0;
	last->seen = access->here;
	last->seen.lanes |= lanes;
	last->warp = (uint8_t)warp->index;
	return EXEC_NEXT;
}

/* Another block's write comes in an unknown order: what was known is forgotten. */
static void overwrite(struct exec_race *race, uint64_t at)
{
	race->writes[at].readers = 0;
	race->writes[at].seen.clock = 0;
}

enum exec_status exec_race_access(struct exec_block *block, struct warp *warp,
								  const struct exec_instruction *in, int lane, uint64_t offset,
								  size_t bytes, enum exec_race_kind kind)
{
	const bool write = kind == EXEC_RACE_WRITE || kind == EXEC_RACE_MAKE;
	const bool object = kind == EXEC_RACE_MAKE || kind == EXEC_RACE_USE;
	struct exec_race *race = block->race;
	const bool ordered = in->flags & EXEC_FLAG_VOLATILE && !(in->flags & EXEC_FLAG_WEAK);
	if (race == NULL || (ordered && !object))
		return EXEC_NEXT;
	if (race->doubles.count && !continues(&race->doubles, warp, in, lane, offset) &&
		settle(block) != EXEC_NEXT)
		return EXEC_FAULT;
	const bool other_block = warp->block != block;
	if (other_block && !write)
		return EXEC_NEXT;
	const struct access access = {
		warp,
		in,
		lane,
		kind,
		{race->clocks[warp->index].all[warp->index], exec_pc(warp, in), 1u << lane}};
	const uint64_t end = offset + bytes < race->bytes ? offset + bytes : race->bytes;
	for (uint64_t at = offset; at < end;) {
		const uint32_t unit = unit_of(race, at, end);
		if (other_block)
			overwrite(race, at);
		else if (look_at(block, at, unit, &access) != EXEC_NEXT)
			return EXEC_FAULT;
		at += unit;
		if (write && at % WORD == 0 && at - offset >= WORD)
			race->writes[at - WORD].split = false; /* the four are alike again */
	}
	return EXEC_NEXT;
}
