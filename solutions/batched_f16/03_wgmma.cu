/* All of a tile's operands loaded at once by TMA; wgmma; pairs of blocks that share B.
 *
 * Idea: at 256x256x256 a block's whole work is four steps of 64 along K, 128 KB of
 * operands for a tile of 128x128. So there is nothing to keep up: one warp has TMA
 * load everything as soon as the block begins, the tensor cores take the steps as they
 * arrive, and the results leave by TMA, from where A was. What is left is one trip to
 * memory, the bytes and the stores. Matrices of a batch are the third dimension of a
 * tensor map, which also fills in zeros beyond each matrix' own edges and keeps what
 * lies there from being stored.
 *
 * Two blocks one above the other in C need the same columns of B: as a cluster, each
 * loads half of them for both, so that a quarter less leaves the L2 cache.
 *
 * Changes from 02_mma: wgmma in place of mma.sync, one producer warp and TMA in place of
 * copies by all threads, multicast. Where a batch has more tiles than there are SMs, two
 * blocks with fewer stages share one, and one's stores run beside the other's mainloop.
 * Matrices that TMA cannot address (rows of no multiple of 16 bytes) take 02's kernel.
 *
 * Arithmetic intensity: 2*128*128 FLOP for 256 halves, 64 FLOP per byte of global
 * memory, 85 with a shared B.
 *
 * reached: 143 TFLOP/s, 91% of cuBLASLt (NVIDIA H100 80GB HBM3, 32x256x256x256) */
#include <stdio.h>
#include <stdlib.h>

#include "mma.cuh"

constexpr int SMS = 132; // of an H200; elsewhere only the choice of tiles suffers
constexpr int BLOCK_K = 64;
constexpr int BOX = 64; // columns of a TMA box: 128 bytes, one period of the swizzle
constexpr int BOX_ROW_BYTES = BOX * sizeof(half);

/* CONSUMERS warpgroups compute 64 rows of BLOCK_N columns each. CLUSTER blocks, 1 or 2, are one
 * above the other in C. BLOCKS run on an SM at a time. */
template <int CONSUMERS_, int BLOCK_N_, int STAGES_, int CLUSTER_, int BLOCKS_> struct wgmma_tile {
	static constexpr int CONSUMERS = CONSUMERS_, STAGES = STAGES_;
	static constexpr int CLUSTER = CLUSTER_, BLOCKS = BLOCKS_;
	static constexpr int BLOCK_M = CONSUMERS * 64, BLOCK_N = BLOCK_N_;
	static constexpr int THREADS = CONSUMERS * 128 + 32; // and the producer warp
	static constexpr int B_BOXES = BLOCK_N / BOX;
	static constexpr int B_BOX_BYTES = BLOCK_K * BOX_ROW_BYTES;
	static constexpr int A_BYTES = BLOCK_M * BLOCK_K * sizeof(half);
	static constexpr int STAGE_BYTES = A_BYTES + B_BOXES * B_BOX_BYTES;
	static constexpr int BARRIERS = STAGES * STAGE_BYTES; // behind the stages: full, then empty
	static constexpr int SHARED = 1024 + BARRIERS + 2 * 8 * STAGES;

	static_assert(BLOCK_K == BOX, "a row of A in a stage is a row of a box");
	static_assert(STAGE_BYTES % 1024 == 0, "the swizzle counts from multiples of 1024 bytes");
	static_assert(B_BOXES % CLUSTER == 0, "blocks of a cluster load equally many boxes of B");
	static_assert(STAGES >= B_BOXES, "A's part of as many stages take the results");
	static_assert(BLOCKS * (SHARED + 1024) <= 228 * 1024, "shared memory of an SM");
};
typedef wgmma_tile<2, 128, 6, 2, 1> tile_one_wave;
typedef wgmma_tile<2, 128, 3, 1, 2> tile_many;
typedef wgmma_tile<1, 64, 4, 1, 3> tile_small;

struct tensor_maps {
	CUtensorMap a, b, c; // of batches of matrices
};

/* Where a block's tile lies. */
struct tile_coordinate {
	int batch, row, column;
};

/* A box in shared memory to a 3D tensor; what lies outside of the tensor is not written. */
static __device__ __forceinline__ void tma_store_3d(const CUtensorMap *map, uint32_t from, int x,
													int y, int z)
{
	asm volatile(
		"cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(
			map),
		"r"(from), "r"(x), "r"(y), "r"(z)
		: "memory");
}

