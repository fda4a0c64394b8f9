/* C = beta * C: all that is left of a GEMM whose alpha is 0. A and B are not read,
 * as BLAS has it, so that NaN in them does not count. beta = 0 does not read C. */
#ifndef GEMMJUDGE_HOPPER_SCALE_CUH
#define GEMMJUDGE_HOPPER_SCALE_CUH

#include "epilogue.cuh"

constexpr int SCALE_THREADS = 256;

template <class Element>
__global__ void __launch_bounds__(SCALE_THREADS) scale(Element *C, long long count, float beta)
{
	constexpr int V = 8; // elements of a 16-byte access
	long long first = (long long)blockIdx.x * SCALE_THREADS + threadIdx.x;
	long long stride = (long long)gridDim.x * SCALE_THREADS;
	long long vectors = (uintptr_t)C % 16 == 0 ? count / V : 0;
	for (long long i = first; i < vectors; i += stride) {
		float x[V] = {};
		if (beta != 0.0f)
			epilogue_load_whole(C + i * V, x);
#pragma unroll
		for (int j = 0; j < V; j++)
			x[j] *= beta;
		epilogue_store_whole(C + i * V, x);
	}
	for (long long i = vectors * V + first; i < count; i += stride)
		C[i] = epilogue_from_float<Element>(beta != 0.0f ? beta * epilogue_to_float(C[i]) : 0.0f);
}

#endif
