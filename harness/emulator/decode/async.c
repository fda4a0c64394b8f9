/* Decoding of asynchronous copies and mbarriers. */
#include "emulator/decode/decoder.h"

#include "emulator/exec/atomic.h"
#include "emulator/tensor/map.h"

/* Three entries that exec_listed_address() reads. */
static void list_address(struct decoder *decoder, const struct ptx_operand *operand,
						 enum ptx_space space, int32_t out[3])
{
	struct exec_instruction address = {0};
	decode_address(decoder, &address, operand, space);
	out[0] = address.a;
	out[1] = address.width | address.space << 8;
	out[2] = (int32_t)address.imm;
	if (address.imm != out[2])
		decode_refuse(decoder);
}

/* ------------------------------------------------------------------------
 * cp.async */

void decode_copy_async(struct decoder *decoder, const struct ptx_instruction *in)
{
	uint32_t n = in->operand_count - (decode_has(in, "L2::cache_hint") ? 1 : 0);
	if (n < 3 || n > 4 || in->operands[2].kind != PTX_OP_INTEGER) {
		decode_unsupported(decoder);
		return;
	}
	int64_t bytes = in->operands[2].integer;
	int32_t list[8];
	struct exec_instruction *out = decode_emit(decoder, OP_CP_ASYNC, FORM_ONLY);
	decoder->program->async_copies = true;
	out->size = (uint8_t)bytes;
	out->cache = decoder->program->cache_count++;
	if (bytes != 4 && bytes != 8 && bytes != 16)
		decode_refuse(decoder);
	list_address(decoder, &in->operands[0], PTX_SHARED, list);
	list_address(decoder, &in->operands[1], PTX_GLOBAL, list + 3);
	list[6] = list[7] = -1;
	if (n == 4) {
		const struct ptx_operand *last = &in->operands[3];
		if (last->kind == PTX_OP_REGISTER && last->type == PTX_PRED)
			list[7] = decode_predicate(decoder, last, NULL);
		else
			list[6] = decode_source(decoder, last, 4);
	}
	decode_list(decoder, list, 8);
}

/* ------------------------------------------------------------------------
 * cp.async.bulk */

static void list_coordinates(struct decoder *decoder, const struct ptx_operand *map, int32_t *list)
{
	const struct ptx_operand *vector = map->count == 2 ? &map->items[1] : NULL;
	if (vector == NULL || vector->kind != PTX_OP_VECTOR || vector->count < 1 || vector->count > 5) {
		decode_refuse(decoder);
		return;
	}
	list[11] = (int32_t)vector->count;
	for (uint32_t i = 0; i < vector->count; i++)
		list[12 + i] = decode_source(decoder, &vector->items[i], 4);
}

/* Elements of tensors are what their map says. */
static void reduction_of(struct decoder *decoder, struct exec_instruction *out,
						 const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	int operation = decode_atomic_operation(in);
	if (operation < 0 || operation == ATOM_EXCH || operation == ATOM_CAS ||
		(ptx_type_size(type) < 2 && !decode_has(in, "tensor")))
		decode_refuse(decoder);
	out->count = (uint8_t)operation;
	out->reg_size = (uint8_t)ptx_type_size(type);
	out->e = decode_atomic_number(type);
}

static bool gathers(const struct ptx_instruction *in)
{
	return decode_has(in, "im2col") || decode_has(in, "im2col_no_offs") ||
		   decode_has(in, "im2col::w") || decode_has(in, "tile::gather4") ||
		   decode_has(in, "tile::scatter4") || decode_has(in, "cp_mask");
}

#define BULK_ENTRIES 19 /* of in->list: ops/bulk.c */

