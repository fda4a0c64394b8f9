/* cuBLAS as it is, which takes A as dense: one call of cublasSgemv. Its matrix is column-major, so
 * it sees A transposed (N x M) and is asked for the product with the transpose. */
#include "../cublas.cuh"

extern "C" void solve(const float *A, const float *x, float *y, int M, int N, int)
{
	const float one = 1.0f, zero = 0.0f;
	cublas_check(cublasSgemv(cublas_handle(), CUBLAS_OP_T, N, M, &one, A, N, x, 1, &zero, y, 1),
				 "cublasSgemv");
}
