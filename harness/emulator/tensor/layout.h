/* Operands of tensor cores: their types and shapes, and how they lie in registers and in shared
 * memory.
 * Sources: PTX ISA, "Matrix Fragments for mma.m16n8k*" (fragments),
 * "Asynchronous Warpgroup Level Matrix Shared Memory Layout" (wgmma operands).
 *
 * Registers are given lane-major: a 32-bit register is uint32_t[32]. Seen as
 * bytes, such a register of an A or B fragment is a matrix of 8 rows of 16 bytes
 * (lane 4r + c holds bytes 4c..4c+3 of row r), and a fragment is a list of such
 * blocks. All shapes of mma.sync follow from that, and so do ldmatrix and
 * stmatrix. wmma leaves its layout open; here it is the same block list, with
 * the blocks of C in the order of mma.sync. */
#ifndef EMULATOR_TENSOR_LAYOUT_H
#define EMULATOR_TENSOR_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/tensor/sum.h"

#define TENSOR_LANES 32

enum tensor_type {
	TENSOR_F16,
	TENSOR_BF16,
	TENSOR_TF32,
	TENSOR_E4M3,
	TENSOR_E5M2,
	TENSOR_S8,
	TENSOR_U8,
	TENSOR_F32, /* accumulators only, as is the next */
	TENSOR_S32,
	TENSOR_F64,
	TENSOR_S4, /* below a byte, first in the low bits */
	TENSOR_U4,
	TENSOR_B1,
};
static inline unsigned tensor_type_bits(enum tensor_type type)
{
	switch (type) {
	case TENSOR_F16:
	case TENSOR_BF16: return 16;
	case TENSOR_TF32:
	case TENSOR_F32:
	case TENSOR_S32: return 32;
	case TENSOR_E4M3:
	case TENSOR_E5M2:
	case TENSOR_S8:
	case TENSOR_U8: return 8;
	case TENSOR_F64: return 64;
	case TENSOR_S4:
	case TENSOR_U4: return 4;
	case TENSOR_B1: return 1;
	}
	return 32;
}
/* In memory, of types that have whole bytes. */
static inline size_t tensor_type_bytes(enum tensor_type type)
{
	return tensor_type_bits(type) / 8;
}

#define TENSOR_CHUNK 16u /* bytes; swizzling moves these as a whole */

/* d (m x n) = a (m x k) * b (k x n) + c, by one warp. */
struct tensor_shape {
	uint16_t m, n, k;
	enum tensor_type a, b, c, d;
	bool saturate; /* .satfinite of the integer shapes: clamp instead of wrap */
	/* .sp: A has half of its elements, and metadata says which; its threads, as the ISA counts */
	bool sparse;
	uint8_t selector;
	bool bits_and;        /* .b1: .and.popc, not .xor.popc */
	bool a_column, b_row; /* m8n8k4 of f16 only: A is .col, B is .row */
};

/* mma.sync: m 8 or 16, n 8, k from 4 to 256. wmma: m 8, 16 or 32, and so on.
 * False when the types or sizes are not supported. */
bool tensor_shape_valid(const struct tensor_shape *shape);

#define TENSOR_K_MAX 32u
#define TENSOR_ROWS_MAX 32u /* of a warp: wmma's m32n8k16 and m8n32k16 */

static inline bool tensor_is_integer(enum tensor_type type)
{
	return type == TENSOR_S8 || type == TENSOR_U8 || type == TENSOR_S4 || type == TENSOR_U4 ||
		   type == TENSOR_B1;
}

/* Elements of a row of a block: 16 bytes' worth, but 4 of f64, whose registers
 * are twice as wide. */
static inline unsigned tensor_block_width(enum tensor_type type)
{
	return type == TENSOR_F64 ? 4 : TENSOR_CHUNK * 8 / tensor_type_bits(type);
}

/* Shapes with operands of less than a byte, and m8n8k4 of f16. */
bool tensor_shape_is_rare(const struct tensor_shape *shape);

enum tensor_operand { TENSOR_A, TENSOR_B, TENSOR_C, TENSOR_D };

/* 32-bit registers a lane needs for the distinct elements of an operand (for
 * f64: 64-bit registers). wmma's f16 fragments of 16x16x16 are declared larger
 * than that; the rest repeats: register r is register r % tensor_registers(). */
size_t tensor_registers(const struct tensor_shape *shape, enum tensor_operand operand);

/* Row and column of element `item` (counted from the low bits) of register
 * `reg` of `lane`. B: row is k, column is n. */
void tensor_position(const struct tensor_shape *shape, enum tensor_operand operand, unsigned lane,
					 unsigned reg, unsigned item, unsigned *row, unsigned *column);

/* --- wgmma: D (64 x n) += A (64 x k) * B (k x n), k * element bytes = 32. With a sparse A they are
 * 64, and A is stored as 64 x k / 2. --- */

/* Values as in bits 62-63 of the descriptor. */
enum tensor_swizzle {
	TENSOR_SWIZZLE_NONE,
	TENSOR_SWIZZLE_128,
	TENSOR_SWIZZLE_64,
	TENSOR_SWIZZLE_32,
};

/* A shared address with its 16-byte unit moved as the swizzle mode does: the
 * low bits of the unit's index are combined with the index of the 128-byte line,
 * counted from `base_offset` (0 when the pattern starts at a multiple of its
 * size). The same for wgmma and for bulk tensor copies. */
uint32_t tensor_swizzle(enum tensor_swizzle mode, uint32_t address, uint32_t base_offset);

struct tensor_descriptor {
	uint32_t start, leading, stride; /* bytes */
	uint32_t base_offset;
	enum tensor_swizzle swizzle;
	bool flat; /* rows lie as with the swizzle, and no unit of them is moved */
};
struct tensor_descriptor tensor_descriptor_decode(uint64_t bits);

#define TENSOR_WGMMA_ROWS 64u
#define TENSOR_WGMMA_COLUMNS 256u /* at most */
#define TENSOR_WGMMA_K_BYTES 32u
#define TENSOR_CHUNKS (TENSOR_WGMMA_COLUMNS * 4)

/* Shared addresses of the chunks of an operand, `rows` being 64 for A and n for B, both multiples
 * of 8, and `across` how many of them a row has: 2, or 4 for B where A is sparse. K-major: row by
 * row, k 0 first. MN-major (16-bit types only): k by k, rows 0-7 first. Returns across * rows. */
size_t tensor_chunks(const struct tensor_descriptor *descriptor, unsigned rows, unsigned across,
					 bool mn_major, uint32_t addresses[TENSOR_CHUNKS]);

/* How products of these types are added to f32 sums; of 8-bit floats as wgmma does. */
struct tensor_rule tensor_rule_of(enum tensor_type a, enum tensor_type b);

struct tensor_wgmma {
	uint16_t n;                  /* multiple of 8, at most 256 */
	enum tensor_type a, b, d;    /* d: F32, F16 or S32 */
	bool scale_d;                /* false: D = A * B */
	bool negate_a, negate_b;     /* floats only */
	bool a_mn_major, b_mn_major; /* 16-bit types only */
	bool saturate;
	bool sparse; /* then with metadata of the four warps, 32 lanes each */
	uint8_t selector;
	const uint32_t *metadata[4];
	const uint8_t *a_bytes; /* chunks in the order of tensor_chunks; NULL: registers */
	const uint8_t *b_bytes;
	const uint32_t *const *a_registers[4]; /* of the four warps: 4 registers each */
	uint32_t *const *registers[4];         /* of D: n / 2 each, f16: n / 4 */
};

#endif
