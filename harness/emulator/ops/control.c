/* Control flow, barriers, communication within a warp, and what has no effect
 * here. Compiled once: nothing of this is worth another instruction set. */
#include <time.h>

#include "emulator/exec/kernel_name.h"
#include "emulator/exec/race.h"
#include "emulator/exec/schedule.h"
#include "emulator/simd/lanes.h"

HANDLER(nop)
{
	(void)w;
	(void)in;
	(void)mask;
	return EXEC_NEXT;
}

HANDLER(bra)
{
	return exec_branch(w, in, mask);
}

/* in->list: targets; in->imm: how many */
HANDLER(brx)
{
	const uint32_t *index = SOURCE(uint32_t, in->a);
	w->pc = exec_pc(w, in) + 1;
	while (mask) {
		int lane = first_lane(mask);
		uint32_t same = 0, target = index[lane];
		for (int i = 0; i < EXEC_LANES; i++)
			same |= (uint32_t)(IN_MASK(i) && index[i] == target) << i;
		if (target >= (uint64_t)in->imm)
			return exec_fail(w, in, lane, FAULT_ADDRESS, target,
							 "index %u is outside the table of %lld targets", target,
							 (long long)in->imm);
		exec_park(w, (uint32_t)in->list[target], same, EXEC_READY);
		mask &= ~same;
	}
	return EXEC_JUMP;
}

/* What lies at an address that is called and cannot be. */
static enum exec_status no_such_function(struct warp *w, const struct exec_instruction *in,
										 int lane, uint64_t address)
{
	const struct ptx_function *function = w->worker->launch->program->function->module->functions;
	char name[KERNEL_NAME_SHOWN];
	while (function != NULL && exec_function_address(function) != address)
		function = function->next;
	if (function != NULL) {
		kernel_name_show(function->name, name, sizeof name);
		return exec_fail(w, in, lane, FAULT_PC, address,
						 "calls %s, which this call cannot reach: its parameters or results are "
						 "others, or .calltargets leaves it out",
						 name);
	}
	exec_fail(w, in, lane, FAULT_PC, address, "calls 0x%llx, which is the address of no function",
			  (unsigned long long)address);
	w->worker->fault.advice =
		address ? "only the device knows addresses of its functions: take them in a kernel, or "
				  "copy them from a __device__ variable with cudaMemcpyFromSymbol"
				: "look at where the pointer should have been set";
	return EXEC_FAULT;
}

/* in->a: addresses of functions; in->list: in->imm times the lower half of such an address, and
 * where the function is. */
HANDLER(call_pointer)
{
	const uint64_t *address = SOURCE(uint64_t, in->a);
	w->pc = exec_pc(w, in) + 1;
	while (mask) {
		int lane = first_lane(mask);
		uint32_t same = 0;
		int64_t k = 0;
		for (int i = 0; i < EXEC_LANES; i++)
			same |= (uint32_t)(IN_MASK(i) && address[i] == address[lane]) << i;
		while (k < in->imm && address[lane] != EXEC_WINDOW_CODE + (uint32_t)in->list[2 * k])
			k++;
		if (k == in->imm)
			return no_such_function(w, in, lane, address[lane]);
		exec_park(w, (uint32_t)in->list[2 * k + 1], same, EXEC_READY);
		mask &= ~same;
	}
	return EXEC_JUMP;
}

HANDLER(exit)
{
	w->pc = exec_pc(w, in) + 1;
	exec_exit(w, mask);
	return EXEC_JUMP;
}

HANDLER(trap)
{
	return exec_fail(w, in, first_lane(mask), FAULT_TRAP, 0, "the kernel trapped");
}

/* in->imm: registers of a lane; in->sub: 1 for inc. PTX ISA, setmaxnreg: inc waits until the block
 * has so many that dec gave back. */
HANDLER(setmaxnreg)
{
	const uint32_t wanted = (uint32_t)in->imm, had = w->registers;
	enum exec_status status = exec_whole_warp(w, in, mask);
	if (status != EXEC_NEXT || had == 0 || (in->sub ? wanted <= had : wanted >= had))
		return status;
	if (!in->sub) {
		w->registers = wanted;
		w->block->registers_free += had - wanted;
		exec_registers_recheck(w->block);
		return EXEC_NEXT;
	}
	w->pc = exec_pc(w, in) + 1;
	exec_park(w, w->pc, mask, EXEC_WAIT_REGISTERS);
	exec_registers_recheck(w->block);
	return EXEC_JUMP;
}

