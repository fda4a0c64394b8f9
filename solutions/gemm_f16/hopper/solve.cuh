/* solve() of a LeetGPU-like judge over hopper::gemm(): with a workspace of its own, which grows. */
#ifndef HOPPER_SOLVE_CUH
#define HOPPER_SOLVE_CUH

#include <stdio.h>
#include <stdlib.h>

#include "gemm.cuh"

namespace hopper
{
static void *solve_workspace(size_t bytes, hopper_status *status)
{
	static void *workspace;
	static size_t has;
	if (bytes <= has)
		return workspace;
	has = 0;
	bool grown = cudaFree(workspace) == cudaSuccess &&
				 cudaMalloc(&workspace, bytes) == cudaSuccess &&
				 cudaMemset(workspace, 0, WORKSPACE_HEAD) == cudaSuccess;
	has = grown ? bytes : 0;
	*status = grown ? HOPPER_OK : HOPPER_CUDA_ERROR;
	return workspace;
}

template <b_layout B_LAYOUT = B_N_MAJOR, class Element>
static void solve(const Element *A, const Element *B, Element *C, int M, int N, int K, float alpha,
				  float beta)
{
	constexpr bool K_MAJOR = B_LAYOUT == B_K_MAJOR;
	hopper_gemm product = {M, N, K, A, B, C, K, K_MAJOR ? K : N, N, alpha, beta, K_MAJOR};
	hopper_status status = HOPPER_OK;
	size_t bytes = workspace_bytes(product);
	void *workspace = solve_workspace(bytes, &status);
	if (status == HOPPER_OK)
		status = gemm<Element, B_LAYOUT>(product, epilogue_make(C, M, N, alpha, beta), workspace,
										 bytes, 0);
	if (status != HOPPER_OK) {
		fprintf(stderr, "hopper: %s (%s)\n", status_text(status),
				cudaGetErrorString(cudaGetLastError()));
		abort();
	}
}
} // namespace hopper

#endif
