/* Windows of the input in registers that slide along the kernel's rows: 96 FMAs for a load.
 *
 * Idea: the window of conv1d/02_sliding_window, with one axis more. A thread has 12 neighbouring
 * outputs of each of two rows. It walks down the input rows that they need; in each its window
 * slides along, for the upper outputs with one row of the kernel and for the lower ones with
 * the row before. So what a window holds is worth 2 x 12 FMAs for each element of a kernel's
 * row. In the first input row there are only the upper outputs, in the last one only the lower.
 *
 * Changes from 01_naive: the windows; the block's part of the input in shared memory, by
 * asynchronous copies of a float each, as rows of the input are seldom aligned; the kernel in
 * constant memory, from where FMAs have it in uniform registers. Its rows are 128 bytes
 * apart there, so that two neighbours are one load whatever its width is. Lanes read shared
 * memory 12 floats apart, three times 16 bytes, an odd number: eight lanes meet all 32 banks.
 * Outputs go through shared memory, too, so that lanes store neighbours. There is a kernel
 * for each number of columns behind the last whole turn of a window: no branches while it slides.
 *
 * Arithmetic intensity: a block has 96 x 32 outputs; with a kernel of 15 x 15 that are 2 x 225 x
 * 3072 FLOP for 112 x 46 floats, 67 FLOP per byte requested from L2. Shared memory gives a warp
 * seven loads of 16 bytes for 15 x 24 FMAs (three before the first, then one each four): 28 clocks
 * of the multiprocessor for 90.
 *
 * Bound by issue slots: 3072 x 3072 with 15 x 15 are 4.2 GFLOP, 63 us at 67 TFLOP/s. Counted in
 * SASS (tools/sass-slots' rules, nvcc 13.0), an input row with 15 columns has 1.18 slots an FMA.
 * Memory takes 16 us for 75 MB. A small kernel is bound by memory. The prediction was 80 us, and
 * 115.29 to 118.78 were measured. cuBLAS has no convolution: im2col and its products, 502 launches,
 * took 15 to 17 ms, against which every kernel looks fast, 01 too.
 *
 * reached: 116.21 us, 140 times cuBLAS and im2col (NVIDIA H200, 2026-11-29, 3072x3072, 15x15) */
#include <cuda_pipeline.h>

#include "../conv1d/sliding_window.cuh"

constexpr int OUTPUTS = 12;          // of each of a thread's rows
constexpr int ROWS = 2;              // of outputs a thread
constexpr int ACROSS = 8, DOWN = 16; // threads of a block
constexpr int THREADS = ACROSS * DOWN;
constexpr int TILE_COLUMNS = ACROSS * OUTPUTS, TILE_ROWS = DOWN * ROWS; // outputs of a block
constexpr int MOST = 31;   // rows and columns of the problem's kernels
constexpr int TAPS_LD = 8; // float4 between rows of the kernel

/* Of the call that is at work: calls are in one stream. */
static __constant__ float4 taps[MOST * TAPS_LD];

/* Rows and columns of a matrix. */
struct extent {
	int rows, columns;
};
/* Floats between rows of the block's part of the input: what the last window reads. */
static __host__ __device__ int tile_ld(extent filter)
{
	return TILE_COLUMNS + (filter.columns + 3) / 4 * 4;
}

typedef sliding_window<OUTPUTS> window;

/* COUNT elements of a kernel's row, a turn at most, for the upper outputs, the lower ones or both.
 * They begin at taps[first] for the upper ones, a row before for the lower ones. */
template <bool UPPER, bool LOWER, int COUNT>
static __device__ __forceinline__ void turn(window &w, const float *from, int first,
											float (&sum)[ROWS][OUTPUTS])
{
	static_assert(COUNT <= window::RING, "a turn");
#pragma unroll
	for (int j = 0; j < COUNT; j += 4) {
		w.put(j + OUTPUTS, &from[j + OUTPUTS]);
		if (UPPER)
			w.add_first(COUNT - j, j, taps[first + j / 4], sum[0]);
		if (LOWER)
			w.add_first(COUNT - j, j, taps[first - TAPS_LD + j / 4], sum[1]);
	}
}

/* An input row: `from` is where the window begins, `row` the kernel's row of the upper outputs. */
template <bool UPPER, bool LOWER, int REST>
static __device__ __forceinline__ void along_row(const float *from, int row, int columns,
												 float (&sum)[ROWS][OUTPUTS])
{
	window w;
	int first = row * TAPS_LD, j = 0;
	w.begin(from);
	for (; j + w.RING <= columns; j += w.RING)
		turn<UPPER, LOWER, window::RING>(w, &from[j], first + j / 4, sum);
	turn<UPPER, LOWER, REST>(w, &from[j], first + j / 4, sum);
}

