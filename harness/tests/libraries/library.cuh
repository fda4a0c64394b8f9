/* What these libraries have in common: a product that can be split along K, and the functions that
 * tell of algorithms. A file defines ALGORITHMS, and how each of them computes. */
#ifndef TEST_LIBRARY_CUH
#define TEST_LIBRARY_CUH

#include <cuda_fp16.h>
#include <string.h>

struct algorithm {
	int split;
	int multiple; // sums end at a multiple of it; 0: at K
	bool rounds;  // partial sums are rounded to half
};

static int library_mode, library_algorithm;

/* An element a thread, parts of K one after the other. */
static __global__ void product(const half *A, const half *B, half *C, int M, int N, int K,
							   float alpha, float beta, algorithm chosen)
{
	int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
	if (column >= N)
		return;
	int part = (K + chosen.split - 1) / chosen.split;
	float sum = 0.0f;
	for (int begin = 0; begin < K; begin += part) {
		int end = min(begin + part, K);
		if (end == K && chosen.multiple > 0)
			end -= K % chosen.multiple;
		float partial = 0.0f;
		for (int k = begin; k < end; k++)
			partial +=
				__half2float(A[(size_t)row * K + k]) * __half2float(B[(size_t)k * N + column]);
		sum += chosen.rounds ? __half2float(__float2half(partial)) : partial;
	}
	size_t at = (size_t)row * N + column;
	float before = beta != 0.0f ? beta * __half2float(C[at]) : 0.0f;
	C[at] = __float2half(alpha * sum + before);
}

static void product_start(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
						  float beta, algorithm chosen)
{
	product<<<dim3((N + 31) / 32, M), 32>>>(A, B, C, M, N, K, alpha, beta, chosen);
}

extern "C" void library_set_mode(int mode, int)
{
	library_mode = mode;
}

extern "C" void library_use(int algorithm)
{
	library_algorithm = algorithm;
}

#endif
