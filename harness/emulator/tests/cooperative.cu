// A cooperative launch: all blocks meet at grid.sync(), many more of them than
// the host has cores. Without cooperation, where CUDA leaves open what grid.sync()
// does, the same kernel traps when it is emulated.
#include <cooperative_groups.h>
#include <cstdio>

#include "emulated.cuh"

#define BLOCKS 40
#define ROUNDS 5

__global__ void rounds(int *flags, int *seen, int count)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();
	for (int round = 1; round <= count; round++) {
		if (threadIdx.x == 0)
			flags[blockIdx.x] = round;
		grid.sync();
		if (threadIdx.x == 0)
			for (unsigned i = 0; i < gridDim.x; i++)
				seen[blockIdx.x] += flags[i] == round;
		grid.sync();
	}
}

static bool expect(bool ok, const char *what)
{
	if (!ok)
		printf("FAILED: %s\n", what);
	return ok;
}

int main()
{
	int count = ROUNDS, *flags, *seen, host[BLOCKS];
	bool ok = true;
	cudaMalloc(&flags, BLOCKS * sizeof(int));
	cudaMalloc(&seen, BLOCKS * sizeof(int));
	cudaMemset(flags, 0, BLOCKS * sizeof(int));
	cudaMemset(seen, 0, BLOCKS * sizeof(int));

	void *arguments[] = {&flags, &seen, &count};
	cudaError_t status =
		cudaLaunchCooperativeKernel((void *)rounds, dim3(BLOCKS), dim3(128), arguments, 0, 0);
	ok &= expect(status == cudaSuccess, "the cooperative launch");
	ok &= expect(cudaMemcpy(host, seen, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess,
				 "its end");
	for (int i = 0; i < BLOCKS; i++)
		ok &= expect(host[i] == ROUNDS * BLOCKS, "every block sees what all others wrote");
	status = cudaLaunchCooperativeKernel((void *)rounds, dim3(1 << 20), dim3(128), arguments, 0, 0);
	ok &= expect(status == cudaErrorCooperativeLaunchTooLarge, "too many blocks");
	cudaGetLastError();

	if (!emulated())
		return ok ? 0 : 1;
	rounds<<<2, 128>>>(flags, seen, 1);
	ok &= expect(cudaDeviceSynchronize() == cudaErrorLaunchFailure, "a plain launch traps");
	return ok ? 0 : 1;
}
