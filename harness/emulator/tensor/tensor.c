/* Products of tensor cores: what is done with their operands, which are blocks by then (layout.c).
 */
#include "emulator/tensor/tensor.h"

#include <string.h>

#include "emulator/tensor/blocks.h"

#define WARP_BLOCKS 2u

/* --- accumulators --- */

/* Integer sums wrap; .satfinite clamps the exact sum instead, which 32-bit sums
 * cannot show, so that it is computed apart. */
static void multiply_saturating(int32_t *const d[], const int32_t *const c[],
								const union tensor_element *a, const union tensor_element *b,
								unsigned row_blocks, unsigned column_blocks, unsigned k)
{
	for (unsigned i = 0; i < row_blocks * column_blocks * 2; i++)
		for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
			unsigned rb = i / 2 % row_blocks, cb = i / 2 / row_blocks;
			int64_t sum = c[i][lane];
			for (unsigned j = 0; j < k; j++)
				sum += (int64_t)a[(j * row_blocks + rb) * TENSOR_LANES + lane].integer *
					   b[((cb * k + j) * 2 + i % 2) * 4 + lane % 4].integer;
			d[i][lane] = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum;
		}
}

/* Whether no product of the shapes that there are can bring one of the sums to its limits:
 * K is at most 32, and a product below 2^16. */
static bool far_from_limits(const int32_t *const c[], unsigned count)
{
	uint32_t most = 0;
	for (unsigned i = 0; i < count; i++)
		for (unsigned lane = 0; lane < TENSOR_LANES; lane++)
			most |= (uint32_t)(c[i][lane] ^ c[i][lane] >> 31); /* all bits of their magnitudes */
	return most < UINT32_C(1) << 30;
}

static void multiply_integers(const struct tensor_shape *shape, void *d, const void *c,
							  const union tensor_element *a, const union tensor_element *b)
{
	const unsigned row_blocks = shape->m / 8u, column_blocks = shape->n / 8u;
	if (shape->saturate && !far_from_limits(c, row_blocks * column_blocks * 2))
		multiply_saturating(d, c, a, b, row_blocks, column_blocks, shape->k);
	else
		tensor_kernels()->multiply_integers(d, c, &a->integer, &b->integer, row_blocks,
											column_blocks, shape->k);
}

#define ELEMENTS_MAX (TENSOR_ROWS_MAX * TENSOR_ROWS_MAX / TENSOR_LANES)

/* Whether a register of d is one of c that is read only after d was written. */
static bool overwrites(uint32_t *const d[], const uint32_t *const c[], unsigned count)
{
	unsigned same = 0;
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = i + 1; j < count; j++)
			same += d[i] == c[j];
	return same > 0;
}

/* wmma of tf32 is two instructions, one after the other along k. */
static void multiply_tf32_halves(const struct tensor_product *whole)
{
	_Alignas(64) union tensor_element right[TENSOR_ROWS_MAX * TENSOR_K_MAX];
	_Alignas(64) int8_t exponents[TENSOR_ROWS_MAX * TENSOR_K_MAX];
	const unsigned k = whole->k / 2;
	struct tensor_factor a = *whole->a, b = *whole->b;
	struct tensor_product op = *whole;
	op.k = k;
	op.a = &a;
	op.b = &b;
	b.elements = right;
	b.exponents = exponents;
	for (unsigned half = 0; half < 2; half++) {
		for (unsigned cb = 0; cb < op.column_blocks; cb++) {
			const size_t from = (size_t)(2 * cb + half) * 8 * k, to = (size_t)cb * 8 * k;
			memcpy(right + to, whole->b->elements + from, 8 * k * sizeof *right);
			memcpy(exponents + to, whole->b->exponents + from, 8 * k);
		}
		tensor_kernels()->multiply(&op);
		a.elements += (size_t)k * op.row_blocks * TENSOR_LANES;
		a.exponents += (size_t)k * op.row_blocks * 8;
		op.c = (const float *const *)op.d;
	}
}

