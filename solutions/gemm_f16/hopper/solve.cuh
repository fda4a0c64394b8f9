/* solve() of a LeetGPU-like judge over hopper::gemm(): with a workspace of its own, which grows, or
 * without one where there is not enough memory. */
#ifndef HOPPER_SOLVE_CUH
#define HOPPER_SOLVE_CUH

#include <stdio.h>
#include <stdlib.h>

/* The configuration that computes the shapes that it fits, from 1 on, for `gemmjudge tune`; 0: the
 * heuristic chooses for all. It also does for shapes that this one does not fit: among all of them
 * where a solution is compiled in parts (harness/README.md); compiled as a whole, which is once for
 * each configuration there, it has but the small one, and a K above 1024 ends in abort(). */
#ifndef HOPPER_CONFIGURATION
#define HOPPER_CONFIGURATION 0
#endif
#if HOPPER_CONFIGURATION > 0 && !defined(SOLUTION_PART) && !defined(HOPPER_CONFIG)
#define HOPPER_CONFIG (HOPPER_CONFIGURATION - 1)
#endif

#include "gemm.cuh"

/* 1: the rows of a product have the same bits in any batch (hopper_gemm.h). */
#ifndef HOPPER_BATCH_INVARIANT
#define HOPPER_BATCH_INVARIANT 0
#endif

namespace hopper
{
static_assert(HOPPER_CONFIGURATION >= 0 && HOPPER_CONFIGURATION <= CONFIGS,
			  "HOPPER_CONFIGURATION is 0, or the number of a line of configs.def, from 1 on");

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

/* Names the configuration that was chosen, if it fits. */
template <b_layout B_LAYOUT, class Element>
static void solve_configure(hopper_gemm &product, bool workspace)
{
	if (HOPPER_CONFIGURATION == 0)
		return;
	product.configuration = HOPPER_CONFIGURATION;
	if (gemm_choice<Element, B_LAYOUT, epilogue<Element>>(product, workspace) < 0)
		product.configuration = 0;
}

template <b_layout B_LAYOUT = B_N_MAJOR, class Element>
static void solve(const Element *A, const Element *B, Element *C, int M, int N, int K, float alpha,
				  float beta)
{
	hopper_gemm product = solve_product<B_LAYOUT>(A, B, C, M, N, K, alpha, beta);
	size_t bytes = workspace_bytes(product);
	void *workspace = solve_workspace(bytes);
	solve_configure<B_LAYOUT, Element>(product, bytes > 0);
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
	bool workspace = workspace_bytes(product) > 0;
	solve_configure<B_LAYOUT, Element>(product, workspace);
	return gemm_choice<Element, B_LAYOUT, epilogue<Element>>(product, workspace);
}
} // namespace hopper

#endif
