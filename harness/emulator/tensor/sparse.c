/* The rarer products: a sparse A, operands of 4 bits and of one, and m8n8k4 of f16. */
#include "emulator/tensor/sparse.h"

#include <string.h>

#include "emulator/tensor/blocks.h"

#define WARP_ROWS 16u
#define KEPT_MAX 64u             /* values of a row of A */
#define MMA_ELEMENTS (128u * 8u) /* of B: m16n8k128 */
#define MMA_REGISTERS 4u         /* of C and D, where there are 16 rows and 8 columns */

/* ------------------------------------------------------------------------
 * Metadata. PTX ISA 9.7.14.6.1 and .2: four bits, two places of two, for each chunk of a row:
 * 4 elements, 8 of 4 bits (whose places are those of pairs), 2 of tf32 (whose places are 16 bits
 * wide: 0 or 2). */

/* Lane and lowest bit of the four for a chunk. Elements of 16 bits and more: a register holds four
 * chunks of a row, and of the row 8 below. Smaller ones: it holds eight chunks of a row, and the
 * next lane's those of the row 8 below. */
static unsigned metadata_place(unsigned bits, unsigned chunks, unsigned selector, unsigned row,
							   unsigned chunk, unsigned *lane)
{
	const bool wide = bits >= 16;
	const unsigned lanes = chunks / (wide ? 4 : 8) * (wide ? 1 : 2);
	*lane = row % 8 * 4 + selector * lanes + (wide ? chunk / 4 : row / 8 + chunk / 8 * 2);
	return wide ? row / 8 * 16 + chunk % 4 * 4 : chunk % 8 * 4;
}

static unsigned chunk_elements(unsigned bits)
{
	return bits == 32 ? 2 : bits == 4 ? 8 : 4;
}

bool tensor_metadata_of(unsigned bits, unsigned k, unsigned selector, unsigned lane)
{
	const unsigned chunks = k / chunk_elements(bits);
	unsigned of;
	for (unsigned row = 0; row < WARP_ROWS; row++)
		for (unsigned chunk = 0; chunk < chunks; chunk++) {
			metadata_place(bits, chunks, selector, row, chunk, &of);
			if (of == lane)
				return true;
		}
	return false;
}

/* Where along k the values of 16 rows are: places[row * k / 2 + i] */
static void find_places(unsigned bits, unsigned k, unsigned selector,
						const uint32_t metadata[TENSOR_LANES], uint8_t *places)
{
	const unsigned width = chunk_elements(bits), chunks = k / width;
	for (unsigned row = 0; row < WARP_ROWS; row++)
		for (unsigned chunk = 0, lane; chunk < chunks; chunk++, places += width / 2) {
			unsigned shift = metadata_place(bits, chunks, selector, row, chunk, &lane);
			unsigned four = metadata[lane] >> shift & 15, first = chunk * width;
			for (unsigned i = 0; i < width / 2; i++) {
				unsigned two = bits == 32 ? four % 4 / 2 : four >> i * 4 / width * 2 & 3;
				places[i] = (uint8_t)(first + (bits == 4 ? two * 2 + i % 2 : two));
			}
		}
}

/* ------------------------------------------------------------------------
 * Operands, from blocks to rows */

/* out: rows x k. Blocks that lie below each other come first. */
static void rows_of(enum tensor_type type, const uint32_t *const blocks[], unsigned row_blocks,
					unsigned k_blocks, union tensor_element *out)
{
	const unsigned width = TENSOR_CHUNK * 8 / tensor_type_bits(type), k = k_blocks * width;
	union tensor_element elements[TENSOR_BLOCK_ELEMENTS];
	for (unsigned i = 0; i < row_blocks * k_blocks; i++) {
		tensor_kernels()->elements(type, blocks[i], elements);
		for (unsigned row = 0; row < 8; row++)
			memcpy(out + (i % row_blocks * 8 + row) * k + i / row_blocks * width,
				   elements + row * width, width * sizeof *out);
	}
}

/* out: k x columns. Blocks of the same columns come first. */
static void columns_of(enum tensor_type type, const uint32_t *const blocks[],
					   unsigned column_blocks, unsigned k_blocks, union tensor_element *out)
{
	const unsigned width = TENSOR_CHUNK * 8 / tensor_type_bits(type), columns = column_blocks * 8;
	union tensor_element elements[TENSOR_BLOCK_ELEMENTS];
	for (unsigned i = 0; i < column_blocks * k_blocks; i++) {
		tensor_kernels()->elements(type, blocks[i], elements);
		for (unsigned column = 0; column < 8; column++)
			for (unsigned k = 0; k < width; k++)
				out[(i % k_blocks * width + k) * columns + i / k_blocks * 8 + column] =
					elements[column * width + k];
	}
}

