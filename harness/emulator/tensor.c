/* Layouts of tensor operands, and the way from registers or shared-memory chunks
 * to the row-major panels that the inner loops (tensor_isa.c) read. */
#include "emulator/tensor.h"

#include <string.h>

#include "emulator/tensor_isa.h"

#define ROWS_MAX 32u /* of a warp: wmma's m32n8k16 and m8n32k16 */

static const struct tensor_kernels *kernels(void)
{
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512cd"))
		return &tensor_kernels_v4;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		__builtin_cpu_supports("bmi2"))
		return &tensor_kernels_v3;
	return &tensor_kernels_v2;
}

size_t tensor_type_bytes(enum tensor_type type)
{
	switch (type) {
	case TENSOR_F16:
	case TENSOR_BF16: return 2;
	case TENSOR_TF32:
	case TENSOR_F32:
	case TENSOR_S32: return 4;
	case TENSOR_E4M3:
	case TENSOR_E5M2:
	case TENSOR_S8:
	case TENSOR_U8: return 1;
	case TENSOR_F64: return 8;
	}
	return 4;
}

static bool is_integer(enum tensor_type type)
{
	return type == TENSOR_S8 || type == TENSOR_U8;
}

/* Elements of a row of a block: 16 bytes' worth, but 4 of f64, whose registers
 * are twice as wide. */
