// The parts that CUTLASS puts a Hopper GEMM together from, as inline PTX: tensor maps by the
// driver's entry point, TMA loads with multicast in a cluster, mbarriers, wgmma, stmatrix, a TMA
// store, and launches with attributes, the second of which may begin before the first ends. C = A
// B^T, and then D = C + 1, each compared with the host's.
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <vector>

#include "checks.cuh"

#define OK(call) RETURNS(cudaSuccess, call)

constexpr int tile = 64, ranks = 2, m = tile * ranks, k_total = 128, steps = k_total / tile;
constexpr int warpgroup = 128;
constexpr unsigned tile_bytes = tile * tile * sizeof(half);

static __device__ uint32_t shared_address(const void *pointer)
{
	return (uint32_t)__cvta_generic_to_shared(pointer);
}

static __device__ uint32_t cluster_rank()
{
	uint32_t rank;
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
}

static __device__ void cluster_sync()
{
	asm volatile("barrier.cluster.arrive.release.aligned;\n"
				 "barrier.cluster.wait.acquire.aligned;" ::
					 : "memory");
}

static __device__ void wait_parity(uint32_t barrier, uint32_t parity)
{
	asm volatile("{\n.reg .pred done;\n"
				 "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
				 "@!done bra again;\n}" ::"r"(barrier),
				 "r"(parity)
				 : "memory");
}

// Rows of 128 bytes with their 16-byte parts exchanged, eight rows a group.
static __device__ uint64_t descriptor(const void *data)
{
	const uint64_t group_bytes = 8 * 128, swizzle_128 = 1;
	return (shared_address(data) & 0x3FFFF) >> 4 | (group_bytes >> 4) << 32 | swizzle_128 << 62;
}

static __device__ void load(void *to, const CUtensorMap *map, uint32_t barrier, int x, int y)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
				 "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(to)),
				 "l"(map), "r"(barrier), "r"(x), "r"(y)
				 : "memory");
}

static __device__ void load_for_all(void *to, const CUtensorMap *map, uint32_t barrier, int x,
									int y)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
				 ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(to)),
				 "l"(map), "r"(barrier), "r"(x), "r"(y), "h"((uint16_t)((1 << ranks) - 1))
				 : "memory");
}

#define TEN(first)                                                                                 \
	"%" #first "0, %" #first "1, %" #first "2, %" #first "3, %" #first "4, "                       \
	"%" #first "5, %" #first "6, %" #first "7, %" #first "8, %" #first "9, "
#define EIGHT(d)                                                                                   \
	"+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])

static __device__ void multiply(float (&d)[32], uint64_t a, uint64_t b)
{
	float *d1 = d + 8, *d2 = d + 16, *d3 = d + 24;
	asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
				 "{" TEN() TEN(1) TEN(2) "%30, %31}, %32, %33, 1, 1, 1, 0, 0;"
				 : EIGHT(d), EIGHT(d1), EIGHT(d2), EIGHT(d3)
				 : "l"(a), "l"(b));
}

// The warp's 16 rows of a tile, as halves; column parts are exchanged as the tensor map's swizzle
// says.
static __device__ void store(half *to, const float (&d)[32])
{
	const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane % 16;
	for (int part = 0; part < tile / 16; part++) {
		uint32_t pairs[4];
		for (int i = 0; i < 4; i++) {
			half2 pair = __floats2half2_rn(d[part * 8 + i * 2], d[part * 8 + i * 2 + 1]);
			memcpy(&pairs[i], &pair, sizeof pair);
		}
		const int column = (part * 2 + lane / 16) ^ row % 8;
		asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
						 shared_address(to) + row * 128 + column * 16),
					 "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
					 : "memory");
	}
}

struct tiles {
	half a[steps][tile * tile], b[steps][tile * tile], c[tile * tile];
	uint64_t full[steps];
};

static __device__ void load_all(tiles *shared, const CUtensorMap *a, const CUtensorMap *b, int rank)
{
	for (int step = 0; step < steps; step++) {
		const uint32_t full = shared_address(&shared->full[step]);
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full),
					 "r"(2 * tile_bytes)
					 : "memory");
		load(shared->a[step], a, full, step * tile, rank * tile);
		if (step % ranks == rank) // each block loads some of B for both
			load_for_all(shared->b[step], b, full, step * tile, 0);
	}
}

