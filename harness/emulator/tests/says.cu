// printf and assert in kernels; the test reads what comes out, and how the kernel is named there,
// for which the program needs the C++ library.
#include <cassert>
#include <cstdio>
#include <iostream>

template <int N, class T> __global__ void hello(unsigned blocks)
{
	printf("block %u thread %u: %5.2f %s %llu %c %%\n", blockIdx.x, threadIdx.x, 1.5 * threadIdx.x,
		   "text", 1ull << 40, 'x');
	assert(blockIdx.x < blocks);
}

int main()
{
	hello<3, float><<<1, 2>>>(1);
	std::cout << cudaGetErrorName(cudaDeviceSynchronize()) << std::endl;
	hello<3, float><<<1, 1>>>(0);
	std::cout << cudaGetErrorName(cudaDeviceSynchronize()) << std::endl;
}
