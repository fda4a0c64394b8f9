/* Host side: operands as TMA can address them, and the choice of a tile. */
#ifndef GEMMJUDGE_WGMMA_LAUNCH_CUH
#define GEMMJUDGE_WGMMA_LAUNCH_CUH

#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

#include "../../sgemm/workspace.cuh"
#include "kernel.cuh"

/* solve() cannot return an error. */
[[noreturn]] static inline void wgmma_fail(const char *what, const char *why)
{
	fprintf(stderr, "wgmma: %s: %s\n", what, why);
	abort();
}

static inline void wgmma_check(cudaError_t status, const char *what)
{
	if (status != cudaSuccess)
		wgmma_fail(what, cudaGetErrorString(status));
}

#define WGMMA_CHECK(call) wgmma_check(call, #call)

struct wgmma_device {
	int multiprocessors;
	decltype(&cuTensorMapEncodeTiled) encode;
};

static inline const wgmma_device &wgmma_get(void)
{
	static const wgmma_device device = [] {
		wgmma_device made = {};
		int ordinal;
		WGMMA_CHECK(cudaGetDevice(&ordinal));
		WGMMA_CHECK(
			cudaDeviceGetAttribute(&made.multiprocessors, cudaDevAttrMultiProcessorCount, ordinal));
		cudaDriverEntryPointQueryResult found;
		WGMMA_CHECK(cudaGetDriverEntryPointByVersion(
			"cuTensorMapEncodeTiled", (void **)&made.encode, 12000, cudaEnableDefault, &found));
		if (found != cudaDriverEntryPointSuccess)
			wgmma_fail("cuTensorMapEncodeTiled", "the driver does not have it");
		return made;
	}();
	return device;
}

static inline char *wgmma_workspace(size_t bytes)
{
	void *memory = bytes > 0 ? workspace_get(bytes) : NULL;
	if (bytes > 0 && memory == NULL)
		wgmma_fail("workspace", "not enough memory");
	return (char *)memory;
}

/* ---- operands ------------------------------------------------------------ */

/* A matrix with K contiguous, as TMA can address it: its address and the bytes from row to row
 * are multiples of 16. */
struct k_major {
	const void *data;
	size_t row_bytes; // bytes
};

template <class Element> static bool is_addressable(const Element *X, int K)
{
	return (uintptr_t)X % 16 == 0 && K * sizeof(Element) % 16 == 0;
}