static __global__ void __launch_bounds__(warpgroup)
	gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
		 const __grid_constant__ CUtensorMap c)
{
	extern __shared__ __align__(1024) unsigned char room[];
	tiles *shared = (tiles *)room;
	const int rank = (int)cluster_rank();
	if (threadIdx.x == 0) {
		for (int step = 0; step < steps; step++)
			asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(
				shared_address(&shared->full[step])));
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
	cluster_sync();
	if (threadIdx.x == 0)
		load_all(shared, &a, &b, rank);
	float d[32] = {};
	for (int step = 0; step < steps; step++) {
		wait_parity(shared_address(&shared->full[step]), 0);
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		for (int k = 0; k < tile; k += 16)
			multiply(d, descriptor(shared->a[step] + k), descriptor(shared->b[step] + k));
		asm volatile("wgmma.commit_group.sync.aligned;\n"
					 "wgmma.wait_group.sync.aligned 0;" ::
						 : "memory");
	}
	store(shared->c, d);
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x == 0) {
		asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];\n"
					 "cp.async.bulk.commit_group;\n"
					 "cp.async.bulk.wait_group 0;" ::"l"(&c),
					 "r"(shared_address(shared->c)), "r"(0), "r"(rank * tile)
					 : "memory");
	}
	asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
	cluster_sync(); // no block ends while another may still write to it
}

static __global__ void add_one(const half *c, float *d)
{
	asm volatile("griddepcontrol.wait;" ::: "memory");
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	d[i] = (float)c[i] + 1;
}

static CUtensorMap map_of(half *data, int rows, int columns)
{
	typedef CUresult encode_function(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
									 const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
									 const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
									 CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
	void *found = nullptr;
	CUtensorMap map = {};
	cudaDriverEntryPointQueryResult result;
	const cuuint64_t sizes[] = {(cuuint64_t)columns, (cuuint64_t)rows};
	const cuuint64_t strides[] = {columns * sizeof(half)};
	const cuuint32_t box[] = {tile, tile}, apart[] = {1, 1};
	OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
										&result));
	if (found)
		CHECK(((encode_function *)found)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data, sizes,
										 strides, box, apart, CU_TENSOR_MAP_INTERLEAVE_NONE,
										 CU_TENSOR_MAP_SWIZZLE_128B,
										 CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
										 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
	return map;
}

static std::vector<half> values(int rows, int modulus)
{
	std::vector<half> out(rows * k_total);
	for (size_t i = 0; i < out.size(); i++)
		out[i] = (half)(float)((int)(i * 37 % modulus) - modulus / 2);
	return out;
}

static half *on_device(const std::vector<half> &host)
{
	half *data;
	OK(cudaMalloc(&data, host.size() * sizeof(half)));
	OK(cudaMemcpy(data, host.data(), host.size() * sizeof(half), cudaMemcpyHostToDevice));
	return data;
}

static void launch(half *a, half *b, half *c, float *d)
{
	cudaLaunchAttribute cluster = {}, early = {};
	cluster.id = cudaLaunchAttributeClusterDimension;
	cluster.val.clusterDim = {ranks, 1, 1};
	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(ranks);
	config.blockDim = dim3(warpgroup);
	config.dynamicSmemBytes = sizeof(tiles);
	config.attrs = &cluster;
	config.numAttrs = 1;
	OK(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(tiles)));
	OK(cudaLaunchKernelEx(&config, gemm, map_of(a, m, k_total), map_of(b, tile, k_total),
						  map_of(c, m, tile)));
	config.gridDim = dim3(m * tile / warpgroup);
	config.dynamicSmemBytes = 0;
	config.attrs = &early;
	OK(cudaLaunchKernelEx(&config, add_one, (const half *)c, d));
}

int main()
{
	const std::vector<half> a = values(m, 11), b = values(tile, 7);
	std::vector<float> out(m * tile);
	half *c;
	float *d;
	OK(cudaMalloc(&c, m * tile * sizeof(half)));
	OK(cudaMalloc(&d, out.size() * sizeof(float)));
	launch(on_device(a), on_device(b), c, d);
	OK(cudaMemcpy(out.data(), d, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
	int wrong = 0;
	for (int row = 0; row < m; row++)
		for (int column = 0; column < tile; column++) {
			float sum = 0;
			for (int k = 0; k < k_total; k++)
				sum += (float)a[row * k_total + k] * (float)b[column * k_total + k];
			wrong += out[row * tile + column] != (float)(half)sum + 1;
		}
	CHECK(wrong == 0);
	printf("%d wrong, %d failed\n", wrong, failures);
	return failures > 0;
}
