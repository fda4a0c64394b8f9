/* Decoding of memory accesses, atomics, barriers and warp-wide communication. */
#include "emulator/decode/decoder.h"

#include <string.h>

#include "emulator/exec/atomic.h"

static enum ptx_space space_of(const struct ptx_instruction *in)
{
	if (decode_has(in, "global"))
		return PTX_GLOBAL;
	if (decode_is_shared(in))
		return PTX_SHARED;
	if (decode_has(in, "local"))
		return PTX_LOCAL;
	if (decode_has(in, "param") || decode_has(in, "param::entry") || decode_has(in, "param::func"))
		return PTX_PARAM;
	return decode_has(in, "const") ? PTX_CONST : PTX_GENERIC;
}

/* Element types of registers: the bytes of a register that holds `operand`. */
static size_t data_size(const struct ptx_operand *operand, size_t size)
{
	size_t own = decode_size(operand);
	return own ? own : size < 2 ? 2 : size;
}

/* What an ordered access, or an atomic, orders. */
static uint8_t order_flags(const struct ptx_instruction *in)
{
	const bool both = decode_has(in, "acq_rel");
	return (uint8_t)((decode_has(in, "acquire") || both ? EXEC_FLAG_ACQUIRE : 0) |
					 (decode_has(in, "release") || both ? EXEC_FLAG_RELEASE : 0) |
					 (decode_has(in, "cta") ? EXEC_FLAG_BLOCK : 0));
}

/* ld, ldu, st: one element or a vector of them. */
static void load_store(struct decoder *decoder, const struct ptx_instruction *in, bool store)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	const struct ptx_operand *data = &in->operands[store ? 1 : 0];
	const struct ptx_operand *address = &in->operands[store ? 0 : 1];
	bool vector = data->kind == PTX_OP_VECTOR;
	uint32_t count = vector ? data->count : 1;
	const struct ptx_operand *items = vector ? data->items : data;
	if (size == 0 || count == 0 || count > 8 || size * count > 32) {
		decode_unsupported(decoder);
		return;
	}
	size_t wide = size;
	for (uint32_t i = 0; i < count; i++)
		if (decode_size(&items[i]))
			wide = data_size(&items[i], size);
	if (wide < 2)
		wide = 2;
	bool single = count == 1 && items[0].kind != PTX_OP_SINK;
	bool as_wide = wide == size && size <= 8; /* as its register */
	enum handler_operation one = store ? OP_ST : OP_LD, more = store ? OP_ST_VECTOR : OP_LD_VECTOR;
	struct exec_instruction *out = decode_emit(decoder, single || !as_wide ? one : more,
											   as_wide ? decode_form_bits(size) : FORM_ANY);
	out->size = (uint8_t)size;
	out->reg_size = (uint8_t)wide;
	out->count = (uint8_t)count;
	out->flags = ptx_type_is_signed(type) && !ptx_type_is_float(type) ? EXEC_FLAG_SIGNED : 0;
	if (decode_has(in, "volatile") || decode_has(in, "relaxed") || decode_has(in, "acquire") ||
		decode_has(in, "release") || decode_has(in, "mmio"))
		out->flags |= (uint8_t)(EXEC_FLAG_VOLATILE | order_flags(in));
	out->flags |= decode_has(in, "volatile") ? EXEC_FLAG_WEAK : 0;
	decode_address(decoder, out, address, space_of(in));
	int32_t list[8];
	for (uint32_t i = 0; i < count; i++) {
		if (items[i].kind == PTX_OP_SINK && !store)
			list[i] = -1;
		else if (store)
			list[i] = ptx_type_is_float(type) ? decode_float(decoder, &items[i], wide)
											  : decode_source(decoder, &items[i], wide);
		else
			list[i] = decode_destination(decoder, &items[i], wide);
	}
	out->d = list[0];
	decode_list(decoder, list, count);
}

void decode_ld(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (in->operand_count == 3) /* a cache policy, which has no effect here */
		load_store(decoder, in, false);
	else if (decode_operands(decoder, in, 2))
		load_store(decoder, in, false);
}

void decode_st(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (decode_has(in, "bulk")) {
		decode_unsupported(decoder);
		return;
	}
	if (in->operand_count == 3 || decode_operands(decoder, in, 2))
		load_store(decoder, in, true);
}

/* ------------------------------------------------------------------------
 * Atomics */

