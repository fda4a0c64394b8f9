// printf and assert in kernels; the test reads what comes out.
#include <cassert>
#include <cstdio>

__global__ void hello(unsigned blocks)
{
	printf("block %u thread %u: %5.2f %s %llu %c %%\n", blockIdx.x, threadIdx.x, 1.5 * threadIdx.x,
		   "text", 1ull << 40, 'x');
	assert(blockIdx.x < blocks);
}

int main()
{
	hello<<<1, 2>>>(1);
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	hello<<<1, 1>>>(0);
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
