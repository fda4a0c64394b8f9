/* A kernel that makes W in half, which rounds it, then cuBLAS, then one kernel that applies the
 * epilogue to y. */
#include "../epilogue_kernel.cuh"
#include "cublas.cuh"

extern "C" void solve(const half *x, const uint8_t *w_q, const half *scales, half *y, int M, int N,
					  int K, int group_size)
{
	kernel_after([=](half *out, float a,
					 float b) { w4_cublas(x, w_q, scales, out, M, N, K, group_size, a, b); },
				 y, M, N, 1.0f, 0.0f);
}