/* Where element i of an accumulator's lane is among rows of `columns`. */
static unsigned place_of(unsigned i, unsigned lane, unsigned row_blocks, unsigned columns)
{
	unsigned row = i / 2 % row_blocks * 8 + lane / 4;
	return row * columns + i / 2 / row_blocks * 8 + lane % 4 * 2 + i % 2;
}

static void load_sums(bool halves, const uint32_t *const c[], unsigned row_blocks, unsigned columns,
					  union tensor_element *sums)
{
	float both[2][TENSOR_LANES];
	for (unsigned i = 0; i < row_blocks * columns / 4; i++) {
		if (halves && i % 2 == 0)
			tensor_kernels()->halves_to_floats(c[i / 2], both[0], both[1]);
		for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
			union tensor_element *to = &sums[place_of(i, lane, row_blocks, columns)];
			if (halves)
				to->number = both[i % 2][lane];
			else
				to->bits = c[i][lane];
		}
	}
}

static void store_sums(bool halves, uint32_t *const d[], unsigned row_blocks, unsigned columns,
					   const union tensor_element *sums)
{
	float both[2][TENSOR_LANES];
	for (unsigned i = 0; i < row_blocks * columns / 4; i++) {
		for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
			const union tensor_element *from = &sums[place_of(i, lane, row_blocks, columns)];
			if (halves)
				both[i % 2][lane] = from->number;
			else
				d[i][lane] = from->bits;
		}
		if (halves && i % 2 == 1)
			tensor_kernels()->floats_to_halves(both[0], both[1], d[i / 2]);
	}
}

static bool is_integer(enum tensor_type accumulator)
{
	return accumulator == TENSOR_S32;
}

/* Products of integers, which are far from 32 bits, and what they are added to. */
static void add_integers(union tensor_element *sums, const union tensor_element *c, unsigned count,
						 bool saturate)
{
	for (unsigned i = 0; i < count; i++) {
		int64_t sum = (int64_t)sums[i].integer + c[i].integer;
		if (saturate)
			sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
		sums[i].integer = (int32_t)sum;
	}
}

/* sums: of c, when this is called */
static void multiply(struct tensor_chosen *op, union tensor_element *sums, bool saturate)
{
	union tensor_element products[WARP_ROWS * TENSOR_WGMMA_COLUMNS];
	op->sums = sums;
	if (op->integers) {
		memset(products, 0, op->rows * op->columns * sizeof *products);
		op->sums = products;
	}
	tensor_kernels()->multiply_chosen(op);
	if (!op->integers)
		return;
	add_integers(products, sums, op->rows * op->columns, saturate);
	memcpy(sums, products, op->rows * op->columns * sizeof *sums);
}

/* mma.sync of 8-bit floats, as in tensor.c: of each four values of a row two belong to the first
 * instruction of f16. */
static void multiply_bytes(struct tensor_chosen *op, union tensor_element *c)
{
	union tensor_element left[WARP_ROWS * KEPT_MAX / 2], sums[WARP_ROWS * 8] = {0};
	uint8_t places[WARP_ROWS * KEPT_MAX / 2];
	struct tensor_chosen part = *op;
	part.kept = op->kept / 2;
	part.a = left;
	part.places = places;
	part.rule = tensor_rule_of(TENSOR_F16, TENSOR_F16);
	for (unsigned high = 0; high < 2; high++) {
		for (unsigned i = 0; i < op->rows * part.kept; i++) {
			left[i] = op->a[i / 2 * 4 + high * 2 + i % 2];
			places[i] = op->places[i / 2 * 4 + high * 2 + i % 2];
		}
		multiply(&part, sums, false);
	}
	for (unsigned i = 0; i < op->rows * op->columns; i++) {
		c[i].number += sums[i].number;
		if (c[i].number != c[i].number)
			c[i].bits = TENSOR_NAN;
	}
}

/* ------------------------------------------------------------------------
 * mma.sync */

