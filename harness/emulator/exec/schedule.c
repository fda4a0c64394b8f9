/* Divergence and barriers. The lanes of a warp form groups of equal program
 * counter; the lowest ready one runs, and groups merge wherever they meet. */
#include "emulator/exec/schedule.h"

#include <string.h>

#include "emulator/exec/fault.h"
#include "emulator/exec/race.h"
#include "emulator/exec/sub.h"
#include "emulator/exec/uneven.h"
#include "emulator/exec/worker.h"

static bool mergeable(const struct exec_group *group)
{
	return group->wait == EXEC_READY || exec_waits_for_lanes(group->wait);
}

static void add_group(struct warp *warp, uint32_t pc, uint32_t mask, uint32_t wait)
{
	struct exec_group added = {pc, mask, wait};
	for (uint32_t i = 0; i < warp->group_count; i++) {
		struct exec_group *group = &warp->groups[i];
		if (group->pc != pc || !mergeable(group) || !mergeable(&added))
			continue;
		group->mask |= mask;
		group->wait = EXEC_READY; /* more lanes came: look again */
		return;
	}
	warp->groups[warp->group_count++] = added;
}

void exec_park(struct warp *warp, uint32_t pc, uint32_t mask, uint32_t wait)
{
	warp->active &= ~mask;
	add_group(warp, pc, mask, wait);
}

/* PTX ISA 9.7.14.5, 9.7.15.7 and others: .sync waits until all threads in the warp execute the
 * same instruction, .aligned says that all of them do. */
enum exec_status exec_whole_warp(struct warp *warp, const struct exec_instruction *in,
								 uint32_t mask)
{
	if (mask == EXEC_FULL) {
		if (warp->block->race != NULL)
			exec_race_meet(warp);
		return EXEC_NEXT;
	}
	uint32_t off = warp->active & ~mask, gone = ~warp->live;
	if (off || gone) {
		bool first = warp->worker->fault.kind == FAULT_NONE;
		enum exec_status status =
			exec_fail_undefined(warp, in, __builtin_ctz(mask), FAULT_BARRIER, 0,
								"is executed by %d lanes of a warp, where all 32 must: lane %d %s",
								__builtin_popcount(mask), __builtin_ctz(off ? off : gone),
								off                                       ? "is predicated off"
								: warp->exists >> __builtin_ctz(gone) & 1 ? "has exited"
																		  : "does not exist");
		if (first && status != EXEC_NEXT)
			warp->worker->fault.advice = "let all lanes of the warp reach it together: no return, "
										 "break or if around it that not all of them take";
		return status;
	}
	warp->pc = exec_pc(warp, in) + 1;
	exec_park(warp, exec_pc(warp, in), mask, EXEC_WAIT_SYNC);
	return EXEC_JUMP;
}

/* __syncwarp() at different places of one warp: all together are enough. */
static void release_warpsync(struct warp *warp)
{
	uint32_t arrived = 0;
	for (uint32_t i = 0; i < warp->group_count; i++)
		if (warp->groups[i].wait == EXEC_WAIT_WARPSYNC)
			arrived |= warp->groups[i].mask;
	if (arrived == 0 || arrived != warp->live)
		return;
	if (warp->block->race != NULL)
		exec_race_meet(warp);
	for (uint32_t i = 0; i < warp->group_count; i++) {
		warp->groups[i].wait = EXEC_READY;
		warp->groups[i].pc++;
	}
}

/* The lowest, or when it is time for fairness, each in turn. */
static int pick(struct warp *warp)
{
	int best = -1;
	uint32_t skip = warp->turn ? warp->turns++ % warp->group_count : 0;
	for (uint32_t k = 0; k < warp->group_count; k++) {
		uint32_t i = (k + skip) % warp->group_count;
		if (warp->groups[i].wait != EXEC_READY)
			continue;
		if (warp->turn)
			return (int)i;
		if (best < 0 || warp->groups[i].pc < warp->groups[best].pc)
			best = (int)i;
	}
	return best;
}

bool exec_choose(struct warp *warp)
{
	if (warp->active)
		add_group(warp, warp->pc, warp->active, EXEC_READY);
	warp->active = 0;
	if (warp->group_count == 0)
		return false;
	int best = pick(warp);
	if (best < 0) {
		release_warpsync(warp);
		best = pick(warp);
	}
	warp->turn = false;
	if (best < 0)
		return false;
	warp->pc = warp->groups[best].pc;
	warp->active = warp->groups[best].mask;
	warp->groups[best] = warp->groups[--warp->group_count];
	warp->limit = UINT32_MAX;
	for (uint32_t i = 0; i < warp->group_count; i++)
		if (mergeable(&warp->groups[i]) && warp->groups[i].pc > warp->pc &&
			warp->groups[i].pc < warp->limit)
			warp->limit = warp->groups[i].pc;
	return true;
}

/* ------------------------------------------------------------------------
 * Barriers of a block */

