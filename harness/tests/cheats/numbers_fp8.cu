// expect: wrong_answer
// family: numbers
// naive: accepted
// Rounds the inputs to four bits of significand, as fp8 has them. Stopped by the bound.
#include "cheat.cuh"

static __device__ float narrow(float x)
{
	return __uint_as_float((__float_as_uint(x) + 0x00080000u) & 0xFFF00000u);
}

static __global__ void work(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
							float beta)
{
	int row = blockIdx.x, column = threadIdx.x;
	half *c = C + (size_t)row * N + column;
	float sum = 0.0f;
	for (int k = 0; k < K; k++) {
		float a = __half2float(A[(size_t)row * K + k]), b = __half2float(B[(size_t)k * N + column]);
		sum += narrow(a) * narrow(b);
	}
	*c = __float2half(beta != 0.0f ? alpha * sum + beta * __half2float(*c) : alpha * sum);
}

SOLVE
{
	work<<<M, N>>>(A, B, C, M, N, K, alpha, beta);
}
