/* Every second call leaves a tile of 16 x 16 wrong, as one with a buffer that it does not clear
 * would. */
#include "library.cuh"

static __global__ void spoil(half *C, int N)
{
	C[(size_t)threadIdx.y * N + threadIdx.x] = __float2half(77.0f);
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	static int calls;
	product_start(A, B, C, M, N, K, alpha, beta, {1, 0, false});
	if (++calls % 3 == 2 && M >= 16 && N >= 16)
		spoil<<<1, dim3(16, 16)>>>(C, N);
}
