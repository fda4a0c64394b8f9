/* Features on the way, f(K)^T V in parts by rows, and both products on the tensor cores.
 *
 * Idea: f(Q) and f(K) need not be in memory: they are made where rows of Q and K are read. Each
 * block multiplies f(K)^T V over some rows, so that all multiprocessors take part, and leaves a
 * d x d matrix; a second kernel adds those up, always in the same order; a third multiplies f(Q) by
 * the sum and divides. Products are three of TF32 parts (../attention/tf32.cuh), which has f32's
 * accuracy. Where indices go is chosen so that nothing is exchanged between lanes, and a lane reads
 * four neighbours at once (../attention/online.cuh tells how).
 *
 * Changes from 01_naive: no features in memory; a sum of M rows in as many parts as there are
 * multiprocessors; the tensor cores; K and V through shared memory by asynchronous copies, some
 * stages ahead; rows of Q straight into registers, as only one warp needs them.
 *
 * Arithmetic intensity: 4 * d FLOP for the 16 bytes of an element of Q, K, V and the output: 32
 * FLOP per byte of memory at d = 128.
 *
 * Bound, by arithmetic, by neither clearly: at M = 10000 and d = 128 memory takes 4.3 us, three
 * TF32 products for one 4 us, and there are three kernels, of which each is launched before the one
 * before has ended. The prediction was 15 us, so that more than half of the measured 34.16 (34.02
 * to 34.37) is not accounted for. cuBLAS and kernels for the rest took 67.55 (64.10 to 72.54).
 *
 * reached: 34.16 us, 198% of cuBLAS and kernels (NVIDIA H200, 2026-11-29, 10000x128) */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "../attention/follow.cuh"
#include "../attention/rows.cuh"
#include "../attention/tf32.cuh"
#include "../sgemm/workspace.cuh"

constexpr int D = 128;    // columns that kernels have room for
constexpr int LD = D + 8; // of rows in shared memory: t rows and 4g columns apart is another bank
constexpr int PLANE = (D + 1) * D; // a block's sums: f(K)^T V, and those of f(K)
constexpr int THREADS = 256;

struct linear_problem {
	const float *Q, *K, *V;
	float *output;
	int M, d;
	bool read_vector, write_vector; // 16 bytes at a time
};

/* 0 outside of the matrix. By exp2 and a product, whose error grows with abs(x), as a softmax's. */
static __device__ __forceinline__ float feature(float x, bool inside)
{
	float y = x > 0.0f ? x + 1.0f : __expf(x);
	return inside ? y : 0.0f;
}

/* ---- f(K)^T V ------------------------------------------------------------------------------ */

constexpr int TILE = 32, STAGES = 4; // rows of K and V at a time
constexpr int MATRIX = TILE * LD;
constexpr int MIXED_BYTES = STAGES * 2 * MATRIX * (int)sizeof(float);
constexpr int WARP_K = 32, WARP_COLUMNS = 64, WARPS_ALONG_K = D / WARP_K;
static_assert(D / WARP_K * (D / WARP_COLUMNS) == THREADS / 32, "a part of the plane for each warp");

/* A warp's part of the plane: two tiles along k, two groups of four along columns. */
struct mixed_sums {
	float mixed[2][2][4][4];
	float total[4]; // of this lane's rows
};

/* Adds a tile's rows, of which `rows` are inside. The tile's own sums are fresh ones, as the tensor
 * cores cut off what does not fit. */