/* Announces all bytes of step t to its stage, and loads A. */
template <class Tile>
static __device__ __forceinline__ void load_a(const tensor_maps &maps, uint32_t base,
											  tile_coordinate tile, int t)
{
	int stage = t % Tile::STAGES;
	uint32_t full = base + Tile::BARRIERS + 8 * stage;
	mbarrier_expect(full, Tile::STAGE_BYTES);
	tma_load_3d(base + stage * Tile::STAGE_BYTES, &maps.a, full, t * BLOCK_K, tile.row, tile.batch);
}

/* Asks for B; of a cluster, for this block's part of it, which goes to all. */
template <class Tile>
static __device__ __forceinline__ void load_b(const tensor_maps &maps, uint32_t base,
											  tile_coordinate tile, int t, int rank)
{
	constexpr int BOXES = Tile::B_BOXES / Tile::CLUSTER;
	int stage = t % Tile::STAGES;
	uint32_t full = base + Tile::BARRIERS + 8 * stage;
#pragma unroll
	for (int i = 0; i < BOXES; i++) {
		int box = rank * BOXES + i;
		uint32_t to = base + stage * Tile::STAGE_BYTES + Tile::A_BYTES + box * Tile::B_BOX_BYTES;
		int column = tile.column + box * BOX;
		if (Tile::CLUSTER > 1)
			tma_load_3d_multicast(to, &maps.b, full, column, t * BLOCK_K, tile.batch,
								  (1 << Tile::CLUSTER) - 1);
		else
			tma_load_3d(to, &maps.b, full, column, t * BLOCK_K, tile.batch);
	}
}

/* The producer warp begins: barriers, and A for the first round of stages. */
template <class Tile>
static __device__ __forceinline__ void produce_first(const tensor_maps &maps, uint32_t base,
													 tile_coordinate tile, int steps)
{
	uint32_t full = base + Tile::BARRIERS, empty = full + 8 * Tile::STAGES;
	tma_prefetch_map(&maps.a);
	tma_prefetch_map(&maps.b);
	for (int stage = 0; stage < Tile::STAGES; stage++) {
		mbarrier_init(full + 8 * stage, 1);
		mbarrier_init(empty + 8 * stage, Tile::CLUSTER * Tile::CONSUMERS);
	}
	mbarriers_ready();
	for (int t = 0; t < min(steps, Tile::STAGES); t++)
		load_a<Tile>(maps, base, tile, t);
}

/* The rest of what it does, after all barriers of the cluster are there. */
template <class Tile>
static __device__ __forceinline__ void produce(const tensor_maps &maps, uint32_t base,
											   tile_coordinate tile, int steps)
{
	uint32_t empty = base + Tile::BARRIERS + 8 * Tile::STAGES;
	int rank = Tile::CLUSTER > 1 ? cluster_rank() : 0;
	for (int t = 0; t < steps; t++) {
		if (t >= Tile::STAGES)
			mbarrier_wait(empty + 8 * (t % Tile::STAGES), (t / Tile::STAGES - 1) & 1);
		if (elected()) {
			if (t >= Tile::STAGES)
				load_a<Tile>(maps, base, tile, t);
			load_b<Tile>(maps, base, tile, t, rank);
		}
	}
}

/* A consumer is done with the stage of step t. It tells all who load something into it, but
 * only if they will: a block may end before one that waits for nothing more. */
template <class Tile>
static __device__ __forceinline__ void release(uint32_t empty, int t, int steps)
{
	int thread = threadIdx.x % 128;
	if (t + Tile::STAGES >= steps || thread >= Tile::CLUSTER)
		return;
	if (Tile::CLUSTER > 1)
		mbarrier_arrive_cluster(empty + 8 * (t % Tile::STAGES), thread);
	else
		mbarrier_arrive(empty + 8 * (t % Tile::STAGES));
}

/* A consumer's 64 rows of sums. The loop keeps one step's products in flight while it hands
 * back the stage of the step before. */
