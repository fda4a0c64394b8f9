/* Layouts of tensor operands, and the way from registers or shared-memory chunks
 * to the blocks that the inner loops (kernels.c) read. */
#include "emulator/tensor/tensor.h"

#include <stdatomic.h>
#include <string.h>

#include "emulator/simd_level.h"
#include "emulator/tensor/kernels.h"

#define ROWS_MAX 32u /* of a warp: wmma's m32n8k16 and m8n32k16 */

const struct tensor_kernels *tensor_kernels(void)
{
	static const struct tensor_kernels *const levels[] = {&tensor_kernels_v2, &tensor_kernels_v3,
														  &tensor_kernels_v4};
	static const struct tensor_kernels *_Atomic chosen; /* by all threads alike */
	const struct tensor_kernels *known = atomic_load_explicit(&chosen, memory_order_relaxed);
	if (known)
		return known;
	known = levels[simd_level() - 2];
	atomic_store_explicit(&chosen, known, memory_order_relaxed);
	return known;
}

static bool is_integer(enum tensor_type type)
{
	return type == TENSOR_S8 || type == TENSOR_U8 || type == TENSOR_S4 || type == TENSOR_U4 ||
		   type == TENSOR_B1;
}

/* Elements of a row of a block: 16 bytes' worth, but 4 of f64, whose registers
 * are twice as wide. */
static unsigned block_width(enum tensor_type type)
{
	return type == TENSOR_F64 ? 4 : TENSOR_CHUNK * 8 / tensor_type_bits(type);
}

/* m8n8k4 of f16: four products at once, of the threads 4 i to 4 i + 3 and those 16 higher. Here
 * they are the diagonal of one of 32 rows and columns. */
static bool is_quads(const struct tensor_shape *shape)
{
	return shape->a == TENSOR_F16 && shape->k == 4;
}

static bool accumulators_valid(const struct tensor_shape *shape)
{
	if (shape->a == TENSOR_F64)
		return shape->c == TENSOR_F64 && shape->d == TENSOR_F64;
	if (is_integer(shape->a))
		return shape->c == TENSOR_S32 && shape->d == TENSOR_S32;
	if (shape->a == TENSOR_BF16 || shape->a == TENSOR_TF32)
		return shape->c == TENSOR_F32 && shape->d == TENSOR_F32;
	return (shape->c == TENSOR_F32 || shape->c == TENSOR_F16) &&
		   (shape->d == TENSOR_F32 || shape->d == TENSOR_F16);
}

/* PTX ISA 9.7.14.5.14, mma, and 9.7.14.6.3, mma.sp: what there is beside the shapes of whole
 * blocks. */
static bool rare_valid(const struct tensor_shape *shape)
{
	const unsigned bits = tensor_type_bits(shape->a), row = shape->k * bits;
	const bool eight = shape->m == 8 && shape->n == 8, sixteen = shape->m == 16 && shape->n == 8;
	if (shape->sparse && shape->a <= TENSOR_U8 && bits == 8 && !is_integer(shape->a))
		return sixteen && shape->k == 64 && shape->selector == 0;
	if (shape->sparse)
		return sixteen && bits >= 4 && bits <= 32 && (row == 256 || row == 512) &&
			   shape->selector < (row == 256   ? bits >= 16 ? 4 : 2
								  : bits >= 16 ? 2
											   : 1);
	if (is_quads(shape))
		return eight && (shape->d == TENSOR_F32 || shape->c == TENSOR_F16);
	return ((eight || sixteen) && row == 128) || (sixteen && row == 256);
}

bool tensor_shape_is_rare(const struct tensor_shape *shape)
{
	return shape->sparse || shape->a > TENSOR_F64 || is_quads(shape);
}

bool tensor_shape_valid(const struct tensor_shape *shape)
{
	bool multiplicands = shape->a <= TENSOR_U8 || shape->a >= TENSOR_F64;
	bool same_family =
		shape->a == shape->b ||
		(tensor_type_bits(shape->a) == tensor_type_bits(shape->b) &&
		 tensor_type_bits(shape->a) <= 8 && is_integer(shape->a) == is_integer(shape->b));
	if (!multiplicands || !same_family || !accumulators_valid(shape))
		return false;
	if (tensor_shape_is_rare(shape))
		return rare_valid(shape);
	if (!shape->m || !shape->n || !shape->k || shape->m > ROWS_MAX || shape->n > ROWS_MAX)
		return false;
	return shape->m % 8 == 0 && shape->n % 8 == 0 && shape->k <= TENSOR_K_MAX &&
		   shape->k % block_width(shape->a) == 0;
}

