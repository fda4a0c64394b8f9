/* The solution of linear_f16/02_wgmma.cu in bfloat16: the same kernels, another element type.
 * Idea, changes and arithmetic intensity are said there.
 *
 * Not measured; what follows is of the kernel before it, which had neither split-K nor swap-AB.
 * reached: 761 TFLOP/s, 98% of cuBLASLt (NVIDIA H200, 4096^3) */

/* The heuristic (0), or a line of configs.def: up to 41 for aligned operands, the last for any. */
// tune HOPPER_CONFIGURATION = 0 : 0..65
// tune let MISALIGNED = K % 8 != 0 || N % 8 != 0
// tune where HOPPER_CONFIGURATION % 65 == 0 || (HOPPER_CONFIGURATION > 41) == MISALIGNED
#include "../gemm_f16/hopper/solve.cuh"

#if SOLUTION_SOLVES
extern "C" void solve(const __nv_bfloat16 *X, const __nv_bfloat16 *W, __nv_bfloat16 *Y, int M,
					  int N, int K, float alpha, float beta)
{
	hopper::solve<hopper::B_K_MAJOR>(X, W, Y, M, N, K, alpha, beta);
}

extern "C" int solution_part(const __nv_bfloat16 *X, const __nv_bfloat16 *W, __nv_bfloat16 *Y,
							 int M, int N, int K, float alpha, float beta)
{
	return hopper::part_for<hopper::B_K_MAJOR>(X, W, Y, M, N, K, alpha, beta);
}
#else
static const part_entry entry(hopper::part_launcher<__nv_bfloat16, hopper::B_K_MAJOR>());
#endif