/* d, c: of floats or of integers, none of d one of c that is still to be read. */
static void mma_multiply(const struct tensor_shape *shape, void *d, const uint32_t *const a[],
						 const uint32_t *const b[], const void *c)
{
	const struct tensor_kernels *k = tensor_kernels();
	_Alignas(64) union tensor_element left[TENSOR_ROWS_MAX / 8 * TENSOR_LANES * TENSOR_K_MAX];
	_Alignas(64) union tensor_element right[TENSOR_ROWS_MAX * TENSOR_K_MAX];
	unsigned k_blocks = shape->k / tensor_block_width(shape->a);
	unsigned row_blocks = shape->m / 8u, column_blocks = shape->n / 8u;
	if ((shape->c == TENSOR_F16 || shape->d == TENSOR_F16) && k->multiply_halves(shape, d, a, b, c))
		return; /* tried before where both are f32 */
	_Alignas(64) int8_t of_left[sizeof left / sizeof *left], of_right[sizeof right / sizeof *right];
	const struct tensor_rule rule = tensor_rule_of(shape->a, shape->b);
	struct tensor_factor rows = {.elements = left, .exponents = of_left, .least = rule.least_a};
	struct tensor_factor columns = {
		.elements = right, .exponents = of_right, .least = rule.least_b};
	k->rows(shape->a, a, row_blocks, k_blocks, &rows);
	k->columns(shape->b, b, column_blocks, k_blocks, &columns);
	if (tensor_is_integer(shape->a)) {
		multiply_integers(shape, d, c, left, right);
		return;
	}
	struct tensor_product op = {.d = d,
								.c = c,
								.a = &rows,
								.b = &columns,
								.row_blocks = row_blocks,
								.column_blocks = column_blocks,
								.k = shape->k,
								.rule = rule};
	op.rule.half = shape->c == TENSOR_F16 && shape->d == TENSOR_F16;
	if (shape->a == TENSOR_TF32 && shape->n > 8)
		multiply_tf32_halves(&op);
	else
		k->multiply(&op);
}

#define BYTES_REGISTERS 4u /* of A, and of f32 sums, in m16n8k32 */

/* Two of the four bytes of each lane, as f16. */
static void bytes_to_halves(enum tensor_type type, const uint32_t *from, unsigned high,
							uint32_t *to)
{
	for (unsigned lane = 0; lane < TENSOR_LANES; lane++)
		to[lane] = tensor_byte_to_f16(type, (uint8_t)(from[lane] >> 16 * high)) |
				   (uint32_t)tensor_byte_to_f16(type, (uint8_t)(from[lane] >> (16 * high + 8)))
					   << 16;
}

/* mma.sync of 8-bit floats: the chip has none, and ptxas makes two of f16 of it, of the lower and
 * the upper halves of all registers, the second of which begins with the sum of the first. c is
 * added to that. */
static void mma_bytes(const struct tensor_shape *shape, uint32_t *const d[],
					  const uint32_t *const a[], const uint32_t *const b[],
					  const uint32_t *const c[])
{
	const bool half = shape->d == TENSOR_F16;
	const unsigned count = half ? BYTES_REGISTERS / 2 : BYTES_REGISTERS;
	const unsigned of_a = shape->k / 8u, of_b = shape->k / 16u;
	struct tensor_shape part = *shape;
	uint32_t left[BYTES_REGISTERS][TENSOR_LANES], right[2][TENSOR_LANES];
	uint32_t sum[BYTES_REGISTERS][TENSOR_LANES] = {0};
	const uint32_t *lefts[BYTES_REGISTERS], *rights[2];
	uint32_t *sums[BYTES_REGISTERS];
	part.k = shape->k / 2;
	part.a = part.b = TENSOR_F16;
	part.c = part.d;
	for (unsigned i = 0; i < BYTES_REGISTERS; i++) {
		lefts[i] = left[i];
		rights[i % 2] = right[i % 2];
		sums[i] = sum[i];
	}
	for (unsigned high = 0; high < 2; high++) {
		for (unsigned i = 0; i < of_a; i++)
			bytes_to_halves(shape->a, a[i], high, left[i]);
		for (unsigned i = 0; i < of_b; i++)
			bytes_to_halves(shape->b, b[i], high, right[i]);
		tensor_mma(&part, sums, lefts, rights, (const uint32_t *const *)sums);
	}
	for (unsigned i = 0; i < count; i++)
		tensor_add(half, sums[i], c[i], sums[i]);
	for (unsigned i = 0; i < count; i++)
		memcpy(d[i], sums[i], sizeof sum[i]);
}