/* Which way: loads name mbarrier::complete_tx::bytes, stores bulk_group. */
void decode_bulk_copy(struct decoder *decoder, const struct ptx_instruction *in)
{
	const bool reduce =
		in->op == OPCODE_CP_REDUCE_ASYNC_BULK || in->op == OPCODE_CP_REDUCE_ASYNC_BULK_TENSOR;
	bool load = decode_has(in, "mbarrier::complete_tx::bytes"), tensor = decode_has(in, "tensor");
	uint32_t at = 2, n = in->operand_count;
	const struct ptx_operand *ops = in->operands;
	if (n < 2 || (reduce && load) || gathers(in) || (!load && !decode_has(in, "bulk_group"))) {
		decode_unsupported(decoder);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, OP_BULK, FORM_ONLY);
	int32_t list[BULK_ENTRIES] = {0};
	list[9] = list[10] = -1;
	list[17] = list[18] = decode_constant(decoder, 0, 4);
	out->cache = decoder->program->cache_count++;
	out->sub = reduce ? BULK_REDUCE : load ? BULK_LOAD : BULK_STORE;
	out->flags |= reduce ? EXEC_FLAG_REDUCES : 0;
	decoder->program->async_proxy |= !load;
	decoder->program->async_copies = true;
	if (reduce)
		reduction_of(decoder, out, in);
	const struct ptx_operand *shared = load ? &ops[0] : &ops[1], *other = load ? &ops[1] : &ops[0];
	list_address(decoder, shared, PTX_SHARED, list);
	/* shared to shared of another block: the source is shared memory, too */
	bool from_shared = load && !tensor && in->part_count > 4 && !decode_has(in, "global");
	list_address(decoder, other,
				 tensor        ? PTX_GENERIC
				 : from_shared ? PTX_SHARED
							   : PTX_GLOBAL,
				 list + 3);
	if (tensor)
		list_coordinates(decoder, other, list);
	if (!tensor && at < n)
		list[9] = decode_source(decoder, &ops[at++], 4);
	for (uint32_t i = 17; decode_has(in, "ignore_oob") && i < BULK_ENTRIES && at < n; i++)
		list[i] = decode_source(decoder, &ops[at++], 4);
	if (load && at < n)
		list_address(decoder, &ops[at++], PTX_SHARED, list + 6);
	else if (load)
		decode_refuse(decoder);
	if (decode_has(in, "multicast::cluster") && at < n)
		list[10] = decode_source(decoder, &ops[at++], 2);
	decode_list(decoder, list, BULK_ENTRIES);
}

/* cp.async, bulk and wgmma: waits until only so many groups are left. */
void decode_wait_groups(struct decoder *decoder, const struct ptx_instruction *in)
{
	struct exec_instruction *out = decode_emit(decoder, decoder->operation, FORM_ONLY);
	if (in->operand_count == 1 && in->operands[0].kind == PTX_OP_INTEGER)
		out->imm = in->operands[0].integer;
	else
		decode_refuse(decoder);
}

void decode_wait_all(struct decoder *decoder, const struct ptx_instruction *in)
{
	(void)in;
	decode_emit(decoder, decoder->operation, FORM_ONLY)->imm = -1;
}

void decode_copies_arrive(struct decoder *decoder, const struct ptx_instruction *in)
{
	struct exec_instruction *out = decode_emit(decoder, OP_MBARRIER, FORM_ONLY);
	out->flags = EXEC_FLAG_VOLATILE;
	out->sub = decode_has(in, "noinc") ? MBARRIER_ARRIVE_COPIES_NOINC : MBARRIER_ARRIVE_COPIES;
	out->b = out->d = -1;
	decode_address(decoder, out, &in->operands[0], decode_is_shared(in) ? PTX_SHARED : PTX_GENERIC);
}

/* ------------------------------------------------------------------------
 * st.async and red.async: [address], value or {values}, [mbarrier] */

void decode_store_async(struct decoder *decoder, const struct ptx_instruction *in)
{
	const bool reduce = in->op == OPCODE_RED_ASYNC;
	const enum ptx_type type = decode_type(in, 0);
	const size_t size = ptx_type_size(type);
	const int operation = reduce ? decode_atomic_operation(in) : ATOM_EXCH;
	int32_t list[6 + 4];
	if (!decode_has(in, "mbarrier::complete_tx::bytes") || operation < 0 || size < 4 || size > 8 ||
		in->operand_count != 3) {
		decode_unsupported(decoder); /* that of release without an mbarrier is newer than sm_90 */
		return;
	}
	const bool vector = in->operands[1].kind == PTX_OP_VECTOR;
	const struct ptx_operand *values = vector ? in->operands[1].items : &in->operands[1];
	const uint32_t count = vector ? in->operands[1].count : 1;
	struct exec_instruction *out =
		decode_emit(decoder, OP_ST_ASYNC, count <= 4 ? FORM_ONLY : FORM_NONE);
	out->cache = decoder->program->cache_count++;
	out->sub = (uint8_t)operation;
	out->size = (uint8_t)size;
	out->count = (uint8_t)count;
	out->e = decode_atomic_number(type);
	list_address(decoder, &in->operands[0], PTX_SHARED, list);
	list_address(decoder, &in->operands[2], PTX_SHARED, list + 3);
	for (uint32_t i = 0; i < count && i < 4; i++)
		list[6 + i] = ptx_type_is_float(type) ? decode_float(decoder, &values[i], size)
											  : decode_source(decoder, &values[i], size);
	decode_list(decoder, list, 6 + (count < 4 ? count : 4));
}

/* ------------------------------------------------------------------------
 * Tensor maps */

