/* Host side: which path a shape takes. */
#ifndef GEMMJUDGE_HOPPER_SOLVE_CUH
#define GEMMJUDGE_HOPPER_SOLVE_CUH

#include <stdio.h>
#include <stdlib.h>

#include "repack.cuh"
#include "shifted.cuh"
#include "tma.cuh"

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

/* A matrix as TMA can address it. */
struct operand {
	const void *data;
	int leading;
};

/* What a call multiplies. */
template <class Element> struct problem {
	const Element *A, *B;
	int M, N, K;
	epilogue<Element> out;

	bool odd_a() const
	{
		return !rows_aligned(A, K);
	}
	bool odd_b() const
	{
		return !rows_aligned(B, N);
	}
};

static inline int padded_columns(int columns)
{
	return (columns + 63) / 64 * 64;
}

/* Both operands in padded rows, and the jobs that bring them there; an operand
 * that TMA can address as it is has none. */
struct packing {
	operand a, b;
	repack_job job_a, job_b;
};

template <class Element>
static packing packing_plan(hopper_device &device, const problem<Element> &p)
{
	int padded_k = padded_columns(p.K), padded_n = padded_columns(p.N);
	size_t a_elements = p.odd_a() ? (size_t)p.M * padded_k : 0;
	size_t b_elements = p.odd_b() ? (size_t)p.K * padded_n : 0;
	packing plan = {{p.A, p.K}, {p.B, p.N}, {}, {}};
	if (a_elements + b_elements == 0)
		return plan;
	uint16_t *to = (uint16_t *)hopper_workspace(device, (a_elements + b_elements) * 2);
	if (p.odd_a()) {
		plan.a = {to, padded_k};
		plan.job_a = {{(const uint16_t *)p.A, p.M, p.K}, to, padded_k};
	}
	if (p.odd_b()) {
		plan.b = {to + a_elements, padded_n};
		plan.job_b = {{(const uint16_t *)p.B, p.K, p.N}, to + a_elements, padded_n};
	}
	return plan;
}

/* Launches the copies; false when there is nothing to copy. */
static inline bool packing_launch(const hopper_device &device, const packing &plan)
{
	constexpr int WARPS = REPACK_THREADS / 32; // a warp copies a row
	int rows = plan.job_a.from.rows + plan.job_b.from.rows, most = device.multiprocessors * 8;
	int blocks = min((rows + WARPS - 1) / WARPS, most);
	if (blocks > 0)
		repack<<<blocks, REPACK_THREADS>>>(plan.job_a, plan.job_b);
	return blocks > 0;
}

/* ---- launch ------------------------------------------------------------------ */

