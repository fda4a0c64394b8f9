/* cuBLAS as it is: one call of cublasGemmEx, int8_t to int32_t, then one kernel that makes int8_t
 * of the sums. */
#include "../cublas.cuh"
#include "requantise.cuh"

extern "C" void solve(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K,
					  float scale_A, float scale_B, float scale_C, int zero_point_A,
					  int zero_point_B, int zero_point_C)
{
	int n = padded_size(N), k = padded_size(K);
	int *sums = padded_memory<2, int>((size_t)M * n);
	baseline_cublas(padded<0>(A, M, K, M, k), padded<4>(B, K, N, k, n), sums, M, n, k, 1.0f, 0.0f);

	int8_t *turned = zero_point_A != 0 ? transposed_b(B, K, N, n, k) : NULL;
	requantise_start(
		sums, n, C, M, N,
		quantisation_make(scale_A, scale_B, scale_C, zero_point_A, zero_point_B, zero_point_C),
		zero_points_make(A, turned, M, N, K, k, zero_point_A, zero_point_B));
}
