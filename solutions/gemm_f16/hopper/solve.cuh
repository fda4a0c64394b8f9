/* Host side: which path a shape takes. */
#ifndef GEMMJUDGE_HOPPER_SOLVE_CUH
#define GEMMJUDGE_HOPPER_SOLVE_CUH

#include <stdio.h>
#include <stdlib.h>

#include "gemm.cuh"
#include "repack.cuh"

[[noreturn]] static inline void hopper_fail(const char *what, const char *why)
{
	fprintf(stderr, "hopper: %s: %s\n", what, why);
	abort();
}

static inline void hopper_check(cudaError_t status, const char *what)
{
	if (status != cudaSuccess)
		hopper_fail(what, cudaGetErrorString(status));
}

#define HOPPER_CHECK(call) hopper_check(call, #call)

/* ---- what is found out once ---------------------------------------------- */

struct hopper_device {
	int multiprocessors;
	decltype(&cuTensorMapEncodeTiled) encode;
	char *workspace; // grows; every call overwrites what it reads
	size_t workspace_bytes;
};

static inline hopper_device &hopper_get(void)
{
	static hopper_device device = [] {
		hopper_device made = {};
		int ordinal;
		HOPPER_CHECK(cudaGetDevice(&ordinal));
		HOPPER_CHECK(
			cudaDeviceGetAttribute(&made.multiprocessors, cudaDevAttrMultiProcessorCount, ordinal));
		cudaDriverEntryPointQueryResult found;
		HOPPER_CHECK(cudaGetDriverEntryPointByVersion(
			"cuTensorMapEncodeTiled", (void **)&made.encode, 12000, cudaEnableDefault, &found));
		if (found != cudaDriverEntryPointSuccess)
			hopper_fail("cuTensorMapEncodeTiled", "the driver does not have it");
		return made;
	}();
	return device;
}

static inline char *hopper_workspace(hopper_device &device, size_t bytes)
{
	if (bytes > device.workspace_bytes) {
		HOPPER_CHECK(cudaFree(device.workspace));
		HOPPER_CHECK(cudaMalloc(&device.workspace, bytes));
		device.workspace_bytes = bytes;
	}
	return device.workspace;
}

/* A row-major 16-bit matrix, in boxes of 64 columns and `box_rows` rows with
 * the 128-byte swizzle; zeros outside. */
static inline CUtensorMap tensor_map(const hopper_device &device, const void *matrix, int rows,
									 int columns, int leading, int box_rows)
{
	CUtensorMap map;
	cuuint64_t sizes[2] = {(cuuint64_t)columns, (cuuint64_t)rows};
	cuuint64_t strides[1] = {(cuuint64_t)leading * 2};
	cuuint32_t box[2] = {64, (cuuint32_t)box_rows}, steps[2] = {1, 1};
	CUresult status =
		device.encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, (void *)matrix, sizes, strides, box,
					  steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
					  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	if (status != CUDA_SUCCESS)
		hopper_fail("cuTensorMapEncodeTiled", "refused the matrix");
	return map;
}

/* TMA wants 16-byte aligned bases and row lengths (9.7.9.27.1). */
static inline bool rows_aligned(const void *matrix, int columns)
{
	return (uintptr_t)matrix % 16 == 0 && columns % 8 == 0;
}

/* ---- operands --------------------------------------------------------------- */

struct operand {
	const void *data;
	int leading;
};

static inline size_t padded_bytes(int rows, int columns)
{
	return (size_t)rows * ((columns + 63) / 64 * 64) * 2;
}

static inline repack_job repack_into(char *to, const void *from, int rows, int columns,
									 operand &operand)
{
	int padded = (columns + 63) / 64 * 64;
	operand = {to, padded};
	return {(const uint16_t *)from, (uint16_t *)to, rows, columns, padded};
}

/* Makes both operands addressable; true when a repack kernel was launched. */
static inline bool prepare(hopper_device &device, const void *A, const void *B, int M, int N, int K,
						   operand &a, operand &b)
{
	a = {A, K};
	b = {B, N};
	bool pack_a = !rows_aligned(A, K), pack_b = !rows_aligned(B, N);
	if (!pack_a && !pack_b)
		return false;
	size_t a_bytes = pack_a ? padded_bytes(M, K) : 0, b_bytes = pack_b ? padded_bytes(K, N) : 0;
	char *workspace = hopper_workspace(device, a_bytes + b_bytes);
	repack_job job_a = {}, job_b = {};
	if (pack_a)
		job_a = repack_into(workspace, A, M, K, a);
	if (pack_b)
		job_b = repack_into(workspace + a_bytes, B, K, N, b);
	int warps_a_block = REPACK_THREADS / 32;
	int blocks = (job_a.rows + job_b.rows + warps_a_block - 1) / warps_a_block;
	int most = device.multiprocessors * 8;
	if (blocks > most)
		blocks = most;
	repack<<<blocks, REPACK_THREADS>>>(job_a, job_b);
	return true;
}

/* ---- launch ------------------------------------------------------------------ */

