/* The loop's step for a warp that holds undefined values: what the instruction reads is looked
 * at, it is carried out, and what it wrote becomes defined or not. */
#include "emulator/exec/follow.h"

#include <string.h>

#include "emulator/exec/sub.h"
#include "emulator/exec/undefined.h"
#include "emulator/exec/worker.h"

#define REFERENCES 8 /* registers of a move: four that become one, or the reverse */
#define REGISTER_MAX (16 * EXEC_LANES)

/* The undefined lanes of some references; *read is one of their reads. */
static uint32_t any_of(struct exec_undefined *undefined, const int32_t *references, int32_t count,
					   struct exec_read *read)
{
	uint32_t lanes = 0;
	for (int32_t i = 0; i < count; i++) {
		const struct exec_lanes *part = exec_lanes_of(undefined, references[i]);
		for (uint32_t p = exec_lanes_parts(references[i]); p-- > 0; part++) {
			if (part->lanes)
				*read = part->read;
			lanes |= part->lanes;
		}
	}
	return lanes;
}

/* An instruction's effects, by role. */
struct effects {
	int32_t kind, results, data, control, strict; /* counts */
	const int32_t *of_results, *of_data, *of_control, *of_strict;
};

static struct effects effects_of(const struct warp *w, const struct exec_instruction *in)
{
	const int32_t *list = exec_effects(w, in);
	struct effects e = {.kind = list[EFFECT_KIND],
						.results = list[EFFECT_RESULTS],
						.data = list[EFFECT_DATA],
						.control = list[EFFECT_CONTROL],
						.strict = list[EFFECT_STRICT],
						.of_results = list + EFFECT_HEAD};
	e.of_data = e.of_results + e.results;
	e.of_control = e.of_data + e.data;
	e.of_strict = e.of_control + e.control;
	return e;
}

/* Where a predicate is defined and has a value. */
static uint32_t known(const struct warp *w, int32_t predicate, bool negated, bool value)
{
	uint32_t is = w->predicates[predicate] ^ (negated == value ? EXEC_FULL : 0);
	return is & ~w->undefined->predicates[predicate].lanes;
}

/* The lanes that decide a vote, whatever others say: vote.any is true, and vote.all false, where a
 * member says so whose value is defined. */
static uint32_t vote_deciders(const struct warp *w, const struct exec_instruction *in,
							  uint32_t mask)
{
	const struct exec_program *program = w->worker->launch->program;
	const enum ptx_opcode op = program->origins[in - program->code].instruction->op;
	if (op != OPCODE_VOTE || (in->sub != VOTE_ANY && in->sub != VOTE_ALL))
		return 0;
	return known(w, in->a, in->imm != 0, in->sub == VOTE_ANY) & mask;
}

/* ------------------------------------------------------------------------
 * Lane by lane */

/* Those for which the instruction is done: of lanes that name their members, some may wait. */
static uint32_t done_of(const struct warp *w, uint32_t mask, enum exec_status status)
{
	return status == EXEC_NEXT ? mask : status == EXEC_JUMP ? mask & w->active : 0;
}

/* Those with an undefined lane among their members, which are in->list[0], and none that decides.
 */
static uint32_t spread(const struct warp *w, const struct exec_instruction *in, uint32_t undefined,
					   uint32_t deciders)
{
	const int32_t operand = in->list[0];
	const uint32_t *members = (const uint32_t *)(w->base[operand & 1] + operand);
	uint32_t lanes = undefined;
	for (uint32_t i = 0; i < EXEC_LANES; i++)
		lanes |= (uint32_t)((members[i] & undefined) != 0) << i;
	for (uint32_t i = 0; i < EXEC_LANES; i++)
		lanes &= ~((uint32_t)((members[i] & deciders) != 0) << i);
	return lanes;
}

static enum exec_status follow_lanes(struct warp *w, const struct exec_instruction *in,
									 uint32_t mask, const struct effects *e)
{
	struct exec_read read = {0};
	uint32_t lanes = any_of(w->undefined, e->of_data, e->data + e->control, &read);
	if (e->kind == EFFECT_CROSS)
		lanes = lanes & mask ? spread(w, in, lanes & mask, vote_deciders(w, in, mask)) : 0;
	enum exec_status status = in->handler(w, in, mask);
	exec_lanes_set_all(w->undefined, e->of_results, e->results, done_of(w, mask, status), lanes,
					   &read);
	return status;
}

