/* Host side: what a launch needs. Tensor maps, places to copy odd operands to, and
 * for each kind of kernel a function that starts it for a problem. */
#ifndef GEMMJUDGE_HOPPER_LAUNCH_CUH
#define GEMMJUDGE_HOPPER_LAUNCH_CUH

#include <stdio.h>
#include <stdlib.h>

#include "mixed.cuh"
#include "repack.cuh"
#include "scale.cuh"
#include "shallow.cuh"
#include "shifted.cuh"
#include "tiny.cuh"
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

constexpr int MOST_BLOCKS = 8; // of a cluster

struct hopper_device {
	int multiprocessors;
	decltype(&cuTensorMapEncodeTiled) encode;
	char *workspace; // grows; every call overwrites what it reads
	size_t workspace_bytes;
	unsigned long long *copied, copies; // blocks that have copied, and that will have
	int clusters[MOST_BLOCKS + 1];      // of so many blocks that run at once
};

static __global__ void nothing()
{
}

/* Clusters of blocks that fill a multiprocessor each, as many as run at once: fewer than the
 * multiprocessors would do, as clusters do not reach across the GPU's parts (GPCs). */
static inline int clusters_at_once(int cluster)
{
	int bytes = 200 << 10, count;
	cudaLaunchAttribute attribute;
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = cluster;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	cudaLaunchConfig_t launch = {};
	launch.gridDim = dim3(cluster);
	launch.blockDim = dim3(WARPGROUP);
	launch.dynamicSmemBytes = bytes;
	launch.attrs = &attribute;
	launch.numAttrs = 1;
	HOPPER_CHECK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
	HOPPER_CHECK(cudaOccupancyMaxActiveClusters(&count, nothing, &launch));
	return count;
}

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
		HOPPER_CHECK(cudaMalloc(&made.copied, sizeof(*made.copied)));
		HOPPER_CHECK(cudaMemset(made.copied, 0, sizeof(*made.copied)));
		for (int blocks = 1; blocks <= MOST_BLOCKS; blocks++)
			made.clusters[blocks] = clusters_at_once(blocks);
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

/* A row-major 16-bit matrix, in boxes of 64 or 32 columns and `box_rows` rows with
 * the swizzle of their rows' length; zeros outside. Or, with `slabs`, its whole slabs of so many
 * columns as a third dimension, in boxes of several. What is read comes into the L2 cache in
 * pieces of 256 bytes where boxes start at such, else of 128, which is faster there. */
