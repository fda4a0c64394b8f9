/* cuBLAS as it is: one call of cublasSdot, which stores its result in device memory. */
#include "../cublas.cuh"

extern "C" void solve(const float *A, const float *B, float *result, int N)
{
	cublasHandle_t handle = cublas_handle();
	cublas_check(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
	cublas_check(cublasSdot(handle, N, A, 1, B, 1, result), "cublasSdot");
}