static void finish_reduction(struct warp *warp, const struct exec_group *group,
							 const struct exec_barrier *barrier)
{
	const struct exec_instruction *in = &warp->worker->launch->program->code[group->pc - 1];
	if (in->sub == BAR_PLAIN || in->flags & EXEC_FLAG_VOLATILE)
		return;
	if (in->sub == BAR_POPC) {
		uint32_t *d = (uint32_t *)(warp->base[0] + in->d);
		for (int i = 0; i < EXEC_LANES; i++)
			if (group->mask >> i & 1)
				d[i] = barrier->count;
		return;
	}
	uint32_t value = (in->sub == BAR_AND ? barrier->all : barrier->any) ? EXEC_FULL : 0;
	warp->predicates[in->d] = (warp->predicates[in->d] & ~group->mask) | (value & group->mask);
}

static void release(struct exec_block *block, uint32_t number)
{
	struct exec_barrier *barrier = &block->barriers[number];
	uint32_t behind = 0, other = 0;
	for (uint32_t i = 0; i < block->warp_count; i++) {
		struct warp *warp = &block->warps[i];
		for (uint32_t k = 0; k < warp->group_count; k++) {
			struct exec_group *group = &warp->groups[k];
			if (group->wait != EXEC_WAIT_BARRIER + number)
				continue;
			other = behind == 0 || behind != group->pc ? group->pc : other;
			behind = behind == 0 ? group->pc : behind;
			finish_reduction(warp, group, barrier);
			exec_race_acquire(block, warp, EXEC_FULL, EXEC_RACE_BARRIER, number);
			if (!barrier->expected) /* it also waited for those that exited */
				exec_race_acquire(block, warp, EXEC_FULL, EXEC_RACE_EXIT, 0);
			group->wait = EXEC_READY;
		}
	}
	if (!barrier->expected && (behind != other || block->live < block->threads))
		exec_uneven_note(block, behind, other);
	*barrier = (struct exec_barrier){.all = 1};
	block->inits_fenced = block->init_count;
	exec_race_reset(block, number);
}

static void recheck(struct exec_block *block, uint32_t number)
{
	struct exec_barrier *barrier = &block->barriers[number];
	uint32_t expected = barrier->expected ? barrier->expected : block->live;
	if (barrier->arrived > 0 && barrier->arrived >= expected)
		release(block, number);
}

void exec_barriers_recheck(struct exec_block *block)
{
	for (uint32_t i = 0; i < EXEC_BARRIERS; i++)
		recheck(block, i);
}

/* PTX ISA 9.7.13.1: a warp has arrived when its non-exited threads have. Lanes that exited or
 * never were count with them where threads are counted. */
static uint32_t missing_lanes(const struct warp *warp)
{
	return EXEC_LANES - (uint32_t)__builtin_popcount(warp->live);
}

static uint32_t waiting_at(const struct warp *warp, uint32_t number)
{
	uint32_t lanes = 0;
	for (uint32_t i = 0; i < warp->group_count; i++)
		if (warp->groups[i].wait == EXEC_WAIT_BARRIER + number)
			lanes |= warp->groups[i].mask;
	return lanes;
}

/* The last lane that had not arrived at the barriers where all others wait is gone. */
static void arrive_without(struct warp *warp)
{
	for (uint32_t number = 0; warp->live && number < EXEC_BARRIERS; number++)
		if (warp->block->barriers[number].expected && waiting_at(warp, number) == warp->live)
			warp->block->barriers[number].arrived += missing_lanes(warp);
}

/* in->a: number; in->b: threads, or -1; in->flags VOLATILE: arrive without
 * waiting; in->sub: enum sub_bar, of predicate c into d. */
enum exec_status exec_barrier_arrive(struct warp *warp, const struct exec_instruction *in,
									 uint32_t mask)
{
	struct exec_block *block = warp->block;
	int lane = __builtin_ctz(mask);
	uint32_t number = ((const uint32_t *)(warp->base[in->a & 1] + in->a))[lane];
	uint32_t expected = 0;
	if (in->b >= 0)
		expected = ((const uint32_t *)(warp->base[in->b & 1] + in->b))[lane];
	if (number >= EXEC_BARRIERS)
		return exec_fail(warp, in, lane, FAULT_BARRIER, 0, "barrier %u does not exist", number);
	if (in->b >= 0 && (expected == 0 || expected % 32 != 0))
		return exec_fail(warp, in, lane, FAULT_BARRIER, 0,
						 "barrier %u expects %u threads, not a positive multiple of 32", number,
						 expected);
	if (warp->group_count && exec_uneven_lanes(warp, in, mask) != EXEC_NEXT)
		return EXEC_FAULT;
	struct exec_barrier *barrier = &block->barriers[number];
	if (barrier->arrived && barrier->expected != expected)
		return exec_fail(warp, in, lane, FAULT_BARRIER, 0,
						 "barrier %u is reached with %u threads expected, after %u were", number,
						 expected, barrier->expected);
	barrier->expected = expected;
	exec_race_release(block, warp, mask, EXEC_RACE_BARRIER, number);
	barrier->arrived += (uint32_t)__builtin_popcount(mask);
	if (expected && (waiting_at(warp, number) | mask) == warp->live)
		barrier->arrived += missing_lanes(warp);
	if (in->sub != BAR_PLAIN) {
		uint32_t p = warp->predicates[in->c] ^ (in->flags & EXEC_FLAG_NEGATED_C ? EXEC_FULL : 0);
		barrier->count += (uint32_t)__builtin_popcount(p & mask);
		barrier->all &= (p & mask) == mask;
		barrier->any |= (p & mask) != 0;
	}
	warp->pc = exec_pc(warp, in) + 1;
	if (!(in->flags & EXEC_FLAG_VOLATILE))
		exec_park(warp, warp->pc, mask, EXEC_WAIT_BARRIER + number);
	recheck(block, number);
	return EXEC_JUMP;
}

