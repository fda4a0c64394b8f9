/* Algorithm 1 of 3 ends the process. */
#include <stdlib.h>

#include "library.cuh"

extern "C" int library_algorithms(void)
{
	return 3;
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	if (library_algorithm == 1)
		abort();
	product_start(A, B, C, M, N, K, alpha, beta, {1, 0, false});
}
