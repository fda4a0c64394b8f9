/* The solution of gemm_f16/hopper.cu in bfloat16: the same code, another
 * element type. Everything about it is said there.
 *
 * reached: see gemm_f16/hopper.cu */

/* The heuristic (0), or a line of configs.def: up to 41 for aligned operands, the last for any. */
// tune HOPPER_CONFIGURATION = 0 : 0..65
// tune let MISALIGNED = K % 8 != 0 || N % 8 != 0
// tune where HOPPER_CONFIGURATION % 65 == 0 || (HOPPER_CONFIGURATION > 41) == MISALIGNED
#include "../gemm_f16/hopper/solve.cuh"

#if SOLUTION_SOLVES
extern "C" void solve(const __nv_bfloat16 *A, const __nv_bfloat16 *B, __nv_bfloat16 *C, int M,
					  int N, int K, float alpha, float beta)
{
	hopper::solve(A, B, C, M, N, K, alpha, beta);
}

extern "C" int solution_part(const __nv_bfloat16 *A, const __nv_bfloat16 *B, __nv_bfloat16 *C,
							 int M, int N, int K, float alpha, float beta)
{
	return hopper::part_for(A, B, C, M, N, K, alpha, beta);
}
#else
static const part_entry entry(hopper::part_launcher<__nv_bfloat16, hopper::B_N_MAJOR>());
#endif
