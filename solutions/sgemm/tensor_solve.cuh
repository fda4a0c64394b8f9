/* solve() of a LeetGPU-like judge over tensor(): with a workspace of its own, which grows, or by
 * FMAs where there is not enough memory. */
#ifndef GEMMJUDGE_SGEMM_TENSOR_SOLVE_CUH
#define GEMMJUDGE_SGEMM_TENSOR_SOLVE_CUH

#include "ffma_solve.cuh"
#include "tensor.cuh"
#include "workspace.cuh"

static inline void tensor_solve(const ffma_product &p, const epilogue<float> &out)
{
	const ffma_device &device = ffma_device_get();
	if (ffma_no_product(device, p, out))
		return ffma_solve(p, out);
	tensor_choice choice = tensor_choose(device, p);
	void *workspace = choice.by_fmas ? NULL : workspace_get(choice.bytes());
	ffma_solve_check(tensor_by(choice, {device, 0}, p, out, workspace));
}

#endif
