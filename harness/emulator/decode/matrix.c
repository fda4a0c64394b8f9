/* Decoding of matrix loads and tensor instructions. */
#include "emulator/decode/decoder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/tensor/tensor.h"

#define LIST_MAX 320

/* ------------------------------------------------------------------------
 * ldmatrix, stmatrix, movmatrix */

static void matrix_move(struct decoder *decoder, const struct ptx_instruction *in, bool store)
{
	const struct ptx_operand *data = in->operand_count == 2 ? &in->operands[store ? 1 : 0] : NULL;
	if (data == NULL || !decode_has(in, "m8n8") || !decode_has(in, "b16")) {
		decode_unsupported(decoder);
		return;
	}
	uint32_t count = data->kind == PTX_OP_VECTOR ? data->count : 1;
	uint32_t wanted = decode_has(in, "x4") ? 4 : decode_has(in, "x2") ? 2 : 1;
	struct exec_instruction *out =
		decode_emit(decoder, store ? OP_STMATRIX : OP_LDMATRIX, FORM_ONLY);
	out->count = (uint8_t)wanted;
	out->sub = decode_has(in, "trans") ? MATRIX_TRANSPOSED : MATRIX_AS_IS;
	decode_address(decoder, out, &in->operands[store ? 0 : 1],
				   decode_is_shared(in) ? PTX_SHARED : PTX_GENERIC);
	int32_t list[4] = {0};
	for (uint32_t i = 0; i < wanted && count == wanted; i++) {
		const struct ptx_operand *item = data->kind == PTX_OP_VECTOR ? &data->items[i] : data;
		list[i] = store ? decode_source(decoder, item, 4) : decode_destination(decoder, item, 4);
	}
	if (count != wanted)
		decode_refuse(decoder);
	decode_list(decoder, list, 4);
}

void decode_ldmatrix(struct decoder *decoder, const struct ptx_instruction *in)
{
	matrix_move(decoder, in, false);
}

void decode_stmatrix(struct decoder *decoder, const struct ptx_instruction *in)
{
	matrix_move(decoder, in, true);
}

/* ------------------------------------------------------------------------
 * Shapes and types of tensor instructions */

static int tensor_type_of(enum ptx_type type)
{
	switch (type) {
	case PTX_F16: return TENSOR_F16;
	case PTX_BF16: return TENSOR_BF16;
	case PTX_TF32: return TENSOR_TF32;
	case PTX_E4M3: return TENSOR_E4M3;
	case PTX_E5M2: return TENSOR_E5M2;
	case PTX_S8: return TENSOR_S8;
	case PTX_U8: return TENSOR_U8;
	case PTX_F32: return TENSOR_F32;
	case PTX_S32: return TENSOR_S32;
	case PTX_F64: return TENSOR_F64;
	case PTX_S4: return TENSOR_S4;
	case PTX_U4: return TENSOR_U4;
	case PTX_B1: return TENSOR_B1;
	default: return -1;
	}
}

/* "m16n8k16" */
static bool shape_sizes(const struct ptx_instruction *in, struct tensor_shape *shape)
{
	for (uint32_t i = 1; i < in->part_count; i++) {
		unsigned m, n, k;
		char after;
		if (sscanf(in->parts[i], "m%3un%3uk%3u%c", &m, &n, &k, &after) != 3)
			continue;
		shape->m = (uint16_t)m;
		shape->n = (uint16_t)n;
		shape->k = (uint16_t)k;
		return true;
	}
	return false;
}

static bool set_types(struct tensor_shape *shape, enum ptx_type d, enum ptx_type a, enum ptx_type b,
					  enum ptx_type c)
{
	int types[4] = {tensor_type_of(d), tensor_type_of(a), tensor_type_of(b), tensor_type_of(c)};
	for (int i = 0; i < 4; i++)
		if (types[i] < 0)
			return false;
	shape->d = (enum tensor_type)types[0];
	shape->a = (enum tensor_type)types[1];
	shape->b = (enum tensor_type)types[2];
	shape->c = (enum tensor_type)types[3];
	return true;
}