size_t tensor_registers(const struct tensor_shape *shape, enum tensor_operand operand)
{
	unsigned width = block_width(shape->a), stored = shape->sparse ? shape->k / 2u : shape->k;
	enum tensor_type type = operand == TENSOR_C ? shape->c : shape->d;
	bool accumulates = operand == TENSOR_C || operand == TENSOR_D;
	if (is_quads(shape))
		return accumulates && type == TENSOR_F32 ? 8 : accumulates ? 4 : 2;
	if (operand == TENSOR_A)
		return (size_t)shape->m / 8 * stored / width;
	if (operand == TENSOR_B)
		return (size_t)shape->n / 8 * shape->k / width;
	return (size_t)shape->m * shape->n / (type == TENSOR_F16 ? 64 : 32);
}

/* PTX ISA 9.7.14.5.1, mma.m8n8k4 with .f16 */
static void quads_position(const struct tensor_shape *shape, enum tensor_operand operand,
						   unsigned lane, unsigned reg, unsigned item, unsigned *row,
						   unsigned *column)
{
	const unsigned first = lane % 16 / 4 * 8, high = first + lane / 16 * 4;
	const unsigned i = reg * 2 + item, own = high + lane % 4;
	if (operand == TENSOR_A) {
		*row = shape->a_column ? high + i : own;
		*column = shape->a_column ? lane % 4 : i;
	} else if (operand == TENSOR_B) {
		*row = shape->b_row ? lane % 4 : i;
		*column = shape->b_row ? high + i : own;
	} else if ((operand == TENSOR_C ? shape->c : shape->d) == TENSOR_F16) {
		*row = own;
		*column = first + i;
	} else {
		*row = high + (lane & 1) + (reg & 2);
		*column = first + (reg & 4) + (lane & 2) + (reg & 1);
	}
}

void tensor_position(const struct tensor_shape *shape, enum tensor_operand operand, unsigned lane,
					 unsigned reg, unsigned item, unsigned *row, unsigned *column)
{
	unsigned width = block_width(shape->a), group = lane / 4, thread = lane % 4;
	unsigned along = thread * (width / 4) + item;
	reg %= tensor_registers(shape, operand);
	if (is_quads(shape)) {
		quads_position(shape, operand, lane, reg, item, row, column);
		return;
	}
	if (operand == TENSOR_A) {
		unsigned row_blocks = shape->m / 8u;
		*row = reg % row_blocks * 8 + group;
		*column = reg / row_blocks * width + along;
		return;
	}
	if (operand == TENSOR_B) {
		unsigned k_blocks = shape->k / width;
		*row = reg % k_blocks * width + along;
		*column = reg / k_blocks * 8 + group;
		return;
	}
	enum tensor_type type = operand == TENSOR_C ? shape->c : shape->d;
	unsigned element = type == TENSOR_F16 ? reg * 2 + item : reg;
	unsigned block = element / 2, row_blocks = shape->m / 8u;
	*row = block % row_blocks * 8 + group;
	*column = block / row_blocks * 8 + thread * 2 + element % 2;
}

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

/* d, c: of floats or of integers, as `type` is. */
static void multiply(enum tensor_type type, void *d, const void *c, const union tensor_element *a,
					 const union tensor_element *b, unsigned row_blocks, unsigned column_blocks,
					 unsigned k, bool saturate)
{
	if (!is_integer(type))
		tensor_kernels()->multiply(d, c, &a->number, &b->number, row_blocks, column_blocks, k);
	else if (saturate && !far_from_limits(c, row_blocks * column_blocks * 2))
		multiply_saturating(d, c, a, b, row_blocks, column_blocks, k);
	else
		tensor_kernels()->multiply_integers(d, c, &a->integer, &b->integer, row_blocks,
											column_blocks, k);
}

#define ELEMENTS_MAX (ROWS_MAX * ROWS_MAX / TENSOR_LANES)

