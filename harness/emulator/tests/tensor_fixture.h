/* Operands of tensor instructions as the PTX ISA lays them out, written down from its
 * text and apart from the emulator, and products of small integers, which are exact in
 * every format. */
#ifndef EMULATOR_TESTS_TENSOR_FIXTURE_H
#define EMULATOR_TESTS_TENSOR_FIXTURE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/tensor/tensor.h"

/* The bits of a small integer in a type. */
static inline uint32_t encode(enum tensor_type type, int value)
{
	float number = (float)value;
	uint32_t bits;
	memcpy(&bits, &number, sizeof bits);
	switch (type) {
	case TENSOR_F16: return tensor_float_to_f16(number);
	case TENSOR_BF16: return bits >> 16;
	case TENSOR_E5M2: return tensor_float_to_f16(number) >> 8;
	case TENSOR_E4M3: {
		static const uint8_t small[] = {0, 0x38, 0x40, 0x44, 0x48, 0x4A, 0x4C, 0x4E};
		return small[abs(value)] | (value < 0 ? 0x80u : 0);
	}
	case TENSOR_S8:
	case TENSOR_U8:
	case TENSOR_S32: return (uint32_t)value;
	default: return bits;
	}
}

static inline int small(enum tensor_type type)
{
	int value = rand() % 5 - 2; /* exact in every format */
	return type == TENSOR_U8 ? abs(value) : value;
}

static int a[64][64], b[64][256], c[64][256];

static inline void fill(unsigned m, unsigned n, unsigned k, enum tensor_type ta,
						enum tensor_type tb)
{
	for (unsigned i = 0; i < m; i++)
		for (unsigned j = 0; j < k; j++)
			a[i][j] = small(ta);
	for (unsigned i = 0; i < k; i++)
		for (unsigned j = 0; j < n; j++)
			b[i][j] = small(tb);
	for (unsigned i = 0; i < m; i++)
		for (unsigned j = 0; j < n; j++)
			c[i][j] = rand() % 9 - 4;
}

static inline int expected(unsigned row, unsigned column, unsigned k)
{
	int sum = c[row][column];
	for (unsigned i = 0; i < k; i++)
		sum += a[row][i] * b[i][column];
	return sum;
}

/* mma.m16n8k*: element i of A by the ISA's text for a type of `bits` bits. */
static inline void isa_a(unsigned bits, unsigned lane, unsigned i, unsigned *row, unsigned *column)
{
	unsigned group = lane >> 2, thread = lane % 4;
	if (bits == 16) { /* a0 a1 | a2 a3 | a4 a5 | a6 a7 */
		*row = i < 2 || (i >= 4 && i < 6) ? group : group + 8;
		*column = thread * 2 + (i & 1) + (i >= 4 ? 8 : 0);
	} else if (bits == 8) {
		*row = i < 4 || (i >= 8 && i < 12) ? group : group + 8;
		*column = thread * 4 + (i & 3) + (i >= 8 ? 16 : 0);
	} else {
		*row = i == 0 || i == 2 ? group : group + 8;
		*column = thread + (i >= 2 ? 4 : 0);
	}
}

static inline void isa_b(unsigned bits, unsigned lane, unsigned i, unsigned *row, unsigned *column)
{
	unsigned group = lane >> 2, thread = lane % 4;
	*column = group;
	if (bits == 16)
		*row = thread * 2 + (i & 1) + (i >= 2 ? 8 : 0);
	else if (bits == 8)
		*row = thread * 4 + (i & 3) + (i >= 4 ? 16 : 0);
	else
		*row = thread + (i >= 1 ? 4 : 0);
}

/* --- operands of wgmma in shared memory, by the rules that bulk copies follow --- */

static uint8_t shared[1 << 17];

static inline uint64_t describe(uint32_t start, uint32_t leading, uint32_t stride,
								uint32_t base_offset, enum tensor_swizzle swizzle)
{
	return (uint64_t)(start >> 4) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
		   (uint64_t)base_offset << 49 | (uint64_t)swizzle << 62;
}

/* Swizzling as in the table of the bulk-copy chapter: within a pattern of 8 rows,
 * the 16-byte unit u of 128-byte line l goes to unit u xor (l mod units). */
static inline void put_shared(enum tensor_swizzle mode, uint32_t offset, unsigned size,
							  uint32_t value)
{
	static const unsigned units[] = {1, 8, 4, 2};
	uint32_t line = offset / 128, unit = offset / 16 % 8, byte = offset % 16;
	unit ^= line % units[mode];
	memcpy(shared + line * 128 + unit * 16 + byte, &value, size);
}

static const uint32_t widths[] = {16, 128, 64, 32};

/* Writes an operand of `rows` x k with k contiguous: tiles of width bytes, each
 * a stack of rows; returns the descriptor of its first 32 bytes of k. */
static inline uint64_t lay_k_major(uint32_t start, unsigned rows, enum tensor_type type,
								   enum tensor_swizzle mode, bool is_a)
{
	unsigned size = (unsigned)tensor_type_bytes(type), k = 32 / size;
	uint32_t width = widths[mode];
	for (unsigned row = 0; row < rows; row++)
		for (unsigned i = 0; i < k; i++) {
			uint32_t tile = i * size / width, within = i * size % width;
			uint32_t offset = start + tile * rows * width + row * width + within;
			put_shared(mode, offset, size, encode(type, is_a ? a[row][i] : b[i][row]));
		}
	return describe(start, mode ? 16 : rows * width, 8 * width, 0, mode);
}

/* The transposed kind: rows of `width` bytes along m or n, one for each k. */
static inline uint64_t lay_mn_major(uint32_t start, unsigned rows, enum tensor_type type,
									enum tensor_swizzle mode, bool is_a)
{
	unsigned k = 16;
	uint32_t width = widths[mode], tile_rows = width / 2;
	for (unsigned row = 0; row < rows; row++)
		for (unsigned i = 0; i < k; i++) {
			uint32_t tile = row / tile_rows, within = row % tile_rows * 2;
			uint32_t offset = start + tile * k * width + i * width + within;
			put_shared(mode, offset, 2, encode(type, is_a ? a[row][i] : b[i][row]));
		}
	uint32_t tiles_apart = k * width, groups_apart = 8 * width;
	return mode ? describe(start, tiles_apart, groups_apart, 0, mode)
				: describe(start, groups_apart, tiles_apart, 0, mode);
}

#endif
