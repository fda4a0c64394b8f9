/* Runs a reference on a GPU: a thread an element, or with REFERENCE_LANES 32 a warp, for outputs
 * with few elements and long sums. Included first in its file. */
#ifndef GEMMJUDGE_REFERENCE_DEVICE_CUH
#define GEMMJUDGE_REFERENCE_DEVICE_CUH

#include <cuda_runtime.h>
#include <vector>

#ifndef REFERENCE_LANES
#define REFERENCE_LANES 1
#endif

namespace reference
{

constexpr unsigned DEVICE_LANES = REFERENCE_LANES, DEVICE_THREADS = 128, DEVICE_BLOCKS = 4096;
static_assert(DEVICE_LANES == 1 || DEVICE_LANES == 32, "sums are gathered within a warp");

/* How many sums a thread is inside of: its own, as lanes go different ways there. */
#ifdef __CUDA_ARCH__
#define REFERENCE_DEPTH sum_depth()
inline __device__ unsigned &sum_depth()
{
	__shared__ unsigned depth[DEVICE_THREADS];
	return depth[threadIdx.x];
}
#define IS_SHARED (DEVICE_LANES > 1 && REFERENCE_DEPTH == 0)
#else
#define IS_SHARED false
#endif

inline __host__ __device__ void enter_sum(int change)
{
	(void)change;
#ifdef __CUDA_ARCH__
	if (DEVICE_LANES > 1)
		REFERENCE_DEPTH += (unsigned)change;
#endif
}
inline __host__ __device__ size_t lanes()
{
	return IS_SHARED ? DEVICE_LANES : 1;
}
inline __host__ __device__ size_t lane()
{
#ifdef __CUDA_ARCH__
	return IS_SHARED ? threadIdx.x % DEVICE_LANES : 0;
#else
	return 0;
#endif
}
inline __host__ __device__ double sum_of_lanes(double x)
{
#ifdef __CUDA_ARCH__
	for (unsigned step = IS_SHARED ? DEVICE_LANES / 2 : 0; step > 0; step /= 2)
		x += __shfl_xor_sync(~0u, x, step);
#endif
	return x;
}
inline __host__ __device__ double most_of_lanes(double x)
{
#ifdef __CUDA_ARCH__
	for (unsigned step = IS_SHARED ? DEVICE_LANES / 2 : 0; step > 0; step /= 2)
		x = fmax(x, __shfl_xor_sync(~0u, x, step));
#endif
	return x;
}

} // namespace reference

#include "steps.cuh"

namespace reference
{

/* Elements [begin, end). All lanes of an element store what is the same. */
template <class R, class Matrix, class Function>
__global__ void fill_kernel(problem<R> p, Matrix m, range elements, Function step)
{
#ifdef __CUDA_ARCH__
	REFERENCE_DEPTH = 0;
#endif
	size_t stride = (size_t)gridDim.x * DEVICE_THREADS / DEVICE_LANES;
	size_t first = ((size_t)blockIdx.x * DEVICE_THREADS + threadIdx.x) / DEVICE_LANES;
	for (size_t at = elements.begin + first; at < elements.end; at += stride)
		m.compute(p, at, step);
}

struct device_fill {
	template <class R, class Matrix, class Function>
	void launch(const problem<R> &p, const Matrix &m, range rows, const Function &step) const
	{
		range elements = {rows.begin * m.stride(), rows.end * m.stride()};
		size_t threads = (elements.end - elements.begin) * DEVICE_LANES;
		size_t blocks = (threads + DEVICE_THREADS - 1) / DEVICE_THREADS;
		unsigned grid = (unsigned)(blocks < DEVICE_BLOCKS ? blocks : DEVICE_BLOCKS);
		if (grid > 0)
			fill_kernel<<<grid, DEVICE_THREADS>>>(p, m, elements, step);
	}
	template <class R, class Matrix, class Function>
	void operator()(const problem<R> &p, const Matrix &m, range rows, const Function &step) const
	{
		size_t at_once = m.in_order ? 1 : rows.end - rows.begin;
		for (size_t begin = rows.begin; begin < rows.end; begin += at_once)
			launch(p, m, {begin, begin + at_once}, step);
	}
};

/* What steps hold; the output is the last one, whole. */
struct device_memory {
	std::vector<void *> steps;

	~device_memory()
	{
		for (void *step : steps)
			cudaFree(step);
	}
};

/* Inputs of `p` are device memory. The first error of the runtime, or cudaSuccess. */
template <class R> cudaError_t device_run(problem<R> &p, device_memory &memory, size_t block)
{
	cudaError_t status = cudaSuccess;
	auto give = [&](auto &matrix, size_t rows) {
		void *data = NULL;
		cudaError_t given = cudaMalloc(&data, rows * matrix.stride() * sizeof(R));
		status = status == cudaSuccess ? given : status;
		if (status == cudaSuccess) /* NaN, until it is computed */
			status = cudaMemset(data, 0xFF, rows * matrix.stride() * sizeof(R));
		memory.steps.push_back(data);
		matrix.data = (R *)data;
	};
	auto fill = [&](const problem<R> &typed, const auto &matrix, range rows, const auto &step) {
		if (status == cudaSuccess)
			device_fill()(typed, matrix, rows, step);
	};
	steps_run(p, block, give, fill);
	cudaError_t ran = status == cudaSuccess ? cudaDeviceSynchronize() : status;
	return ran == cudaSuccess ? cudaGetLastError() : ran;
}

} // namespace reference

#endif
