/* The tensor cores of sgemm/tensor.cu, in this problem's own names: A is M x N, B is N x K, C is M
 * x K.
 *
 * Idea: nothing new; sgemm/tensor.cuh explains it.
 *
 * Changes from 02_ffma: large products are made of bf16 parts on the tensor cores.
 *
 * Arithmetic intensity: 21 FLOP per byte from the L2 cache.
 *
 * reached: 124 TFLOP/s, 238% of cuBLASLt (NVIDIA H100 80GB HBM3, 4096^3) */
#include "../sgemm/tensor_solve.cuh"

#if SOLUTION_SOLVES
extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	tensor_solve({A, B, 1, M, K, N}, epilogue_make(C, M, K));
}

extern "C" int solution_part(const float *A, const float *B, float *C, int M, int N, int K)
{
	return tensor_part_for({A, B, 1, M, K, N}, epilogue_with(C, M, K, epilogue_stages<float>()));
}
#else
static const part_entry entry(tensor_part_launcher());
#endif
