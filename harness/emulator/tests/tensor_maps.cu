// What the driver says of tensor maps, and what the types of f32 that flush subnormals do: codes
// and values of an H200. Prints what differs; the exit status is 1 when something did.
#include <cstdint>
#include <cuda.h>
#include <cuda_runtime.h>

#include "checks.cuh"

#define OK(call) RETURNS(cudaSuccess, call)

static const char *error_name(CUresult status)
{
	static char number[16];
	snprintf(number, sizeof number, "%d", status);
	return number;
}

static decltype(&cuTensorMapEncodeTiled) encode;

// A matrix of 64 x 4 f32 in boxes of one row, which the driver takes.
struct parts {
	CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
	cuuint32_t rank = 2;
	char *address;
	cuuint64_t sizes[3] = {64, 4, 4}, strides[2] = {256, 1024};
	cuuint32_t box[3] = {32, 1, 1}, steps[3] = {1, 1, 1};
	CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
	CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
	bool without_strides = false;
};

static CUresult made(const struct parts &parts, CUtensorMap *map)
{
	return encode(map, parts.type, parts.rank, parts.address, parts.sizes,
				  parts.without_strides ? nullptr : parts.strides, parts.box, parts.steps,
				  parts.interleave, parts.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
				  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

// A change of the matrix's map, and what the driver returns then.
#define CHANGED(code, change)                                                                      \
	do {                                                                                           \
		struct parts map = parts;                                                                  \
		CUtensorMap out;                                                                           \
		change;                                                                                    \
		CUresult got = made(map, &out);                                                            \
		if (got != (code)) {                                                                       \
			printf("%s:%d: %s: %d, not %s\n", __FILE__, __LINE__, #change, got, #code);            \
			failures++;                                                                            \
		}                                                                                          \
	} while (0)
#define TAKEN(change) CHANGED(CUDA_SUCCESS, change)
#define REFUSED(change) CHANGED(CUDA_ERROR_INVALID_VALUE, change)

static void codes(char *data)
{
	struct parts parts;
	parts.address = data;
	TAKEN();
	TAKEN(map.address = nullptr);
	REFUSED(map.address += 8);
	TAKEN(map.strides[0] = 0);
	TAKEN(map.strides[0] = 48);
	REFUSED(map.strides[0] = (cuuint64_t)1 << 40);
	TAKEN(map.strides[0] = ((cuuint64_t)1 << 40) - 16);
	TAKEN(map.sizes[0] = (cuuint64_t)1 << 32);
	REFUSED(map.sizes[0] = ((cuuint64_t)1 << 32) + 1);
	REFUSED(map.sizes[0] = 0);
	TAKEN(map.sizes[0] = 8);
	REFUSED((map.box[0] = 256, map.box[1] = 256));
	REFUSED(map.box[0] = 257);
	REFUSED(map.box[0] = 2);
	REFUSED((map.box[0] = 64, map.swizzle = CU_TENSOR_MAP_SWIZZLE_128B));
	TAKEN((map.box[0] = 4, map.swizzle = CU_TENSOR_MAP_SWIZZLE_32B));
	TAKEN(map.steps[0] = 8);
	REFUSED(map.steps[0] = 9);
	TAKEN((map.box[0] = 4, map.steps[0] = 3));
	REFUSED(map.interleave = CU_TENSOR_MAP_INTERLEAVE_16B);
	TAKEN(map.rank = 1);
	REFUSED((map.rank = 1, map.without_strides = true));
	for (int type = 13; type <= 14; type++) // of 4 bits, for later GPUs
		REFUSED((map.type = (CUtensorMapDataType)type, map.box[0] = map.sizes[0] = 128));
	REFUSED(map.swizzle = (CUtensorMapSwizzle)4); // 128 bytes in units of 32, for later GPUs
}

constexpr int words = 4;

static __device__ uint32_t address_of(const void *shared)
{
	return (uint32_t)__cvta_generic_to_shared(shared);
}

static __global__ void load(const __grid_constant__ CUtensorMap map, uint32_t *out)
{
	__shared__ __align__(128) uint32_t box[words];
	__shared__ __align__(8) uint64_t full;
	if (threadIdx.x == 0) {
		uint32_t done = 0, barrier = address_of(&full);
		asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;" ::"r"(barrier));
		asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier),
					 "n"(sizeof box)
					 : "memory");
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
					 "[%0], [%1, {%3, %3}], [%2];" ::"r"(address_of(box)),
					 "l"(&map), "r"(barrier), "r"(0)
					 : "memory");
		while (!done)
			asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;"
						 "selp.u32 %0, 1, 0, p;}"
						 : "=r"(done)
						 : "r"(barrier)
						 : "memory");
		for (int i = 0; i < words; i++)
			out[i] = box[i];
	}
}