/* Each 16 bits of a lane on their own. */
static enum exec_status follow_parts(struct warp *w, const struct exec_instruction *in,
									 uint32_t mask, const struct effects *e)
{
	struct exec_lanes parts[8] = {0};
	for (int32_t i = 0; i < e->data; i++) {
		const struct exec_lanes *part = exec_lanes_of(w->undefined, e->of_data[i]);
		for (uint32_t p = 0; p < exec_lanes_parts(e->of_data[i]) && p < 8; p++) {
			if (part[p].lanes)
				parts[p].read = part[p].read;
			parts[p].lanes |= part[p].lanes;
		}
	}
	enum exec_status status = in->handler(w, in, mask);
	struct exec_lanes *result = e->results ? exec_lanes_of(w->undefined, e->of_results[0]) : NULL;
	for (uint32_t p = 0;
		 result != NULL && status == EXEC_NEXT && p < exec_lanes_parts(e->of_results[0]); p++)
		exec_lanes_set(w->undefined, result + p, mask, parts[p].lanes, &parts[p].read);
	return status;
}

/* cvt.rn.f16x2.f32 d, a, b: a is the upper half */
static enum exec_status follow_pair(struct warp *w, const struct exec_instruction *in,
									uint32_t mask, const struct effects *e)
{
	struct exec_undefined *undefined = w->undefined;
	const int32_t from[2] = {in->b, in->a};
	struct exec_lanes halves[2] = {0};
	for (int p = 0; p < 2; p++) {
		int32_t reference = from[p] | 2;
		if (!(from[p] & 1)) /* no constant */
			halves[p].lanes = any_of(undefined, &reference, 1, &halves[p].read);
	}
	enum exec_status status = in->handler(w, in, mask);
	struct exec_lanes *result = e->results ? exec_lanes_of(undefined, e->of_results[0]) : NULL;
	for (int p = 0; result != NULL && status == EXEC_NEXT && p < 2; p++)
		exec_lanes_set(undefined, result + p, mask, halves[p].lanes, &halves[p].read);
	return status;
}

/* ------------------------------------------------------------------------
 * Predicates */

/* and.pred is false, and or.pred true, where one side says so. */
static enum exec_status follow_logic(struct warp *w, const struct exec_instruction *in,
									 uint32_t mask, const struct effects *e)
{
	const struct exec_origin *origin =
		&w->worker->launch->program->origins[in - w->worker->launch->program->code];
	bool decides = origin->instruction->op == OPCODE_OR;
	struct exec_read read = {0};
	uint32_t lanes = any_of(w->undefined, e->of_data, e->data, &read);
	lanes &= ~known(w, in->a, in->imm & NEGATED_A, decides) &
			 ~known(w, in->b, in->imm & NEGATED_B, decides);
	enum exec_status status = in->handler(w, in, mask);
	exec_lanes_set_all(w->undefined, e->of_results, e->results, mask, lanes, &read);
	return status;
}

/* setp.lt.and p, a, b, c: c may decide. (A comparison that decides over an undefined c counts as
 * undefined.) in->sub: enum sub_combine */
static enum exec_status follow_compare(struct warp *w, const struct exec_instruction *in,
									   uint32_t mask, const struct effects *e)
{
	struct exec_read read = {0};
	uint32_t lanes = any_of(w->undefined, e->of_data, e->data + e->control, &read);
	if (in->sub == COMBINE_AND || in->sub == COMBINE_OR)
		lanes &= ~known(w, in->c, in->flags & EXEC_FLAG_NEGATED_C, in->sub == COMBINE_OR);
	enum exec_status status = in->handler(w, in, mask);
	exec_lanes_set_all(w->undefined, e->of_results, e->results, mask, lanes, &read);
	return status;
}

/* ------------------------------------------------------------------------
 * Moves: where bits go is what the handler says. It is carried out on the values, then with zeros
 * and with ones in the undefined parts: what differs is undefined. That is exact where each
 * bit of the result is one bit of the operands, and for and and or. */

struct image {
	uint8_t bytes[REFERENCES][REGISTER_MAX];
};

static void copy_registers(struct warp *w, const int32_t *references, int32_t count,
						   struct image *image, bool back)
{
	for (int32_t i = 0; i < count && i < REFERENCES; i++) {
		uint8_t *at = w->base[0] + (references[i] & ~63);
		size_t bytes = (size_t)exec_lanes_parts(references[i]) * 2 * EXEC_LANES;
		if (!(references[i] & EFFECT_PREDICATE))
			memcpy(back ? at : image->bytes[i], back ? image->bytes[i] : at, bytes);
	}
}

static void fill_undefined(struct warp *w, const int32_t *references, int32_t count, uint16_t with)
{
	for (int32_t i = 0; i < count; i++) {
		const struct exec_lanes *part = exec_lanes_of(w->undefined, references[i]);
		uint32_t parts = exec_lanes_parts(references[i]);
		uint16_t *at = (uint16_t *)(void *)(w->base[0] + (references[i] & ~63));
		for (uint32_t p = 0; p < parts; p++)
			for (uint32_t left = part[p].lanes; left; left &= left - 1)
				at[(uint32_t)__builtin_ctz(left) * parts + p] = with;
	}
}