/* Whether a register of d is one of c that is read only after d was written. */
static bool overwrites(uint32_t *const d[], const uint32_t *const c[], unsigned count)
{
	unsigned same = 0;
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = i + 1; j < count; j++)
			same += d[i] == c[j];
	return same > 0;
}

/* d, c: of floats or of integers, none of d one of c that is still to be read. */
static void mma_multiply(const struct tensor_shape *shape, void *d, const uint32_t *const a[],
						 const uint32_t *const b[], const void *c)
{
	const struct tensor_kernels *k = tensor_kernels();
	_Alignas(64) union tensor_element left[ROWS_MAX / 8 * TENSOR_LANES * TENSOR_K_MAX];
	_Alignas(64) union tensor_element right[ROWS_MAX * TENSOR_K_MAX];
	unsigned k_blocks = shape->k / block_width(shape->a);
	unsigned row_blocks = shape->m / 8u, column_blocks = shape->n / 8u;
	if (k->multiply_halves(shape, d, a, b, c))
		return;
	k->rows(shape->a, a, row_blocks, k_blocks, left);
	k->columns(shape->b, b, column_blocks, k_blocks, right);
	multiply(shape->a, d, c, left, right, row_blocks, column_blocks, shape->k, shape->saturate);
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
		else if (i % 2 == 0)
			k->floats_to_halves((const float *)work[i], (const float *)work[i + 1], d[i / 2]);
}

void tensor_mma_f64(const struct tensor_shape *shape, double *const d[], const double *const a[],
					const double *const b[], const double *const c[])
{
	double left[ROWS_MAX][TENSOR_K_MAX], right[ROWS_MAX][TENSOR_K_MAX];
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
				sum = __builtin_fma(left[row][j], right[column][j], sum);
			d[i][lane] = sum;
		}
}

void tensor_transpose_b16(uint32_t reg[TENSOR_LANES])
{
	tensor_kernels()->transpose_b16(reg);
}

/* --- wgmma --- */

static uint32_t swizzle_mask(enum tensor_swizzle mode)
{
	static const uint32_t masks[] = {
		[TENSOR_SWIZZLE_NONE] = 0,
		[TENSOR_SWIZZLE_128] = 7,
		[TENSOR_SWIZZLE_64] = 3,
		[TENSOR_SWIZZLE_32] = 1,
	};
	return masks[mode];
}

static inline uint32_t swizzled(uint32_t address, uint32_t mask, uint32_t base_offset)
{
	uint32_t line = (address >> 7) - base_offset;
	return address ^ (line & mask) << 4;
}

uint32_t tensor_swizzle(enum tensor_swizzle mode, uint32_t address, uint32_t base_offset)
{
	return swizzled(address, swizzle_mask(mode), base_offset);
}

struct tensor_descriptor tensor_descriptor_decode(uint64_t bits)
{
	return (struct tensor_descriptor){
		.start = (uint32_t)(bits & 0x3FFF) << 4,
		.leading = (uint32_t)(bits >> 16 & 0x3FFF) << 4,
		.stride = (uint32_t)(bits >> 32 & 0x3FFF) << 4,
		.base_offset = (uint32_t)(bits >> 49 & 7),
		.swizzle = (enum tensor_swizzle)(bits >> 62),
	};
}

/* Bytes of a row of the swizzle pattern: how far apart neighbours lie across the
 * contiguous direction. */
static uint32_t pattern_row(enum tensor_swizzle mode)
{
	static const uint32_t bytes[] = {
		[TENSOR_SWIZZLE_NONE] = 16,
		[TENSOR_SWIZZLE_128] = 128,
		[TENSOR_SWIZZLE_64] = 64,
		[TENSOR_SWIZZLE_32] = 32,
	};
	return bytes[mode];
}

/* Offsets of the chunks of each row, a power of two of them, k contiguous. */
static void offsets_k_major(const struct tensor_descriptor *d, unsigned rows, unsigned across,
							uint32_t *offsets)
{
	unsigned shift = (unsigned)__builtin_ctz(across);
	uint32_t apart = d->swizzle == TENSOR_SWIZZLE_NONE ? d->leading : TENSOR_CHUNK;
	uint32_t width = pattern_row(d->swizzle);
	for (unsigned i = 0; i < across * rows; i++) {
		unsigned row = i >> shift;
		offsets[i] = row % 8 * width + row / 8 * d->stride + (i & (across - 1)) * apart;
	}
}