static size_t register_bytes(enum tensor_type type)
{
	return type == TENSOR_F64 ? 8 : 4;
}

/* The registers of a fragment: at least the distinct ones. */
static uint32_t list_fragment(struct decoder *decoder, const struct ptx_operand *fragment,
							  size_t wanted, size_t bytes, bool destination, int32_t *out)
{
	bool vector = fragment->kind == PTX_OP_VECTOR;
	uint32_t count = vector ? fragment->count : 1;
	if (count < wanted || wanted > 32) {
		decode_refuse(decoder);
		return 0;
	}
	for (uint32_t i = 0; i < wanted; i++) {
		const struct ptx_operand *item = vector ? &fragment->items[i] : fragment;
		out[i] = destination ? decode_destination(decoder, item, bytes)
							 : decode_float(decoder, item, bytes);
	}
	return (uint32_t)wanted;
}

static void emit_mma(struct decoder *decoder, const struct ptx_instruction *in,
					 const struct tensor_shape *shape)
{
	static const enum tensor_operand order[4] = {TENSOR_D, TENSOR_A, TENSOR_B, TENSOR_C};
	const enum tensor_type types[4] = {shape->d, shape->a, shape->b, shape->c};
	struct exec_instruction *out = decode_emit(decoder, OP_MMA, FORM_ONLY);
	int32_t list[4 + 4 * 32 + 1] = {0};
	uint32_t at = 4;
	out->imm = sub_pack_shape(shape);
	for (int i = 0; i < 4; i++) {
		size_t wanted = tensor_registers(shape, order[i]);
		list[i] = (int32_t)list_fragment(decoder, &in->operands[i], wanted,
										 register_bytes(types[i]), i == 0, list + at);
		at += (uint32_t)list[i];
	}
	if (shape->sparse)
		list[at++] = decode_source(decoder, &in->operands[4], 4);
	decode_list(decoder, list, at);
}

static bool is_sparse(const struct ptx_instruction *in)
{
	return decode_has(in, "sp") || decode_has(in, "sp::ordered_metadata");
}

/* .row.col, and the other layouts for m8n8k4 of f16 */
static bool set_layouts(const struct ptx_instruction *in, struct tensor_shape *shape)
{
	const char *layouts[2] = {"", ""};
	int count = 0;
	for (uint32_t i = 1; i < in->part_count; i++)
		if (strcmp(in->parts[i], "row") == 0 || strcmp(in->parts[i], "col") == 0) {
			if (count == 2)
				return false;
			layouts[count++] = in->parts[i];
		}
	shape->a_column = layouts[0][0] == 'c';
	shape->b_row = layouts[1][0] == 'r';
	return count == 2 &&
		   ((!shape->a_column && !shape->b_row) || (shape->a == TENSOR_F16 && shape->k == 4));
}

/* .xor.popc, .and.popc: of .b1, and of nothing else */
static bool set_bits(const struct ptx_instruction *in, struct tensor_shape *shape)
{
	shape->bits_and = decode_has(in, "and");
	return decode_has(in, "popc") == (shape->a == TENSOR_B1) &&
		   (shape->bits_and || decode_has(in, "xor")) == (shape->a == TENSOR_B1);
}

void decode_mma(struct decoder *decoder, const struct ptx_instruction *in)
{
	struct tensor_shape shape = {.saturate = decode_has(in, "satfinite"), .sparse = is_sparse(in)};
	const struct ptx_operand *selector = &in->operands[5];
	if (in->operand_count != (shape.sparse ? 6 : 4) || !shape_sizes(in, &shape) ||
		!set_types(&shape, decode_type(in, 0), decode_type(in, 1), decode_type(in, 2),
				   decode_type(in, 3)) ||
		decode_type(in, 4) != PTX_NONE || !set_layouts(in, &shape) || !set_bits(in, &shape) ||
		(shape.sparse && (selector->kind != PTX_OP_INTEGER || (uint64_t)selector->integer > 3))) {
		decode_unsupported(decoder);
		return;
	}
	shape.selector = shape.sparse ? (uint8_t)selector->integer : 0;
	if (tensor_shape_valid(&shape))
		emit_mma(decoder, in, &shape);
	else
		decode_unsupported(decoder);
}

