/* What it chooses by itself is right; algorithm 3 stores the last 8 rows as they were. */
#include "library.cuh"

extern "C" int library_algorithms(void)
{
	return 4;
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	int rows = library_algorithm == 3 && M > 8 ? M - 8 : M;
	product_start(A, B, C, rows, N, K, alpha, beta, {1, 0, false});
}
