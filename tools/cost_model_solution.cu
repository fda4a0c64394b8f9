/* A solution of one tile configuration of hopper.cu, HOPPER_CONFIG by number, for
 * tools/cost-model. Where the configuration cannot do a shape, it clears one element: the
 * judge then sees a call that does something, finds it wrong in its first pass, and times it no
 * further. */
#include "../solutions/gemm_f16/hopper/solve.cuh"

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	hopper_gemm product = {M, N, K, A, B, C, K, N, N, alpha, beta};
	size_t bytes = hopper::workspace_bytes(product);
	void *workspace = hopper::solve_workspace(bytes);
	hopper_status status = hopper::gemm_by<half>(
		HOPPER_CONFIG, product, epilogue_make(C, M, N, alpha, beta), workspace, bytes, 0);
	if (status == HOPPER_INVALID_ARGUMENT)
		cudaMemsetAsync(C, 0, sizeof *C, 0);
	else if (status != HOPPER_OK)
		abort();
}