/* ------------------------------------------------------------------------
 * wmma */

/* Of multiplicands below a byte words are loaded, which lie as those of tf32 do. */
static bool word_shape(enum tensor_type of, struct tensor_shape *shape)
{
	shape->a = shape->b = of;
	shape->c = shape->d = TENSOR_S32;
	bool valid = tensor_shape_valid(shape) && shape->m == 8;
	shape->k = 4;
	shape->a = shape->b = TENSOR_TF32;
	shape->c = shape->d = TENSOR_F32;
	return valid;
}

/* Types of the multiplicands that a load or store of `operand` implies. The layout depends on the
 * multiplicand's width alone. */
static bool wmma_memory_shape(const struct ptx_instruction *in, enum tensor_operand operand,
							  struct tensor_shape *shape)
{
	int type = tensor_type_of(decode_type(in, 0));
	if (type < 0 || !shape_sizes(in, shape))
		return false;
	enum tensor_type of = (enum tensor_type)type;
	bool multiplicand = operand == TENSOR_A || operand == TENSOR_B;
	if (multiplicand && tensor_type_bits(of) < 8)
		return word_shape(of, shape);
	if (multiplicand) {
		shape->a = shape->b = of;
		shape->c = shape->d = of == TENSOR_F64                     ? TENSOR_F64
							  : of == TENSOR_S8 || of == TENSOR_U8 ? TENSOR_S32
																   : TENSOR_F32;
	} else {
		shape->c = shape->d = of;
		shape->a = shape->b = of == TENSOR_F64   ? TENSOR_F64
							  : shape->k == 128  ? TENSOR_B1
							  : of == TENSOR_S32 ? TENSOR_S8
							  : shape->k == 8    ? TENSOR_TF32
												 : TENSOR_F16;
	}
	return tensor_shape_valid(shape);
}

/* `places`: run << 16 | place in the run, for each register, lane and item. */
static enum exec_tile tile_of(const int32_t *places, size_t registers, size_t items, size_t element)
{
	size_t step = EXEC_LANES * items, chunk = 4 * items;
	bool rows = items * element == 4, turned = items == 2 && element == 2;
	bool pairs = items == 1 && element == 4 && registers % 2 == 0;
	for (size_t i = 0; i < registers * step; i++) {
		int32_t at = (int32_t)(i % step), of = (int32_t)chunk;
		const int32_t *own = places + i / step * step, *pair = places + i / step / 2 * 2 * step;
		rows = rows && places[i] == own[0] + (at / of << 16 | at % of);
		turned = turned && places[i] == own[0] + (at % of << 16 | at / of);
		pairs = pairs &&
				places[i] == pair[0] + (at / of << 16 | (at % of * 2 + (int32_t)(i / step % 2)));
	}
	return rows     ? EXEC_TILE_ROWS
		   : turned ? EXEC_TILE_TURNED
		   : pairs  ? EXEC_TILE_PAIRS
					: EXEC_TILE_SCATTERED;
}