/* Offsets of the chunks of eight rows at each k, rows contiguous. Without a swizzle
 * the two strides change their roles. */
static void offsets_mn_major(const struct tensor_descriptor *d, unsigned rows, unsigned across,
							 uint32_t *offsets)
{
	uint32_t width = pattern_row(d->swizzle), chunks = width / TENSOR_CHUNK; /* powers of two */
	unsigned shift = (unsigned)__builtin_ctz(chunks);
	bool plain = d->swizzle == TENSOR_SWIZZLE_NONE;
	uint32_t along = plain ? d->stride : d->leading, further = plain ? d->leading : d->stride;
	for (unsigned k = 0; k < 8 * across; k++, offsets += rows / 8)
		for (unsigned i = 0; i < rows / 8; i++)
			offsets[i] = (i & (chunks - 1)) * TENSOR_CHUNK + (i >> shift) * along + k % 8 * width +
						 k / 8 * further;
}

size_t tensor_chunks(const struct tensor_descriptor *descriptor, unsigned rows, unsigned across,
					 bool mn_major, uint32_t addresses[TENSOR_CHUNKS])
{
	uint32_t start = descriptor->start, base_offset = descriptor->base_offset;
	uint32_t mask = swizzle_mask(descriptor->swizzle);
	if (mn_major)
		offsets_mn_major(descriptor, rows, across, addresses);
	else
		offsets_k_major(descriptor, rows, across, addresses);
	for (unsigned i = 0; i < across * rows; i++)
		addresses[i] = swizzled(start + addresses[i], mask, base_offset);
	return (size_t)across * rows;
}

#define WARP_BLOCKS 2u

void tensor_blocks(const uint8_t *bytes, unsigned rows, unsigned k_blocks, bool mn_major,
				   uint32_t blocks[][TENSOR_LANES], unsigned together)
{
	for (unsigned rb = 0; rb < rows / 8; rb++)
		for (unsigned kb = 0; kb < k_blocks; kb++) {
			uint32_t *block = blocks[(rb / together * k_blocks + kb) * together + rb % together];
			for (unsigned i = 0; i < 8; i++) {
				unsigned chunk =
					mn_major ? (kb * 8 + i) * (rows / 8) + rb : (rb * 8 + i) * k_blocks + kb;
				memcpy(block + 4 * i, bytes + (size_t)chunk * TENSOR_CHUNK, TENSOR_CHUNK);
			}
			if (mn_major)
				tensor_transpose_b16(block);
		}
}

float tensor_least_normal(enum tensor_type type)
{
	return type == TENSOR_E4M3 ? 0x1p-6f : type == TENSOR_E5M2 ? 0x1p-14f : 0;
}

static void wgmma_warp(const struct tensor_wgmma *op, const uint32_t *const a[],
					   const union tensor_element *right, unsigned depth,
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
	k->rows(op->a, a, WARP_BLOCKS, 2, left);
	float least_a = tensor_least_normal(op->a), least_b = tensor_least_normal(op->b);
	if (least_a == 0 ||
		!k->multiply_cut(acc, (const float *const *)acc, &left->number, &right->number, WARP_BLOCKS,
						 column_blocks, depth, least_a, least_b))
		multiply(op->a, acc, acc, left, right, WARP_BLOCKS, column_blocks, depth, op->saturate);
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
	tensor_kernels()->columns(op->b, at, op->n / 8u, 2, right);
	for (unsigned i = 0; op->negate_a != op->negate_b && i < op->n * depth; i++)
		right[i].number = -right[i].number;
	if (op->a_bytes)
		tensor_blocks(op->a_bytes, TENSOR_WGMMA_ROWS, 2, op->a_mn_major, blocks, WARP_BLOCKS);
	for (unsigned warp = 0; warp < 4; warp++)
		wgmma_warp(op, op->a_bytes ? at + (size_t)2 * WARP_BLOCKS * warp : op->a_registers[warp],
				   right, depth, op->registers[warp]);
}

float tensor_f16_to_float(uint16_t bits)
{
	return tensor_kernels_v2.half_to_float(bits);
}

uint16_t tensor_float_to_f16(float value)
{
	return tensor_kernels_v2.float_to_half(value);
}
