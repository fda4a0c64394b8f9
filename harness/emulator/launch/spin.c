/* Whether a cluster spins: its warps are run one instruction at a time, and their states are
 * compared. */
#include "emulator/launch/spin.h"

#include <string.h>

#include "emulator/exec/schedule.h"
#include "emulator/exec/undefined.h"
#include "emulator/launch/turn.h"

/* A loop is found when it has half as many instructions; first a few to get into it. */
#define STEPS 1024
#define FIRST_STEPS 8

static uint64_t mixed(uint64_t sum, uint64_t more)
{
	sum = (sum ^ more) * 0x9e3779b97f4a7c15u;
	return sum ^ sum >> 29;
}

static uint64_t sum_bytes(uint64_t sum, const void *data, size_t bytes)
{
	const uint8_t *at = data;
	for (uint64_t word = 0; bytes; bytes -= bytes < 8 ? bytes : 8, at += 8) {
		memcpy(&word, at, bytes < 8 ? bytes : 8);
		sum = mixed(sum, word);
		word = 0;
	}
	return sum;
}

/* All that decides what the warp does next, but for memory. */
static uint64_t state_of(const struct warp *warp)
{
	const struct exec_program *program = warp->worker->launch->program;
	uint64_t sum = mixed(warp->pc, (uint64_t)warp->active << 32 | warp->carry);
	sum = sum_bytes(sum, warp->base[0], program->register_bytes);
	return sum_bytes(sum, warp->predicates, program->predicate_count * sizeof(uint32_t));
}

/* Others write there meanwhile, and a sum may be of parts of two values: then it differs from what
 * is found later. What the kernel reads it reads by itself, in its order. */
static uint64_t value_at(uint64_t address, uint32_t bytes)
{
	const uint8_t *at = (const uint8_t *)(uintptr_t)address;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < bytes; i++)
		sum = mixed(sum, __atomic_load_n(&at[i], __ATOMIC_RELAXED));
	return sum;
}

static bool add_place(struct spin *spin, uint64_t address, uint32_t bytes)
{
	for (uint32_t i = 0; i < spin->count; i++)
		if (spin->places[i].address == address && spin->places[i].bytes == bytes)
			return true;
	if (spin->count == SPIN_PLACES)
		return false;
	spin->places[spin->count++] = (struct spin_place){address, value_at(address, bytes), bytes};
	return true;
}

/* The global places that a load or atomic is about to read. They have been read before: that they
 * may be is known. False: more than are kept, or an atomic elsewhere. */
static bool add_reads(struct spin *spin, struct warp *warp, const struct exec_instruction *in,
					  bool atomic)
{
	const uint8_t *at = warp->base[in->a & 1] + in->a;
	const uint32_t bytes = (uint32_t)in->size * (in->count ? in->count : 1);
	uint32_t mask = warp->active & (warp->predicates[in->guard] ^ in->guard_xor);
	if (in->space != PTX_GLOBAL && in->space != PTX_GENERIC)
		return !atomic;
	for (; mask; mask &= mask - 1) {
		int lane = __builtin_ctz(mask);
		uint64_t address = 0;
		memcpy(&address, at + lane * in->width, in->width);
		address += (uint64_t)in->imm;
		address = in->width == 8 ? address : (uint32_t)address;
		if (address >> EXEC_WINDOW_SHIFT == 0 ? memory_find(address) == NULL : atomic)
			return false;
		if (address >> EXEC_WINDOW_SHIFT == 0 && !add_place(spin, address, bytes))
			return false;
	}
	return true;
}

/* Whether the instruction leaves memory and barriers as they are, an atomic apart; what it reads is
 * added. An mbarrier that is waited for is the cluster's own, whose warps change it: one that finds
 * its phase over goes on. */
static bool is_quiet(struct spin *spin, struct warp *warp, const struct exec_instruction *in)
{
	const struct exec_program *program = warp->worker->launch->program;
	const enum ptx_opcode op = program->origins[in - program->code].instruction->op;
	if (ptx_opcode_facts[op] & PTX_UNSEEN)
		return false;
	return (op != OPCODE_LD && op != OPCODE_ATOM) || add_reads(spin, warp, in, op == OPCODE_ATOM);
}