static inline CUtensorMap tensor_map(const hopper_device &device, const void *matrix, int rows,
									 int columns, int leading, int box_rows, int box_columns,
									 int slabs = 0)
{
	CUtensorMap map;
	cuuint64_t sizes[3] = {(cuuint64_t)(slabs > 0 ? box_columns : columns), (cuuint64_t)rows,
						   (cuuint64_t)(columns / box_columns)};
	cuuint64_t strides[2] = {(cuuint64_t)leading * 2, (cuuint64_t)box_columns * 2};
	cuuint32_t box[3] = {(cuuint32_t)box_columns, (cuuint32_t)box_rows, (cuuint32_t)slabs};
	cuuint32_t steps[3] = {1, 1, 1};
	bool lines = leading % 128 == 0;
	CUresult status = device.encode(
		&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, slabs > 0 ? 3 : 2, (void *)matrix, sizes, strides,
		box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
		box_columns == 64 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_64B,
		lines ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
		CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
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

/* The most elements, `most` or fewer, that can be read at once of rows of `columns`. */
template <class Element>
static inline int width_at_once(const Element *matrix, int columns, int most)
{
	int width = most;
	while (columns % width != 0 || (uintptr_t)matrix % (width * sizeof(Element)) != 0)
		width /= 2;
	return width;
}

/* Rows of a matrix that are this far apart start alike. */
template <class Element> static inline int rows_apart(const Element *matrix, int columns)
{
	return UNIT / width_at_once(matrix, columns, UNIT);
}

/* Elements before rows that are `apart` that begin a unit, at most, in a matrix that begins one. */
static inline int most_early(int apart)
{
	return UNIT - UNIT / apart;
}

/* Steps of `depth` along K, where rows that are `apart` may begin early. */
static inline int steps_along(int K, int apart, int depth)
{
	return (K + most_early(apart) + depth - 1) / depth;
}

/* Tiles above each other, whose rows are `apart`. */
static inline int row_tiles(int rows, int apart, int tile_rows)
{
	return ((rows + apart - 1) / apart + tile_rows - 1) / tile_rows * apart;
}

/* What a call multiplies. */
template <class Element> struct problem {
	const Element *A, *B;
	int M, N, K;
	bool reads_c; // beta is not 0
	epilogue<Element> out;

	bool odd_a, odd_b, odd_c; // TMA cannot address the matrix as it is
	bool odd;                 // or one of them
	int apart_a;              // rows_apart() of A

	problem(const Element *A, const Element *B, int M, int N, int K, bool reads_c,
			const epilogue<Element> &out)
		: A(A), B(B), M(M), N(N), K(K), reads_c(reads_c), out(out), odd_a(!rows_aligned(A, K)),
		  odd_b(!rows_aligned(B, N)), odd_c(!rows_aligned(out.C, N)), odd(odd_a || odd_b || odd_c),
		  apart_a(rows_apart(A, K))
	{
	}
};

/* The same in both A and C. */
template <class Element> static inline int rows_apart(const problem<Element> &p)
{
	return max(p.apart_a, rows_apart(p.out.C, p.N));
}

static inline int padded_columns(int columns)
{
	return (columns + 63) / 64 * 64;
}

/* Both operands as TMA will find them, and the copies that bring them there. */
struct packing {
	operand a, b;
	packing_work work;
};

/* Both as they are. */
template <class Element> static packing packing_none(const problem<Element> &p)
{
	return {{p.A, p.K}, {p.B, p.N}, {}};
}

template <class Element>
static packing packing_plan(hopper_device &device, const problem<Element> &p, bool copies_a)
{
	int padded_k = padded_columns(p.K), padded_n = padded_columns(p.N);
	copies_a = copies_a && p.odd_a;
	size_t a_elements = copies_a ? (size_t)p.M * padded_k : 0;
	size_t b_elements = p.odd_b ? (size_t)p.K * padded_n : 0;
	packing plan = packing_none(p);
	uint16_t *to = (uint16_t *)hopper_workspace(device, (a_elements + b_elements) * 2);
	if (copies_a) {
		plan.a = {to, padded_k};
		plan.work.a = {{(const uint16_t *)p.A, p.M, p.K}, to, padded_k};
	}
	if (p.odd_b) {
		plan.b = {to + a_elements, padded_n};
		plan.work.b = {{(const uint16_t *)p.B, p.K, p.N}, to + a_elements, padded_n};
	}
	return plan;
}

/* ---- launch ------------------------------------------------------------------ */

/* Raises what a kernel is allowed, once for each. */
template <class Kernel> static void kernel_allow(Kernel *kernel, int shared_bytes)
{
	HOPPER_CHECK(
		cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
}

/* Blocks in clusters of `cluster`; together: all of them must run at once. */
template <class... Parameters, class... Arguments>
static void kernel_launch(void (*kernel)(Parameters...), int blocks, int threads, int shared_bytes,
						  int cluster, bool together, const Arguments &...arguments)
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
	if (together) {
		attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
		attributes[config.numAttrs++].val.cooperative = 1;
	}
	HOPPER_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

static inline divisor divisor_make(int value)
{
	return {value, (uint32_t)((1ull << 32) / (uint32_t)value + 1)};
}

/* Cut into tiles of `rows` x `columns`, `splits` blocks to each, of rows that are `apart`, and
 * into steps of `depth` along K. */
template <class Element>
static gemm_work work_cut(const problem<Element> &p, int apart, int rows, int columns, int depth,
						  int splits, int group)
{
	int tiles_m = row_tiles(p.M, apart, rows), tiles_n = (p.N + columns - 1) / columns;
	int steps = steps_along(p.K, apart, depth), last = tiles_m % group;
	gemm_work work = {p.M, p.N, p.K, tiles_m * tiles_n, divisor_make(splits)};
	work.steps = steps / splits;
	work.steps_left = steps % splits;
	work.group = group;
	work.last_group = last > 0 ? tiles_m / group : -1;
	work.group_tiles = divisor_make(group * tiles_n);
	work.rows = divisor_make(group);
	work.last_rows = divisor_make(last > 0 ? last : 1);
	work.reads_c = p.reads_c;
	while (1 << work.class_shift < apart)
		work.class_shift++;
	return work;
}

/* Maps of a matrix' rows from each of the first `apart` ones on, every `apart`-th, from the unit
 * of 16 bytes in which the first one begins. */
static inline void class_maps(const hopper_device &device, CUtensorMap *maps, operand matrix,
							  int rows, int columns, int apart, int box_rows, int box_columns,
							  int slabs = 0)
{
	for (int row = 0; row < apart; row++) {
		size_t offset = (size_t)row * matrix.leading, early = offset % UNIT;
		maps[row] = tensor_map(device, (const uint16_t *)matrix.data + offset - early,
							   (rows - row + apart - 1) / apart, columns + (int)early,
							   matrix.leading * apart, box_rows, box_columns, slabs);
	}
}

template <class Element, class config>
static void tma_launch(hopper_device &device, const problem<Element> &p, int splits)
{
	auto kernel = gemm_tma<Element, config>;
	static const bool once = (kernel_allow(kernel, config::bytes), true);
	(void)once;

	int apart = config::CLASSES ? p.apart_a : 1;
	packing plan = packing_none(p);
	c_maps<config> maps_c = {};
	if (config::ODD)
		plan = packing_plan(device, p, !config::CLASSES);
	else
		class_maps(device, maps_c.of, {p.out.C, p.N}, p.M, p.N, apart, config::C_BOX_ROWS,
				   config::C_BOX);
	a_maps<config> maps_a = {};
	class_maps(device, maps_a.of, plan.a, p.M, p.K, apart, config::BM, BK);
	if (config::SLABS > 1 && p.K >= BK)
		class_maps(device, maps_a.of + config::MOST_CLASSES, plan.a, p.M, p.K, apart, config::BM,
				   BK, config::SLABS);
	b_maps<config> maps_b = {};
	maps_b.of[0] = tensor_map(device, plan.b.data, p.K, p.N, plan.b.leading, config::DEPTH, BOX);
	if (config::WHOLE_B && p.N >= BOX)
		maps_b.of[config::WHOLE_B] = tensor_map(device, plan.b.data, p.K, p.N, plan.b.leading,
												config::DEPTH, BOX, config::B_BOXES);
	gemm_work work = work_cut(p, apart, config::BM * config::UP, config::BN * config::ACROSS,
							  config::DEPTH, splits, 16 / config::UP);

	/* a split is not persistent; of blocks that copy, all are there */
	int cluster = config::SHARERS * splits, room = device.clusters[cluster];
	int clusters = config::ODD ? room : config::SPLIT ? work.tiles : min(work.tiles, room);
	if (config::ODD) {
		plan.work.blocks = device.copied;
		plan.work.all = device.copies += clusters * cluster;
	}
	kernel_launch(kernel, clusters * cluster, config::THREADS, config::bytes, cluster, config::ODD,
				  maps_a, maps_b, maps_c, work, plan.work, p.out);
}

/* A block a tile and split: many small blocks hide each other's ends. */
template <class Element, class config, int PRODUCERS, int DEEP, int BLOCKS>
static void shifted_launch(hopper_device &, const problem<Element> &p, int splits)
{
	auto kernel = gemm_shifted<Element, config, PRODUCERS, DEEP, BLOCKS>;
	static const bool once = (kernel_allow(kernel, config::bytes), true);
	(void)once;

	gemm_work work = work_cut(p, 1, config::BM, config::BN, config::DEPTH, splits, 16);
	odd_matrix a = {(const uint16_t *)p.A, p.M, p.K}, b = {(const uint16_t *)p.B, p.K, p.N};
	kernel_launch(kernel, work.tiles * splits, WARPGROUP * (config::CONSUMERS + PRODUCERS),
				  config::bytes, splits, false, a, b, work, p.out);
}

template <class Element, class config, int PRODUCERS, int BLOCKS>
static void mixed_launch(hopper_device &device, const problem<Element> &p, int splits)
{
	auto kernel = gemm_mixed<Element, config, PRODUCERS, BLOCKS>;
	static const bool once = (kernel_allow(kernel, config::bytes), true);
	(void)once;

	a_maps<config> maps_a = {};
	class_maps(device, maps_a.of, {p.A, p.K}, p.M, p.K, p.apart_a, config::BM, BK);
	gemm_work work = work_cut(p, p.apart_a, config::BM, config::BN, config::DEPTH, splits, 16);
	odd_matrix b = {(const uint16_t *)p.B, p.K, p.N};
	kernel_launch(kernel, work.tiles * splits, WARPGROUP * (config::CONSUMERS + PRODUCERS),
				  config::bytes, splits, false, maps_a, b, work, p.out);
}

template <class Element, class config> static void tiny_start(const problem<Element> &p)
{
	dim3 grid((p.N + config::COLUMNS - 1) / config::COLUMNS,
			  (p.M + config::ROWS - 1) / config::ROWS);
	gemm_tiny<Element, config>
		<<<grid, config::BLOCK>>>((const uint16_t *)p.A, (const uint16_t *)p.B, p.K, p.out);
}

/* Takes any alignment, of sizes that the tiny kernel's 32-bit indices reach. */
template <class Element, int WARPS, int STEPS, int BN>
static void tiny_launch(hopper_device &, const problem<Element> &p, int)
{
	static void (*const starts[3][2])(const problem<Element> &) = {
		{tiny_start<Element, tiny_config<WARPS, STEPS, BN, 1, 1>>,
		 tiny_start<Element, tiny_config<WARPS, STEPS, BN, 1, BN>>},
		{tiny_start<Element, tiny_config<WARPS, STEPS, BN, 2, 1>>,
		 tiny_start<Element, tiny_config<WARPS, STEPS, BN, 2, BN>>},
		{tiny_start<Element, tiny_config<WARPS, STEPS, BN, 4, 1>>,
		 tiny_start<Element, tiny_config<WARPS, STEPS, BN, 4, BN>>},
	};
	starts[width_at_once(p.A, p.K, 4) / 2][width_at_once(p.B, p.N, BN) == BN](p);
}

template <class Element, int WARPS, int BN>
static void shallow_launch(hopper_device &, const problem<Element> &p, int)
{
	using config = shallow_config<WARPS, BN>;
	constexpr int OPERANDS = config::A_BYTES + config::B_BYTES;
	constexpr int PLACES = WARPS * c_window<Element, BN>::PLACE_BYTES;
	auto kernel = gemm_shallow<Element, config>;
	static const bool once = (kernel_allow(kernel, OPERANDS + PLACES), true);
	(void)once;

	/* columns may begin most of a unit earlier */
	int apart = rows_apart(p);
	dim3 grid((p.N + UNIT - 1 + BN - 1) / BN, row_tiles(p.M, apart, config::BM));
	odd_matrix a = {(const uint16_t *)p.A, p.M, p.K}, b = {(const uint16_t *)p.B, p.K, p.N};
	kernel<<<grid, config::THREADS, p.reads_c ? OPERANDS + PLACES : max(OPERANDS, PLACES)>>>(
		a, b, apart, p.reads_c, p.out);
}

/* C = beta * C. */
template <class Element>
static void scale_launch(const hopper_device &device, const problem<Element> &p, float beta)
{
	if (beta == 1.0f)
		return;
	long long count = (long long)p.M * p.N, blocks = count / (8 * SCALE_THREADS) + 1;
	blocks = min(blocks, device.multiprocessors * 8LL);
	scale<<<(int)blocks, SCALE_THREADS>>>(p.out.C, count, beta);
}

#endif
