/* The tiles of sgemm/ffma.cu, in this problem's own names: A is M x N, B is N x K and C is M x K.
 *
 * Idea: nothing new; sgemm/ffma.cuh explains it.
 *
 * Changes from 01_naive: tiles in shared memory and registers, chosen for the shape.
 *
 * Arithmetic intensity: 42.7 FLOP per byte of global memory for the largest tile.
 *
 * reached: 50.8 TFLOP/s, 98% of cuBLASLt (NVIDIA H100 80GB HBM3, 4096^3) */
#include "../sgemm/ffma_solve.cuh"

#if SOLUTION_SOLVES
extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	ffma_solve({A, B, 1, M, K, N}, epilogue_make(C, M, K));
}

extern "C" int solution_part(const float *A, const float *B, float *C, int M, int N, int K)
{
	return ffma_part_for({A, B, 1, M, K, N}, epilogue_with(C, M, K, epilogue_stages<float>()));
}
#else
static const part_entry entry(ffma_part_launcher());
#endif