static void set_different(struct warp *w, int32_t reference, const uint8_t *zeros,
						  const uint8_t *ones, uint32_t mask, uint32_t also,
						  const struct exec_read *read)
{
	struct exec_lanes *part = exec_lanes_of(w->undefined, reference);
	uint32_t parts = exec_lanes_parts(reference);
	for (uint32_t p = 0; p < parts; p++) {
		uint32_t lanes = also;
		for (uint32_t lane = 0; lane < EXEC_LANES; lane++) {
			size_t at = (size_t)(lane * parts + p) * 2;
			lanes |= (uint32_t)(memcmp(zeros + at, ones + at, 2) != 0) << lane;
		}
		exec_lanes_set(w->undefined, part + p, mask, lanes, read);
	}
}

static enum exec_status follow_move(struct warp *w, const struct exec_instruction *in,
									uint32_t mask, const struct effects *e)
{
	struct exec_read read = {0};
	uint32_t also = any_of(w->undefined, e->of_control, e->control, &read);
	uint32_t lanes = any_of(w->undefined, e->of_data, e->data, &read);
	struct image data, results, zeros, ones;
	if (lanes)
		copy_registers(w, e->of_data, e->data, &data, false);
	enum exec_status status = in->handler(w, in, mask);
	mask = done_of(w, mask, status);
	if (!mask)
		return status;
	if (!lanes) {
		exec_lanes_set_all(w->undefined, e->of_results, e->results, mask, also, &read);
		return status;
	}
	copy_registers(w, e->of_results, e->results, &results, false);
	for (int k = 0; k < 2; k++) {
		copy_registers(w, e->of_data, e->data, &data, true); /* a result may be one of them */
		fill_undefined(w, e->of_data, e->data, k ? 0xffff : 0);
		in->handler(w, in, mask);
		copy_registers(w, e->of_results, e->results, k ? &ones : &zeros, false);
	}
	for (int32_t i = 0; i < e->results; i++) {
		if (e->of_results[i] & EFFECT_PREDICATE)
			exec_lanes_set_all(w->undefined, &e->of_results[i], 1, mask, also, &read);
		else
			set_different(w, e->of_results[i], zeros.bytes[i], ones.bytes[i], mask, also, &read);
	}
	copy_registers(w, e->of_data, e->data, &data, true);
	copy_registers(w, e->of_results, e->results, &results, true);
	return status;
}

/* ------------------------------------------------------------------------ */

static const char *misuse_of(int32_t kind, const struct exec_origin *origin)
{
	switch (kind) {
	case EFFECT_LOAD:
	case EFFECT_LOAD_ROWS:
	case EFFECT_LOAD_TILE:
	case EFFECT_STORE:
	case EFFECT_STORE_ROWS:
	case EFFECT_STORE_TILE: return "uses an address";
	case EFFECT_TEXTURE: return "uses a coordinate";
	default: break;
	}
	return origin->instruction->op == OPCODE_BRX_IDX ? "branches on a value" : "has an operand";
}

/* ------------------------------------------------------------------------
 * Control flow. A lane that branches on an undefined value takes one of the two sides. When all
 * that depends on it is in registers, these are undefined where the sides meet. */

static bool open_region(struct warp *w, const struct exec_instruction *in, uint32_t lanes,
						const struct exec_read *read)
{
	struct exec_undefined *undefined = w->undefined;
	const struct exec_region *region = exec_region_find(w->worker->launch->program, exec_pc(w, in));
	if (region == NULL || !exec_follow_harmless(w, region, lanes, exec_follow))
		return false;
	uint32_t i = 0;
	while (i < undefined->open_count && undefined->open[i].region != region)
		i++;
	if (i == EXEC_OPEN_REGIONS)
		return false;
	if (i == undefined->open_count)
		undefined->open[undefined->open_count++] = (struct exec_open){region, 0, *read};
	undefined->open[i].lanes |= lanes;
	return true;
}

/* The running lanes have arrived at an instruction, which may be a join. */
static void close_regions(struct warp *w, uint32_t pc)
{
	struct exec_undefined *undefined = w->undefined;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < undefined->open_count; i++) {
		struct exec_open open = undefined->open[i];
		uint32_t lanes = open.region->join == pc ? open.lanes & w->active : 0;
		if (lanes)
			exec_lanes_set_all(undefined, open.region->results, open.region->result_count, lanes,
							   lanes, &open.read);
		open.lanes &= ~lanes;
		if (open.lanes)
			undefined->open[kept++] = open;
	}
	undefined->open_count = kept;
}