static __global__ void store(const __grid_constant__ CUtensorMap map, const uint32_t *in, bool add)
{
	__shared__ __align__(128) uint32_t box[words];
	if (threadIdx.x == 0) {
		for (int i = 0; i < words; i++)
			box[i] = in[i];
		asm volatile("fence.proxy.async;" ::: "memory");
		if (add)
			asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
						 "[%0, {%2, %2}], [%1];" ::"l"(&map),
						 "r"(address_of(box)), "r"(0)
						 : "memory");
		else
			asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
						 "[%0, {%2, %2}], [%1];" ::"l"(&map),
						 "r"(address_of(box)), "r"(0)
						 : "memory");
		asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
	}
}

enum direction { LOADED, STORED, ADDED };

// A row of `data` goes to `other` or the other way.
static void check_row(CUtensorMapDataType type, uint32_t *data, enum direction direction,
					  const uint32_t (&wanted)[words])
{
	static const uint32_t there[words] = {1, 0x3f800000, 0, 0x00400000};
	static const uint32_t brought[words] = {1, 0x3f800001, 0x3f801000, 0x00400000};
	uint32_t result[words], *other = data + 64;
	struct parts parts;
	parts.type = type;
	parts.address = (char *)data;
	parts.sizes[0] = parts.box[0] = words;
	CUtensorMap map;
	RETURNS(CUDA_SUCCESS, made(parts, &map));
	bool loads = direction == LOADED;
	OK(cudaMemcpy(data, loads ? brought : there, sizeof there, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(other, brought, sizeof brought, cudaMemcpyHostToDevice));
	if (loads)
		load<<<1, 32>>>(map, other);
	else
		store<<<1, 32>>>(map, other, direction == ADDED);
	OK(cudaMemcpy(result, loads ? other : data, sizeof result, cudaMemcpyDeviceToHost));
	for (int i = 0; i < words; i++)
		if (result[i] != wanted[i]) {
			printf("type %d, direction %d, word %d: %08x, not %08x\n", type, direction, i,
				   result[i], wanted[i]);
			failures++;
		}
}

static void types_of_f32(uint32_t *data)
{
	const auto plain = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, ftz = CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ;
	const auto tf32 = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
	const auto tf32_ftz = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
	const uint32_t same[words] = {1, 0x3f800001, 0x3f801000, 0x00400000};
	const uint32_t rounded[words] = {0, 0x3f800000, 0x3f800000, 0x00400000};
	const uint32_t kept[words] = {2, 0x40000000, 0x3f801000, 0x00800000};
	const uint32_t flushed[words] = {0, 0x40000000, 0x3f801000, 0};
	check_row(plain, data, LOADED, same);
	check_row(ftz, data, LOADED, same);
	check_row(tf32, data, LOADED, rounded);
	check_row(tf32_ftz, data, LOADED, rounded);
	check_row(plain, data, STORED, same);
	check_row(ftz, data, STORED, same);
	check_row(tf32, data, STORED, same);
	check_row(plain, data, ADDED, kept);
	check_row(ftz, data, ADDED, flushed);
	check_row(tf32, data, ADDED, kept);
}

int main()
{
	void *data;
	cudaDriverEntryPointQueryResult found;
	OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
										cudaEnableDefault, &found));
	OK(cudaMalloc(&data, 4096));
	if (failures)
		return 1;
	codes((char *)data);
	types_of_f32((uint32_t *)data);
	OK(cudaFree(data));
	return failures ? 1 : 0;
}
