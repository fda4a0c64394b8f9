/* Layouts of tensor operands: shapes and their registers, and where chunks lie in shared memory. */
#include "emulator/tensor/layout.h"

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
	if (tensor_is_integer(shape->a))
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
	if (shape->sparse && shape->a <= TENSOR_U8 && bits == 8 && !tensor_is_integer(shape->a))
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
		shape->a == shape->b || (tensor_type_bits(shape->a) == tensor_type_bits(shape->b) &&
								 tensor_type_bits(shape->a) <= 8 &&
								 tensor_is_integer(shape->a) == tensor_is_integer(shape->b));
	if (!multiplicands || !same_family || !accumulators_valid(shape))
		return false;
	if (tensor_shape_is_rare(shape))
		return rare_valid(shape);
	if (!shape->m || !shape->n || !shape->k || shape->m > TENSOR_ROWS_MAX ||
		shape->n > TENSOR_ROWS_MAX)
		return false;
	return shape->m % 8 == 0 && shape->n % 8 == 0 && shape->k <= TENSOR_K_MAX &&
		   shape->k % tensor_block_width(shape->a) == 0;
}

size_t tensor_registers(const struct tensor_shape *shape, enum tensor_operand operand)
{
	unsigned width = tensor_block_width(shape->a),
			 stored = shape->sparse ? shape->k / 2u : shape->k;
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
	unsigned width = tensor_block_width(shape->a), group = lane / 4, thread = lane % 4;
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
	uint32_t mask = descriptor->flat ? 0 : swizzle_mask(descriptor->swizzle);
	if (mn_major)
		offsets_mn_major(descriptor, rows, across, addresses);
	else
		offsets_k_major(descriptor, rows, across, addresses);
	for (unsigned i = 0; i < across * rows; i++)
		addresses[i] = swizzled(start + addresses[i], mask, base_offset);
	return (size_t)across * rows;
}

/* Of bf16 and tf32 those of f32. */
struct tensor_rule tensor_rule_of(enum tensor_type a, enum tensor_type b)
{
	static const uint8_t least[] = {[TENSOR_F16] = 127 - 14,
									[TENSOR_BF16] = 1,
									[TENSOR_TF32] = 1,
									[TENSOR_E4M3] = 127 - 6,
									[TENSOR_E5M2] = 127 - 14};
	const unsigned count = sizeof least / sizeof *least;
	return (struct tensor_rule){.least_a = a < count ? least[a] : 1,
								.least_b = b < count ? least[b] : 1,
								.bytes = tensor_type_bits(a) == 8};
}
