#include "emulator/tensor/blocks.h"

#include <stdatomic.h>
#include <string.h>

#include "emulator/simd_level.h"

const struct tensor_kernels *tensor_kernels(void)
{
	static const struct tensor_kernels *const levels[] = {SIMD_OF_LEVELS(&tensor_kernels)};
	static const struct tensor_kernels *_Atomic chosen; /* by all threads alike */
	const struct tensor_kernels *known = atomic_load_explicit(&chosen, memory_order_relaxed);
	if (known != NULL)
		return known;
	known = levels[simd_row()];
	atomic_store_explicit(&chosen, known, memory_order_relaxed);
	return known;
}

void tensor_transpose_b16(uint32_t reg[TENSOR_LANES])
{
	tensor_kernels()->transpose_b16(reg);
}

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

float tensor_f16_to_float(uint16_t bits)
{
	return tensor_kernels_v2.half_to_float(bits);
}

uint16_t tensor_float_to_f16(float value)
{
	return tensor_kernels_v2.float_to_half(value);
}

uint16_t tensor_byte_to_f16(enum tensor_type type, uint8_t bits)
{
	/* m * 2^-9, which f16 has as normal numbers */
	static const uint16_t small[8] = {0, 0x1800, 0x1c00, 0x1e00, 0x2000, 0x2100, 0x2200, 0x2300};
	const uint16_t sign = (uint16_t)((bits & 0x80) << 8), magnitude = bits & 0x7f;
	if (type == TENSOR_E5M2)
		return (uint16_t)(bits << 8);
	if (magnitude < 8)
		return sign | small[magnitude];
	return magnitude == 0x7f ? 0x7fff : (uint16_t)(sign | ((magnitude << 7) + (8 << 10)));
}

static void add_floats(const float *a, const float *b, uint32_t *d)
{
	for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
		union tensor_element sum = {.number = a[lane] + b[lane]};
		d[lane] = sum.number != sum.number ? TENSOR_NAN : sum.bits;
	}
}

void tensor_add(bool halves, const uint32_t a[TENSOR_LANES], const uint32_t b[TENSOR_LANES],
				uint32_t d[TENSOR_LANES])
{
	const struct tensor_kernels *k = tensor_kernels();
	float x[2][TENSOR_LANES], y[2][TENSOR_LANES];
	uint32_t sum[2][TENSOR_LANES];
	if (!halves) {
		memcpy(x[0], a, sizeof x[0]);
		memcpy(y[0], b, sizeof y[0]);
		add_floats(x[0], y[0], d);
		return;
	}
	k->halves_to_floats(a, x[0], x[1]);
	k->halves_to_floats(b, y[0], y[1]);
	for (unsigned i = 0; i < 2; i++) {
		add_floats(x[i], y[i], sum[i]);
		memcpy(x[i], sum[i], sizeof x[i]);
	}
	k->floats_to_halves(x[0], x[1], d);
}
