/* The tiles of sgemm/ffma.cu, chosen for all products of the batch together.
 *
 * Idea: nothing new; sgemm/ffma.cuh explains it.
 *
 * Changes from 02_multistage: more tiles to choose from, and a tile may be split along K.
 *
 * Arithmetic intensity: 21 FLOP per byte of global memory for a tile of 128x64.
 *
 * reached: 36.9 TFLOP/s, 98% of cuBLASLt (NVIDIA H100 80GB HBM3, 32x256x256x256) */
#include "../sgemm/ffma_solve.cuh"

#if SOLUTION_SOLVES
extern "C" void solve(const float *A, const float *B, float *C, int BATCH, int M, int N, int K)
{
	ffma_solve({A, B, BATCH, M, N, K}, epilogue_make(C, BATCH * M, N));
}

extern "C" int solution_part(const float *A, const float *B, float *C, int BATCH, int M, int N,
							 int K)
{
	return ffma_part_for({A, B, BATCH, M, N, K},
						 epilogue_with(C, BATCH * M, N, epilogue_stages<float>()));
}
#else
static const part_entry entry(ffma_part_launcher());
#endif
