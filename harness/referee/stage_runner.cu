/* One stage of an epilogue, applied by a kernel of its own to given values: the
 * reference for stages that the referee does not know. Compiled with the stage
 * alone as the chain and EPILOGUE_ELEMENT as its element type. Called like a
 * solution: X holds M x N values, Y takes what the stage makes of them, C is the
 * C that the judged call found. */
#include <cuda_runtime.h>

#include "epilogue.cuh"

constexpr int THREADS = 256;
constexpr size_t BLOCKS_MAX = 4096;

static __global__ void apply_stage(const float *X, float *Y, int M, int N,
								   epilogue<EPILOGUE_ELEMENT> stage)
{
	size_t step = (size_t)gridDim.x * THREADS, count = (size_t)M * N;
	for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += step)
		Y[i] = stage.apply((int)(i / N), (int)(i % N), X[i]);
}

extern "C" void solve(const float *X, EPILOGUE_ELEMENT *C, float *Y, int M, int N, float alpha,
					  float beta)
{
	size_t blocks = ((size_t)M * N + THREADS - 1) / THREADS;
	apply_stage<<<(unsigned)(blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX), THREADS>>>(
		X, Y, M, N, epilogue_make(C, M, N, alpha, beta));
}
