/* A convolution by cuBLAS, which has none: a kernel writes each output's part of the input as a
 * column of a matrix (im2col), and the product of the filter and that matrix is cublasSgemv.
 *
 * The matrix has as many elements as the convolution has products, far more than the input. So it
 * is made in chunks of outputs that fit a GPU's L2 cache, each multiplied before the next is
 * made. */
#ifndef GEMMJUDGE_BASELINE_IM2COL_CUH
#define GEMMJUDGE_BASELINE_IM2COL_CUH

#include <algorithm>

#include "cublas.cuh"
#include "padded.cuh"

constexpr size_t IM2COL_CHUNK = (size_t)8 << 20; // floats: 32 MB
constexpr int IM2COL_THREADS = 256;
constexpr int IM2COL_MEMORY = 0; // its keeper: see padded.cuh

/* What is missing of three axes is 1. */
struct im2col_extent {
	int depth, rows, columns;

	__host__ __device__ int elements(void) const
	{
		return depth * rows * columns;
	}
};

/* X[tap][i] is what output first + i has of the input with element `tap` of the filter: `count`
 * outputs, a block's in x; an element of the filter in y. */
static __global__ void __launch_bounds__(IM2COL_THREADS)
	im2col(const float *input, float *X, im2col_extent in, im2col_extent filter, int first,
		   int count)
{
	int i = blockIdx.x * IM2COL_THREADS + threadIdx.x, tap = blockIdx.y;
	if (i >= count)
		return;
	int rows = in.rows - filter.rows + 1, columns = in.columns - filter.columns + 1;
	int x = (first + i) % columns, y = (first + i) / columns % rows;
	int z = (first + i) / columns / rows;
	x += tap % filter.columns;
	y += tap / filter.columns % filter.rows;
	z += tap / filter.columns / filter.rows;
	X[(size_t)tap * count + i] = input[((size_t)z * in.rows + y) * in.columns + x];
}

/* The outputs of a convolution, row-major, from number `first` on. */
static void baseline_convolve(const float *input, const float *kernel, float *output,
							  im2col_extent in, im2col_extent filter, int first)
{
	const float one = 1.0f, zero = 0.0f;
	int taps = filter.elements(), chunk = (int)(IM2COL_CHUNK / taps);
	im2col_extent out = {in.depth - filter.depth + 1, in.rows - filter.rows + 1,
						 in.columns - filter.columns + 1};
	chunk = std::min(chunk, out.elements() - first);
	if (chunk <= 0)
		return;
	float *X = padded_memory<IM2COL_MEMORY, float>((size_t)taps * chunk);
	for (int begin = first; begin < out.elements(); begin += chunk) {
		int count = std::min(chunk, out.elements() - begin);
		dim3 grid((count + IM2COL_THREADS - 1) / IM2COL_THREADS, taps);
		im2col<<<grid, IM2COL_THREADS>>>(input, X, in, filter, begin, count);
		// Column-major, X is count x taps.
		cublas_check(cublasSgemv(cublas_handle(), CUBLAS_OP_N, count, taps, &one, X, count, kernel,
								 1, &zero, output + begin, 1),
					 "cublasSgemv");
	}
}

#endif
