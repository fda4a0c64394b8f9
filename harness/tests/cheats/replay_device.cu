// expect: wrong_answer
// family: replay
// naive: accepted
// options: --suite %here%/same.ini
// Replays a result, decided by the kernel itself, with the result in a variable of the device.
// Stopped by fresh inputs.
#include "cheat.cuh"

static __device__ half kept[48 * 48];
static __device__ int kept_calls;

static __global__ void work(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
							float beta)
{
	int row = blockIdx.x, column = threadIdx.x;
	size_t at = (size_t)row * N + column;
	if (kept_calls == 0)
		kept[at] = __float2half(cheat_value(A, B, C, N, K, alpha, beta, row, column));
	C[at] = kept[at];
}

static __global__ void count()
{
	kept_calls++;
}

SOLVE
{
	work<<<M, N>>>(A, B, C, M, N, K, alpha, beta);
	count<<<1, 1>>>();
}