static __device__ __forceinline__ void mixed_add(mixed_sums &state, const float *k, const float *v,
												 int rows)
{
	int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
	tf32_sums sum[2][2][4] = {};
	k += t * LD + 4 * g;
	v += t * LD + 4 * g;
#pragma unroll 1
	for (int row = t; row < rows + t; row += 8, k += 8 * LD, v += 8 * LD) {
		float4 upper = rows_read(k), lower = rows_read(k + 4 * LD);
		const float x[2][4] = {{upper.x, upper.y, upper.z, upper.w},
							   {lower.x, lower.y, lower.z, lower.w}};
		tf32_parts<4> a[2];
#pragma unroll
		for (int i = 0; i < 8; i++) { // k = 4g + i % 4, row t or t + 4
			float y = feature(x[i / 4][i % 4], row + i / 4 * 4 < rows);
			a[i % 4 / 2].set(i / 4 * 2 + i % 2, y);
			state.total[i % 4] += y;
		}
#pragma unroll
		for (int group = 0; group < 2; group++) {
			tf32_parts<8> b;
#pragma unroll
			for (int i = 0; i < 2; i++) {
				float4 y = rows_read(v + i * 4 * LD + group * 32);
				b.set(4 * i, y.x);
				b.set(4 * i + 1, y.y);
				b.set(4 * i + 2, y.z);
				b.set(4 * i + 3, y.w);
			}
			tf32_multiply<4, 1, 4>(sum[0][group], a[0], b, 0);
			tf32_multiply<4, 1, 4>(sum[1][group], a[1], b, 0);
		}
	}
#pragma unroll
	for (int i = 0; i < 64; i++)
		state.mixed[i / 32][i / 16 % 2][i / 4 % 4][i % 4] +=
			sum[i / 32][i / 16 % 2][i / 4 % 4].total(i % 4);
}

static __device__ __forceinline__ void mixed_store(float *plane, const mixed_sums &state, int k,
												   int column)
{
	int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
	for (int i = 0; i < 16; i++) { // tile and half of it along k, group and half along columns
		int tile = i / 8, lower = i / 4 % 2, group = i / 2 % 2, right = i % 2;
		auto at = [&](int j) { return state.mixed[tile][group][j][lower * 2 + right]; };
		*(float4 *)&plane[(k + 4 * g + tile * 2 + lower) * D + column + group * 32 + 8 * t +
						  right * 4] = make_float4(at(0), at(1), at(2), at(3));
	}
	float total[4];
#pragma unroll
	for (int i = 0; i < 4; i++) {
		total[i] = state.total[i];
		total[i] += __shfl_xor_sync(0xffffffff, total[i], 1);
		total[i] += __shfl_xor_sync(0xffffffff, total[i], 2);
	}
	if (t == 0 && column == 0)
		*(float4 *)&plane[D * D + k + 4 * g] = make_float4(total[0], total[1], total[2], total[3]);
}

/* `each` rows a block. What lies behind column d of K or V leaves numbers that nobody reads. */
static __global__ void __launch_bounds__(THREADS, 1)
	linear_mixed(const linear_problem p, float *planes, int each)
{
	extern __shared__ __align__(16) float shared[];
	int begin = blockIdx.x * each, end = min(begin + each, p.M), warp = threadIdx.x / 32;
	int k = warp % WARPS_ALONG_K * WARP_K, column = warp / WARPS_ALONG_K * WARP_COLUMNS;
	int tiles = (end - begin + TILE - 1) / TILE;
	auto stage = [&](int tile) { return shared + tile % STAGES * 2 * MATRIX; };
	auto copy = [&](int tile) {
		some_rows rows = {p.K, begin + tile * TILE, tile < tiles ? end : 0, p.d, p.read_vector};
		if (tile < tiles)
			rows_copy<TILE, D, LD, THREADS>(stage(tile), rows);
		rows.matrix = p.V;
		if (tile < tiles)
			rows_copy<TILE, D, LD, THREADS>(stage(tile) + MATRIX, rows);
	};
	follow_may_start();
	mixed_sums state = {};
	for (int tile = 0; tile < STAGES - 1; tile++)
		copy(tile);
#pragma unroll 1
	for (int tile = 0; tile < tiles; tile++) {
		if (tile + STAGES - 1 <= tiles) // this many tiles of two copies each are on their way
			__pipeline_wait_prior(2 * (STAGES - 2));
		else
			__pipeline_wait_prior(0);
		__syncthreads();
		copy(tile + STAGES - 1);
		if (k < p.d && column < p.d)
			mixed_add(state, stage(tile) + k, stage(tile) + MATRIX + column,
					  min(end - begin - tile * TILE, TILE));
	}
	mixed_store(planes + (size_t)blockIdx.x * PLANE, state, k, column);
}

/* ---- the sum of planes --------------------------------------------------------------------- */

/* A block a row, that of the sums of f(K) the last: each warp adds up every eighth plane. The sum
 * is left in the first one. */
