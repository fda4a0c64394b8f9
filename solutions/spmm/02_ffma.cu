/* The dense product of sgemm/ffma.cu: A is M x N, B is N x K and C is M x K. Nothing is made of
 * the zeros in A.
 *
 * Idea: tiles in registers, which reuse every element that they load 64 times and more. That this
 * beats a kernel that leaves zeros out follows from where a product's time goes. A tile of 8 x 8
 * sums has two loads of 16 bytes for each 32 FMAs; to skip 65 of 100 elements of A, a warp
 * would go from one that is not 0 to the next, with four FMAs for each 16 bytes of B from shared
 * memory. These take four clocks there and the FMAs one: 35% of the products at a quarter of the
 * rate take 1.4 times as long. Zeros lie anywhere, so that no tile has zeros only: a tile of 8 x 8
 * is empty with a probability of 0.65^64, 10^-12.
 *
 * Changes from 01b_zeros_left_out: tiles in shared memory and registers, chosen for the shape; all
 * elements of A are multiplied.
 *
 * Arithmetic intensity: 42.7 FLOP per byte of global memory for the largest tile.
 *
 * Bound by FMAs: 4096 x 2048 x 512 are 8.6 GFLOP, 128 us at 67 TFLOP/s. The prediction was 180 us,
 * and 200.86 to 201.76 were measured. At 4096^3 matmul_f32/02_ffma, whose kernel this is, has its
 * figures.
 *
 * reached: 201.55 us, 90% of cuBLASLt (NVIDIA H200, 2026-11-29, 4096x2048x512) */
#include "../sgemm/ffma_solve.cuh"

#if SOLUTION_SOLVES
extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, int)
{
	ffma_solve({A, B, 1, M, K, N}, epilogue_make(C, M, K));
}

extern "C" int solution_part(const float *A, const float *B, float *C, int M, int N, int K, int)
{
	return ffma_part_for({A, B, 1, M, K, N}, epilogue_with(C, M, K, epilogue_stages<float>()));
}
#else
static const part_entry entry(ffma_part_launcher());
#endif
