/* A tile configuration of hopper.cu in which a tile's epilogue overlaps the next one's products:
 * run_overlapped judges chains in it, and names it by a flag. */
#include "../../../solutions/gemm_f16/hopper/solve.cuh"

static_assert(hopper::CONFIG_LINES[HOPPER_CONFIG].variant == hopper::TMA_OVERLAP,
			  "the number of one of them in configs.def");

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	hopper::solve(A, B, C, M, N, K, alpha, beta);
}
