/* A tile configuration of hopper.cu, HOPPER_CONFIG by number: one of the variant VARIANT, whose
 * chains run_variant judges. */
#include "../../../solutions/gemm_f16/hopper/solve.cuh"

static_assert(hopper::CONFIG_LINES[HOPPER_CONFIG].variant == hopper::VARIANT,
			  "the number of one of the variant's in configs.def");

#ifndef B_LAYOUT
#define B_LAYOUT B_N_MAJOR
#endif

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	constexpr bool K_MAJOR = hopper::B_LAYOUT == hopper::B_K_MAJOR;
	hopper_gemm product = {M, N, K, A, B, C, K, K_MAJOR ? K : N, N, alpha, beta, K_MAJOR};
	hopper_status status = hopper::gemm_by<half, hopper::B_LAYOUT>(
		HOPPER_CONFIG, product, epilogue_make(C, M, N, alpha, beta), NULL, 0, 0);
	if (status != HOPPER_OK)
		abort();
}
