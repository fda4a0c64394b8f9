/* What a GPU draws into buffers, and finds changed there, beside the CPU's values: every type and
 * distribution, whole blocks and ends of them, from addresses at which a block can be stored at
 * once, and others. */
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#include "device/values_cuda.cuh"
#include "testcases/type.h"

static const size_t STRIDE = 32768; /* from set to set */
static const uint32_t SETS = 2;

static void check(cudaError_t status)
{
	if (status == cudaSuccess)
		return;
	fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
	exit(1);
}

static int tried, failures;

static void expect(bool holds, const char *what, const struct values &values, size_t offset)
{
	tried++;
	if (holds)
		return;
	fprintf(stderr, "%s: %u bits, distribution %d, %llu elements at %zu\n", what,
			values.format.bits, values.spec.distribution, (unsigned long long)values.elements,
			offset);
	failures++;
}

/* All bytes of both sets, so that nothing is written beside them either. */
static std::vector<uint8_t> by_cpu(const struct values &values, size_t offset)
{
	std::vector<uint8_t> bytes((SETS + 1) * STRIDE, 0x5A);
	for (uint32_t set = 0; set < SETS; set++) {
		struct values own = values;
		own.seed += set;
		for (uint64_t i = 0; i < own.elements; i++)
			values_store(&own.format, &bytes[offset + set * STRIDE], i, values_at(&own, i));
	}
	return bytes;
}

static unsigned long long changed(const uint8_t *from, const struct values &values)
{
	unsigned long long count = 0, *memory;
	check(cudaMalloc(&memory, sizeof count));
	check(cudaMemset(memory, 0, sizeof count));
	values_cuda::count_changed_kernel<<<3, 64>>>(from, values, memory);
	check(cudaMemcpy(&count, memory, sizeof count, cudaMemcpyDeviceToHost));
	check(cudaFree(memory));
	return count;
}

static void compare(const struct values &values, size_t offset)
{
	const size_t bytes = (SETS + 1) * STRIDE;
	std::vector<uint8_t> found(bytes);
	struct device_region region = {};
	region.offset = offset;
	region.sets = SETS;
	region.stride = STRIDE;
	uint8_t *memory;
	check(cudaMalloc(&memory, bytes));
	check(cudaMemset(memory, 0x5A, bytes));
	values_cuda::fill_kernel<<<dim3(3, SETS), 64>>>(memory, region, values);
	check(cudaMemcpy(found.data(), memory, bytes, cudaMemcpyDeviceToHost));
	expect(found == by_cpu(values, offset), "other bytes", values, offset);

	expect(changed(memory + offset, values) == 0, "changed where nothing was", values, offset);
	uint8_t other = found[offset] ^ 1;
	check(cudaMemcpy(memory + offset, &other, 1, cudaMemcpyHostToDevice));
	expect(changed(memory + offset, values) == 1, "one changed", values, offset);
	check(cudaFree(memory));
}

int main(void)
{
	static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32,
									   DTYPE_S8,  DTYPE_E4M3, DTYPE_U4};
	for (enum dtype type : types)
		for (int distribution = 0; distribution <= VALUES_UNWRITTEN; distribution++)
			for (uint64_t elements : {2, 4, 1006, 4096})
				for (size_t offset : {256, 264, 260}) {
					struct values values = {};
					values.format = type_of(type)->format;
					values.spec.distribution = (enum distribution)distribution;
					values.spec.scale = distribution == VALUES_WIDE ? 20.0f : 1.5f;
					values.spec.share = 0.5f;
					values.seed = 0xFFFFFFFFFFull + type;
					values.stream = 1;
					values.columns = 64;
					values.elements = elements;
					compare(values, offset);
				}
	printf("%d comparisons, %d failed\n", tried, failures);
	return failures != 0;
}
