/* Host side: tensor maps, the work of a launch, and a launch for each kernel. */
#ifndef HOPPER_LAUNCH_CUH
#define HOPPER_LAUNCH_CUH

#include <atomic>

#include "device.cuh"
#include "kernel_small.cuh"
#include "kernels.cuh"
#include "problem.cuh"

namespace hopper
{
/* What a launch needs besides the product. */
struct launch_context {
	const device_table &device;
	int ordinal;
	void *workspace;
	cudaStream_t stream;
};

static inline matrix_view view_a(const problem &q)
{
	return {(const uint16_t *)q.p.a, q.p.m, q.p.k, q.p.lda};
}
static inline matrix_view view_b(const problem &q)
{
	return {(const uint16_t *)q.p.b, q.rows_b(), q.columns_b(), q.p.ldb};
}
static inline matrix_view view_c(const problem &q)
{
	return {(const uint16_t *)q.p.c, q.p.m, q.p.n, q.p.ldc};
}

/* A matrix that TMA can address, in boxes of 64 or 32 columns and `box_rows` rows with the swizzle
 * of their rows' length; zeros outside. With `slices`, the third dimension counts slices of
 * `box_columns` columns, and a box has so many of them. `every`: rows in memory from one row of the
 * map to the next. Reads come into the L2 cache in pieces of 256 bytes where rows start at such,
 * else of 128, which is faster there. */
static inline bool tensor_map(const device_table &device, CUtensorMap *map,
							  const matrix_view &matrix, int box_rows, int box_columns,
							  int slices = 0, int every = 1)
{
	cuuint64_t sizes[3] = {(cuuint64_t)(slices > 0 ? box_columns : matrix.columns),
						   (cuuint64_t)matrix.rows, (cuuint64_t)(matrix.columns / box_columns)};
	cuuint64_t pitch = (cuuint64_t)matrix.ld * every * 2;
	cuuint64_t pitches[2] = {pitch, (cuuint64_t)box_columns * 2};
	cuuint32_t box[3] = {(cuuint32_t)box_columns, (cuuint32_t)box_rows, (cuuint32_t)slices};
	cuuint32_t steps[3] = {1, 1, 1};
	bool lines = pitch % 256 == 0;
	return device.encode(
			   map, CU_TENSOR_MAP_DATA_TYPE_UINT16, slices > 0 ? 3 : 2, (void *)matrix.data, sizes,
			   pitches, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
			   box_columns == 64 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_64B,
			   lines ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
			   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/* Elements between a 16-byte boundary and the beginning of a matrix. */
static inline int base_skew(const void *matrix)
{
	return (int)((uintptr_t)matrix / 2 % VECTOR);
}

/* A map for each residue class of rows: class i has rows i, i + classes, ..., and its map begins at
 * the 16-byte boundary before row i. A class without rows has a map of class 0's, as nothing that
 * is loaded for it is stored. */
static inline bool class_maps(const device_table &device, CUtensorMap *maps,
							  const matrix_view &matrix, int classes, int box_rows, int box_columns,
							  int slices = 0)
{
	bool made = true;
	for (int row = 0; row < classes; row++) {
		int first = row < matrix.rows ? row : 0;
		const uint16_t *data = matrix.data + (size_t)first * matrix.ld;
		int skew = base_skew(data);
		matrix_view part = {data - skew, parts(matrix.rows - first, classes), matrix.columns + skew,
							matrix.ld};
		made = made && tensor_map(device, &maps[row], part, box_rows, box_columns, slices, classes);
	}
	return made;
}

/* A K-major operand's maps: of single slices, and from number `most_classes` on of a k-block's
 * slices at once, if it has several. */
static inline bool k_major_maps(const device_table &device, CUtensorMap *maps,
								const matrix_view &matrix, int classes, int most_classes,
								int box_rows, int slices)
{
	return class_maps(device, maps, matrix, classes, box_rows, SLICE) &&
		   (slices == 1 || matrix.columns < SLICE ||
			class_maps(device, maps + most_classes, matrix, classes, box_rows, SLICE, slices));
}

template <class config>
static bool a_maps_make(const launch_context &context, a_maps<config> &maps, const matrix_view &a,
						int classes)
{
	return k_major_maps(context.device, maps.of, a, classes, config::MAX_CLASSES, config::A_ROWS,
						config::SLICES);
}

static inline divisor divisor_make(int value)
{
	return {value, (uint32_t)((1ull << 32) / (uint32_t)value + 1)};
}

template <class config>
constexpr int GROUP = 16 / config::CLUSTER_M; // rows of tiles, at most: see schedule

/* The work of a launch: `rows` x `columns` tiles, from those in `first_m` and `first_n` on. */
template <class config>
static schedule<config> schedule_make(const problem &q, int split_k, int first_m, int first_n,
									  int rows, int columns)
{
	int group = min(rows, GROUP<config>), last = rows % group;
	int iterations = q.k_iterations(config::TILE_K, config::CLASSES);
	schedule<config> work = {q.p.m,   q.p.n,          q.p.k,   q.p.lda,
							 q.p.ldc, rows * columns, first_m, first_n};
	work.split = divisor_make(split_k);
	work.k_iterations = iterations / split_k;
	work.k_left = iterations % split_k;
	work.group = group;
	work.last_group = last > 0 ? rows / group : -1;
	work.group_tiles = divisor_make(group * columns);
	work.rows = divisor_make(group);
	work.last_rows = divisor_make(last > 0 ? last : 1);
	work.reads_c = q.reads_c;
	while (config::CLASSES && work.row_class.stride() < q.classes)
		work.row_class.shift++;
	work.base_skew = config::CLASSES ? base_skew(q.p.a) : 0;
	return work;
}

/* The most tiles of a launch: `divisor` has no larger numbers. For tests, HOPPER_MOST_TILES:
 * 16 or more. */
#ifndef HOPPER_MOST_TILES
#define HOPPER_MOST_TILES 65535
#endif

/* Calls launch(work) with all tiles of a product, or where they are too many for one launch with
 * one slice of them after the other: whole groups of rows, and all columns if one launch can have
 * them. Coordinates in C stay what they are, so that an epilogue sees no slices. */
template <class config, class Launch>
static hopper_status launch_slices(const problem &q, int split_k, Launch launch)
{
	int rows = q.row_tiles(config::TILE_M * config::CLUSTER_M, config::CLASSES);
	int columns = parts(q.p.n, config::TILE_N * config::CLUSTER_N);
	int group = min(rows, GROUP<config>), width = min(columns, HOPPER_MOST_TILES / group);
	int height = HOPPER_MOST_TILES / width / group * group;
	hopper_status status = HOPPER_OK;
	for (int m = 0; m < rows; m += height)
		for (int n = 0; n < columns && status == HOPPER_OK; n += width)
			status = launch(schedule_make<config>(q, split_k, m, n, min(height, rows - m),
												  min(width, columns - n)));
	return status;
}

/* Raises the kernel's limit of shared memory, once for each device. */
template <class Kernel> static bool shared_memory_allow(Kernel *kernel, int bytes, int ordinal)
{
	static std::atomic<uint64_t> allowed{0};
	uint64_t bit = 1ull << ordinal;
	if (allowed.load(std::memory_order_relaxed) & bit)
		return true;
	if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) !=
		cudaSuccess)
		return false;
	allowed.fetch_or(bit, std::memory_order_relaxed);
	return true;
}

/* Blocks in clusters of `cluster`; `together`: all of them must run at once. Kernels that need
 * shared memory differ in their parameters' types. */
template <class... Parameters, class... Arguments>
static hopper_status kernel_launch(const launch_context &context, void (*kernel)(Parameters...),
								   dim3 blocks, int threads, int shared_bytes, int cluster,
								   bool together, const Arguments &...arguments)
{
	if (shared_bytes > 0 && !shared_memory_allow(kernel, shared_bytes, context.ordinal))
		return HOPPER_CUDA_ERROR;
	cudaLaunchAttribute attributes[2];
	cudaLaunchConfig_t config = {};
	config.gridDim = blocks;
	config.blockDim = dim3(threads);
	config.dynamicSmemBytes = shared_bytes;
	config.stream = context.stream;
	config.attrs = attributes;
	if (cluster > 1)
		attributes[config.numAttrs++] = cluster_attribute(cluster);
	if (together) {
		attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
		attributes[config.numAttrs++].val.cooperative = 1;
	}
	return cudaLaunchKernelEx(&config, kernel, arguments...) == cudaSuccess ? HOPPER_OK
																			: HOPPER_CUDA_ERROR;
}

/* ---- one launch for each kernel: (context, product, split_k, epilogue) ---- */

template <class Element, class config, class Epilogue>
static hopper_status tma_launch(const launch_context &context, const problem &q, int split_k,
								const Epilogue &out)
{
	const device_table &device = context.device;
	int classes = config::CLASSES ? q.classes : 1;
	matrix_view a = view_a(q), b = view_b(q);
	pad_work padding = {};
	if (config::PADS) {
		auto *to = (uint16_t *)context.workspace + WORKSPACE_HEAD / 2;
		auto pad = [&](pad_job &job, matrix_view &matrix) {
			job = {matrix, to, padded_ld(matrix.columns)};
			matrix.data = to;
			matrix.ld = job.ld;
			to += (size_t)matrix.rows * job.ld;
		};
		bool copies = q.misaligned_a || q.misaligned_b; // else only C is misaligned
		padding.counter = copies || !config::K_MAJOR_B ? (uint32_t *)context.workspace : NULL;
		if (q.misaligned_a && !config::CLASSES)
			pad(padding.a, a);
		if (q.misaligned_b)
			pad(padding.b, b);
	}
	a_maps<config> maps_a = {};
	c_maps<config> maps_c = {};
	b_maps<config> maps_b = {};
	bool made = a_maps_make(context, maps_a, a, classes);
	if (config::K_MAJOR_B)
		made = made && k_major_maps(device, maps_b.of, b, 1, 1, config::TILE_N, config::SLICES);
	else
		made = made && tensor_map(device, maps_b.of, b, config::TILE_K, BOX);
	if (config::TMA_STORE)
		made = made &&
			   class_maps(device, maps_c.of, view_c(q), classes, config::C_BOX_ROWS, config::C_BOX);
	if (!made)
		return HOPPER_INVALID_ARGUMENT;

	exchange sums = {(uint32_t *)context.workspace + SPLIT_COUNTERS,
					 (float *)((char *)context.workspace + WORKSPACE_HEAD)};
	/* a split is not persistent; of blocks that pad, all are there */
	int cluster = config::BY_CLUSTER ? split_k : config::SHARERS, room = device.clusters[cluster];
	return launch_slices<config>(q, split_k, [&](schedule<config> work) {
		int clusters = config::PADS         ? room
					   : config::BY_MEMORY  ? work.tiles * split_k
					   : config::BY_CLUSTER ? work.tiles
											: min(work.tiles, room);
		bool together = config::BY_MEMORY || padding.counter != NULL;
		work.sums = sums;
		work.run = parts(work.tiles, room);
		if (config::PING_PONG)
			clusters = parts(work.tiles, work.run);
		hopper_status status = kernel_launch(
			context, gemm_tma<Element, config, Epilogue>, dim3(clusters * cluster), config::THREADS,
			config::BYTES, cluster, together, maps_a, maps_b, maps_c, work, padding, out);
		padding.a.from.rows = padding.b.from.rows = 0; // later slices find the copies
		return status;
	});
}

/* A block a tile and split: many small blocks hide each other's ends. */
template <class Element, class config, class Epilogue>
static hopper_status staged_launch(const launch_context &context, const problem &q, int split_k,
								   const Epilogue &out)
{
	a_maps<config> maps_a = {};
	if (!a_maps_make(context, maps_a, view_a(q), q.classes))
		return HOPPER_INVALID_ARGUMENT;
	return launch_slices<config>(q, split_k, [&](const schedule<config> &work) {
		return kernel_launch(context, gemm_staged<Element, config, Epilogue>,
							 dim3(work.tiles * split_k), config::THREADS, config::BYTES, split_k,
							 false, maps_a, view_b(q), work, out);
	});
}

template <class Element, int WARPS, int BN, b_layout B_LAYOUT, class Epilogue>
static hopper_status small_launch(const launch_context &context, const problem &q, int,
								  const Epilogue &out)
{
	auto launch = [&](auto config_value) {
		using config = decltype(config_value);
		hopper_status status = HOPPER_OK;
		for (long long m = 0; m < q.p.m && status == HOPPER_OK; m += small_rows(q)) {
			int first = (int)m; // row of this launch
			matrix_view a = view_a(q);
			a.data += (size_t)first * a.ld;
			a.rows = min(a.rows - first, small_rows(q));
			dim3 grid(parts(q.p.n, config::COLUMNS), parts(a.rows, config::ROWS));
			status =
				kernel_launch(context, gemm_small<Element, config, Epilogue>, grid, config::BLOCK,
							  0, 1, false, a, view_b(q), first, q.p.ldc, q.reads_c, out);
		}
		return status;
	};
	int wide_a = aligned_width(q.p.a, q.p.k, q.p.lda, 4);
	int wide_b = B_LAYOUT == B_K_MAJOR ? aligned_width(q.p.b, q.p.k, q.p.ldb, 4)
									   : aligned_width(q.p.b, q.p.n, q.p.ldb, BN);
	auto with_a = [&](auto width_a) { // a K-major B has A's width, too
		constexpr int VA = decltype(width_a)::value;
		if constexpr (B_LAYOUT == B_K_MAJOR)
			return launch(small_config<WARPS, BN, VA, VA, B_K_MAJOR>());
		else
			return wide_b == BN ? launch(small_config<WARPS, BN, VA, BN>())
								: launch(small_config<WARPS, BN, VA, 1>());
	};
	switch (B_LAYOUT == B_K_MAJOR ? min(wide_a, wide_b) : wide_a) {
	case 1: return with_a(std::integral_constant<int, 1>());
	case 2: return with_a(std::integral_constant<int, 2>());
	default: return with_a(std::integral_constant<int, 4>());
	}
}

template <class Element>
static hopper_status scale_launch(const launch_context &context, const problem &q)
{
	int width = parts(q.p.n, VECTOR * SCALE_THREADS), height = min(q.p.m, 65535);
	return q.p.beta == 1.0f
			   ? HOPPER_OK
			   : kernel_launch(context, scale<Element>, dim3(width, height), SCALE_THREADS, 0, 1,
							   false, (Element *)q.p.c, q.p.m, q.p.n, q.p.ldc, q.p.beta);
}
} // namespace hopper

#endif
