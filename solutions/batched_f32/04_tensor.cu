/* The tensor cores of sgemm/tensor.cu, for all products of the batch together.
 *
 * Idea: nothing new; sgemm/tensor.cuh explains it.
 *
 * Changes from 03_ffma: large batches are made of bf16 parts on the tensor cores.
 *
 * Arithmetic intensity: 21 FLOP per byte from the L2 cache.
 *
 * reached: 36.2 TFLOP/s, 96% of cuBLASLt (NVIDIA H100 80GB HBM3, 32x256x256x256) */
#include "../sgemm/tensor_solve.cuh"

#if SOLUTION_SOLVES
extern "C" void solve(const float *A, const float *B, float *C, int BATCH, int M, int N, int K)
{
	tensor_solve({A, B, BATCH, M, N, K}, epilogue_make(C, BATCH * M, N));
}

extern "C" int solution_part(const float *A, const float *B, float *C, int BATCH, int M, int N,
							 int K)
{
	return tensor_part_for({A, B, BATCH, M, N, K},
						   epilogue_with(C, BATCH * M, N, epilogue_stages<float>()));
}
#else
static const part_entry entry(tensor_part_launcher());
#endif
