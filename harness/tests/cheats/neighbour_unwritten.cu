// expect: wrong_answer runtime_error
// family: what a former file has left
// batch: ../fixtures/honest_naive.cu this
// then: accepted
// shown: unwritten_all is accepted by the naive judge, where C lies in memory that held the result
// Takes for its result what lies in C and in new memory of the device, where the former file of the
// batch has left the right one of the very same case. C holds marks, in memory of this case alone.
#include "cheat.cuh"

static __global__ void take(half *C, const half *left, int count)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count && !__hisnan(left[i]) && __half2float(left[i]) != 0.0f)
		C[i] = left[i];
}

SOLVE
{
	(void)A, (void)B, (void)K, (void)alpha, (void)beta;
	half *left;
	cudaMalloc(&left, (size_t)M * N * sizeof(half));
	take<<<(M * N + 255) / 256, 256>>>(C, left, M * N);
	cudaFree(left);
}