/* The block's part of the input into shared memory; 0 where the input has ended. */
static __device__ __forceinline__ void copy_tile(float *tile, const float *input, extent in,
												 extent filter)
{
	int ld = tile_ld(filter), rows = TILE_ROWS + filter.rows - 1;
	int row0 = blockIdx.y * TILE_ROWS, column0 = blockIdx.x * TILE_COLUMNS;
	for (int r = threadIdx.x / 32; r < rows; r += THREADS / 32)
		for (int c = threadIdx.x % 32; c < ld; c += 32) {
			bool inside = row0 + r < in.rows && column0 + c < in.columns;
			size_t at = inside ? (size_t)(row0 + r) * in.columns + column0 + c : 0;
			__pipeline_memcpy_async(&tile[r * ld + c], &input[at], 4, inside ? 0 : 4);
		}
	__pipeline_commit();
	__pipeline_wait_prior(0);
	__syncthreads();
}

/* All outputs of the block, through shared memory. */
static __device__ __forceinline__ void store_tile(float *tile, float *output, extent out,
												  const float (&sum)[ROWS][OUTPUTS])
{
	int row = threadIdx.x / ACROSS * ROWS, column = threadIdx.x % ACROSS * OUTPUTS;
	int row0 = blockIdx.y * TILE_ROWS, column0 = blockIdx.x * TILE_COLUMNS;
	__syncthreads(); // nobody reads the input any more
#pragma unroll
	for (int r = 0; r < ROWS; r++)
#pragma unroll
		for (int o = 0; o < OUTPUTS; o += 4)
			*(float4 *)&tile[(row + r) * TILE_COLUMNS + column + o] =
				make_float4(sum[r][o], sum[r][o + 1], sum[r][o + 2], sum[r][o + 3]);
	__syncthreads();
	for (int r = threadIdx.x / 32; r < TILE_ROWS && row0 + r < out.rows; r += THREADS / 32)
#pragma unroll
		for (int c = threadIdx.x % 32; c < TILE_COLUMNS; c += 32)
			if (column0 + c < out.columns)
				output[(size_t)(row0 + r) * out.columns + column0 + c] = tile[r * TILE_COLUMNS + c];
}

/* REST: the kernel's columns behind the last whole turn. */
template <int REST>
static __global__ void __launch_bounds__(THREADS)
	conv2d_sliding(const float *input, float *output, extent in, extent filter)
{
	static_assert(ROWS == 2, "upper and lower outputs");
	extern __shared__ __align__(16) float tile[];
	copy_tile(tile, input, in, filter);

	int ld = tile_ld(filter);
	const float *from = &tile[threadIdx.x / ACROSS * ROWS * ld + threadIdx.x % ACROSS * OUTPUTS];
	float sum[ROWS][OUTPUTS] = {};
	along_row<true, false, REST>(from, 0, filter.columns, sum);
	for (int row = 1; row < filter.rows; row++)
		along_row<true, true, REST>(&from[row * ld], row, filter.columns, sum);
	along_row<false, true, REST>(&from[filter.rows * ld], filter.rows, filter.columns, sum);

	extent out = {in.rows - filter.rows + 1, in.columns - filter.columns + 1};
	store_tile(tile, output, out, sum);
}

/* conv2d_sliding<REST> for any REST of 0 to RING - 1. */
template <int REST> static void launch(const float *input, float *output, extent in, extent filter)
{
	if constexpr (REST < window::RING - 1)
		if (filter.columns % window::RING != REST)
			return launch<REST + 1>(input, output, in, filter);
	dim3 grid((in.columns - filter.columns + TILE_COLUMNS) / TILE_COLUMNS,
			  (in.rows - filter.rows + TILE_ROWS) / TILE_ROWS);
	// 62 x 128 floats at most, less than the 48 KB that every kernel may have.
	size_t bytes = (size_t)(TILE_ROWS + filter.rows - 1) * tile_ld(filter) * sizeof(float);
	conv2d_sliding<REST><<<grid, THREADS, bytes>>>(input, output, in, filter);
}

extern "C" void solve(const float *input, const float *kernel, float *output, int input_rows,
					  int input_cols, int kernel_rows, int kernel_cols)
{
	void *to;
	cudaGetSymbolAddress(&to, taps);
	cudaMemcpy2DAsync(to, TAPS_LD * sizeof(float4), kernel, kernel_cols * sizeof(float),
					  kernel_cols * sizeof(float), kernel_rows, cudaMemcpyDeviceToDevice);
	launch<0>(input, output, {input_rows, input_cols}, {kernel_rows, kernel_cols});
}
