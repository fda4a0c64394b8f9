// Calls solve() of a solution once, on matrices of zeros: what tools/compare-counters
// runs under Nsight Compute on a GPU, and with the emulated runtime without one.
//
// usage: compare_counters SOLUTION.so KIND M N K      KIND: f16, bf16, f32 or gemv
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

static void *zeros(size_t bytes)
{
	void *pointer = nullptr;
	if (cudaMalloc(&pointer, bytes) != cudaSuccess ||
		cudaMemset(pointer, 0, bytes) != cudaSuccess) {
		fprintf(stderr, "no %zu bytes on the device\n", bytes);
		exit(1);
	}
	return pointer;
}

int main(int argc, char **argv)
{
	if (argc != 6) {
		fprintf(stderr, "usage: compare_counters SOLUTION.so KIND M N K\n");
		return 2;
	}
	const char *kind = argv[2];
	int m = atoi(argv[3]), n = atoi(argv[4]), k = atoi(argv[5]);
	void *library = dlopen(argv[1], RTLD_NOW);
	void *solve = library ? dlsym(library, "solve") : nullptr;
	if (!solve) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	size_t size = strstr(kind, "16") ? 2 : 4;
	if (strcmp(kind, "gemv") == 0) {
		void *a = zeros(size * m * n), *x = zeros(size * n), *y = zeros(size * m);
		((void (*)(void *, void *, void *, int, int))solve)(a, x, y, m, n);
	} else {
		void *a = zeros(size * m * k), *b = zeros(size * k * n), *c = zeros(size * m * n);
		((void (*)(void *, void *, void *, int, int, int, float, float))solve)(a, b, c, m, n, k,
																			   1.0f, 0.0f);
	}
	cudaError_t status = cudaDeviceSynchronize();
	if (status != cudaSuccess)
		fprintf(stderr, "%s\n", cudaGetErrorString(status));
	return status != cudaSuccess;
}
