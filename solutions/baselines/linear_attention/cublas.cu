/* cuBLAS as it is: f(Q) and f(K) by a kernel, then f(K)^T V and its product with f(Q) by
 * cublasGemmEx, f32 accumulation, both divisors by cublasSgemv, and a kernel that divides. */
#include "../cublas.cuh"
#include "../padded.cuh"

constexpr int LINEAR_THREADS = 256;

static __device__ float feature(float x)
{
	return x > 0.0f ? x + 1.0f : expf(x);
}

/* Features of both matrices, and a one for each row. */
struct linear_memory {
	float *query, *key, *ones, *mixed, *total, *divisor;
};

static __global__ void linear_features(const float *Q, const float *K, linear_memory to, int M,
									   int d)
{
	size_t i = (size_t)blockIdx.x * LINEAR_THREADS + threadIdx.x;
	if (i < (size_t)M * d) {
		to.query[i] = feature(Q[i]);
		to.key[i] = feature(K[i]);
	}
	if (i < (size_t)M)
		to.ones[i] = 1.0f;
}

static __global__ void linear_divide(float *output, const float *divisor, int M, int d)
{
	size_t i = (size_t)blockIdx.x * LINEAR_THREADS + threadIdx.x;
	if (i < (size_t)M * d)
		output[i] /= divisor[i / d];
}

extern "C" void solve(const float *Q, const float *K, const float *V, float *output, int M, int d)
{
	const float one = 1.0f, zero = 0.0f;
	size_t all = (size_t)M * d;
	linear_memory at = {padded_memory<0, float>(all), padded_memory<1, float>(all),
						padded_memory<2, float>(M),   padded_memory<3, float>((size_t)d * d),
						padded_memory<4, float>(d),   padded_memory<5, float>(M)};
	unsigned blocks = (unsigned)((all + LINEAR_THREADS - 1) / LINEAR_THREADS);
	linear_features<<<blocks, LINEAR_THREADS>>>(Q, K, at, M, d);
	/* Of row-major matrices the library sees the transposes: V^T and f(K)^T. */
	cublas_check_product(cublasGemmEx(cublas_handle(), CUBLAS_OP_N, CUBLAS_OP_T, d, d, M, &one, V,
									  CUDA_R_32F, d, at.key, CUDA_R_32F, d, &zero, at.mixed,
									  CUDA_R_32F, d, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
						 "cublasGemmEx", at.mixed, sizeof(float) * d * d);
	cublas_check(cublasSgemv(cublas_handle(), CUBLAS_OP_N, d, M, &one, at.key, d, at.ones, 1, &zero,
							 at.total, 1),
				 "cublasSgemv");
	cublas_check(cublasSgemv(cublas_handle(), CUBLAS_OP_T, d, M, &one, at.query, d, at.total, 1,
							 &zero, at.divisor, 1),
				 "cublasSgemv");
	baseline_cublas(at.query, at.mixed, output, M, d, d, 1.0f, 0.0f);
	linear_divide<<<blocks, LINEAR_THREADS>>>(output, at.divisor, M, d);
}
