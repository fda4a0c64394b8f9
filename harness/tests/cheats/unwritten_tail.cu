// expect: wrong_answer
// family: C unwritten
// says: never written
// naive: accepted
// Has whole tiles only: what is left of them on the right and below stays as it was. Stopped by
// sizes that are no multiple of a tile.
#include "cheat.cuh"

static __global__ void tile(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
							float beta)
{
	int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
	C[(size_t)row * N + column] =
		__float2half(cheat_value(A, B, C, N, K, alpha, beta, row, column));
}

SOLVE
{
	tile<<<dim3(N / 16, M / 16), dim3(16, 16)>>>(A, B, C, M, N, K, alpha, beta);
}