static __global__ void __launch_bounds__(THREADS) linear_sum(float *planes, int count, int d)
{
	constexpr int WARPS = THREADS / 32;
	__shared__ float of_warp[WARPS][D];
	int row = (int)blockIdx.x < d ? blockIdx.x : D, lane = threadIdx.x % 32;
	float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
	follow_may_start();
	follow_wait();
#pragma unroll 8 // so many loads are in flight
	for (int plane = threadIdx.x / 32; plane < count; plane += WARPS) {
		float4 x = rows_read(planes + (size_t)plane * PLANE + row * D + lane * 4);
		sum = make_float4(sum.x + x.x, sum.y + x.y, sum.z + x.z, sum.w + x.w);
	}
	*(float4 *)&of_warp[threadIdx.x / 32][lane * 4] = sum;
	__syncthreads();
	if (threadIdx.x >= D)
		return;
	float x = 0.0f;
	for (int i = 0; i < WARPS; i++)
		x += of_warp[i][threadIdx.x];
	planes[row * D + threadIdx.x] = x;
}

/* ---- f(Q) times it ------------------------------------------------------------------------- */

constexpr int OUTPUT_WARPS = 4, OUTPUT_ROWS = OUTPUT_WARPS * 16;
constexpr int OUTPUT_BYTES = (D * LD + D) * (int)sizeof(float);
constexpr int CHUNKS = D / 16; // of a row of Q, of 16 columns

/* Copies f(K)^T V to shared memory, and the sums of f(K) behind it. Row 16c + 4t + i, which a lane
 * takes with element i of what it reads of Q, goes to place 16c + 4i + t: lanes that read together
 * are neighbours there. What lies behind d becomes 0, whatever Q's features are there. */
static __device__ __forceinline__ void output_copy(float *shared, const float *plane, int d)
{
#pragma unroll 4
	for (int e = threadIdx.x; e < D * D / 4; e += OUTPUT_WARPS * 32) {
		int row = e / (D / 4), column = e % (D / 4) * 4;
		int place = row / 16 * 16 + row % 4 * 4 + row / 4 % 4;
		__pipeline_memcpy_async(&shared[place * LD + column], plane + row * D + column, 16,
								row < d ? 0 : 16);
	}
	__pipeline_commit();
	for (int i = threadIdx.x; i < D; i += OUTPUT_WARPS * 32)
		shared[D * LD + i] = i < d ? plane[D * D + i] : 0.0f;
}

/* Four neighbours of a row of Q from `column` on, zeros behind its end. */
static __device__ __forceinline__ float4 output_read(const linear_problem &p, int row, int column)
{
	float x[4] = {};
	const float *q = p.Q + (size_t)row * p.d + column;
	if (row >= p.M || column >= p.d)
		return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
	if (p.read_vector)
		return rows_read(q);
#pragma unroll
	for (int i = 0; i < 4; i++)
		if (column + i < p.d)
			x[i] = q[i];
	return make_float4(x[0], x[1], x[2], x[3]);
}

static __device__ __forceinline__ void output_store(const linear_problem &p, int row, int column,
													const float4 &x)
{
	float *to = p.output + (size_t)row * p.d + column;
	const float y[4] = {x.x, x.y, x.z, x.w};
	if (p.write_vector && column < p.d)
		*(float4 *)to = x;
#pragma unroll
	for (int i = 0; i < 4 && !p.write_vector; i++)
		if (column + i < p.d)
			to[i] = y[i];
}