/* tensormap.replace.tile.FIELD{.space}.b1024.type [map], {dimension,} value */
void decode_tensormap_replace(struct decoder *decoder, const struct ptx_instruction *in)
{
	static const char *const fields[] = TENSOR_MAP_FIELDS;
	uint32_t field = 0, n = in->operand_count;
	while (field < TENSOR_MAP_FIELD_COUNT && !decode_has(in, fields[field]))
		field++;
	bool ranged = field < TENSOR_MAP_FIELD_COUNT && tensor_map_has_dimension(field);
	size_t size = decode_has(in, "b64") ? 8 : 4;
	if (field == TENSOR_MAP_FIELD_COUNT || !decode_has(in, "tile") || n != (ranged ? 3 : 2) ||
		(ranged && in->operands[1].kind != PTX_OP_INTEGER)) {
		decode_unsupported(decoder);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, OP_TENSORMAP_REPLACE, FORM_ONLY);
	int32_t list[4];
	out->cache = decoder->program->cache_count++;
	out->sub = (uint8_t)field;
	out->reg_size = (uint8_t)size;
	out->imm = ranged ? in->operands[1].integer : 0;
	list_address(decoder, &in->operands[0],
				 decode_is_shared(in)       ? PTX_SHARED
				 : decode_has(in, "global") ? PTX_GLOBAL
											: PTX_GENERIC,
				 list);
	list[3] = decode_source(decoder, &in->operands[n - 1], size);
	decode_list(decoder, list, 4);
}

/* The fence is that of memory that is coherent anyway. */
void decode_tensormap_copy(struct decoder *decoder, const struct ptx_instruction *in)
{
	int32_t list[6];
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out = decode_emit(decoder, OP_TENSORMAP_COPY, FORM_ONLY);
	out->cache = decoder->program->cache_count++;
	list_address(decoder, &in->operands[0], PTX_GLOBAL, list);
	list_address(decoder, &in->operands[1], PTX_SHARED, list + 3);
	decode_list(decoder, list, 6);
}

/* ------------------------------------------------------------------------
 * mbarrier */

static enum ptx_space mbarrier_space(const struct ptx_instruction *in)
{
	return decode_is_shared(in) ? PTX_SHARED : PTX_GENERIC;
}

void decode_mbarrier(struct decoder *decoder, const struct ptx_instruction *in)
{
	struct exec_instruction *out = decode_emit(decoder, OP_MBARRIER, FORM_ONLY);
	out->flags = EXEC_FLAG_VOLATILE;
	out->sub = in->op == OPCODE_MBARRIER_INIT        ? MBARRIER_INIT
			   : in->op == OPCODE_MBARRIER_INVAL     ? MBARRIER_INVAL
			   : in->op == OPCODE_MBARRIER_EXPECT_TX ? MBARRIER_EXPECT
													 : MBARRIER_COMPLETE;
	out->d = -1;
	out->b = in->operand_count > 1 ? decode_source(decoder, &in->operands[1], 4) : -1;
	decode_address(decoder, out, &in->operands[0], mbarrier_space(in));
}

/* arrive state, [addr]{, count}; the state may be missing for a remote barrier */
void decode_mbarrier_arrive(struct decoder *decoder, const struct ptx_instruction *in)
{
	const bool expect = in->op == OPCODE_MBARRIER_ARRIVE_EXPECT_TX ||
						in->op == OPCODE_MBARRIER_ARRIVE_DROP_EXPECT_TX;
	const bool drop =
		in->op == OPCODE_MBARRIER_ARRIVE_DROP || in->op == OPCODE_MBARRIER_ARRIVE_DROP_EXPECT_TX;
	bool state = in->operand_count > 0 && in->operands[0].kind != PTX_OP_ADDRESS;
	uint32_t at = state ? 1 : 0;
	if (in->operand_count <= at) {
		decode_unsupported(decoder);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, OP_MBARRIER, FORM_ONLY);
	out->flags = EXEC_FLAG_VOLATILE;
	out->sub = drop     ? expect ? MBARRIER_DROP_EXPECT : MBARRIER_DROP
			   : expect ? MBARRIER_ARRIVE_EXPECT
						: MBARRIER_ARRIVE;
	out->d = state && in->operands[0].kind != PTX_OP_SINK
				 ? decode_destination(decoder, &in->operands[0], 8)
				 : -1;
	decode_address(decoder, out, &in->operands[at], mbarrier_space(in));
	out->b = in->operand_count > at + 1 ? decode_source(decoder, &in->operands[at + 1], 4) : -1;
	if (expect && out->b < 0)
		decode_refuse(decoder);
}

void decode_mbarrier_wait(struct decoder *decoder, const struct ptx_instruction *in)
{
	bool parity = decode_has(in, "parity");
	if (in->operand_count < 3) {
		decode_unsupported(decoder);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, OP_MBARRIER_WAIT, FORM_ONLY);
	out->flags = EXEC_FLAG_VOLATILE;
	out->sub = parity ? WAIT_PARITY : WAIT_STATE;
	out->d = decode_predicate(decoder, &in->operands[0], NULL);
	decode_address(decoder, out, &in->operands[1], mbarrier_space(in));
	out->b = decode_source(decoder, &in->operands[2], parity ? 4 : 8);
}