HANDLER(bar)
{
	return exec_barrier_arrive(w, in, mask);
}

HANDLER(bar_cluster)
{
	return exec_cluster_arrive(w, in, mask);
}

/* Instructions that name the lanes which they are over, their members: each lane has a mask of
 * its own. PTX ISA 9.7.13 (vote.sync, match.sync, redux.sync, shfl.sync, bar.warp.sync): a thread
 * waits until all non-exited threads of its membermask are here, and the result is over these. */

/* Those of the lanes whose members are all here. The others wait at the instruction; where that
 * is all, w->pc is set. */
static uint32_t complete(struct warp *w, const struct exec_instruction *in, int32_t operand,
						 uint32_t mask, enum exec_wait wait)
{
	const uint32_t *members = SOURCE(uint32_t, operand);
	uint32_t found = mask == w->live ? mask : 0;
	for (int i = 0; mask != w->live && i < EXEC_LANES; i++)
		found |= (uint32_t)(IN_MASK(i) && !(members[i] & w->live & ~mask)) << i;
	if (found && w->block->race != NULL)
		exec_race_meet(w);
	if (found != mask) {
		w->pc = exec_pc(w, in) + 1;
		exec_park(w, exec_pc(w, in), mask & ~found, wait);
	}
	return found;
}

/* Those of the lanes that have the first one's members, and the members that are among `here`
 * (the lanes themselves, where none is: PTX leaves open what a lane outside of its mask gets). */
static uint32_t next_group(const uint32_t *members, uint32_t lanes, uint32_t here, uint32_t *over)
{
	const uint32_t wanted = members[first_lane(lanes)];
	const uint32_t group = lanes & equal_lanes(members, wanted);
	*over = wanted & here ? wanted & here : group;
	return group;
}

static void fill32(uint32_t *d, uint32_t value, uint32_t lanes)
{
	uint32_t t[EXEC_LANES];
	FOR_LANES t[i] = value;
	merge32(d, t, lanes);
}

/* `mask` went on, of `all` that came. */
static enum exec_status leave(uint32_t mask, uint32_t all)
{
	return mask == all ? EXEC_NEXT : EXEC_JUMP;
}

HANDLER(bar_warp_sync)
{
	return leave(complete(w, in, in->a, mask, EXEC_WAIT_WARPSYNC), mask);
}

/* in->sub: enum sub_shuffle; in->list[0]: members; in->e: predicate */
HANDLER(shfl)
{
	const uint32_t all = mask;
	mask = complete(w, in, in->list[0], all, EXEC_WAIT_SYNC);
	if (!mask)
		return EXEC_JUMP;
	const uint32_t *a = SOURCE(uint32_t, in->a), *b = SOURCE(uint32_t, in->b),
				   *c = SOURCE(uint32_t, in->c);
	uint32_t t[EXEC_LANES], valid = 0;
	for (int lane = 0; lane < EXEC_LANES; lane++) {
		int by = (int)(b[lane] & 31), clamp = (int)(c[lane] & 31),
			segment = (int)(c[lane] >> 8 & 31);
		int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
		int from = in->sub == SHUFFLE_UP          ? lane - by
				   : in->sub == SHUFFLE_DOWN      ? lane + by
				   : in->sub == SHUFFLE_BUTTERFLY ? lane ^ by
												  : (least | (by & ~segment));
		bool ok = in->sub == SHUFFLE_UP ? from >= most : from <= most;
		from = ok ? from : lane;
		valid |= (uint32_t)ok << lane;
		t[lane] = a[from & 31];
	}
	if (in->d >= 0)
		merge32(DEST(uint32_t, in->d), t, mask);
	if (in->e >= 0)
		w->predicates[in->e] = (w->predicates[in->e] & ~mask) | (valid & mask);
	return leave(mask, all);
}

