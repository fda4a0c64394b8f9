/* One tile configuration of hopper.cu, in which a tile's epilogue overlaps the next one's products:
 * run_overlapped judges chains in it. */
#define HOPPER_CONFIG 10
#include "../../../solutions/gemm_f16/hopper/solve.cuh"

static_assert(hopper::CONFIG_LINES[HOPPER_CONFIG].variant == hopper::TMA_OVERLAP &&
				  hopper::CONFIG_LINES[HOPPER_CONFIG].tile_n == 128,
			  "the number of that configuration in configs.def");

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	hopper::solve(A, B, C, M, N, K, alpha, beta);
}