template <class Tile>
static __device__ __forceinline__ void multiply(float (&sum)[Tile::BLOCK_N / 2], uint32_t base,
												int consumer, int steps)
{
	uint32_t full = base + Tile::BARRIERS, empty = full + 8 * Tile::STAGES;
	uint32_t a = wgmma_operand(base + consumer * 64 * BOX_ROW_BYTES, 16);
	uint32_t b = wgmma_operand(base + Tile::A_BYTES, Tile::B_BOX_BYTES);
	int t = 0;
#pragma unroll 1
	do {
		int stage = t % Tile::STAGES;
		mbarrier_wait(full + 8 * stage, t / Tile::STAGES & 1);
		wgmma_fence();
#pragma unroll
		for (int j = 0; j < BLOCK_K / 16; j++) // 16 columns of A, 16 rows of B
			wgmma<half, Tile::BLOCK_N>::template multiply<false>(
				sum, wgmma_descriptor(a, stage * Tile::STAGE_BYTES + j * 16 * sizeof(half)),
				wgmma_descriptor(b, stage * Tile::STAGE_BYTES + j * 16 * BOX_ROW_BYTES),
				t > 0 || j > 0);
		wgmma_commit();
		wgmma_wait<1>();
		if (t > 0)
			release<Tile>(empty, t - 1, steps);
	} while (++t < steps);
	wgmma_wait<0>();
#pragma unroll
	for (int i = 0; i < Tile::BLOCK_N / 2; i++) // the sums were not there before
		asm volatile("" : "+f"(sum[i])::"memory");
}

/* Sums through the epilogue to where the consumer's rows of A were, in stage i for box i of
 * columns, and from there to C. Of every 8 columns a lane has two neighbours in row lane / 4
 * of the warp's 16, and two in the row 8 below. beta is 0: this problem reads no C. */
template <class Tile>
static __device__ __forceinline__ void
finish(const float (&sum)[Tile::BLOCK_N / 2], const epilogue<half> &out, const CUtensorMap *map_c,
	   int M, uint32_t base, tile_coordinate tile, int consumer)
{
	int lane = threadIdx.x % 32, own_row = threadIdx.x % 128 / 32 * 16;
	int row = tile.row + consumer * 64, column = tile.column;
	uint32_t staging = base + consumer * 64 * BOX_ROW_BYTES;
	uint32_t store_row = staging + (own_row + lane % 16) * BOX_ROW_BYTES;

	named_barrier(1 + consumer, 128); // all four warps' products have read A
#pragma unroll
	for (int j = 0; j < Tile::BLOCK_N / 16; j++) {
		uint32_t words[4];
#pragma unroll
		for (int i = 0; i < 4; i++) { // upper and lower rows of 8 columns, and of the next 8
			int r = row + own_row + lane / 4 + i % 2 * 8;
			int c = column + j * 16 + i / 2 * 8 + lane % 4 * 2;
			float x[2] = {sum[8 * j + 2 * (i / 2 * 2 + i % 2)],
						  sum[8 * j + 2 * (i / 2 * 2 + i % 2) + 1]};
			if (epilogue<half>::elementwise || (r < M && c < out.N))
				out.apply_beta_0(tile.batch * M + r, c, x);
			half2 pair = __floats2half2_rn(x[0], x[1]);
			words[i] = *(uint32_t *)&pair;
		}
		int chunk = (j % 4 * 2 + lane / 16) ^ lane % 8; // the swizzle of the box
		store_matrices(store_row + j / 4 * Tile::STAGE_BYTES + chunk * 16, words);
	}
	fence_async_shared();
	named_barrier(1 + consumer, 128);
	if (threadIdx.x % 128 == 0 && row < M) {
#pragma unroll
		for (int i = 0; i < Tile::B_BOXES; i++)
			if (column + i * BOX < out.N)
				tma_store_3d(map_c, staging + i * Tile::STAGE_BYTES, column + i * BOX, row,
							 tile.batch);
		tma_stores_read();
	}
}

template <class Tile>
static __global__ void __launch_bounds__(Tile::THREADS, Tile::BLOCKS)
	batched_wgmma(const __grid_constant__ tensor_maps maps, int first, int M, int K,
				  epilogue<half> out)
{
	extern __shared__ __align__(128) unsigned char wgmma_memory[];
	uint32_t base = (shared_address(wgmma_memory) + 1023) & ~1023u;
	int warp = __shfl_sync(0xFFFFFFFF, threadIdx.x / 32, 0);
	bool producer = warp == Tile::CONSUMERS * 4;
	int steps = (K + BLOCK_K - 1) / BLOCK_K;
	tile_coordinate tile = {first + (int)blockIdx.z, (int)blockIdx.y * Tile::BLOCK_M,
							(int)blockIdx.x * Tile::BLOCK_N};

	if (producer && elected())
		produce_first<Tile>(maps, base, tile, steps);
	__syncwarp();
	if (Tile::CLUSTER > 1)
		cluster_sync();
	else
		__syncthreads();

	if (producer) {
		produce<Tile>(maps, base, tile, steps);
	} else {
		float sum[Tile::BLOCK_N / 2];
		if (threadIdx.x == 0)
			tma_prefetch_map(&maps.c);
		multiply<Tile>(sum, base, warp / 4, steps);
		finish<Tile>(sum, out, &maps.c, M, base, tile, warp / 4);
	}
}

