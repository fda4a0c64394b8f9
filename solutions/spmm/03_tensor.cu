/* The dense product of sgemm/tensor.cu: A is M x N, B is N x K and C is M x K.
 *
 * Idea: nothing new; sgemm/tensor.cuh explains how tensor cores multiply in f32 by bf16 parts. They
 * have instructions that leave zeros out, but A has to have two in each four neighbours. Of four,
 * three or four are other numbers in 13 of 100 cases here (4 x 0.35^3 x 0.65 + 0.35^4 = 0.126), so
 * that a product by those needs another one for what is left over.
 *
 * Changes from 02_ffma: large products are made on the tensor cores.
 *
 * Arithmetic intensity: 21 FLOP per byte from the L2 cache.
 *
 * Bound by the tensor cores: the prediction was 100 us, and 86.43 to 87.97 were measured. At 4096^3
 * matmul_f32/03_tensor, whose kernel this is, has its figures.
 *
 * reached: 87.18 us, 207% of cuBLASLt (NVIDIA H200, 2026-11-29, 4096x2048x512) */
#include "../sgemm/tensor_solve.cuh"

#if SOLUTION_SOLVES
extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, int)
{
	tensor_solve({A, B, 1, M, K, N}, epilogue_make(C, M, K));
}

extern "C" int solution_part(const float *A, const float *B, float *C, int M, int N, int K, int)
{
	return tensor_part_for({A, B, 1, M, K, N}, epilogue_with(C, M, K, epilogue_stages<float>()));
}
#else
static const part_entry entry(tensor_part_launcher());
#endif
