/* Undefined values in products of tensor cores: a row of A makes a row of D undefined, a column
 * of B a column, and an element of C its own element. */
#include "emulator/exec/fault.h"
#include "emulator/exec/follow.h"
#include "emulator/exec/sub.h"
#include "emulator/exec/undefined.h"
#include "emulator/exec/worker.h"
#include "emulator/tensor/tensor.h"

#define ROWS_MAX 64
#define COLUMNS_MAX 256

/* ------------------------------------------------------------------------
 * mma.sync, wmma.mma. in->imm: the shape; in->list: the numbers of registers of d, a, b, c, then
 * the registers. */

struct product {
	struct warp *warp;
	const struct tensor_shape *shape;
	bool rows[ROWS_MAX], columns[COLUMNS_MAX];
	bool elements[ROWS_MAX][ROWS_MAX]; /* of C */
	bool any;
	struct exec_read read;
};

static enum tensor_type type_of(const struct tensor_shape *shape, enum tensor_operand operand)
{
	return operand == TENSOR_A   ? shape->a
		   : operand == TENSOR_B ? shape->b
		   : operand == TENSOR_C ? shape->c
								 : shape->d;
}

/* Elements of a register, and the 16-bit parts of one of them. */
static unsigned items_of(enum tensor_type type)
{
	return type == TENSOR_F64 ? 1 : 32 / tensor_type_bits(type);
}

static unsigned parts_of(enum tensor_type type)
{
	return type == TENSOR_F64 ? 4 : 2;
}

static bool is_undefined(const struct exec_lanes *parts, enum tensor_type type, unsigned lane,
						 unsigned item)
{
	unsigned items = items_of(type), all = parts_of(type), bad = 0;
	for (unsigned p = item * all / items; p < (item * all + all + items - 1) / items; p++)
		bad |= parts[p].lanes >> lane & 1;
	return bad;
}

static void mark(struct product *product, enum tensor_operand operand, unsigned row,
				 unsigned column)
{
	if (operand == TENSOR_A)
		product->rows[row] = true;
	else if (operand == TENSOR_B)
		product->columns[column] = true;
	else
		product->elements[row][column] = true;
}

static void collect(struct product *product, enum tensor_operand operand, unsigned reg,
					const struct exec_lanes *parts)
{
	enum tensor_type type = type_of(product->shape, operand);
	uint32_t lanes = 0;
	for (unsigned p = 0; p < parts_of(type); p++) {
		if (parts[p].lanes)
			product->read = parts[p].read;
		lanes |= parts[p].lanes;
	}
	product->any |= lanes != 0;
	for (; lanes; lanes &= lanes - 1)
		for (unsigned item = 0; item < items_of(type); item++) {
			unsigned lane = (unsigned)__builtin_ctz(lanes), row, column;
			if (!is_undefined(parts, type, lane, item))
				continue;
			tensor_position(product->shape, operand, lane, reg, item, &row, &column);
			mark(product, operand, row, column);
		}
}

/* Two rows of each lane that gives some. */
static void collect_metadata(struct product *product, const struct exec_lanes *parts)
{
	const struct tensor_shape *shape = product->shape;
	for (uint32_t lanes = parts[0].lanes | parts[1].lanes; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);
		if (!tensor_metadata_of(tensor_type_bits(shape->a), shape->k, shape->selector, lane))
			continue;
		product->rows[lane / 4] = product->rows[lane / 4 + 8] = product->any = true;
		product->read = parts[0].lanes ? parts[0].read : parts[1].read;
	}
}

static void spread(struct product *product, unsigned reg, struct exec_lanes *parts)
{
	enum tensor_type type = product->shape->d;
	unsigned items = items_of(type), all = parts_of(type);
	uint32_t undefined[4] = {0};
	for (unsigned lane = 0; product->any && lane < EXEC_LANES; lane++)
		for (unsigned item = 0; item < items; item++) {
			unsigned row, column;
			tensor_position(product->shape, TENSOR_D, lane, reg, item, &row, &column);
			if (product->rows[row] || product->columns[column] || product->elements[row][column])
				for (unsigned p = item * all / items; p < (item + 1) * all / items; p++)
					undefined[p] |= 1u << lane;
		}
	for (unsigned p = 0; p < all; p++)
		if (parts[p].lanes | undefined[p])
			exec_lanes_set(product->warp->undefined, parts + p, EXEC_FULL, undefined[p],
						   &product->read);
}

