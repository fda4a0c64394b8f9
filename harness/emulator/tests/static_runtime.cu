// A program built as nvcc does by default, with NVIDIA's runtime inside: it cannot run, and is told
// what to do.
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
	void *memory;
	cudaError_t status = cudaMalloc(&memory, 4);
	printf("%s\n", cudaGetErrorName(status));
	return status == cudaSuccess;
}