void exec_registers_recheck(struct exec_block *block)
{
	const struct exec_instruction *code = block->warps[0].worker->launch->program->code;
	for (uint32_t i = 0; i < block->warp_count; i++) {
		struct warp *warp = &block->warps[i];
		for (uint32_t k = 0; k < warp->group_count; k++) {
			struct exec_group *group = &warp->groups[k];
			if (group->wait != EXEC_WAIT_REGISTERS)
				continue;
			uint32_t wanted = (uint32_t)code[group->pc - 1].imm, more = wanted - warp->registers;
			if (more > block->registers_free)
				continue;
			block->registers_free -= more;
			warp->registers = wanted;
			group->wait = EXEC_READY;
		}
	}
}

/* ------------------------------------------------------------------------
 * The barrier of a cluster: arrive and wait are apart. in->sub: enum
 * sub_cluster. A lane that waits goes on once the phase it arrived in is over. in->flags
 * VOLATILE: arrive.relaxed, which orders no memory (PTX ISA 9.7.13.3). */

static void cluster_acquire(struct warp *warp)
{
	exec_race_acquire(warp->block, warp, EXEC_FULL, EXEC_RACE_CLUSTER, 0);
	exec_race_acquire(warp->block, warp, EXEC_FULL, EXEC_RACE_EXIT, 0);
}

static void cluster_recheck(struct exec_cluster *cluster)
{
	if (cluster->live == 0 || cluster->arrived < cluster->live)
		return;
	cluster->arrived = 0;
	cluster->generation++;
	for (uint32_t b = 0; b < cluster->count; b++)
		for (uint32_t i = 0; i < cluster->blocks[b].warp_count; i++) {
			struct warp *warp = &cluster->blocks[b].warps[i];
			warp->cluster_arrived = 0;
			for (uint32_t k = 0; k < warp->group_count; k++)
				if (warp->groups[k].wait == EXEC_WAIT_CLUSTER) {
					cluster_acquire(warp);
					warp->groups[k].wait = EXEC_READY;
				}
		}
}

enum exec_status exec_cluster_arrive(struct warp *warp, const struct exec_instruction *in,
									 uint32_t mask)
{
	struct exec_cluster *cluster = warp->block->cluster;
	warp->pc = exec_pc(warp, in) + 1;
	if (in->sub & CLUSTER_ARRIVE) {
		if (warp->cluster_arrived & mask)
			return exec_fail(warp, in, __builtin_ctz(warp->cluster_arrived & mask), FAULT_BARRIER,
							 0, "arrives twice at the cluster's barrier without waiting");
		warp->cluster_arrived |= mask;
		exec_race_release(warp->block, warp, mask, EXEC_RACE_CLUSTER, 0);
		cluster->arrived += (uint32_t)__builtin_popcount(mask);
		if (!(in->flags & EXEC_FLAG_VOLATILE))
			warp->block->inits_fenced = warp->block->init_count;
	}
	/* lanes that arrived and whose phase is not over */
	if (in->sub & CLUSTER_WAIT)
		cluster_acquire(warp);
	if (in->sub & CLUSTER_WAIT && warp->cluster_arrived & mask)
		exec_park(warp, warp->pc, mask, EXEC_WAIT_CLUSTER);
	cluster_recheck(cluster);
	return EXEC_JUMP;
}

void exec_exit(struct warp *warp, uint32_t mask)
{
	struct exec_block *block = warp->block;
	uint32_t lanes = (uint32_t)__builtin_popcount(mask);
	warp->active &= ~mask;
	warp->live &= ~mask;
	block->live -= lanes;
	block->cluster->live -= lanes;
	if (warp->cluster_arrived & mask) {
		block->cluster->arrived -= (uint32_t)__builtin_popcount(warp->cluster_arrived & mask);
		warp->cluster_arrived &= ~mask;
	}
	/* whoever waited for these lanes need not any more */
	for (uint32_t i = 0; i < warp->group_count; i++)
		if (exec_waits_for_lanes(warp->groups[i].wait))
			warp->groups[i].wait = EXEC_READY;
	arrive_without(warp);
	exec_race_release(block, warp, EXEC_FULL, EXEC_RACE_EXIT, 0);
	exec_barriers_recheck(block);
	cluster_recheck(block->cluster);
}