/* f32 results as f16 ones: by an instruction of its own, which keeps the sign of 0 */
static void convert_to_halves(const float low[TENSOR_LANES], const float high[TENSOR_LANES],
							  uint32_t reg[TENSOR_LANES])
{
	for (unsigned i = 0; i < TENSOR_LANES; i++)
		reg[i] = tensor_float_to_f16(low[i]) | (uint32_t)tensor_float_to_f16(high[i]) << 16;
}

void tensor_mma(const struct tensor_shape *shape, uint32_t *const d[], const uint32_t *const a[],
				const uint32_t *const b[], const uint32_t *const c[])
{
	const struct tensor_kernels *k = tensor_kernels();
	unsigned elements = shape->m * shape->n / TENSOR_LANES;
	_Alignas(64) uint32_t work[ELEMENTS_MAX][TENSOR_LANES];
	uint32_t *to[ELEMENTS_MAX];
	const uint32_t *from[ELEMENTS_MAX];
	bool half_c = shape->c == TENSOR_F16, half_d = shape->d == TENSOR_F16;
	if (tensor_shape_is_rare(shape)) {
		tensor_mma_rare(shape, d, a, b, c);
		return;
	}
	if (tensor_type_bits(shape->a) == 8 && !tensor_is_integer(shape->a)) {
		mma_bytes(shape, d, a, b, c);
		return;
	}
	if (!half_c && !half_d &&
		k->multiply_halves(shape, (float *const *)d, a, b, (const float *const *)c))
		return;
	bool direct = !half_d && (half_c || !overwrites(d, c, elements));
	for (unsigned i = 0; i < elements; i++) {
		to[i] = direct ? d[i] : work[i];
		from[i] = half_c ? work[i] : c[i];
		if (half_c && i % 2 == 0)
			k->halves_to_floats(c[i / 2], (float *)work[i], (float *)work[i + 1]);
	}
	mma_multiply(shape, to, a, b, from);
	for (unsigned i = 0; i < elements && !direct; i++)
		if (!half_d)
			memcpy(d[i], work[i], sizeof work[i]);
		else if (i % 2 == 0 && half_c)
			k->floats_to_halves((const float *)work[i], (const float *)work[i + 1], d[i / 2]);
		else if (i % 2 == 0)
			convert_to_halves((const float *)work[i], (const float *)work[i + 1], d[i / 2]);
}

/* One step of a sum. Of NaN among the three b is the one that stays, then the sum; where none is,
 * the result's has its sign set. */
static double add_product(double a, double b, double sum)
{
	double next = __builtin_fma(a, b, sum);
	if (next == next)
		return next;
	return b != b ? b + b : sum != sum ? sum + sum : a != a ? a + a : -__builtin_nan("");
}

void tensor_mma_f64(const struct tensor_shape *shape, double *const d[], const double *const a[],
					const double *const b[], const double *const c[])
{
	double left[TENSOR_ROWS_MAX][TENSOR_K_MAX], right[TENSOR_ROWS_MAX][TENSOR_K_MAX];
	unsigned row, column;
	for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
		for (unsigned i = 0; i < tensor_registers(shape, TENSOR_A); i++) {
			tensor_position(shape, TENSOR_A, lane, i, 0, &row, &column);
			left[row][column] = a[i][lane];
		}
		for (unsigned i = 0; i < tensor_registers(shape, TENSOR_B); i++) {
			tensor_position(shape, TENSOR_B, lane, i, 0, &row, &column);
			right[column][row] = b[i][lane];
		}
	}
	for (unsigned i = 0; i < tensor_registers(shape, TENSOR_D); i++)
		for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
			tensor_position(shape, TENSOR_D, lane, i, 0, &row, &column);
			double sum = c[i][lane];
			for (unsigned j = 0; j < shape->k; j++)
				sum = add_product(left[row][j], right[column][j], sum);
			d[i][lane] = sum;
		}
}
/* --- wgmma --- */

