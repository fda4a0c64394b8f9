/* A kernel that makes W in half, which rounds it, then the fastest of cuBLASLt's suggestions: see
 * dequantise.cuh. */
#include "../cublaslt.cuh"
#include "dequantise.cuh"

extern "C" void solve(const half *x, const uint8_t *w_q, const half *scales, half *y, int M, int N,
					  int K, int group_size)
{
	const half *W = dequantised(w_q, scales, N, K, group_size);
	baseline_cublaslt(x, W, y, M, N, K, 1.0f, 0.0f, LT_NO_EPILOGUE, BASELINE_B_TRANSPOSED);
}