/* Raises what a kernel is allowed, once for each. */
template <class Kernel> static void kernel_allow(Kernel *kernel, int shared_bytes)
{
	HOPPER_CHECK(
		cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
}

/* Blocks of `cluster`; dependent: behind a kernel whose end it waits for itself. */
template <class... Parameters, class... Arguments>
static void kernel_launch(void (*kernel)(Parameters...), int blocks, int threads, int shared_bytes,
						  int cluster, bool dependent, const Arguments &...arguments)
{
	cudaLaunchAttribute attributes[2];
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(blocks);
	config.blockDim = dim3(threads);
	config.dynamicSmemBytes = shared_bytes;
	config.attrs = attributes;
	if (cluster > 1) {
		attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
		attributes[config.numAttrs].val.clusterDim.x = cluster;
		attributes[config.numAttrs].val.clusterDim.y = 1;
		attributes[config.numAttrs++].val.clusterDim.z = 1;
	}
	if (dependent) {
		attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
		attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
	}
	HOPPER_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

static inline divisor divisor_make(int value)
{
	return {(uint32_t)value, (uint32_t)((1ull << 32) / (uint32_t)value + 1)};
}

/* Cut into tiles of `rows` x `columns`, `splits` blocks to each. */
template <class Element>
static gemm_work work_cut(const problem<Element> &p, int rows, int columns, int splits, int group)
{
	int tiles_m = (p.M + rows - 1) / rows, tiles_n = (p.N + columns - 1) / columns;
	int steps = (p.K + BK - 1) / BK, last = tiles_m % group;
	gemm_work work = {p.M, p.N, p.K, tiles_m * tiles_n, splits, steps / splits, steps % splits};
	work.group = group;
	work.last_group = last > 0 ? tiles_m / group : -1;
	work.group_tiles = divisor_make(group * tiles_n);
	work.rows = divisor_make(group);
	work.last_rows = divisor_make(last > 0 ? last : 1);
	return work;
}

template <class Element, class config>
static void tma_launch(hopper_device &device, const problem<Element> &p, int splits)
{
	auto kernel = gemm_tma<Element, config>;
	static const bool once = (kernel_allow(kernel, config::bytes), true);
	(void)once;

	/* everything that takes time on the host is done before the copies start */
	packing plan = packing_plan(device, p);
	CUtensorMap map_a = tensor_map(device, plan.a.data, p.M, p.K, plan.a.leading, config::BM);
	CUtensorMap map_b = tensor_map(device, plan.b.data, p.K, p.N, plan.b.leading, BK);
	int rows = config::BM * (config::MULTICAST ? 2 : 1);
	gemm_work work = work_cut(p, rows, config::BN, splits, config::MULTICAST ? 8 : 16);

	int cluster = config::MULTICAST ? 2 : splits, room = device.multiprocessors / cluster;
	int clusters = splits > 1 ? work.tiles : min(work.tiles, room); // a split is not persistent
	bool dependent = packing_launch(device, plan);
	kernel_launch(kernel, clusters * cluster, WARPGROUP * (config::CONSUMERS + 1), config::bytes,
				  cluster, dependent, map_a, map_b, work, p.out);
}

/* A block a tile and split: many small blocks hide each other's ends. */
template <class Element, class config, int PRODUCERS, int DEEP, int BLOCKS>
static void shifted_launch(hopper_device &, const problem<Element> &p, int splits)
{
	auto kernel = gemm_shifted<Element, config, PRODUCERS, DEEP, BLOCKS>;
	static const bool once = (kernel_allow(kernel, config::bytes), true);
	(void)once;

	gemm_work work = work_cut(p, config::BM, config::BN, splits, 16);
	odd_matrix a = {(const uint16_t *)p.A, p.M, p.K}, b = {(const uint16_t *)p.B, p.K, p.N};
	kernel_launch(kernel, work.tiles * splits, WARPGROUP * (config::CONSUMERS + PRODUCERS),
				  config::bytes, splits, false, a, b, work, p.out);
}

/* ---- the choice ---------------------------------------------------------------- */

/* A way to cut the work, and its times on an H200 in microseconds: a step of 64
 * along K, and what a tile costs besides. */
template <class Element> struct cut {
	void (*launch)(hopper_device &device, const problem<Element> &p, int splits);
	int rows, columns, splits; // of a tile, or of a pair of tiles with multicast
	int cluster;               // blocks
	bool shifted;
	float step, tile;
	int blocks; // that share a multiprocessor
};

template <class Element, class config>
static constexpr cut<Element> tma_cut(int splits, float step, float tile)
{
	return {tma_launch<Element, config>,
			config::BM * (config::MULTICAST ? 2 : 1),
			config::BN,
			splits,
			config::MULTICAST ? 2 : splits,
			false,
			step,
			tile,
			1};
}

template <class Element, class config, int PRODUCERS, int DEEP, int BLOCKS>
static constexpr cut<Element> shifted_cut(int splits, float step, float tile)
{
	return {shifted_launch<Element, config, PRODUCERS, DEEP, BLOCKS>,
			config::BM,
			config::BN,
			splits,
			splits,
			true,
			step,
			tile,
			BLOCKS};
}

static constexpr float LAUNCH = 2.5f;  // of any kernel
static constexpr float SHARING = 1.5f; // adding up the sums of a split

template <class Element>
static float cut_time(const cut<Element> &c, const problem<Element> &p, int multiprocessors)
{
	int steps = (p.K + BK - 1) / BK, room = multiprocessors * c.blocks / c.cluster;
	long long tiles =
		(long long)((p.M + c.rows - 1) / c.rows) * ((p.N + c.columns - 1) / c.columns);
	long long rounds = (tiles + room - 1) / room;
	int longest = (steps + c.splits - 1) / c.splits;
	return LAUNCH + (c.splits > 1 ? SHARING : 0.0f) + rounds * (longest * c.step + c.tile);
}

template <class Element>
static void hopper_solve(const Element *A, const Element *B, Element *C, int M, int N, int K,
						 float alpha, float beta)
{
	hopper_device &device = hopper_get();
	problem<Element> p = {A, B, M, N, K, epilogue_make(C, M, N, alpha, beta)};
	bool aligned = (uintptr_t)A % 16 == 0 && (uintptr_t)B % 16 == 0;

	/*                     consumers, halves, columns, stages, multicast, ping-pong */
	using pair256 = gemm_config<2, 1, 256, 4, true, false>;
	using wide256 = gemm_config<2, 1, 256, 4, false, false>;
	using turns128 = gemm_config<2, 2, 128, 6, true, true>;
	using turns256 = gemm_config<2, 1, 256, 5, true, true>;
	using wide192 = gemm_config<2, 1, 192, 4, false, false>;
	using pair128 = gemm_config<2, 1, 128, 6, true, false>;
	using wide128 = gemm_config<2, 1, 128, 6, false, false>;
	using tall64 = gemm_config<2, 1, 64, 8, false, false>;
	using flat_pair128 = gemm_config<1, 1, 128, 8, true, false>;
	using flat128 = gemm_config<1, 1, 128, 8, false, false>;
	using small64 = gemm_config<1, 1, 64, 10, false, false>;
	static const cut<Element> cuts[] = {
		tma_cut<Element, pair256>(1, 0.67f, 2.9f),
		tma_cut<Element, wide256>(1, 0.68f, 2.9f),
		tma_cut<Element, turns128>(1, 0.67f, 2.9f),
		tma_cut<Element, turns256>(1, 0.67f, 2.9f),
		tma_cut<Element, wide192>(1, 0.53f, 2.2f),
		tma_cut<Element, pair128>(1, 0.35f, 1.5f),
		tma_cut<Element, wide128>(1, 0.40f, 1.5f),
		tma_cut<Element, wide128>(2, 0.40f, 1.5f),
		tma_cut<Element, tall64>(1, 0.24f, 0.9f),
		tma_cut<Element, flat_pair128>(1, 0.19f, 1.0f),
		tma_cut<Element, flat128>(1, 0.21f, 1.0f),
		tma_cut<Element, flat128>(4, 0.21f, 1.0f),
		tma_cut<Element, small64>(1, 0.16f, 0.8f),
		tma_cut<Element, small64>(2, 0.16f, 0.8f),
		tma_cut<Element, small64>(4, 0.16f, 0.8f),
		tma_cut<Element, small64>(8, 0.16f, 0.8f),
		shifted_cut<Element, gemm_config<1, 1, 64, 4, false, false>, 1, 2, 2>(1, 0.3f, 1.0f),
		shifted_cut<Element, gemm_config<1, 1, 64, 4, false, false>, 2, 2, 1>(1, 0.3f, 1.0f),
		shifted_cut<Element, gemm_config<1, 1, 64, 6, false, false>, 3, 2, 1>(1, 0.3f, 1.0f),
		shifted_cut<Element, gemm_config<1, 1, 64, 6, false, false>, 3, 2, 1>(4, 0.3f, 1.0f),
		shifted_cut<Element, gemm_config<1, 1, 64, 6, false, false>, 3, 2, 1>(8, 0.3f, 1.0f),
		shifted_cut<Element, gemm_config<1, 1, 128, 6, false, false>, 3, 3, 1>(1, 0.3f, 1.0f),
		shifted_cut<Element, gemm_config<2, 1, 128, 5, false, false>, 2, 2, 1>(1, 0.3f, 1.0f),
	};
	const cut<Element> *best = NULL;
	float best_time = 0.0f;
	for (const cut<Element> &c : cuts) {
		if (c.splits > (K + BK - 1) / BK || (c.shifted && !aligned))
			continue;
		float time = cut_time(c, p, device.multiprocessors);
		if (!best || time < best_time) {
			best_time = time;
			best = &c;
		}
	}
	best->launch(device, p, best->splits);
}

#endif