static void atomic(struct decoder *decoder, const struct ptx_instruction *in,
				   const struct ptx_operand *d, const struct ptx_operand *address,
				   const struct ptx_operand *b, const struct ptx_operand *c)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	int operation = decode_atomic_operation(in);
	uint32_t count = b->kind == PTX_OP_VECTOR ? b->count : 1;
	bool is_cas = operation == ATOM_CAS;
	if (operation < 0 || size < 2 || count == 0 || count > 8 || is_cas != (c != NULL)) {
		decode_unsupported(decoder);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, OP_ATOM, size == 16 ? FORM_B128 : FORM_ANY);
	out->sub = (uint8_t)operation;
	out->size = (uint8_t)size;
	out->count = (uint8_t)count;
	out->e = decode_atomic_number(type);
	/* many programs use what an atomic has shown without a fence behind it: taken as an acquire */
	out->flags = (uint8_t)(EXEC_FLAG_VOLATILE | EXEC_FLAG_ACQUIRE | order_flags(in) |
						   (decode_has(in, "noftz") ? EXEC_FLAG_SUBNORMALS : 0));
	decode_address(decoder, out, address, space_of(in));
	int32_t list[24];
	for (uint32_t i = 0; i < count; i++) {
		bool vector = d != NULL && d->kind == PTX_OP_VECTOR;
		const struct ptx_operand *di = vector && d->count == count ? &d->items[i] : d;
		const struct ptx_operand *bi = b->kind == PTX_OP_VECTOR ? &b->items[i] : b;
		if (vector && d->count != count)
			decode_refuse(decoder);
		list[i] =
			di != NULL && di->kind != PTX_OP_SINK ? decode_destination(decoder, di, size) : -1;
		list[count + i] = decode_float(decoder, bi, size);
		if (!ptx_type_is_float(type))
			list[count + i] = decode_source(decoder, bi, size);
		if (c != NULL)
			list[2 * count + i] = decode_source(decoder, c, size);
	}
	decode_list(decoder, list, c != NULL ? 3 * count : 2 * count);
}

void decode_atom(struct decoder *decoder, const struct ptx_instruction *in)
{
	bool is_cas = decode_has(in, "cas");
	uint32_t count = is_cas ? 4 : 3;
	if (in->operand_count != count && in->operand_count != count + 1) {
		decode_unsupported(decoder);
		return;
	}
	atomic(decoder, in, &in->operands[0], &in->operands[1], &in->operands[2],
		   is_cas ? &in->operands[3] : NULL);
}

void decode_red(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (in->operand_count != 2 && in->operand_count != 3) {
		decode_unsupported(decoder);
		return;
	}
	atomic(decoder, in, NULL, &in->operands[0], &in->operands[1], NULL);
}

/* ------------------------------------------------------------------------
 * Barriers */

void decode_warp_barrier(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 1))
		return;
	struct exec_instruction *out = decode_emit(decoder, OP_BAR_WARP_SYNC, FORM_ONLY);
	out->a = decode_source(decoder, &in->operands[0], 4);
}

void decode_cluster_barrier(struct decoder *decoder, const struct ptx_instruction *in)
{
	struct exec_instruction *out = decode_emit(decoder, OP_BAR_CLUSTER, FORM_ONLY);
	out->sub = in->op == OPCODE_BARRIER_CLUSTER_ARRIVE ? CLUSTER_ARRIVE : CLUSTER_WAIT;
	out->flags = decode_has(in, "relaxed") ? EXEC_FLAG_VOLATILE : 0;
}

/* bar.red.popc.u32 d, a{, b}, {!}c; bar.red.and.pred p, a{, b}, {!}c */
static void barrier_reduction(struct decoder *decoder, const struct ptx_instruction *in)
{
	uint32_t n = in->operand_count;
	if (n != 3 && n != 4) {
		decode_unsupported(decoder);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, OP_BAR, FORM_ONLY);
	bool inverted = false;
	out->sub = decode_has(in, "popc") ? BAR_POPC : decode_has(in, "and") ? BAR_AND : BAR_OR;
	out->a = decode_source(decoder, &in->operands[1], 4);
	out->b = n == 4 ? decode_source(decoder, &in->operands[2], 4) : -1;
	out->c = decode_predicate(decoder, &in->operands[n - 1], &inverted);
	out->flags = inverted ? EXEC_FLAG_NEGATED_C : 0;
	out->d = out->sub == BAR_POPC ? decode_destination(decoder, &in->operands[0], 4)
								  : decode_predicate(decoder, &in->operands[0], NULL);
}

