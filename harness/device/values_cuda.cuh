/* The values of testcases/values.h drawn and looked at by a GPU: a thread has a block of
 * VALUES_BLOCK elements at a time. Gigabytes of them are drawn for each pass of timed calls. */
#ifndef GEMMJUDGE_DEVICE_VALUES_CUDA_CUH
#define GEMMJUDGE_DEVICE_VALUES_CUDA_CUH

#include <cuda_runtime.h>

#include "device/referee_device.h"
#include "testcases/values.h"

namespace values_cuda
{

/* Whether a block of VALUES_BLOCK elements can be read and written at once, as a warp's blocks must
 * be to reach memory's bandwidth: all of it is there, in formats that most operands have, and
 * buffers begin at 16 bytes. */
__device__ bool is_whole(const struct values &values, const uint8_t *start, uint64_t block)
{
	return values.format.bits >= 16 && (block + 1) * VALUES_BLOCK <= values.elements &&
		   reinterpret_cast<uintptr_t>(start) % 16 == 0;
}

__device__ void load_block(const struct values &values, const uint8_t *start, uint64_t block,
						   uint32_t bits[VALUES_BLOCK])
{
	if (is_whole(values, start, block) && values.format.bits == 32) {
		uint4 words = reinterpret_cast<const uint4 *>(start)[block];
		bits[0] = words.x;
		bits[1] = words.y;
		bits[2] = words.z;
		bits[3] = words.w;
	} else if (is_whole(values, start, block)) {
		uint2 words = reinterpret_cast<const uint2 *>(start)[block];
		bits[0] = words.x & 0xFFFF;
		bits[1] = words.x >> 16;
		bits[2] = words.y & 0xFFFF;
		bits[3] = words.y >> 16;
	} else {
		for (uint64_t i = 0; i < VALUES_BLOCK && block * VALUES_BLOCK + i < values.elements; i++)
			bits[i] = values_load(&values.format, start, block * VALUES_BLOCK + i);
	}
}

__device__ void store_block(const struct values &values, uint8_t *start, uint64_t block,
							const uint32_t bits[VALUES_BLOCK])
{
	if (is_whole(values, start, block) && values.format.bits == 32)
		reinterpret_cast<uint4 *>(start)[block] = make_uint4(bits[0], bits[1], bits[2], bits[3]);
	else if (is_whole(values, start, block))
		reinterpret_cast<uint2 *>(start)[block] =
			make_uint2(bits[0] | bits[1] << 16, bits[2] | bits[3] << 16);
	else
		for (uint64_t i = 0; i < VALUES_BLOCK && block * VALUES_BLOCK + i < values.elements; i++)
			values_store(&values.format, start, block * VALUES_BLOCK + i, bits[i]);
}

/* blockIdx.y is the set. */
__global__ void fill_kernel(uint8_t *arena, device_region region, struct values values)
{
	uint64_t blocks = (values.elements + VALUES_BLOCK - 1) / VALUES_BLOCK;
	uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
	uint64_t first = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
	uint64_t seed = values.seed;
	for (uint32_t set = blockIdx.y; set < region.sets; set += gridDim.y) {
		uint8_t *start = arena + region.offset + set * region.stride;
		values.seed = seed + set;
		for (uint64_t block = first; block < blocks; block += step) {
			uint32_t bits[VALUES_BLOCK];
			values_block(&values, block, bits);
			store_block(values, start, block, bits);
		}
	}
}

__global__ void count_changed_kernel(const uint8_t *start, struct values values,
									 unsigned long long *changed)
{
	uint64_t blocks = (values.elements + VALUES_BLOCK - 1) / VALUES_BLOCK;
	uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
	unsigned long long found = 0;
	for (uint64_t block = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
		 block < blocks; block += step) {
		uint32_t bits[VALUES_BLOCK], there[VALUES_BLOCK];
		values_block(&values, block, bits);
		load_block(values, start, block, there);
		for (uint64_t i = 0; i < VALUES_BLOCK && block * VALUES_BLOCK + i < values.elements; i++)
			found += there[i] != bits[i];
	}
	if (found != 0)
		atomicAdd(changed, found);
}

/* What is drawn of a matrix: its numbers, their absolute values, or what rounding to the type of
 * its scales takes off them. */
enum class drawn_as { number, absolute, square, rest };

__device__ double drawn(const struct device_matrix &matrix, uint64_t index, uint32_t bits,
						drawn_as as)
{
	double number = device_matrix_number(&matrix, index, bits);
	return as == drawn_as::absolute ? fabs(number)
		   : as == drawn_as::square ? number * number
		   : as == drawn_as::rest   ? device_rest(&matrix.scales.format, number)
									: number;
}

/* Elements [first, first + count) as float or double. */
template <typename T>
__global__ void draw_kernel(T *out, struct device_matrix matrix, uint64_t first, uint64_t count,
							drawn_as as)
{
	const struct values &values = matrix.values;
	uint64_t blocks = (first + count + VALUES_BLOCK - 1) / VALUES_BLOCK;
	uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
	for (uint64_t block =
			 first / VALUES_BLOCK + static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
		 block < blocks; block += step) {
		uint32_t bits[VALUES_BLOCK];
		values_block(&values, block, bits);
		for (int i = 0; i < VALUES_BLOCK; i++) {
			uint64_t index = block * VALUES_BLOCK + i;
			if (index < first || index >= first + count)
				continue;
			out[index - first] = static_cast<T>(drawn(matrix, index, bits[i], as));
		}
	}
}

/* Draws some rows of a matrix, counted through all batches of `m` rows. */
template <typename T>
__global__ void draw_rows_kernel(T *out, struct device_matrix matrix, const uint64_t *rows,
								 uint64_t m, uint64_t k_count, drawn_as as)
{
	uint64_t k = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
	uint64_t batch = rows[blockIdx.y] / m, row = rows[blockIdx.y] % m;
	if (k >= k_count)
		return;
	uint64_t index = batch * m * k_count + (matrix.transposed ? k * m + row : row * k_count + k);
	out[blockIdx.y * k_count + k] =
		static_cast<T>(drawn(matrix, index, values_at(&matrix.values, index), as));
}

} // namespace values_cuda

#endif