[[noreturn]] static void fail(const char *what)
{
	fprintf(stderr, "03_wgmma: %s\n", what);
	abort();
}

/* The driver's function that makes tensor maps. */
static decltype(&cuTensorMapEncodeTiled) map_encoder(void)
{
	static const auto encoder = [] {
		void *found = NULL;
		cudaDriverEntryPointQueryResult result;
		if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
											 cudaEnableDefault, &result) != cudaSuccess ||
			result != cudaDriverEntryPointSuccess)
			fail("the driver has no cuTensorMapEncodeTiled");
		return (decltype(&cuTensorMapEncodeTiled))found;
	}();
	return encoder;
}

/* A batch of row-major matrices, in boxes of BOX columns and `box_rows` rows; zeros outside. */
static CUtensorMap map_make(const half *matrices, int batch, int rows, int columns, int box_rows)
{
	CUtensorMap map;
	cuuint64_t sizes[3] = {(cuuint64_t)columns, (cuuint64_t)rows, (cuuint64_t)batch};
	cuuint64_t strides[2] = {(cuuint64_t)columns * 2, (cuuint64_t)columns * rows * 2};
	cuuint32_t box[3] = {BOX, (cuuint32_t)box_rows, 1};
	cuuint32_t steps[3] = {1, 1, 1};
	if (map_encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, (void *)matrices, sizes, strides,
					  box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
					  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
					  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
		fail("cuTensorMapEncodeTiled refused a matrix");
	return map;
}

template <class Tile>
static void launch(const half *A, const half *B, int batch, int M, int N, int K, epilogue<half> out)
{
	batched_check(batched_too_large(batch, M, N, K, Tile::BLOCK_M));
	auto kernel = batched_wgmma<Tile>;
	static const cudaError_t once =
		cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::SHARED);
	if (once != cudaSuccess)
		fail("a block cannot have the shared memory");

	tensor_maps maps = {map_make(A, batch, M, K, Tile::BLOCK_M), map_make(B, batch, K, N, BLOCK_K),
						map_make(out.C, batch, M, N, 64)};
	int clusters_m = tiles_along(M, Tile::BLOCK_M * Tile::CLUSTER);
	cudaLaunchAttribute attribute;
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim = {1, Tile::CLUSTER, 1};
	cudaLaunchConfig_t config = {};
	config.blockDim = dim3(Tile::THREADS);
	config.dynamicSmemBytes = Tile::SHARED;
	config.attrs = &attribute;
	config.numAttrs = Tile::CLUSTER > 1;
	for (int first = 0; first < batch; first += 65535) { // the most along a grid's z
		config.gridDim = dim3(tiles_along(N, Tile::BLOCK_N), clusters_m * Tile::CLUSTER,
							  min(batch - first, 65535));
		if (cudaLaunchKernelEx(&config, kernel, maps, first, M, K, out) != cudaSuccess)
			fail(cudaGetErrorString(cudaGetLastError()));
	}
}

/* TMA wants 16-byte aligned matrices and rows. */
static bool addressable(const half *matrix, int columns)
{
	return (uintptr_t)matrix % 16 == 0 && columns % 8 == 0;
}

extern "C" void solve(const half *A, const half *B, half *C, int BATCH, int M, int N, int K)
{
	constexpr int ENOUGH = 100; // large tiles, for 132 SMs
	epilogue<half> out = epilogue_make(C, BATCH * M, N);
	long large = (long)BATCH * tiles_along(M, 128) * tiles_along(N, 128);
	if (!addressable(A, K) || !addressable(B, N) || !addressable(C, N))
		mma_multiply(A, B, BATCH, M, N, K, out);
	else if (large < ENOUGH || M <= 64 || N <= 64)
		launch<tile_small>(A, B, BATCH, M, N, K, out);
	else if (large <= SMS && tiles_along(M, 128) % 2 == 0)
		launch<tile_one_wave>(A, B, BATCH, M, N, K, out);
	else
		launch<tile_many>(A, B, BATCH, M, N, K, out);
}
