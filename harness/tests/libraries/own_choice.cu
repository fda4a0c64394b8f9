/* Partial sums of its split are rounded to half, but in the accurate mode. It tells nothing of its
 * algorithm. */
#include "library.cuh"

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	product_start(A, B, C, M, N, K, alpha, beta, {4, 0, library_mode == 0});
}