/* The group that runs next is the only one that can. */
static bool choose_only(struct warp *warp)
{
	if ((!warp->active || warp->turn) && !exec_choose(warp))
		return false;
	for (uint32_t i = 0; i < warp->group_count; i++)
		if (warp->groups[i].wait == EXEC_READY)
			return false;
	return true;
}

/* Whether undefined values are followed whose state is in no register. */
static bool has_undefined(const struct warp *warp)
{
	const struct exec_undefined *undefined = warp->undefined;
	return undefined != NULL && (undefined->count || undefined->open_count || undefined->again);
}

static bool group_spins(struct warp *warp, struct spin *spin)
{
	const struct exec_instruction *code = warp->worker->launch->program->code;
	const uint32_t before = spin->count, live = warp->live;
	uint64_t home = 0;
	uint32_t home_pc = UINT32_MAX;
	for (uint32_t step = 0, next = FIRST_STEPS; step < STEPS; step++) {
		if (!choose_only(warp) || warp->live != live)
			return false;
		if (warp->pc == home_pc && state_of(warp) == home)
			return !spin_over(spin);
		if (step == next) {
			next *= 2;
			spin->count = before;
			home_pc = warp->pc;
			home = state_of(warp);
		}
		const struct exec_instruction *in = code + warp->pc;
		if (!is_quiet(spin, warp, in) || turn_step(warp) == EXEC_FAULT)
			return false;
		if (in->class == CLASS_MEMORY && spin_over(spin)) /* by this very atomic, or by others */
			return false;
	}
	return false;
}

/* Sets all groups but one aside that could run; which: lanes of `left`. */
static uint32_t hold_others(struct warp *warp, uint32_t left)
{
	uint32_t lanes = 0;
	for (uint32_t i = 0; i < warp->group_count; i++) {
		struct exec_group *group = &warp->groups[i];
		if (group->wait != EXEC_READY)
			continue;
		if (!lanes && group->mask & left)
			lanes = group->mask;
		else
			group->wait = EXEC_HELD;
	}
	return lanes;
}

/* By their first lanes, so that the groups' turns go round whatever was tried between them. */
static void sort_groups(struct warp *warp)
{
	for (uint32_t i = 1; i < warp->group_count; i++) {
		const struct exec_group group = warp->groups[i];
		uint32_t at = i;
		for (; at > 0 && __builtin_ctz(warp->groups[at - 1].mask) > __builtin_ctz(group.mask); at--)
			warp->groups[at] = warp->groups[at - 1];
		warp->groups[at] = group;
	}
}

static void let_go(struct warp *warp)
{
	if (warp->active)
		exec_park(warp, warp->pc, warp->active, EXEC_READY);
	for (uint32_t i = 0; i < warp->group_count; i++)
		if (warp->groups[i].wait == EXEC_HELD)
			warp->groups[i].wait = EXEC_READY;
}

/* Each group by itself: none writes what another one reads. */
static bool warp_spins(struct warp *warp, struct spin *spin)
{
	const uint32_t turns = warp->turns;
	uint32_t left = warp->live, lanes;
	bool spins = !has_undefined(warp);
	while (spins) {
		if (warp->active)
			exec_park(warp, warp->pc, warp->active, EXEC_READY);
		lanes = hold_others(warp, left);
		if (!lanes) {
			let_go(warp);
			break;
		}
		spins = group_spins(warp, spin);
		let_go(warp);
		left &= ~lanes;
	}
	sort_groups(warp);
	warp->turns = turns;
	warp->turn = true; /* another group's is next */
	return spins;
}

bool spin_proven(struct exec_worker *worker, struct spin *spin)
{
	bool any = false;
	spin->count = 0;
	for (uint32_t b = 0; b < worker->cluster.count; b++)
		for (uint32_t i = 0; i < worker->cluster.blocks[b].warp_count; i++) {
			struct warp *warp = &worker->cluster.blocks[b].warps[i];
			if (!warp->live || !turn_ready(warp))
				continue;
			any = true;
			if (!warp_spins(warp, spin))
				return false;
		}
	return any;
}

bool spin_over(const struct spin *spin)
{
	for (uint32_t i = 0; i < spin->count; i++)
		if (value_at(spin->places[i].address, spin->places[i].bytes) != spin->places[i].found)
			return true;
	return false;
}