/* in->sub: enum sub_vote; in->a: predicate, in->list[0]: members */
HANDLER(vote)
{
	const uint32_t all = mask, p = w->predicates[in->a] ^ (uint32_t)in->imm;
	const uint32_t *members = SOURCE(uint32_t, in->list[0]);
	uint32_t yes = 0;
	mask = complete(w, in, in->list[0], all, EXEC_WAIT_SYNC);
	for (uint32_t left = mask, group, over; left; left &= ~group) {
		group = next_group(members, left, all, &over);
		if (in->sub == VOTE_BALLOT) {
			fill32(DEST(uint32_t, in->d), p & over, group);
			continue;
		}
		bool some = (p & over) != 0, each = (p & over) == over;
		bool value = in->sub == VOTE_ALL ? each : in->sub == VOTE_ANY ? some : each || !some;
		yes |= value ? group : 0;
	}
	if (in->sub != VOTE_BALLOT)
		w->predicates[in->d] = (w->predicates[in->d] & ~mask) | yes;
	return leave(mask, all);
}

HANDLER(activemask)
{
	uint32_t t[EXEC_LANES];
	FOR_LANES t[i] = mask;
	merge32(DEST(uint32_t, in->d), t, mask);
	return EXEC_NEXT;
}

/* in->sub: enum sub_match (ALL with in->e the predicate); in->size: 4 or 8 */
HANDLER(match)
{
	const uint32_t all = mask;
	const uint32_t *members = SOURCE(uint32_t, in->list[0]);
	uint64_t a[EXEC_LANES];
	uint32_t t[EXEC_LANES] = {0}, same = 0;
	mask = complete(w, in, in->list[0], all, EXEC_WAIT_SYNC);
	FOR_LANES a[i] = in->size == 8 ? SOURCE(uint64_t, in->a)[i] : SOURCE(uint32_t, in->a)[i];
	for (uint32_t left = mask, group, over; left; left &= ~group) {
		group = next_group(members, left, all, &over);
		for (int i = 0; i < EXEC_LANES; i++)
			for (int k = 0; k < EXEC_LANES && group >> i & 1; k++)
				t[i] |= (uint32_t)(over >> k & 1 && a[k] == a[i]) << k;
		if (in->sub != MATCH_ALL)
			continue;
		const bool is_same = t[first_lane(group)] == over;
		same |= is_same ? group : 0;
		fill32(t, is_same ? over : 0, group);
	}
	merge32(DEST(uint32_t, in->d), t, mask);
	if (in->e >= 0)
		w->predicates[in->e] = (w->predicates[in->e] & ~mask) | same;
	return leave(mask, all);
}

/* The reduction of the lanes' numbers: enum sub_redux. */
static uint32_t reduce(const uint32_t *a, uint32_t lanes, int operation, bool is_signed)
{
	uint32_t value = a[first_lane(lanes)];
	for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {
		uint32_t next = a[first_lane(left)];
		bool less = is_signed ? (int32_t)next < (int32_t)value : next < value;
		switch (operation) {
		case REDUX_ADD: value += next; break;
		case REDUX_MIN: value = less ? next : value; break;
		case REDUX_MAX: value = less ? value : next; break;
		case REDUX_AND: value &= next; break;
		case REDUX_OR: value |= next; break;
		default: value ^= next; break;
		}
	}
	return value;
}

/* in->sub: enum sub_redux */
HANDLER(redux)
{
	const uint32_t all = mask, *members = SOURCE(uint32_t, in->list[0]);
	uint32_t t[EXEC_LANES];
	mask = complete(w, in, in->list[0], all, EXEC_WAIT_SYNC);
	for (uint32_t left = mask, group, over; left; left &= ~group) {
		group = next_group(members, left, all, &over);
		fill32(t, reduce(SOURCE(uint32_t, in->a), over, in->sub, in->flags & EXEC_FLAG_SIGNED),
			   group);
	}
	merge32(DEST(uint32_t, in->d), t, mask);
	return leave(mask, all);
}

/* d|e = elect.sync: the lowest lane of the member mask leads */
HANDLER(elect)
{
	const uint32_t all = mask, *members = SOURCE(uint32_t, in->a);
	uint32_t t[EXEC_LANES], leads = 0;
	mask = complete(w, in, in->a, all, EXEC_WAIT_SYNC);
	for (uint32_t left = mask, group, over; left; left &= ~group) {
		group = next_group(members, left, all, &over);
		fill32(t, (uint32_t)first_lane(over), group);
		leads |= 1u << first_lane(over) & group;
	}
	if (in->d >= 0)
		merge32(DEST(uint32_t, in->d), t, mask);
	if (in->e >= 0)
		w->predicates[in->e] = (w->predicates[in->e] & ~mask) | leads;
	return leave(mask, all);
}

