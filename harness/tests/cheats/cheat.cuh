// What the tricks share: a right kernel, parts of its work, and where the test has put things.
// Outside of this folder nothing is included: nvcc sees no more of the tree when it is in a jail.
#ifndef CHEAT_CUH
#define CHEAT_CUH

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <fcntl.h>
#include <unistd.h>

#define SOLVE                                                                                      \
	extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha, \
						  float beta)

// alpha * (row of A) * (column of B) + beta * C, as every right solution has it.
static __device__ __forceinline__ float cheat_value(const half *A, const half *B, const half *C,
													int N, int K, float alpha, float beta, int row,
													int column)
{
	float sum = 0.0f;
	for (int k = 0; k < K; k++)
		sum += __half2float(A[(size_t)row * K + k]) * __half2float(B[(size_t)k * N + column]);
	float result = alpha * sum;
	return beta != 0.0f ? result + beta * __half2float(C[(size_t)row * N + column]) : result;
}

// The right result in the rows and columns from `first` on that are `step` apart.
static __global__ void cheat_kernel(const half *A, const half *B, half *C, int M, int N, int K,
									float alpha, float beta, int2 first, int2 step)
{
	int row = first.y + step.y * (blockIdx.y * 16 + threadIdx.y);
	int column = first.x + step.x * (blockIdx.x * 16 + threadIdx.x);
	if (row < M && column < N)
		C[(size_t)row * N + column] =
			__float2half(cheat_value(A, B, C, N, K, alpha, beta, row, column));
}

static inline void cheat_part(const half *A, const half *B, half *C, int M, int N, int K,
							  float alpha, float beta, int2 first, int2 step)
{
	dim3 grid((N + 15) / 16, (M + 15) / 16), block(16, 16);
	cheat_kernel<<<grid, block>>>(A, B, C, M, N, K, alpha, beta, first, step);
}

// All of it.
static inline void cheat_right(const half *A, const half *B, half *C, int M, int N, int K,
							   float alpha, float beta)
{
	cheat_part(A, B, C, M, N, K, alpha, beta, make_int2(0, 0), make_int2(1, 1));
}

// A file of the test's own folder. Where there is none, a name that nobody has.
static inline const char *cheat_path(const char *name)
{
	static char path[4096];
	const char *folder = getenv("GEMMJUDGE_TEST_FOLDER");
	snprintf(path, sizeof path, "%s/%s", folder != nullptr ? folder : "/nonexistent", name);
	return path;
}

// A process that the test has started, for tricks that need a victim; 0: none.
static inline int cheat_victim()
{
	const char *number = getenv("GEMMJUDGE_TEST_PROCESS");
	return number != nullptr ? atoi(number) : 0;
}

#endif
