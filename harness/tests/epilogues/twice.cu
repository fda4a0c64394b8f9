/* Hands each sum to the epilogue twice: C comes out right, and what is reduced does not. */
#include <cuda_fp16.h>

#include "epilogue.cuh"

static __global__ void multiply(const half *A, const half *B, int M, int N, int K,
								epilogue<half> out)
{
	int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0.0f;
	for (int k = 0; k < K && row < M && column < N; k++)
		sum += __half2float(A[row * K + k]) * __half2float(B[k * N + column]);
	out.store(row, column, sum);
	out.store(row, column, sum);
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 block(16, 16), grid((N + 15) / 16, (M + 15) / 16);
	multiply<<<grid, block>>>(A, B, M, N, K, epilogue_make(C, M, N, alpha, beta));
}