void decode_bar(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (decode_has(in, "red")) {
		barrier_reduction(decoder, in);
	} else if (in->operand_count == 1 || in->operand_count == 2) {
		struct exec_instruction *out = decode_emit(decoder, OP_BAR, FORM_ONLY);
		out->a = decode_source(decoder, &in->operands[0], 4);
		out->b = in->operand_count == 2 ? decode_source(decoder, &in->operands[1], 4) : -1;
		out->flags = decode_has(in, "arrive") ? EXEC_FLAG_VOLATILE : 0;
	} else {
		decode_unsupported(decoder);
	}
}

/* ------------------------------------------------------------------------
 * Within a warp */

/* d or d|p: the register and the predicate of a destination */
static void pair_destination(struct decoder *decoder, struct exec_instruction *out,
							 const struct ptx_operand *d)
{
	bool pair = d->kind == PTX_OP_PAIR;
	const struct ptx_operand *reg = pair ? &d->items[0] : d;
	out->d = reg->kind == PTX_OP_SINK ? -1 : decode_destination(decoder, reg, 4);
	out->e = -1;
	if (pair && d->items[1].kind != PTX_OP_SINK)
		out->e = decode_predicate(decoder, &d->items[1], NULL);
}

void decode_shfl(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 5))
		return;
	struct exec_instruction *out = decode_emit(decoder, OP_SHFL, FORM_ONLY);
	out->sub = decode_has(in, "up")     ? SHUFFLE_UP
			   : decode_has(in, "down") ? SHUFFLE_DOWN
			   : decode_has(in, "bfly") ? SHUFFLE_BUTTERFLY
										: SHUFFLE_INDEX;
	pair_destination(decoder, out, &in->operands[0]);
	out->a = decode_source(decoder, &in->operands[1], 4);
	out->b = decode_source(decoder, &in->operands[2], 4);
	out->c = decode_source(decoder, &in->operands[3], 4);
	int32_t members = decode_source(decoder, &in->operands[4], 4);
	decode_list(decoder, &members, 1);
}

void decode_vote(struct decoder *decoder, const struct ptx_instruction *in)
{
	bool ballot = decode_has(in, "ballot"), inverted = false;
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out = decode_emit(decoder, OP_VOTE, FORM_ONLY);
	out->sub = ballot                  ? VOTE_BALLOT
			   : decode_has(in, "all") ? VOTE_ALL
			   : decode_has(in, "any") ? VOTE_ANY
									   : VOTE_UNI;
	out->a = decode_predicate(decoder, &in->operands[1], &inverted);
	out->imm = inverted ? (int64_t)EXEC_FULL : 0;
	out->d = ballot ? decode_destination(decoder, &in->operands[0], 4)
					: decode_predicate(decoder, &in->operands[0], NULL);
	int32_t members = decode_source(decoder, &in->operands[2], 4);
	decode_list(decoder, &members, 1);
}

void decode_match(struct decoder *decoder, const struct ptx_instruction *in)
{
	size_t size = ptx_type_size(decode_type(in, 0));
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out = decode_emit(decoder, OP_MATCH, FORM_ONLY);
	out->sub = decode_has(in, "all") ? MATCH_ALL : MATCH_ANY;
	out->size = (uint8_t)size;
	pair_destination(decoder, out, &in->operands[0]);
	out->a = decode_source(decoder, &in->operands[1], size);
	int32_t members = decode_source(decoder, &in->operands[2], 4);
	decode_list(decoder, &members, 1);
}

void decode_redux(struct decoder *decoder, const struct ptx_instruction *in)
{
	static const char *const names[] = {
		[REDUX_ADD] = "add", [REDUX_MIN] = "min", [REDUX_MAX] = "max",
		[REDUX_AND] = "and", [REDUX_OR] = "or",   [REDUX_XOR] = "xor"};
	enum ptx_type type = decode_type(in, 0);
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out =
		decode_emit(decoder, OP_REDUX, type == PTX_F32 ? FORM_NONE : FORM_ONLY);
	for (int i = REDUX_ADD; i <= REDUX_XOR; i++)
		if (decode_has(in, names[i]))
			out->sub = (uint8_t)i;
	out->flags = ptx_type_is_signed(type) ? EXEC_FLAG_SIGNED : 0;
	out->d = decode_destination(decoder, &in->operands[0], 4);
	out->a = decode_source(decoder, &in->operands[1], 4);
	int32_t members = decode_source(decoder, &in->operands[2], 4);
	decode_list(decoder, &members, 1);
}