static unsigned block_width(enum tensor_type type)
{
	return type == TENSOR_F64 ? 4 : (unsigned)(TENSOR_CHUNK / tensor_type_bytes(type));
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

bool tensor_shape_valid(const struct tensor_shape *shape)
{
	bool multiplicands = shape->a == TENSOR_F64 || shape->a <= TENSOR_U8;
	bool same_family = shape->a == shape->b || (is_integer(shape->a) && is_integer(shape->b)) ||
					   (tensor_type_bytes(shape->a) == 1 && tensor_type_bytes(shape->b) == 1 &&
						!is_integer(shape->a) && !is_integer(shape->b));
	if (!multiplicands || !same_family || !accumulators_valid(shape))
		return false;
	if (!shape->m || !shape->n || !shape->k || shape->m > ROWS_MAX || shape->n > ROWS_MAX)
		return false;
	return shape->m % 8 == 0 && shape->n % 8 == 0 && shape->k <= TENSOR_K_MAX &&
		   shape->k % block_width(shape->a) == 0;
}

size_t tensor_registers(const struct tensor_shape *shape, enum tensor_operand operand)
{
	unsigned width = block_width(shape->a);
	switch (operand) {
	case TENSOR_A: return (size_t)shape->m / 8 * shape->k / width;
	case TENSOR_B: return (size_t)shape->n / 8 * shape->k / width;
	case TENSOR_C:
	case TENSOR_D: break;
	}
	enum tensor_type type = operand == TENSOR_C ? shape->c : shape->d;
	return (size_t)shape->m * shape->n / (type == TENSOR_F16 ? 64 : 32);
}

void tensor_position(const struct tensor_shape *shape, enum tensor_operand operand, unsigned lane,
					 unsigned reg, unsigned item, unsigned *row, unsigned *column)
{
	unsigned width = block_width(shape->a), group = lane / 4, thread = lane % 4;
	unsigned along = thread * (width / 4) + item;
	reg %= tensor_registers(shape, operand);
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

/* --- panels: row-major, TENSOR_K_MAX elements a row, of A or of B transposed --- */

union panel_row {
	float floats[TENSOR_K_MAX];
	int32_t integers[TENSOR_K_MAX];
};

static void to_integers(enum tensor_type type, const uint8_t chunk[TENSOR_CHUNK], int32_t *out)
{
	for (unsigned i = 0; i < TENSOR_CHUNK; i++)
		out[i] = type == TENSOR_S8 ? (int8_t)chunk[i] : chunk[i];
}

static void put_chunk(const struct tensor_kernels *k, enum tensor_type type,
					  const uint8_t chunk[TENSOR_CHUNK], union panel_row *row, unsigned column)
{
	if (is_integer(type))
		to_integers(type, chunk, row->integers + column);
	else
		k->to_floats(type, chunk, row->floats + column);
}

/* Blocks of a fragment: `inner` of them lie along one direction before the other
 * advances. A: rows first; B, whose panel rows are its columns: k first. */
static void panel_from_registers(const struct tensor_kernels *k, enum tensor_type type,
								 const uint32_t *const registers[], unsigned row_blocks,
								 unsigned k_blocks, bool rows_first, union panel_row *panel)
{
	unsigned width = block_width(type);
	for (unsigned reg = 0; reg < row_blocks * k_blocks; reg++) {
		unsigned rb = rows_first ? reg % row_blocks : reg / k_blocks;
		unsigned kb = rows_first ? reg / row_blocks : reg % k_blocks;
		const uint8_t *bytes = (const uint8_t *)registers[reg];
		for (unsigned g = 0; g < 8; g++)
			put_chunk(k, type, bytes + g * TENSOR_CHUNK, &panel[rb * 8 + g], kb * width);
	}
}

static void panel_from_chunks(const struct tensor_kernels *k, enum tensor_type type,
							  const uint8_t *bytes, unsigned rows, bool mn_major,
							  union panel_row *panel)
{
	unsigned width = block_width(type);
	if (!mn_major) {
		for (unsigned i = 0; i < 2 * rows; i++)
			put_chunk(k, type, bytes + (size_t)i * TENSOR_CHUNK, &panel[i / 2], i % 2 * width);
		return;
	}
	for (unsigned i = 0; i < 2 * rows; i++) {
		float column[TENSOR_CHUNK];
		unsigned at = i / (rows / 8), first = i % (rows / 8) * 8;
		k->to_floats(type, bytes + (size_t)i * TENSOR_CHUNK, column);
		for (unsigned row = 0; row < 8; row++)
			panel[first + row].floats[at] = column[row];
	}
}

static void panel_negate(union panel_row *panel, unsigned rows, unsigned k)
{
	for (unsigned row = 0; row < rows; row++)
		for (unsigned i = 0; i < k; i++)
			panel[row].floats[i] = -panel[row].floats[i];
}

/* --- accumulators --- */

/* Integer sums wrap; .satfinite clamps the exact sum instead, which 32-bit sums
 * cannot show, so that it is computed apart. (The analyzer cannot see that the
 * callers fill as many accumulators and rows as the blocks have.) */
static void multiply_saturating(int32_t *const acc[], const union panel_row *a,
								const union panel_row *b, unsigned row_blocks,
								unsigned column_blocks, unsigned k)
{
	for (unsigned i = 0; i < row_blocks * column_blocks * 2; i++)
		for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
			const int32_t *x = a[i / 2 % row_blocks * 8 + lane / 4].integers;
			const int32_t *y = b[i / 2 / row_blocks * 8 + lane % 4 * 2 + i % 2].integers;
			int64_t sum = acc[i][lane]; /* NOLINT(clang-analyzer-core.NullDereference) */
			for (unsigned j = 0; j < k; j++)
				sum += (int64_t)x[j] * y[j]; /* NOLINT(clang-analyzer-core.*) */
			acc[i][lane] = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum;
		}
}

static void multiply_integers(const struct tensor_kernels *kernel, int32_t *const acc[],
							  const union panel_row *a, const union panel_row *b,
							  unsigned row_blocks, unsigned column_blocks, unsigned k,
							  bool saturate)
{
	if (saturate)
		multiply_saturating(acc, a, b, row_blocks, column_blocks, k);
	else
		kernel->multiply_integers(acc, a->integers, b->integers, row_blocks, column_blocks, k);
}

#define ELEMENTS_MAX (ROWS_MAX * ROWS_MAX / TENSOR_LANES)

void tensor_mma(const struct tensor_shape *shape, uint32_t *const d[], const uint32_t *const a[],
				const uint32_t *const b[], const uint32_t *const c[])
{
	const struct tensor_kernels *k = kernels();
	unsigned width = block_width(shape->a), k_blocks = shape->k / width;
	unsigned row_blocks = shape->m / 8u, column_blocks = shape->n / 8u;
	unsigned elements = row_blocks * column_blocks * 2;
	union panel_row left[ROWS_MAX], right[ROWS_MAX];
	_Alignas(64) uint32_t work[ELEMENTS_MAX][TENSOR_LANES];
	uint32_t *acc[ELEMENTS_MAX];
	panel_from_registers(k, shape->a, a, row_blocks, k_blocks, true, left);
	panel_from_registers(k, shape->b, b, column_blocks, k_blocks, false, right);
	for (unsigned i = 0; i < elements; i++)
		acc[i] = work[i];
	for (unsigned i = 0; i < elements; i++)
		if (shape->c != TENSOR_F16)
			memcpy(work[i], c[i], sizeof work[i]);
		else if (i % 2 == 0)
			k->halves_to_floats(c[i / 2], (float *)work[i], (float *)work[i + 1]);
	if (is_integer(shape->a))
		multiply_integers(k, (int32_t *const *)acc, left, right, row_blocks, column_blocks,
						  shape->k, shape->saturate);
	else
		k->multiply((float *const *)acc, left->floats, right->floats, row_blocks, column_blocks,
					shape->k);
	for (unsigned i = 0; i < elements; i++)
		if (shape->d != TENSOR_F16)
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
	uint16_t in[8][8], out[8][8];
	memcpy(in, reg, sizeof in);
	for (unsigned row = 0; row < 8; row++)
		for (unsigned column = 0; column < 8; column++)
			out[row][column] = in[column][row];
	memcpy(reg, out, sizeof out);
}

/* --- wgmma --- */

uint32_t tensor_swizzle(enum tensor_swizzle mode, uint32_t address, uint32_t base_offset)
{
	static const uint32_t masks[] = {
		[TENSOR_SWIZZLE_NONE] = 0,
		[TENSOR_SWIZZLE_128] = 7,
		[TENSOR_SWIZZLE_64] = 3,
		[TENSOR_SWIZZLE_32] = 1,
	};
	uint32_t line = (address >> 7) - base_offset;
	return address ^ (line & masks[mode]) << 4;
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

/* Offset of chunk `chunk` (0 or 1) of row `row`, k contiguous. */
static uint32_t offset_k_major(const struct tensor_descriptor *d, unsigned row, unsigned chunk)
{
	uint32_t apart = d->swizzle == TENSOR_SWIZZLE_NONE ? d->leading : TENSOR_CHUNK;
	return row % 8 * pattern_row(d->swizzle) + row / 8 * d->stride + chunk * apart;
}

/* Offset of the eight rows `chunk` at index k, rows contiguous. Without a swizzle
 * the two strides change their roles. */
static uint32_t offset_mn_major(const struct tensor_descriptor *d, unsigned k, unsigned chunk)
{
	uint32_t width = pattern_row(d->swizzle), chunks = width / TENSOR_CHUNK;
	bool plain = d->swizzle == TENSOR_SWIZZLE_NONE;
	uint32_t along = plain ? d->stride : d->leading, across = plain ? d->leading : d->stride;
	return chunk % chunks * TENSOR_CHUNK + chunk / chunks * along + k % 8 * width + k / 8 * across;
}

size_t tensor_chunks(const struct tensor_descriptor *descriptor, unsigned rows, bool mn_major,
					 uint32_t addresses[TENSOR_CHUNKS])
{
	for (unsigned i = 0; i < 2 * rows; i++) {
		uint32_t offset = mn_major ? offset_mn_major(descriptor, i / (rows / 8), i % (rows / 8))
								   : offset_k_major(descriptor, i / 2, i % 2);
		addresses[i] = tensor_swizzle(descriptor->swizzle, descriptor->start + offset,
									  descriptor->base_offset);
	}
	return (size_t)2 * rows;
}

#define WARP_ROWS 16u
#define WARP_BLOCKS 2u

static void wgmma_warp(const struct tensor_wgmma *op, const struct tensor_kernels *k,
					   const union panel_row *left, const union panel_row *right, unsigned depth,
					   uint32_t *const registers[])
{
	unsigned column_blocks = op->n / 8u, elements = op->n / 2u;
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
	if (op->d == TENSOR_S32)
		multiply_integers(k, (int32_t *const *)(void *)acc, left, right, WARP_BLOCKS, column_blocks,
						  depth, op->saturate);
	else
		k->multiply(acc, left->floats, right->floats, WARP_BLOCKS, column_blocks, depth);
	for (unsigned i = 0; half && i < elements; i += 2)
		k->floats_to_halves(work[i], work[i + 1], registers[i / 2]);
}

void tensor_wgmma(const struct tensor_wgmma *op)
{
	const struct tensor_kernels *k = kernels();
	unsigned depth = TENSOR_WGMMA_K_BYTES / (unsigned)tensor_type_bytes(op->a);
	union panel_row left[TENSOR_WGMMA_ROWS], right[TENSOR_WGMMA_COLUMNS];
	panel_from_chunks(k, op->b, op->b_bytes, op->n, op->b_mn_major, right);
	if (op->a_bytes)
		panel_from_chunks(k, op->a, op->a_bytes, TENSOR_WGMMA_ROWS, op->a_mn_major, left);
	for (unsigned warp = 0; warp < 4 && !op->a_bytes; warp++)
		panel_from_registers(k, op->a, op->a_registers[warp], WARP_BLOCKS, 2, true,
							 left + WARP_ROWS * warp);
	if (op->negate_a != op->negate_b)
		panel_negate(left, TENSOR_WGMMA_ROWS, depth);
	for (unsigned warp = 0; warp < 4; warp++)
		wgmma_warp(op, k, left + WARP_ROWS * warp, right, depth, op->registers[warp]);
}

float tensor_f16_to_float(uint16_t bits)
{
	uint8_t chunk[TENSOR_CHUNK] = {bits & 0xFF, (uint8_t)(bits >> 8)};
	float out[8];
	tensor_kernels_v2.to_floats(TENSOR_F16, chunk, out);
	return out[0];
}

uint16_t tensor_float_to_f16(float value)
{
	float lanes[TENSOR_LANES] = {value};
	uint32_t reg[TENSOR_LANES];
	tensor_kernels_v2.floats_to_halves(lanes, lanes, reg);
	return (uint16_t)reg[0];
}