/* Bytes from row to row in a copy: whole lines of the caches. */
template <class Element> static size_t padded_row_bytes(int K)
{
	return (K * sizeof(Element) + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
}

/* Workspace that padded_make() needs. */
template <class Element> static size_t padded_bytes(const Element *X, int rows, int K)
{
	return is_addressable(X, K) ? 0 : rows * padded_row_bytes<Element>(K);
}

/* Rows of K elements, which begin anywhere, to rows of `units` units of 16 bytes; zeros behind
 * K. A block a row (a grid has 2^31 - 1 blocks along x, and 65535 along y), a thread every
 * blockDim.x-th unit. */
template <class Element>
static __global__ void pad_rows(const Element *X, uint4 *to, int K, int units)
{
	constexpr int V = 16 / sizeof(Element);
	int first = blockIdx.y * blockDim.x + threadIdx.x, stride = gridDim.y * blockDim.x;
	const Element *from = X + (size_t)blockIdx.x * K;
	for (int unit = first; unit < units; unit += stride) {
		union {
			Element elements[V];
			uint4 all;
		} x;
#pragma unroll
		for (int i = 0; i < V; i++)
			x.elements[i] = unit * V + i < K ? from[unit * V + i] : (Element)0;
		to[(size_t)blockIdx.x * units + unit] = x.all;
	}
}

/* X itself, or a copy of it in `room`. */
template <class Element> static k_major padded_make(const Element *X, int rows, int K, char *room)
{
	if (is_addressable(X, K))
		return {X, K * sizeof(Element)};
	constexpr int THREADS = 128;
	using bits = std::conditional_t<sizeof(Element) == 1, uint8_t, uint16_t>;
	size_t row_bytes = padded_row_bytes<Element>(K);
	int units = (int)(row_bytes / 16);
	dim3 grid(rows, std::min((units + THREADS - 1) / THREADS, 65535));
	pad_rows<<<grid, THREADS>>>((const bits *)X, (uint4 *)room, K, units);
	WGMMA_CHECK(cudaGetLastError());
	return {room, row_bytes};
}

/* Boxes of `box_rows` rows and a k-block. */
template <class Element>
static CUtensorMap map_make(const wgmma_device &device, k_major X, int rows, int K, int box_rows)
{
	CUtensorMap map;
	cuuint64_t sizes[2] = {(cuuint64_t)K, (cuuint64_t)rows};
	cuuint64_t strides[1] = {(cuuint64_t)X.row_bytes};
	cuuint32_t box[2] = {ROW_BYTES / sizeof(Element), (cuuint32_t)box_rows}, steps[2] = {1, 1};
	CUresult status = device.encode(
		&map, sizeof(Element) == 1 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : CU_TENSOR_MAP_DATA_TYPE_UINT16,
		2, (void *)X.data, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
		CU_TENSOR_MAP_SWIZZLE_128B,
		X.row_bytes % 256 == 0 ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
							   : CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
		CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	if (status != CUDA_SUCCESS)
		wgmma_fail("cuTensorMapEncodeTiled", "refused the matrix");
	return map;
}

/* ---- launch -------------------------------------------------------------- */

static inline int tiles_along(int size, int tile)
{
	return (size + tile - 1) / tile;
}

/* About how many clocks: a k-block takes as long as shared memory is busy with it, which
 * gives and takes a row of it in a clock. TMA writes BM + BN rows, and each consumer reads 64 of
 * A and all of B. What a tile takes besides is about four k-blocks. */
template <class config>
static long long clocks(const wgmma_device &device, int M, int N, int k_blocks)
{
	long long tiles = (long long)tiles_along(M, config::BM * config::CLUSTER) *
					  tiles_along(N, config::BN) * config::CLUSTER;
	long long waves = (tiles + device.multiprocessors - 1) / device.multiprocessors;
	int k_block = config::BM + config::BN + config::CONSUMERS * (64 + config::BN);
	return waves * (k_blocks + 4) * k_block;
}

template <class config, class Out>
static void gemm_launch(const wgmma_device &device, k_major A, k_major B, int M, int N, int K,
						const Out &out)
{
	auto kernel = gemm_wgmma<config, Out>;
	static const bool once = [&] {
		WGMMA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
										 config::BYTES));
		return true;
	}();
	(void)once;

	using Element = typename config::Element;
	CUtensorMap map_a = map_make<Element>(device, A, M, K, config::BM);
	CUtensorMap map_b = map_make<Element>(device, B, N, K, config::BN / config::CLUSTER);
	tile_order order = {tiles_along(M, config::BM * config::CLUSTER), tiles_along(N, config::BN),
						tiles_along(K, config::BK), 16 / config::CLUSTER};

	cudaLaunchAttribute attribute;
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim = {config::CLUSTER, 1, 1};
	cudaLaunchConfig_t launch = {};
	int clusters = std::min(order.rows * order.columns, device.multiprocessors / config::CLUSTER);
	launch.gridDim = dim3(clusters * config::CLUSTER);
	launch.blockDim = dim3(config::THREADS);
	launch.dynamicSmemBytes = config::BYTES;
	launch.attrs = &attribute;
	launch.numAttrs = config::CLUSTER > 1;
	WGMMA_CHECK(cudaLaunchKernelEx(&launch, kernel, map_a, map_b, order, out));
}

/* C (M x N) = A (M x K) * B^T (B is N x K), handed to `out`. */
template <class Element, class Out>
static void gemm(k_major A, k_major B, int M, int N, int K, const Out &out)
{
	/* promoting takes a second set of sums */
	constexpr int WIDE = wgmma_type<Element>::PROMOTED ? 128 : 256;
	using large = tile_config<Element, WIDE, 2, 2>;
	using middle = tile_config<Element, 128, 2, 1>;
	using small = tile_config<Element, 64, 1, 1>;

	const wgmma_device &device = wgmma_get();
	int k_blocks = tiles_along(K, large::BK);
	long long of_large = clocks<large>(device, M, N, k_blocks);
	long long of_middle = clocks<middle>(device, M, N, k_blocks);
	long long of_small = clocks<small>(device, M, N, k_blocks);
	if (of_large <= of_middle && of_large <= of_small)
		gemm_launch<large>(device, A, B, M, N, K, out);
	else if (of_middle <= of_small)
		gemm_launch<middle>(device, A, B, M, N, K, out);
	else
		gemm_launch<small>(device, A, B, M, N, K, out);
}

/* The same of matrices that begin anywhere and have no padding. */
template <class Element, class Out>
static void gemm_any(const Element *A, const Element *B, int M, int N, int K, const Out &out)
{
	size_t a_bytes = padded_bytes(A, M, K), b_bytes = padded_bytes(B, N, K);
	char *room = wgmma_workspace(a_bytes + b_bytes);
	k_major a = padded_make(A, M, K, room);
	gemm<Element>(a, padded_make(B, N, K, room + a_bytes), M, N, K, out);
}

#endif