void decode_elect(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 2))
		return;
	struct exec_instruction *out = decode_emit(decoder, OP_ELECT, FORM_ONLY);
	pair_destination(decoder, out, &in->operands[0]);
	out->a = decode_source(decoder, &in->operands[1], 4);
}

/* ------------------------------------------------------------------------
 * The thread's stack: alloca.type p, size{, align}; stacksave.type d; stackrestore.type a */

void decode_stack(struct decoder *decoder, const struct ptx_instruction *in)
{
	const size_t size = ptx_type_size(decode_type(in, 0));
	const bool allocates = in->op == OPCODE_ALLOCA;
	const bool restores = in->op == OPCODE_STACKRESTORE;
	const uint32_t n = in->operand_count;
	const bool aligned = allocates && n == 3;
	if ((size != 4 && size != 8) || n != (allocates ? aligned ? 3u : 2u : 1u) ||
		(aligned && (in->operands[2].kind != PTX_OP_INTEGER || in->operands[2].integer < 1))) {
		decode_unsupported(decoder);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, OP_ALLOCA, FORM_ONLY);
	decoder->has_stack = true;
	out->reg_size = (uint8_t)size;
	out->sub = allocates ? STACK_ALLOCATE : restores ? STACK_RESTORE : STACK_SAVE;
	out->imm = aligned ? in->operands[2].integer : 8;
	out->b = decode_special(decoder, EXEC_STACK);
	if (allocates)
		out->a = decode_source(decoder, &in->operands[1], size);
	else if (restores)
		out->a = decode_source(decoder, &in->operands[0], size);
	if (!restores)
		out->d = decode_destination(decoder, &in->operands[0], size);
}

/* ------------------------------------------------------------------------
 * Clusters, hints, ends */

void decode_mapa(struct decoder *decoder, const struct ptx_instruction *in)
{
	size_t size = ptx_type_size(decode_type(in, 0));
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out = decode_emit(decoder, OP_MAPA, FORM_ONLY);
	out->reg_size = (uint8_t)size;
	out->a = decode_source(decoder, &in->operands[1], size);
	out->b = decode_source(decoder, &in->operands[2], 4);
	out->d = decode_destination(decoder, &in->operands[0], size);
}

void decode_getctarank(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 2))
		return;
	struct exec_instruction *out = decode_emit(decoder, OP_GETCTARANK, FORM_ONLY);
	size_t size = decode_size(&in->operands[1]) == 8 ? 8 : 4;
	out->width = (uint8_t)size;
	out->a = decode_source(decoder, &in->operands[1], size);
	out->d = decode_destination(decoder, &in->operands[0], 4);
}

/* No operands that matter here: the row says what it is. */
void decode_nothing(struct decoder *decoder, const struct ptx_instruction *in)
{
	(void)in;
	decode_emit(decoder, decoder->operation, FORM_ONLY);
}

void decode_setmaxnreg(struct decoder *decoder, const struct ptx_instruction *in)
{
	const struct ptx_operand *count = in->operand_count == 1 ? in->operands : NULL;
	if (count == NULL || count->kind != PTX_OP_INTEGER) {
		decode_unsupported(decoder);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, OP_SETMAXNREG, FORM_ONLY);
	out->imm = count->integer;
	out->sub = in->op == OPCODE_SETMAXNREG_INC;
}

/* Memory is coherent and accesses are done in order. */
void decode_fence(struct decoder *decoder, const struct ptx_instruction *in)
{
	bool proxy = decode_has(in, "proxy") && decode_has(in, "async");
	bool map = decode_has(in, "tensormap::generic") && decode_has(in, "acquire");
	bool narrow = decode_has(in, "cta") || decode_has(in, "proxy") ||
				  decode_has(in, "mbarrier_init") || decode_has(in, "launch_dependents");
	struct exec_instruction *out = decode_emit(decoder,
											   proxy ? OP_FENCE_PROXY_ASYNC
											   : map ? OP_FENCE_TENSORMAP
													 : OP_FENCE,
											   FORM_ONLY);
	out->sub = narrow ? FENCE_OTHER : in->op == OPCODE_GRIDDEPCONTROL ? FENCE_GRID : FENCE_GPU;
}

void decode_createpolicy(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (in->operand_count == 0) {
		decode_unsupported(decoder);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, OP_MOV, FORM_B64);
	out->a = decode_constant(decoder, 0, 8);
	out->d = decode_destination(decoder, &in->operands[0], 8);
}