void tensor_mma_sparse(const struct tensor_shape *shape, uint32_t *const d[],
					   const uint32_t *const a[], const uint32_t *const b[],
					   const uint32_t *const c[], const uint32_t metadata[TENSOR_LANES])
{
	const unsigned bits = tensor_type_bits(shape->a), width = TENSOR_CHUNK * 8 / bits;
	const unsigned kept = shape->sparse ? shape->k / 2u : shape->k, row_blocks = shape->m / 8u;
	union tensor_element left[WARP_ROWS * KEPT_MAX], right[MMA_ELEMENTS], sums[WARP_ROWS * 8];
	uint8_t places[WARP_ROWS * KEPT_MAX];
	if (shape->sparse)
		find_places(bits, shape->k, shape->selector, metadata, places);
	for (unsigned i = 0; !shape->sparse && i < shape->m * kept; i++)
		places[i] = (uint8_t)(i % kept);
	rows_of(shape->a, a, row_blocks, kept / width, left);
	columns_of(shape->b, b, 1, shape->k / width, right);
	load_sums(shape->c == TENSOR_F16, c, row_blocks, 8, sums);
	struct tensor_chosen op = {.rows = shape->m,
							   .columns = 8,
							   .kept = kept,
							   .a = left,
							   .places = places,
							   .b = right,
							   .k = shape->k,
							   .integers = is_integer(shape->d),
							   .rule = tensor_rule_of(shape->a, shape->b)};
	op.rule.half = shape->c == TENSOR_F16 && shape->d == TENSOR_F16;
	if (bits == 8 && !op.integers)
		multiply_bytes(&op, sums);
	else
		multiply(&op, sums, shape->saturate);
	store_sums(shape->d == TENSOR_F16, d, row_blocks, 8, sums);
}

/* PTX ISA, mma: .b1 counts the bits that a row and a column have both, or one of them alone. */
static void mma_bits(const struct tensor_shape *shape, uint32_t *const d[],
					 const uint32_t *const a[], const uint32_t *const b[],
					 const uint32_t *const c[])
{
	const unsigned row_blocks = shape->m / 8u, k_blocks = shape->k / 128u;
	uint32_t counts[MMA_REGISTERS][TENSOR_LANES];
	for (unsigned i = 0; i < row_blocks * 2; i++)
		for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
			unsigned row = lane / 4, column = lane % 4 * 2 + i % 2;
			counts[i][lane] = c[i][lane];
			for (unsigned word = 0; word < 4 * k_blocks; word++) {
				uint32_t x = a[word / 4 * row_blocks + i / 2][row * 4 + word % 4];
				uint32_t y = b[word / 4][column * 4 + word % 4];
				uint32_t both = shape->bits_and ? x & y : x ^ y;
				counts[i][lane] += (uint32_t)__builtin_popcount(both);
			}
		}
	for (unsigned i = 0; i < row_blocks * 2; i++)
		memcpy(d[i], counts[i], sizeof counts[i]);
}

#define QUADS 32 /* rows and columns of the four products, one after the other */

static float half_at(const uint32_t *reg, unsigned lane, unsigned item)
{
	return tensor_f16_to_float((uint16_t)(reg[lane] >> 16 * item));
}

/* ptxas makes f32 arithmetic of m8n8k4, which adds c last; of f16 results it adds the second half
 * of the products to the first one's sum and c. Products are exact. */
static float sum_of_quad(bool half, const float left[4], const float *right, float c)
{
	float p[4], sum = 0;
	for (unsigned k = 0; k < 4; k++)
		p[k] = left[k] * right[(size_t)k * QUADS];
	if (half) {
		const float first = p[0] + p[1], second = p[2] + p[3];
		sum = c + first;
		return sum + second;
	}
	for (unsigned k = 0; k < 4; k++)
		sum += p[k];
	return sum + c;
}

