/* What lanes may do between a branch on an undefined value and its join. Where that is more than to
 * compute, what is known of these lanes counts: at a branch or guard that is made of registers
 * which the region does not write, they take one side. To find out, what computes such a guard is
 * carried out, with all that the region may write undefined at the start of each basic block. */
#include "emulator/exec/follow.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/exec/copies.h"
#include "emulator/exec/region.h"
#include "emulator/exec/undefined.h"
#include "emulator/exec/worker.h"

bool exec_follow_computes(const struct warp *w, const struct exec_instruction *in)
{
	switch ((enum exec_effect_kind)exec_effects(w, in)[EFFECT_KIND]) {
	case EFFECT_LANES:
	case EFFECT_PARTS:
	case EFFECT_PAIR:
	case EFFECT_COMPARE:
	case EFFECT_LOGIC: return true;
	case EFFECT_MOVE:
		return !(exec_region_use(w->worker->launch->program, exec_pc(w, in)) & EXEC_REGION_CROSSES);
	default: return false;
	}
}

/* ------------------------------------------------------------------------
 * A warp as it is, to be put back */

struct state {
	struct exec_undefined undefined;
	struct exec_lanes *parts, *predicates; /* what stood there */
	uint8_t *registers;
	uint32_t *values; /* of predicates */
	uint32_t active, carry;
};

static void copy(const struct warp *w, struct state *state, bool back)
{
	const struct exec_program *program = w->worker->launch->program;
	const struct exec_undefined *undefined = &state->undefined;
	struct {
		void *of_warp, *kept;
		size_t bytes;
	} const all[] = {
		{undefined->parts, state->parts, undefined->part_count * sizeof *state->parts},
		{undefined->predicates, state->predicates,
		 program->predicate_count * sizeof *state->predicates},
		{w->base[0], state->registers, program->register_bytes},
		{w->predicates, state->values, program->predicate_count * sizeof *state->values},
	};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		memcpy(back ? all[i].of_warp : all[i].kept, back ? all[i].kept : all[i].of_warp,
			   all[i].bytes);
}

static void state_free(struct state *state)
{
	free(state->parts);
	free(state->predicates);
	free(state->registers);
	free(state->values);
}

static bool state_keep(const struct warp *w, struct state *state)
{
	const struct exec_program *program = w->worker->launch->program;
	*state = (struct state){.undefined = *w->undefined, .active = w->active, .carry = w->carry};
	state->parts = malloc(w->undefined->part_count * sizeof *state->parts);
	state->predicates = malloc(program->predicate_count * sizeof *state->predicates);
	state->registers = malloc(program->register_bytes + 1); /* 0: a kernel of predicates */
	state->values = malloc(program->predicate_count * sizeof *state->values);
	if (state->parts == NULL || state->predicates == NULL || state->registers == NULL ||
		state->values == NULL) {
		state_free(state);
		return false;
	}
	copy(w, state, false);
	return true;
}

static void state_restore(struct warp *w, struct state *state)
{
	copy(w, state, true);
	*w->undefined = state->undefined;
	w->active = state->active;
	w->carry = state->carry;
	state_free(state);
}

/* ------------------------------------------------------------------------ */

struct walk {
	struct warp *warp;
	const struct exec_region *region;
	uint32_t lanes, others; /* of the running ones */
	exec_following *follow;
};

static bool has_copies(const struct warp *w, uint32_t lanes)
{
	for (uint32_t i = 0; w->copies != NULL && i < w->copies->count; i++)
		if (lanes >> w->copies->entries[i].lane & 1)
			return true;
	return false;
}

static bool harms(const struct walk *walk, unsigned uses)
{
	return uses & EXEC_REGION_HARMS || (uses & EXEC_REGION_CROSSES && walk->others) ||
		   (uses & EXEC_REGION_ORDERS && has_copies(walk->warp, walk->lanes));
}

static void set_unknown(const struct walk *walk, const int32_t *references, int32_t count)
{
	static const struct exec_read nowhere;
	exec_lanes_set_all(walk->warp->undefined, references, count, walk->lanes, walk->lanes,
					   &nowhere);
}

/* What it computes of known registers is known; what it reads besides (a clock, which lanes run)
 * may be another the next time. */
static void compute(const struct walk *walk, const struct exec_instruction *in, uint32_t mask,
					bool sure)
{
	struct warp *w = walk->warp;
	const int32_t *effects = exec_effects(w, in);
	if (sure && exec_follow_computes(w, in) && effects[EFFECT_DATA] + effects[EFFECT_CONTROL] > 0)
		walk->follow(w, in, mask);
	else
		set_unknown(walk, effects + EFFECT_HEAD, effects[EFFECT_RESULTS]);
}

static enum exec_region_path step(const struct exec_program *program, uint32_t pc, bool place,
								  void *context)
{
	const struct walk *walk = context;
	const struct exec_instruction *in = program->code + pc;
	struct warp *w = walk->warp;
	if (place)
		set_unknown(walk, walk->region->results, walk->region->result_count);
	uint32_t holds = walk->lanes & (w->predicates[in->guard] ^ in->guard_xor);
	bool sure = !(walk->lanes & w->undefined->predicates[in->guard].lanes);
	if (sure && !holds)
		return EXEC_REGION_NEXT;
	if (harms(walk, exec_region_use(program, pc)))
		return EXEC_REGION_REFUSED;
	if (exec_region_branches(program, pc))
		return sure && holds == walk->lanes ? EXEC_REGION_TARGET : EXEC_REGION_BOTH;
	compute(walk, in, holds, sure);
	return EXEC_REGION_NEXT;
}

bool exec_follow_harmless(struct warp *w, const struct exec_region *region, uint32_t lanes,
						  exec_following *follow)
{
	struct walk walk = {w, region, lanes, w->active & ~lanes, follow};
	struct state state;
	if (!region->joins)
		return false;
	if (!harms(&walk, region->uses))
		return true;
	if (!state_keep(w, &state))
		return false;
	w->active = lanes;
	w->undefined->open_count = 0;
	bool harmless = exec_region_walk(w->worker->launch->program, region, step, &walk);
	state_restore(w, &state);
	return harmless;
}