static void wgmma_warp(const struct tensor_wgmma *op, const uint32_t *const a[],
					   const struct tensor_factor *right, unsigned depth,
					   uint32_t *const registers[])
{
	const struct tensor_kernels *k = tensor_kernels();
	unsigned column_blocks = op->n / 8u, elements = op->n / 2u;
	_Alignas(64) union tensor_element left[WARP_BLOCKS * TENSOR_LANES * TENSOR_K_MAX];
	_Alignas(64) float work[TENSOR_WGMMA_COLUMNS / 2][TENSOR_LANES];
	float *acc[TENSOR_WGMMA_COLUMNS / 2];
	bool half = op->d == TENSOR_F16;
	for (unsigned i = 0; i < elements; i++) {
		acc[i] = half ? work[i] : (float *)registers[i];
		if (!op->scale_d)
			memset(acc[i], 0, sizeof work[i]);
		else if (half && i % 2 == 0)
			k->halves_to_floats(registers[i / 2], work[i], work[i + 1]);
	}
	_Alignas(64) int8_t exponents[sizeof left / sizeof *left];
	const struct tensor_rule rule = tensor_rule_of(op->a, op->b);
	struct tensor_factor rows = {.elements = left, .exponents = exponents, .least = rule.least_a};
	k->rows(op->a, a, WARP_BLOCKS, 2, &rows);
	if (tensor_is_integer(op->a)) {
		multiply_integers(
			&(struct tensor_shape){
				.m = 8 * WARP_BLOCKS, .n = op->n, .k = (uint16_t)depth, .saturate = op->saturate},
			acc, acc, left, right->elements);
		return;
	}
	struct tensor_product product = {.d = acc,
									 .c = (const float *const *)acc,
									 .a = &rows,
									 .b = right,
									 .row_blocks = WARP_BLOCKS,
									 .column_blocks = column_blocks,
									 .k = depth,
									 .rule = rule};
	product.rule.half = half;
	k->multiply(&product);
	for (unsigned i = 0; half && i < elements; i += 2)
		k->floats_to_halves(work[i], work[i + 1], registers[i / 2]);
}

void tensor_wgmma(const struct tensor_wgmma *op)
{
	unsigned depth = TENSOR_WGMMA_K_BYTES / (unsigned)tensor_type_bytes(op->a);
	_Alignas(64) uint32_t blocks[TENSOR_WGMMA_COLUMNS / 8 * 2][TENSOR_LANES];
	_Alignas(64) union tensor_element right[TENSOR_WGMMA_COLUMNS * TENSOR_K_MAX];
	const uint32_t *at[TENSOR_WGMMA_COLUMNS / 8 * 2];
	if (op->sparse) {
		tensor_wgmma_sparse(op);
		return;
	}
	for (unsigned i = 0; i < sizeof at / sizeof *at; i++)
		at[i] = blocks[i];
	tensor_blocks(op->b_bytes, op->n, 2, op->b_mn_major, blocks, 1);
	_Alignas(64) int8_t exponents[sizeof right / sizeof *right];
	struct tensor_factor columns = {
		.elements = right, .exponents = exponents, .least = tensor_rule_of(op->a, op->b).least_b};
	tensor_kernels()->columns(op->b, at, op->n / 8u, 2, &columns);
	for (unsigned i = 0; op->negate_a != op->negate_b && i < op->n * depth; i++)
		right[i].number = -right[i].number;
	if (op->a_bytes != NULL)
		tensor_blocks(op->a_bytes, TENSOR_WGMMA_ROWS, 2, op->a_mn_major, blocks, WARP_BLOCKS);
	for (unsigned warp = 0; warp < 4; warp++)
		wgmma_warp(
			op, op->a_bytes != NULL ? at + (size_t)2 * WARP_BLOCKS * warp : op->a_registers[warp],
			&columns, depth, op->registers[warp]);
}
