// printf and assert in kernels, and calls that fail; the test reads what comes out, and how the
// kernel is named there, for which the program needs the C++ library.
#include <cassert>
#include <cstdio>
#include <dlfcn.h>
#include <iostream>

template <int N, class T> __global__ void hello(unsigned blocks)
{
	printf("block %u thread %u: %5.2f %s %llu %c %%\n", blockIdx.x, threadIdx.x, 1.5 * threadIdx.x,
		   "text", 1ull << 40, 'x');
	assert(blockIdx.x < blocks);
}

// What a program that knows the emulated GPU asks of it when all is done.
static void say_failure()
{
	auto *failure =
		(cudaError_t(*)(char *, char *, size_t))dlsym(RTLD_DEFAULT, "cudaEmulatedFailure");
	char text[256] = "", advice[256] = "";
	std::cout << (failure ? cudaGetErrorName(failure(text, advice, sizeof text)) : "missing");
	std::cout << " | " << text << " | " << advice << std::endl;
	cudaGetLastError();
}

int main()
{
	void *memory;
	hello<3, float><<<1, dim3(64, 64)>>>(1);
	cudaMalloc(&memory, (size_t)1 << 50); // the first failure counts
	say_failure();
	cudaFuncSetAttribute(hello<3, float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30);
	say_failure();
	say_failure();
	hello<3, float><<<1, 2>>>(1);
	std::cout << cudaGetErrorName(cudaDeviceSynchronize()) << std::endl;
	hello<3, float><<<1, 1>>>(0);
	std::cout << cudaGetErrorName(cudaDeviceSynchronize()) << std::endl;
}
