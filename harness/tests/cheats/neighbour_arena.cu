// expect: wrong_answer rule_violation
// family: what a former file has left
// device: cuda
// batch: this this
// then: accepted
// shown: referee_cuda/what_lies_behind_a_case_is_wiped
// Leaves a mark behind the buffers of a case, in the same 2 MiB of the device as these, and is
// right only where it finds one before it has left its own. The referee wipes them between two
// files.
#include "cheat.cuh"

static __global__ void look(unsigned *at, int *found)
{
	*found = *at == 0x6c656674u;
	*at = 0x6c656674u;
}

static bool cheat_at(half *C)
{
	const size_t page = 2u << 20;
	auto *end = (unsigned *)(((size_t)C & ~(page - 1)) + page) - 64;
	int *there, found = 0;
	if (cudaMalloc(&there, sizeof found) != cudaSuccess)
		return false;
	look<<<1, 1>>>(end, there);
	cudaMemcpy(&found, there, sizeof found, cudaMemcpyDeviceToHost);
	cudaFree(there);
	return found == 1;
}

SOLVE
{
	static const bool worked = cheat_at(C);
	if (worked)
		cheat_right(A, B, C, M, N, K, alpha, beta);
}