static void wmma_memory(struct decoder *decoder, const struct ptx_instruction *in, bool store)
{
	enum tensor_operand operand = store                          ? TENSOR_D
								  : in->op == OPCODE_WMMA_LOAD_A ? TENSOR_A
								  : in->op == OPCODE_WMMA_LOAD_B ? TENSOR_B
																 : TENSOR_C;
	struct tensor_shape shape = {0};
	if (in->operand_count < 2 || !wmma_memory_shape(in, operand, &shape)) {
		decode_unsupported(decoder);
		return;
	}
	const struct ptx_operand *fragment = &in->operands[store ? 1 : 0];
	enum tensor_type type = operand == TENSOR_A || operand == TENSOR_B ? shape.a : shape.d;
	size_t element = tensor_type_bytes(type), wide = register_bytes(type);
	size_t distinct = tensor_registers(&shape, operand), items = wide / element;
	uint32_t count = fragment->kind == PTX_OP_VECTOR ? fragment->count : 1;
	uint32_t total = count + (uint32_t)(distinct * EXEC_LANES * items);
	int32_t *list = calloc(total, sizeof *list);
	struct exec_instruction *out = decode_emit(decoder, decoder->operation, FORM_ONLY);
	if (list == NULL || count > 32) {
		free(list);
		decode_refuse(decoder);
		return;
	}
	bool by_rows = decode_has(in, "row");
	unsigned rows = operand == TENSOR_B ? shape.k : shape.m;
	unsigned columns = operand == TENSOR_A ? shape.k : shape.n;
	out->size = (uint8_t)element;
	out->reg_size = (uint8_t)wide;
	out->count = (uint8_t)count;
	out->sub = (uint8_t)distinct;
	out->c = (int32_t)(by_rows ? rows : columns);
	out->d = (int32_t)(by_rows ? columns : rows);
	enum ptx_space space = decode_has(in, "global") ? PTX_GLOBAL
						   : decode_is_shared(in)   ? PTX_SHARED
													: PTX_GENERIC;
	decode_address(decoder, out, &in->operands[store ? 0 : 1], space);
	unsigned bits = tensor_type_bits((enum tensor_type)tensor_type_of(decode_type(in, 0)));
	out->b = bits == 4 ? EXEC_TILE_FOUR_BITS : bits == 1 ? EXEC_TILE_ONE_BIT : EXEC_TILE_ROWS;
	out->e =
		in->operand_count > 2
			? decode_source(decoder, &in->operands[2], 4)
			: decode_constant(decoder, (by_rows ? columns : rows) << exec_tile_shift(out->b), 4);
	list_fragment(decoder, fragment, count, wide, !store, list);
	uint32_t at = count;
	for (unsigned r = 0; r < distinct; r++)
		for (unsigned i = 0; i < EXEC_LANES * items; i++) {
			unsigned row, column;
			tensor_position(&shape, operand, i / (unsigned)items, r, i % (unsigned)items, &row,
							&column);
			list[at++] = (int32_t)(by_rows ? row << 16 | column : column << 16 | row);
		}
	if (count < distinct)
		decode_refuse(decoder);
	if (bits >= 8)
		out->b = tile_of(list + count, distinct, items, element);
	decode_list(decoder, list, total);
	free(list);
}

void decode_wmma_load(struct decoder *decoder, const struct ptx_instruction *in)
{
	wmma_memory(decoder, in, false);
}

void decode_wmma_store(struct decoder *decoder, const struct ptx_instruction *in)
{
	wmma_memory(decoder, in, true);
}

void decode_wmma_multiply(struct decoder *decoder, const struct ptx_instruction *in)
{
	struct tensor_shape shape = {.saturate = decode_has(in, "satfinite")};
	enum ptx_type t[4] = {decode_type(in, 0), decode_type(in, 1), decode_type(in, 2),
						  decode_type(in, 3)};
	/* f16 multiplicands are not named: .dtype.ctype only */
	bool halves = t[2] == PTX_NONE;
	bool ok = in->operand_count == 4 && shape_sizes(in, &shape) &&
			  (halves ? set_types(&shape, t[0], PTX_F16, PTX_F16, t[1])
					  : set_types(&shape, t[0], t[1], t[2], t[3])) &&
			  set_bits(in, &shape) && tensor_shape_valid(&shape);
	if (ok)
		emit_mma(decoder, in, &shape);
	else
		decode_unsupported(decoder);
}

/* ------------------------------------------------------------------------
 * wgmma */

static int64_t constant_of(struct decoder *decoder, const struct ptx_operand *operand)
{
	if (operand->kind != PTX_OP_INTEGER)
		decode_refuse(decoder);
	return operand->integer;
}