/* A warp has 16 rows of the output. */
static __global__ void __launch_bounds__(OUTPUT_WARPS * 32, 2)
	linear_output(const linear_problem p, const float *plane)
{
	extern __shared__ __align__(16) float shared[];
	int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
	int row = blockIdx.x * OUTPUT_ROWS + threadIdx.x / 32 * 16 + g;
	float4 q[CHUNKS][2];
#pragma unroll
	for (int c = 0; c < CHUNKS; c++) {
		q[c][0] = output_read(p, row, c * 16 + 4 * t);
		q[c][1] = output_read(p, row + 8, c * 16 + 4 * t);
	}
	follow_wait(); // rows of Q are on their way meanwhile
	output_copy(shared, plane, p.d);
	__pipeline_wait_prior(0);
	__syncthreads();

	tf32_sums sum[D / 32][4] = {};
	float divisor[2] = {};
#pragma unroll
	for (int c = 0; c < CHUNKS; c++) {
		if (c * 16 >= p.d)
			break;
		float4 total = rows_read(shared + D * LD + c * 16 + 4 * t);
		const float z[4] = {total.x, total.y, total.z, total.w};
		const float x[2][4] = {{q[c][0].x, q[c][0].y, q[c][0].z, q[c][0].w},
							   {q[c][1].x, q[c][1].y, q[c][1].z, q[c][1].w}};
		tf32_parts<4> a[2];
#pragma unroll
		for (int i = 0; i < 8; i++) {
			float y = feature(x[i / 4][i % 4], true);
			a[i % 4 / 2].set(i % 2 * 2 + i / 4, y);
			divisor[i / 4] = fmaf(y, z[i % 4], divisor[i / 4]);
		}
#pragma unroll
		for (int group = 0; group < D / 32; group++) {
			if (group * 32 >= p.d)
				break;
			tf32_parts<16> b;
#pragma unroll
			for (int i = 0; i < 4; i++) {
				float4 y = rows_read(shared + (c * 16 + 4 * i + t) * LD + group * 32 + 4 * g);
				b.set(4 * i, y.x);
				b.set(4 * i + 1, y.y);
				b.set(4 * i + 2, y.z);
				b.set(4 * i + 3, y.w);
			}
			tf32_multiply<4, 1, 4>(sum[group], a[0], b, 0);
			tf32_multiply<4, 1, 4>(sum[group], a[1], b, 8);
		}
	}
#pragma unroll
	for (int lower = 0; lower < 2; lower++) {
		float below = divisor[lower];
		below += __shfl_xor_sync(0xffffffff, below, 1);
		below += __shfl_xor_sync(0xffffffff, below, 2);
		if (row + lower * 8 >= p.M)
			continue;
#pragma unroll
		for (int i = 0; i < D / 16; i++) { // group of columns, half of it
			auto at = [&](int j) { return sum[i / 2][j].total(lower * 2 + i % 2) / below; };
			output_store(p, row + lower * 8, i / 2 * 32 + 8 * t + i % 2 * 4,
						 make_float4(at(0), at(1), at(2), at(3)));
		}
	}
}

/* ---- on the host --------------------------------------------------------------------------- */

static void check(cudaError_t status)
{
	if (status != cudaSuccess) {
		fprintf(stderr, "02_fused: %s\n", cudaGetErrorString(status));
		abort();
	}
}

static int processors(void)
{
	int count;
	check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
	return count;
}

extern "C" void solve(const float *Q, const float *K, const float *V, float *output, int M, int d)
{
	static const int most = processors();
	linear_problem p = {Q, K, V, output, M, d};
	p.read_vector = load_vector(Q, d) && load_vector(K, d) && load_vector(V, d);
	p.write_vector = load_vector(output, d);
	/* Rows of a block are a multiple of eight, as many as a product takes. */
	int each = ((M + most - 1) / most + 7) / 8 * 8, blocks = (M + each - 1) / each;
	float *planes = (float *)workspace_get((size_t)blocks * PLANE * sizeof(float));
	if (planes == NULL) {
		fprintf(stderr, "02_fused: no memory for %d matrices\n", blocks);
		abort();
	}
	check(cudaFuncSetAttribute(linear_mixed, cudaFuncAttributeMaxDynamicSharedMemorySize,
							   MIXED_BYTES));
	check(cudaFuncSetAttribute(linear_output, cudaFuncAttributeMaxDynamicSharedMemorySize,
							   OUTPUT_BYTES));
	linear_mixed<<<blocks, THREADS, MIXED_BYTES>>>(p, planes, each);
	check(cudaGetLastError());
	if (blocks > 1)
		check(follow_launch(linear_sum, d + 1, THREADS, 0, planes, blocks, d));
	check(follow_launch(linear_output, (M + OUTPUT_ROWS - 1) / OUTPUT_ROWS, OUTPUT_WARPS * 32,
						OUTPUT_BYTES, p, planes));
}