enum exec_status exec_follow_mma(struct warp *w, const struct exec_instruction *in, uint32_t mask)
{
	static const enum tensor_operand order[4] = {TENSOR_D, TENSOR_A, TENSOR_B, TENSOR_C};
	struct tensor_shape shape = sub_unpack_shape(in->imm);
	struct product product = {.warp = w, .shape = &shape};
	const int32_t *next = in->list + 4 + in->list[0];
	for (int operand = 1; operand < 4; operand++)
		for (int r = 0; r < in->list[operand]; r++, next++)
			if (!(*next & 1)) /* no constant */
				collect(&product, order[operand], (unsigned)r, &w->undefined->parts[*next / 64]);
	if (shape.sparse && !(*next & 1))
		collect_metadata(&product, &w->undefined->parts[*next / 64]);
	enum exec_status status = in->handler(w, in, mask);
	for (int r = 0; status == EXEC_NEXT && r < in->list[0]; r++)
		spread(&product, (unsigned)r, &w->undefined->parts[in->list[4 + r] / 64]);
	return status;
}

/* ------------------------------------------------------------------------
 * wgmma: warp i of the four has rows 16i to 16i + 15. PTX ISA, "Register Fragments for
 * wgmma.mma_async": of each 8 columns a lane has two neighbours, in its row and 8 rows below.
 * in->list: how many registers of d and of a, then the registers */

static bool is_f16(const struct exec_instruction *in)
{
	return sub_unpack_wgmma(in->imm).d == TENSOR_F16;
}

/* Rows of A that come from registers. */
static void collect_a(const struct warp *w, const struct exec_instruction *in, bool rows[16],
					  struct exec_read *read)
{
	for (int r = 0; w->undefined != NULL && r < in->list[1]; r++) {
		const struct exec_lanes *parts = &w->undefined->parts[in->list[2 + in->list[0] + r] / 64];
		for (uint32_t left = parts[0].lanes | parts[1].lanes; left; left &= left - 1) {
			rows[__builtin_ctz(left) / 4 + 8 * (r % 2)] = true;
			*read = parts[0].lanes ? parts[0].read : parts[1].read;
		}
	}
}

static void spread_register(struct warp *w, const struct exec_instruction *in, int reg,
							bool scale_d, const bool rows[16], const bool columns[],
							const struct exec_read *read)
{
	struct exec_lanes *parts = &w->undefined->parts[in->list[2 + reg] / 64];
	bool pairs = is_f16(in);
	for (int p = 0; p < 2; p++) {
		uint32_t undefined = scale_d ? parts[p].lanes : 0;
		for (int lane = 0; lane < EXEC_LANES; lane++) {
			int row = lane / 4 + 8 * (pairs ? reg % 2 : reg / 2 % 2);
			int column = 8 * (pairs ? reg / 2 : reg / 4) + lane % 4 * 2 + (pairs ? p : reg % 2);
			undefined |= (uint32_t)(rows[row] || columns[column]) << lane;
		}
		/* what was undefined before keeps its own place */
		uint32_t fresh = undefined & ~parts[p].lanes;
		exec_lanes_set(w->undefined, parts + p, EXEC_FULL, undefined,
					   fresh ? read : &parts[p].read);
	}
}

bool exec_follow_wgmma(struct warp *warps[4], const struct exec_instruction *in, bool scale_d,
					   const struct exec_wgmma_reads *reads)
{
	for (int i = 0; i < 4; i++) {
		bool rows[16] = {false};
		struct exec_read read = reads->read;
		if (!reads->any && !(warps[i]->undefined != NULL && warps[i]->undefined->count))
			continue;
		for (int r = 0; r < 16; r++)
			rows[r] = reads->a[16 * i + r];
		collect_a(warps[i], in, rows, &read);
		if (exec_undefined_open(warps[i]) == NULL) {
			exec_fail(warps[i], in, 0, FAULT_MEMORY, 0,
					  "no host memory to follow undefined values");
			return false;
		}
		for (int r = 0; r < in->list[0]; r++)
			spread_register(warps[i], in, r, scale_d, rows, reads->b, &read);
	}
	return true;
}

enum exec_status exec_follow_on(struct warp *w, const struct exec_instruction *in)
{
	if (w->undefined == NULL || w->undefined->following || !w->undefined->count)
		return EXEC_NEXT;
	w->pc = exec_pc(w, in) + 1;
	return EXEC_YIELD;
}
