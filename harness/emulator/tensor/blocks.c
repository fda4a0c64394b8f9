#include "emulator/tensor/blocks.h"

#include <stdatomic.h>
#include <string.h>

#include "emulator/simd_level.h"

const struct tensor_kernels *tensor_kernels(void)
{
	static const struct tensor_kernels *const levels[] = {&tensor_kernels_v2, &tensor_kernels_v3,
														  &tensor_kernels_v4};
	static const struct tensor_kernels *_Atomic chosen; /* by all threads alike */
	const struct tensor_kernels *known = atomic_load_explicit(&chosen, memory_order_relaxed);
	if (known != NULL)
		return known;
	known = levels[simd_level() - 2];
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