static void mma_quads(const struct tensor_shape *shape, uint32_t *const d[],
					  const uint32_t *const a[], const uint32_t *const b[],
					  const uint32_t *const c[])
{
	float left[QUADS][4], right[4][QUADS], sums[QUADS][QUADS];
	const unsigned items_c = shape->c == TENSOR_F16 ? 2 : 1,
				   items_d = shape->d == TENSOR_F16 ? 2 : 1;
	unsigned row, column;
	for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
		for (unsigned i = 0; i < 4; i++) {
			tensor_position(shape, TENSOR_A, lane, i / 2, i % 2, &row, &column);
			left[row][column] = half_at(a[i / 2], lane, i % 2);
			tensor_position(shape, TENSOR_B, lane, i / 2, i % 2, &row, &column);
			right[row][column] = half_at(b[i / 2], lane, i % 2);
		}
		for (unsigned i = 0; i < 8; i++) {
			const uint32_t *from = c[i / items_c];
			tensor_position(shape, TENSOR_C, lane, i / items_c, i % items_c, &row, &column);
			if (items_c == 2)
				sums[row][column] = half_at(from, lane, i % 2);
			else
				memcpy(&sums[row][column], from + lane, sizeof *from);
		}
	}
	for (unsigned lane = 0; lane < TENSOR_LANES; lane++)
		for (unsigned i = 0; i < 8; i++) {
			uint32_t *to = d[i / items_d] + lane;
			tensor_position(shape, TENSOR_D, lane, i / items_d, i % items_d, &row, &column);
			union tensor_element one = {
				.number =
					sum_of_quad(items_d == 2, left[row], right[0] + column, sums[row][column])};
			if (one.number != one.number)
				one.bits = TENSOR_NAN;
			if (items_d == 1)
				*to = one.bits;
			else
				*to = i % 2 ? (*to & 0xffff) | (uint32_t)tensor_float_to_f16(one.number) << 16
							: tensor_float_to_f16(one.number);
		}
}

void tensor_mma_rare(const struct tensor_shape *shape, uint32_t *const d[],
					 const uint32_t *const a[], const uint32_t *const b[],
					 const uint32_t *const c[])
{
	static const uint32_t none[TENSOR_LANES]; /* no metadata: A is dense */
	if (shape->a == TENSOR_B1)
		mma_bits(shape, d, a, b, c);
	else if (shape->a == TENSOR_F16)
		mma_quads(shape, d, a, b, c);
	else
		tensor_mma_sparse(shape, d, a, b, c, none);
}

/* ------------------------------------------------------------------------
 * wgmma.mma_async.sp */

#define COLUMN_BLOCKS (TENSOR_WGMMA_COLUMNS / 8)
#define K_BLOCKS 4u /* of B: 64 bytes */

void tensor_wgmma_sparse(const struct tensor_wgmma *op)
{
	const unsigned bits = tensor_type_bits(op->a), k = 2 * TENSOR_WGMMA_K_BYTES * 8 / bits;
	_Alignas(64) uint32_t blocks[COLUMN_BLOCKS * K_BLOCKS][TENSOR_LANES];
	const uint32_t *at[COLUMN_BLOCKS * K_BLOCKS];
	union tensor_element left[WARP_ROWS * KEPT_MAX], sums[WARP_ROWS * TENSOR_WGMMA_COLUMNS];
	union tensor_element right[TENSOR_WGMMA_COLUMNS * KEPT_MAX];
	uint8_t places[WARP_ROWS * KEPT_MAX];
	for (unsigned i = 0; i < COLUMN_BLOCKS * K_BLOCKS; i++)
		at[i] = blocks[i];
	tensor_blocks(op->b_bytes, op->n, K_BLOCKS, op->b_mn_major, blocks, 1);
	columns_of(op->b, at, op->n / 8u, K_BLOCKS, right);
	for (unsigned i = 0; op->negate_a != op->negate_b && i < op->n * k; i++)
		right[i].number = -right[i].number;
	if (op->a_bytes != NULL)
		tensor_blocks(op->a_bytes, TENSOR_WGMMA_ROWS, 2, op->a_mn_major, blocks, 2);
	for (unsigned warp = 0; warp < 4; warp++) {
		find_places(bits, k, op->selector, op->metadata[warp], places);
		rows_of(op->a, op->a_bytes != NULL ? at + (size_t)4 * warp : op->a_registers[warp], 2, 2,
				left);
		memset(sums, 0, WARP_ROWS * op->n * sizeof *sums);
		if (op->scale_d)
			load_sums(op->d == TENSOR_F16, (const uint32_t *const *)op->registers[warp], 2, op->n,
					  sums);
		struct tensor_chosen product = {.rows = WARP_ROWS,
										.columns = op->n,
										.kept = k / 2,
										.a = left,
										.places = places,
										.b = right,
										.k = k,
										.integers = is_integer(op->d),
										.rule = tensor_rule_of(op->a, op->b)};
		product.rule.half = op->d == TENSOR_F16;
		multiply(&product, sums, op->saturate);
		store_sums(op->d == TENSOR_F16, op->registers[warp], 2, op->n, sums);
	}
}
