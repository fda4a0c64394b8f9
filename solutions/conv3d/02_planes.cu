/* A block walks through planes: each one is loaded once and multiplied for all outputs that need
 * it.
 *
 * Idea: a plane of the input belongs to as many planes of outputs as the kernel is deep. A thread
 * has four neighbours of each of four rows in all of these, 80 sums at a time. For a row of the
 * kernel it reads eight neighbours of the input in each of its rows, which are worth 5 x 5 x 16
 * FMAs: five columns for outputs in five planes. When a plane of outputs has had its last plane of
 * the input it is stored, and the sums of the others move up by one.
 *
 * Changes from 01_naive: the sums; planes of the input in shared memory, two of them, of which one
 * is copied (asynchronously, a float each, as rows are seldom aligned) while the other is
 * multiplied; the kernel in constant memory, from where FMAs have it in uniform registers (see
 * conv1d/02_sliding_window), each row of it 32 bytes from the next; outputs through shared memory,
 * so that lanes store neighbours. There is a kernel for each number of columns; rows and planes are
 * counted as it runs, but planes that belong to five of outputs have code without branches.
 *
 * Arithmetic intensity: a block has eight planes of 32 x 32 outputs; with a kernel of 5 x 5 x 5
 * that are 2 x 125 x 8192 FLOP for 12 x 36 x 36 floats, 33 FLOP per byte requested from L2. Shared
 * memory gives a warp eight loads of 16 bytes for 400 FMAs: 32 clocks of the multiprocessor for
 * 100.
 *
 * Bound by issue slots: 256 x 128 x 128 with 5 x 5 x 5 are 0.97 GFLOP, 15 us at 67 TFLOP/s; memory
 * takes 7 us for 32 MB. Counted in SASS (tools/sass-slots' rules, nvcc 13.0) a row has 1.14 slots
 * an FMA in planes that belong to five, 1.54 in others, where half of the FMAs read two registers
 * of one bank; of eight planes of outputs each has half. Copies, stores and moves are some 400
 * instructions a plane of the input, twelve planes for 16,000 FMAs of a thread: 0.3 slots an FMA.
 * That makes 25 us, half of what was measured, 49.09 to 51.81. cuBLAS has no convolution: im2col
 * and its products, 116 launches, took 3.5 to 5.5 ms, against which 01 looks fast, too.
 *
 * reached: 50.48 us, 70 times cuBLAS and im2col (NVIDIA H200, 2026-11-29, 256x128x128, 5x5x5) */
#include <cuda_pipeline.h>

constexpr int ACROSS = 8, DOWN = 8; // threads of a block
constexpr int THREADS = ACROSS * DOWN;
constexpr int COLUMNS = 4, ROWS = 4; // of a thread's outputs in a plane
constexpr int TILE_COLUMNS = ACROSS * COLUMNS, TILE_ROWS = DOWN * ROWS, TILE_PLANES = 8;
constexpr int MOST = 5;    // planes, rows and columns of the problem's kernels
constexpr int TAPS_LD = 2; // float4 for a row of the kernel
constexpr int LD = TILE_COLUMNS + 4, PLANE_ROWS = TILE_ROWS + MOST - 1; // of the input

/* Of the call that is at work: calls are in one stream. */
static __constant__ float4 taps[MOST][MOST][TAPS_LD];

struct extent {
	int depth, rows, columns;
};

/* Begins to copy plane z of the input: a warp has a row of outputs' columns, and behind it the
 * columns that the kernel reaches beyond them are shared by all. Where the input has ended
 * nothing is copied: outputs that were made of it are not stored. */
static __device__ __forceinline__ void copy_plane(float *plane, const float *input, extent in,
												  int z)
{
	constexpr int BEYOND = LD - TILE_COLUMNS;
	int row0 = blockIdx.y * TILE_ROWS, column0 = blockIdx.x * TILE_COLUMNS;
	int rows = min(PLANE_ROWS, in.rows - row0), columns = in.columns - column0;
	const float *from = input + ((size_t)z * in.rows + row0) * in.columns + column0;
	int row = threadIdx.x / TILE_COLUMNS, column = threadIdx.x % TILE_COLUMNS;
	if (column < columns)
#pragma unroll 6
		for (int r = row; r < rows; r += THREADS / TILE_COLUMNS)
			__pipeline_memcpy_async(&plane[r * LD + column], &from[r * in.columns + column], 4);
	row = threadIdx.x / BEYOND, column = TILE_COLUMNS + threadIdx.x % BEYOND;
	if (column < columns)
#pragma unroll
		for (int r = row; r < rows; r += THREADS / BEYOND)
			__pipeline_memcpy_async(&plane[r * LD + column], &from[r * in.columns + column], 4);
	__pipeline_commit();
}