/* in->sub: enum sub_clock; in->reg_size 8: the whole counter */
HANDLER(clock)
{
	uint64_t now;
	if (in->sub & CLOCK_GLOBAL) {
		struct timespec time;
		clock_gettime(CLOCK_REALTIME, &time);
		now = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
	} else {
		now = processor_clock();
	}
	if (in->reg_size == 8) {
		uint64_t t[EXEC_LANES];
		FOR_LANES t[i] = now;
		merge64(DEST(uint64_t, in->d), t, mask);
	} else {
		uint32_t t[EXEC_LANES];
		FOR_LANES t[i] = (uint32_t)(in->sub & CLOCK_HIGH ? now >> 32 : now);
		merge32(DEST(uint32_t, in->d), t, mask);
	}
	return EXEC_NEXT;
}

HANDLER(nanosleep)
{
	(void)mask;
	w->pc = exec_pc(w, in) + 1;
	return EXEC_YIELD;
}

/* in->space: what is asked about; SHARED with flag CLUSTER: of any block */
HANDLER(isspacep)
{
	const uint64_t *a = SOURCE(uint64_t, in->a);
	uint32_t value = 0;
	for (int i = 0; i < EXEC_LANES; i++) {
		uint64_t window = a[i] >> EXEC_WINDOW_SHIFT << EXEC_WINDOW_SHIFT;
		bool own = (uint32_t)a[i] >> EXEC_SHARED_RANK_SHIFT == 0 ||
				   (uint32_t)a[i] >> EXEC_SHARED_RANK_SHIFT == w->block->rank + 1;
		bool is = in->space == PTX_SHARED
					  ? window == EXEC_WINDOW_SHARED && (own || in->flags & EXEC_FLAG_CLUSTER)
				  : in->space == PTX_LOCAL ? window == EXEC_WINDOW_LOCAL
				  : in->space == PTX_PARAM ? window == EXEC_WINDOW_PARAM
				  : in->space == PTX_CONST ? false
										   : window == 0;
		value |= (uint32_t)is << i;
	}
	w->predicates[in->d] = (w->predicates[in->d] & ~mask) | (value & mask);
	return EXEC_NEXT;
}

/* mapa: the address of the same object in block b of the cluster. in->reg_size:
 * 4 within the shared window, 8 also generic. */
HANDLER(mapa)
{
	const uint32_t *rank = SOURCE(uint32_t, in->b);
	const uint32_t offset_bits = (1u << EXEC_SHARED_RANK_SHIFT) - 1;
	for (int i = 0; i < EXEC_LANES; i++) {
		if (!IN_MASK(i))
			continue;
		if (rank[i] >= w->block->cluster->count)
			return exec_fail(w, in, i, FAULT_ADDRESS, 0, "block %u of a cluster of %u", rank[i],
							 w->block->cluster->count);
		uint32_t high = (rank[i] + 1) << EXEC_SHARED_RANK_SHIFT;
		if (in->reg_size == 8) {
			uint64_t a = SOURCE(uint64_t, in->a)[i];
			DEST(uint64_t, in->d)[i] = (a & ~(uint64_t)0xffffffff) | high | (a & offset_bits);
		} else {
			DEST(uint32_t, in->d)[i] = high | (SOURCE(uint32_t, in->a)[i] & offset_bits);
		}
	}
	return EXEC_NEXT;
}

HANDLER(getctarank)
{
	uint32_t t[EXEC_LANES];
	for (int i = 0; i < EXEC_LANES; i++) {
		uint32_t a =
			in->width == 8 ? (uint32_t)SOURCE(uint64_t, in->a)[i] : SOURCE(uint32_t, in->a)[i];
		uint32_t rank = a >> EXEC_SHARED_RANK_SHIFT;
		t[i] = rank ? rank - 1 : w->block->rank;
	}
	merge32(DEST(uint32_t, in->d), t, mask);
	return EXEC_NEXT;
}