template <class Element, int CONSUMERS, int BN, int STAGES, bool MULTICAST>
static void gemm_launch(const hopper_device &device, const operand &a, const operand &b,
						const epilogue<Element> &out, int K, int splits, bool dependent)
{
	using layout = gemm_layout<CONSUMERS, BN, STAGES>;
	auto kernel = gemm_tiles<Element, CONSUMERS, BN, STAGES, MULTICAST>;
	static const bool once = [&] {
		HOPPER_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
										  layout::bytes));
		return true;
	}();
	(void)once;

	CUtensorMap map_a = tensor_map(device, a.data, out.M, K, a.leading, layout::BM);
	CUtensorMap map_b = tensor_map(device, b.data, K, out.N, b.leading, BK);

	int rows = layout::BM * (MULTICAST ? 2 : 1);
	gemm_work work = {out.M,
					  out.N,
					  K,
					  (out.M + rows - 1) / rows,
					  (out.N + BN - 1) / BN,
					  splits,
					  MULTICAST ? 8 : 16};
	int cluster = MULTICAST ? 2 : splits, tiles = work.tiles_m * work.tiles_n;
	int room = device.multiprocessors / cluster;
	int clusters = splits > 1 || tiles < room ? tiles : room; // a split is not persistent

	cudaLaunchAttribute attributes[2];
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(clusters * cluster);
	config.blockDim = dim3(WARPGROUP * (CONSUMERS + 1));
	config.dynamicSmemBytes = layout::bytes;
	config.attrs = attributes;
	attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
	attributes[config.numAttrs].val.clusterDim.x = cluster;
	attributes[config.numAttrs].val.clusterDim.y = 1;
	attributes[config.numAttrs++].val.clusterDim.z = 1;
	if (dependent) {
		attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
		attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
	}
	HOPPER_CHECK(cudaLaunchKernelEx(&config, kernel, map_a, map_b, work, out));
}

/* ---- the choice ---------------------------------------------------------------- */

/* A way to cut the work: the tile, whether two blocks share B by multicast, and
 * how many share a tile along K. Its times on an H200, in microseconds, fitted
 * to squares from 1024 to 4096: a step of 64 along K, and what a tile costs
 * besides. */
struct cut {
	int consumers, columns, splits;
	bool multicast;
	float step, tile;
};

static constexpr float LAUNCH = 2.5f;  // of any kernel
static constexpr float SHARING = 1.5f; // adding up the sums of a split

static inline float cut_time(const cut &c, int M, int N, int K, int multiprocessors)
{
	int rows = 64 * c.consumers * (c.multicast ? 2 : 1), steps = (K + BK - 1) / BK;
	int cluster = c.multicast ? 2 : c.splits, room = multiprocessors / cluster;
	long long tiles = (long long)((M + rows - 1) / rows) * ((N + c.columns - 1) / c.columns);
	long long rounds = (tiles + room - 1) / room;
	int longest = (steps + c.splits - 1) / c.splits;
	return LAUNCH + (c.splits > 1 ? SHARING : 0.0f) + rounds * (longest * c.step + c.tile);
}

template <class Element>
static void hopper_solve(const Element *A, const Element *B, Element *C, int M, int N, int K,
						 float alpha, float beta)
{
	hopper_device &device = hopper_get();
	epilogue<Element> out = epilogue_make(C, M, N, alpha, beta);
	operand a, b;
	bool dependent = prepare(device, A, B, M, N, K, a, b);

	static const cut cuts[] = {
		{2, 256, 1, true, 0.67f, 2.9f},  {2, 256, 1, false, 0.68f, 2.9f},
		{2, 192, 1, false, 0.53f, 2.2f}, {2, 128, 1, true, 0.35f, 1.5f},
		{2, 128, 1, false, 0.40f, 1.5f}, {2, 64, 1, false, 0.24f, 0.9f},
		{1, 128, 1, true, 0.19f, 1.0f},  {1, 128, 1, false, 0.21f, 1.0f},
		{1, 64, 1, false, 0.16f, 0.8f},  {2, 128, 2, false, 0.40f, 1.5f},
		{2, 128, 4, false, 0.40f, 1.5f}, {1, 64, 2, false, 0.16f, 0.8f},
		{1, 64, 4, false, 0.16f, 0.8f},  {1, 64, 8, false, 0.16f, 0.8f},
	};
	int best = -1;
	float best_time = 0.0f;
	for (int i = 0; i < (int)(sizeof(cuts) / sizeof(*cuts)); i++) {
		if (cuts[i].splits > (K + BK - 1) / BK)
			continue;
		float time = cut_time(cuts[i], M, N, K, device.multiprocessors);
		if (best < 0 || time < best_time) {
			best_time = time;
			best = i;
		}
	}

	const cut &c = cuts[best];
	if (c.consumers == 2 && c.columns == 256 && c.multicast)
		gemm_launch<Element, 2, 256, 4, true>(device, a, b, out, K, 1, dependent);
	else if (c.consumers == 2 && c.columns == 256)
		gemm_launch<Element, 2, 256, 4, false>(device, a, b, out, K, 1, dependent);
	else if (c.consumers == 2 && c.columns == 192)
		gemm_launch<Element, 2, 192, 4, false>(device, a, b, out, K, 1, dependent);
	else if (c.consumers == 2 && c.columns == 128 && c.multicast)
		gemm_launch<Element, 2, 128, 6, true>(device, a, b, out, K, 1, dependent);
	else if (c.consumers == 2 && c.columns == 128)
		gemm_launch<Element, 2, 128, 6, false>(device, a, b, out, K, c.splits, dependent);
	else if (c.consumers == 2)
		gemm_launch<Element, 2, 64, 8, false>(device, a, b, out, K, 1, dependent);
	else if (c.columns == 128 && c.multicast)
		gemm_launch<Element, 1, 128, 8, true>(device, a, b, out, K, 1, dependent);
	else if (c.columns == 128)
		gemm_launch<Element, 1, 128, 8, false>(device, a, b, out, K, 1, dependent);
	else
		gemm_launch<Element, 1, 64, 10, false>(device, a, b, out, K, c.splits, dependent);
}

#endif
