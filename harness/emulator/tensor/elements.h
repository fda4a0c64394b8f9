/* A block of an operand, 8 rows of 16 bytes, to its elements in the same order. For
 * tensor/kernels.c, which is compiled once for each x86-64 level. */
#ifndef EMULATOR_TENSOR_ELEMENTS_H
#define EMULATOR_TENSOR_ELEMENTS_H

#include <string.h>

#include "emulator/processor.h"
#include "emulator/tensor/kernels.h"

static float half_to_float(uint16_t bits)
{
	uint32_t magnitude = (uint32_t)(bits & 0x7FFF) << 13, sign = (uint32_t)(bits & 0x8000) << 16;
	float value;
	uint32_t scaled;
	memcpy(&value, &magnitude, sizeof value);
	value *= 0x1p112f; /* rebias; right for subnormals too */
	memcpy(&scaled, &value, sizeof scaled);
	if ((bits & 0x7C00) == 0x7C00)
		scaled = magnitude | 0x7F800000u;
	scaled |= sign;
	memcpy(&value, &scaled, sizeof value);
	return value;
}

static float e4m3_to_float(uint8_t bits)
{
	uint32_t magnitude = (uint32_t)(bits & 0x7F) << 20, sign = (uint32_t)(bits & 0x80) << 24;
	float value;
	uint32_t scaled;
	memcpy(&value, &magnitude, sizeof value);
	value *= 0x1p120f; /* rebias; right for subnormals too */
	memcpy(&scaled, &value, sizeof scaled);
	if ((bits & 0x7F) == 0x7F)
		scaled = 0x7FC00000u;
	scaled |= sign;
	memcpy(&value, &scaled, sizeof value);
	return value;
}

static void halves(const uint16_t *bits, unsigned count, float *out)
{
	for (unsigned i = 0; i < count; i += 8)
#ifdef __F16C__
		_mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(bits + i))));
#else
		for (unsigned j = i; j < i + 8; j++)
			out[j] = half_to_float(bits[j]);
#endif
}

static void brain_floats(const uint16_t *bits, uint32_t *out)
{
	for (unsigned i = 0; i < TENSOR_BLOCK / 2; i++)
		out[i] = (uint32_t)bits[i] << 16;
}

/* The low 13 bits of a tf32 operand are not looked at. */
static void tensor_floats(const uint32_t *bits, uint32_t *out)
{
	for (unsigned i = 0; i < TENSOR_BLOCK / 4; i++)
		out[i] = bits[i] & 0xFFFFE000u;
}

static void e4m3s(const uint8_t *bytes, float *out)
{
	for (unsigned i = 0; i < TENSOR_BLOCK; i++)
		out[i] = e4m3_to_float(bytes[i]);
}

/* The upper bytes of f16. */
static void e5m2s(const uint8_t *bytes, float *out)
{
	uint16_t bits[TENSOR_BLOCK];
	for (unsigned i = 0; i < TENSOR_BLOCK; i++)
		bits[i] = (uint16_t)(bytes[i] << 8);
	halves(bits, TENSOR_BLOCK, out);
}

static void signed_bytes(const uint8_t *bytes, int32_t *out)
{
	for (unsigned i = 0; i < TENSOR_BLOCK; i++)
		out[i] = (bytes[i] ^ 0x80) - 0x80;
}

static void unsigned_bytes(const uint8_t *bytes, int32_t *out)
{
	for (unsigned i = 0; i < TENSOR_BLOCK; i++)
		out[i] = bytes[i];
}

static void four_bits(const uint8_t *bytes, int32_t sign, int32_t *out)
{
	for (unsigned i = 0; i < TENSOR_BLOCK; i++) {
		out[2 * i] = ((bytes[i] & 15) ^ sign) - sign;
		out[2 * i + 1] = (bytes[i] >> 4 ^ sign) - sign;
	}
}

static void block_elements(enum tensor_type type, const void *block, union tensor_element *out)
{
	switch (type) {
	case TENSOR_F16: halves(block, TENSOR_BLOCK / 2, &out->number); return;
	case TENSOR_BF16: brain_floats(block, &out->bits); return;
	case TENSOR_TF32: tensor_floats(block, &out->bits); return;
	case TENSOR_E4M3: e4m3s(block, &out->number); return;
	case TENSOR_E5M2: e5m2s(block, &out->number); return;
	case TENSOR_S8: signed_bytes(block, &out->integer); return;
	case TENSOR_S4: four_bits(block, 8, &out->integer); return;
	case TENSOR_U4: four_bits(block, 0, &out->integer); return;
	default: unsigned_bytes(block, &out->integer);
	}
}

#endif