/* A guard that is undefined: NEXT where its lanes' results are all that depends on it. */
static enum exec_status check_guard(struct warp *w, const struct exec_instruction *in)
{
	const struct exec_program *program = w->worker->launch->program;
	const struct exec_origin *origin = &program->origins[in - program->code];
	const struct exec_lanes *guard = &w->undefined->predicates[in->guard];
	uint32_t lanes = guard->lanes & w->active;
	bool branch = origin->instruction->op == OPCODE_BRA;
	if (branch ? open_region(w, in, lanes, &guard->read) : exec_follow_computes(w, in))
		return EXEC_NEXT;
	return exec_undefined_fail(
		w, in, lanes, branch ? "branches on a value" : "is executed on a predicate", &guard->read);
}

/* Addresses, operands of barriers and copies. */
static enum exec_status check_strict(struct warp *w, const struct exec_instruction *in,
									 uint32_t mask, const struct effects *e)
{
	const struct exec_program *program = w->worker->launch->program;
	const struct exec_origin *origin = &program->origins[in - program->code];
	struct exec_read read = {0};
	if (!mask || !e->strict)
		return EXEC_NEXT;
	if (e->kind == EFFECT_LOAD_ROWS || e->kind == EFFECT_STORE_ROWS) /* 8 addresses a matrix */
		mask &= in->count >= 4 ? EXEC_FULL : (1u << 8 * in->count) - 1;
	uint32_t lanes = any_of(w->undefined, e->of_strict, e->strict, &read) & mask;
	return lanes ? exec_undefined_fail(w, in, lanes, misuse_of(e->kind, origin), &read) : EXEC_NEXT;
}

static enum exec_status follow_texture(struct warp *w, const struct exec_instruction *in,
									   uint32_t mask, const struct effects *e)
{
	struct exec_undefined *undefined = w->undefined;
	undefined->noted = undefined->again = false;
	undefined->noted_lanes = 0;
	enum exec_status status = in->handler(w, in, mask);
	if (status == EXEC_NEXT)
		exec_lanes_set_all(undefined, e->of_results, e->results, mask, undefined->noted_lanes,
						   &undefined->read);
	return status;
}

static enum exec_status follow(struct warp *w, const struct exec_instruction *in, uint32_t mask,
							   const struct effects *effects)
{
	struct effects e = *effects;
	enum exec_status status = EXEC_NEXT;
	switch ((enum exec_effect_kind)e.kind) {
	case EFFECT_NONE: return in->handler(w, in, mask);
	case EFFECT_LANES:
	case EFFECT_CROSS: return follow_lanes(w, in, mask, &e);
	case EFFECT_PARTS: return follow_parts(w, in, mask, &e);
	case EFFECT_PAIR: return follow_pair(w, in, mask, &e);
	case EFFECT_MOVE: return follow_move(w, in, mask, &e);
	case EFFECT_COMPARE: return follow_compare(w, in, mask, &e);
	case EFFECT_LOGIC: return follow_logic(w, in, mask, &e);
	case EFFECT_LOAD:
	case EFFECT_LOAD_ROWS:
	case EFFECT_LOAD_TILE: return exec_follow_load(w, in, mask, e.kind);
	case EFFECT_TEXTURE: return follow_texture(w, in, mask, &e);
	case EFFECT_STORE:
	case EFFECT_STORE_ROWS:
	case EFFECT_STORE_TILE: return exec_follow_store(w, in, mask, e.kind);
	case EFFECT_MMA: return exec_follow_mma(w, in, mask);
	case EFFECT_OPERANDS: break;
	}
	status = in->handler(w, in, mask);
	exec_lanes_set_all(w->undefined, e.of_results, e.results, mask, 0, NULL);
	return status;
}

enum exec_status exec_follow(struct warp *w, const struct exec_instruction *in, uint32_t mask)
{
	struct exec_undefined *undefined = w->undefined;
	struct effects e = effects_of(w, in);
	if (undefined->open_count)
		close_regions(w, exec_pc(w, in));
	const struct exec_lanes guard = undefined->predicates[in->guard];
	uint32_t guarded = guard.lanes & w->active;
	enum exec_status status = guarded ? check_guard(w, in) : EXEC_NEXT;
	if (status == EXEC_NEXT)
		status = check_strict(w, in, mask, &e);
	if (status == EXEC_NEXT && mask)
		status = follow(w, in, mask, &e);
	if (guarded && status == EXEC_NEXT)
		exec_lanes_set_all(undefined, e.of_results, e.results, guarded, guarded, &guard.read);
	return status;
}