/* C: columns of the kernel. */
template <int C> struct sums {
	/* Of the oldest plane of outputs that is not whole yet, and those behind it. */
	float of[MOST][ROWS][COLUMNS];

	/* Row `row` of each plane of the kernel; what lies in the rows `from` belongs to its columns.
	 * Outputs from `begin` to `end` need it, which are ALL there may be. */
	template <bool ALL>
	__device__ __forceinline__ void add_row(const float *from, int row, int depth, int begin,
											int end)
	{
		float x[ROWS][2 * COLUMNS];
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int i = 0; i < 2 * COLUMNS; i += 4) {
				float4 v = *(const float4 *)&from[r * LD + i];
				x[r][i] = v.x, x[r][i + 1] = v.y, x[r][i + 2] = v.z, x[r][i + 3] = v.w;
			}
#pragma unroll
		for (int p = 0; p < MOST; p++) {
			if (!ALL && (p < begin || p >= end))
				continue;
			const float4 *tap = taps[depth - 1 - p][row];
			float factor[MOST] = {tap[0].x, tap[0].y, tap[0].z, tap[0].w, tap[1].x};
#pragma unroll
			for (int r = 0; r < ROWS; r++)
#pragma unroll
				for (int m = 0; m < COLUMNS + C - 1; m++) // each x for all that it is part of
#pragma unroll
					for (int i = 0; i < COLUMNS; i++)
						if (m - i >= 0 && m - i < C)
							of[p][r][i] += x[r][m] * factor[m - i];
		}
	}
	/* A plane of the input. */
	template <bool ALL>
	__device__ __forceinline__ void add_plane(const float *from, extent filter, int begin, int end)
	{
		for (int row = 0; row < filter.rows; row++)
			add_row<ALL>(&from[row * LD], row, filter.depth, begin, end);
	}
	/* The oldest plane is gone. */
	__device__ __forceinline__ void move_up(void)
	{
#pragma unroll
		for (int p = 0; p < MOST; p++)
#pragma unroll
			for (int r = 0; r < ROWS; r++)
#pragma unroll
				for (int i = 0; i < COLUMNS; i++)
					of[p][r][i] = p + 1 < MOST ? of[p + 1][r][i] : 0.0f;
	}
};

/* Plane z of the block's outputs, through shared memory. All threads call it. */
static __device__ __forceinline__ void store_plane(float *stage, float *output, extent out, int z,
												   const float (&sum)[ROWS][COLUMNS])
{
	int row0 = blockIdx.y * TILE_ROWS, column0 = blockIdx.x * TILE_COLUMNS;
	int row = threadIdx.x / ACROSS * ROWS, column = threadIdx.x % ACROSS * COLUMNS;
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		*(float4 *)&stage[(row + r) * TILE_COLUMNS + column] =
			make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
	__syncthreads();
	column = column0 + threadIdx.x % TILE_COLUMNS;
	float *to = output + (size_t)z * out.rows * out.columns;
#pragma unroll
	for (int r = threadIdx.x / TILE_COLUMNS; r < TILE_ROWS; r += THREADS / TILE_COLUMNS)
		if (row0 + r < out.rows && column < out.columns)
			to[(row0 + r) * out.columns + column] =
				stage[r * TILE_COLUMNS + threadIdx.x % TILE_COLUMNS];
}

template <int C>
static __global__ void __launch_bounds__(THREADS)
	conv3d_planes(const float *input, float *output, extent in, extent filter)
{
	static_assert(COLUMNS == 4 && TILE_COLUMNS == 32, "a lane has a float4, a warp a row");
	__shared__ __align__(16) float plane[2][PLANE_ROWS * LD], stage[TILE_ROWS * TILE_COLUMNS];
	extent out = {in.depth - filter.depth + 1, in.rows - filter.rows + 1, in.columns - C + 1};
	int begin = blockIdx.z * TILE_PLANES, end = min(begin + TILE_PLANES, out.depth);
	int last = end + filter.depth - 2; // plane of the input
	int mine = threadIdx.x / ACROSS * ROWS * LD + threadIdx.x % ACROSS * COLUMNS;
	sums<C> sum = {};
	copy_plane(plane[0], input, in, begin);
	for (int z = begin; z <= last; z++) {
		int oldest = z - filter.depth + 1; // plane of outputs, whole after this one
		__pipeline_wait_prior(0);
		__syncthreads(); // the plane has come, and nobody reads the one before any more
		if (z < last)
			copy_plane(plane[(z - begin + 1) % 2], input, in, z + 1);
		const float *from = &plane[(z - begin) % 2][mine];
		int first = max(0, begin - oldest), behind = min(filter.depth, end - oldest);
		if (behind - first == MOST)
			sum.template add_plane<true>(from, filter, 0, MOST);
		else
			sum.template add_plane<false>(from, filter, first, behind);
		if (oldest >= begin)
			store_plane(stage, output, out, oldest, sum.of[0]);
		sum.move_up();
	}
}

/* conv3d_planes<C> for any C of 1 to MOST. */
template <int C> static void launch(const float *input, float *output, extent in, extent filter)
{
	if constexpr (C < MOST)
		if (filter.columns != C)
			return launch<C + 1>(input, output, in, filter);
	dim3 grid((in.columns - C + TILE_COLUMNS) / TILE_COLUMNS,
			  (in.rows - filter.rows + TILE_ROWS) / TILE_ROWS,
			  (in.depth - filter.depth + TILE_PLANES) / TILE_PLANES);
	conv3d_planes<C><<<grid, THREADS>>>(input, output, in, filter);
}

extern "C" void solve(const float *input, const float *kernel, float *output, int input_depth,
					  int input_rows, int input_cols, int kernel_depth, int kernel_rows,
					  int kernel_cols)
{
	void *to;
	cudaGetSymbolAddress(&to, taps);
	size_t row = kernel_cols * sizeof(float);
	cudaMemcpy3DParms copy = {};
	copy.kind = cudaMemcpyDeviceToDevice;
	copy.srcPtr = make_cudaPitchedPtr((void *)kernel, row, row, kernel_rows);
	copy.dstPtr = make_cudaPitchedPtr(to, TAPS_LD * sizeof(float4), row, MOST);
	copy.extent = make_cudaExtent(row, kernel_rows, kernel_depth);
	cudaMemcpy3DAsync(&copy);
	launch<1>(input, output, {input_depth, input_rows, input_cols},
			  {kernel_depth, kernel_rows, kernel_cols});
}