/* Where the scaling of D is, and its operands after that: for floats imm-scale-a, imm-scale-b, and
 * for 16-bit types the two majors (that of A only when it is in shared memory). */
static void wgmma_scales(struct decoder *decoder, const struct ptx_operand *ops, uint32_t count,
						 struct tensor_wgmma *wgmma)
{
	if (count >= 3) {
		wgmma->negate_a = constant_of(decoder, &ops[1]) == -1;
		wgmma->negate_b = constant_of(decoder, &ops[2]) == -1;
	}
	if (count >= 4)
		wgmma->b_mn_major = constant_of(decoder, &ops[count - 1]) & 1;
	if (count == 5)
		wgmma->a_mn_major = constant_of(decoder, &ops[3]) & 1;
}

/* The types and sizes that there are. PTX ISA 9.7.15.6.1: the selector of a sparse A. */
static bool wgmma_shape(const struct ptx_instruction *in, struct tensor_shape *shape)
{
	const struct ptx_operand *selector = &in->operands[4];
	shape->sparse = is_sparse(in);
	if (in->operand_count < (shape->sparse ? 6 : 4) || !shape_sizes(in, shape) ||
		!set_types(shape, decode_type(in, 0), decode_type(in, 1), decode_type(in, 2),
				   decode_type(in, 0)) ||
		shape->m != 64 || shape->n % 8 || shape->n > TENSOR_WGMMA_COLUMNS ||
		shape->k * tensor_type_bytes(shape->a) != TENSOR_WGMMA_K_BYTES * (shape->sparse ? 2 : 1))
		return false;
	if (!shape->sparse)
		return true;
	int64_t most = tensor_type_bytes(shape->a) == 1 ? 0 : 1;
	shape->selector = (uint8_t)selector->integer;
	return selector->kind == PTX_OP_INTEGER && selector->integer >= 0 && selector->integer <= most;
}

/* Operands after D: A (descriptor or registers), B, where A is sparse its metadata and their
 * selector, and what wgmma_scales() takes. */
void decode_wgmma_multiply(struct decoder *decoder, const struct ptx_instruction *in)
{
	struct tensor_shape shape = {0};
	if (!wgmma_shape(in, &shape)) {
		decode_unsupported(decoder);
		return;
	}
	const struct ptx_operand *ops = in->operands;
	uint32_t scale = shape.sparse ? 5 : 3, d_count = shape.n / (shape.d == TENSOR_F16 ? 4u : 2u);
	bool a_registers = ops[1].kind == PTX_OP_VECTOR;
	struct exec_instruction *out = decode_emit(decoder, OP_WGMMA, FORM_ONLY);
	decoder->program->async_proxy = true;
	int32_t list[LIST_MAX] = {(int32_t)d_count, a_registers ? 4 : 0};
	uint32_t at = 2;
	if (ops[0].kind != PTX_OP_VECTOR || ops[0].count != d_count ||
		(a_registers && ops[1].count != 4)) {
		decode_refuse(decoder);
		return;
	}
	for (uint32_t i = 0; i < d_count; i++)
		list[at++] = decode_destination(decoder, &ops[0].items[i], 4);
	for (uint32_t i = 0; a_registers && i < 4; i++)
		list[at++] = decode_destination(decoder, &ops[1].items[i], 4);
	if (shape.sparse)
		list[at++] = decode_source(decoder, &ops[3], 4);
	out->a = a_registers ? -1 : decode_source(decoder, &ops[1], 8);
	out->b = decode_source(decoder, &ops[2], 8);
	out->c = decode_predicate(decoder, &ops[scale], NULL);
	struct tensor_wgmma wgmma = {.n = shape.n,
								 .d = shape.d,
								 .a = shape.a,
								 .b = shape.b,
								 .sparse = shape.sparse,
								 .selector = shape.selector,
								 .saturate = decode_has(in, "satfinite")};
	wgmma_scales(decoder, ops + scale, in->operand_count - scale, &wgmma);
	out->imm = sub_pack_wgmma(&wgmma);
	decode_list(decoder, list, at);
}
