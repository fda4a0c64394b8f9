/* cuBLAS, and the algorithms that cuBLASLt suggests, for products of row-major matrices.
 * WITHOUT_LIBRARIES: there are none. */
#ifndef COST_MODEL_LIBRARY_CUH
#define COST_MODEL_LIBRARY_CUH

#include <stdio.h>
#include <stdlib.h>

#include "hopper/hopper_gemm.h"

/* A program that measures cannot go on where a call fails. */
#define CHECK(call)                                                                                \
	do {                                                                                           \
		int failed = (int)(call);                                                                  \
		if (failed != 0) {                                                                         \
			fprintf(stderr, "%s:%d: %s fails with %d\n", __FILE__, __LINE__, #call, failed);       \
			exit(1);                                                                               \
		}                                                                                          \
	} while (0)

#ifdef WITHOUT_LIBRARIES
struct library {
	explicit library(cudaStream_t)
	{
	}
};

struct library_calls {
	int count = 0;
	library_calls(library &, const hopper_gemm &)
	{
	}
	bool call(int, const hopper_gemm &)
	{
		return false;
	}
};
#else
#include <cublasLt.h>
#include <cublas_v2.h>

struct library {
	static constexpr size_t WORKSPACE = 64 << 20;
	cublasHandle_t blas = NULL;
	cublasLtHandle_t lt = NULL;
	cudaStream_t stream;
	void *workspace = NULL;

	/* Not `wanted`: as if there were none. */
	library(cudaStream_t on, bool wanted) : stream(on)
	{
		if (!wanted)
			return;
		CHECK(cudaMalloc(&workspace, WORKSPACE));
		CHECK(cublasCreate(&blas));
		CHECK(cublasSetStream(blas, stream));
		CHECK(cublasSetWorkspace(blas, workspace, WORKSPACE));
		CHECK(cublasLtCreate(&lt));
	}
	~library()
	{
		if (lt == NULL)
			return;
		cublasLtDestroy(lt);
		cublasDestroy(blas);
		cudaFree(workspace);
	}
};

/* The calls for a product, by number: cuBLAS's own choice, then cuBLASLt's suggestions. The
 * libraries' matrices are column-major: they are to compute C's transpose. */
class library_calls
{
	static constexpr int SUGGESTIONS = 8;
	library &with;
	cublasOperation_t b_operation, a_operation = CUBLAS_OP_N;
	cublasLtMatmulDesc_t product = NULL;
	cublasLtMatrixLayout_t a, b, c;
	cublasLtMatmulHeuristicResult_t suggested[SUGGESTIONS];

	void suggest(void)
	{
		cublasLtMatmulPreference_t preference;
		int found = 0;
		CHECK(cublasLtMatmulPreferenceCreate(&preference));
		CHECK(cublasLtMatmulPreferenceSetAttribute(preference,
												   CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
												   &library::WORKSPACE, sizeof library::WORKSPACE));
		if (cublasLtMatmulAlgoGetHeuristic(with.lt, product, b, a, c, c, preference, SUGGESTIONS,
										   suggested, &found) != CUBLAS_STATUS_SUCCESS)
			found = 0; // as for a misaligned product, which it cannot do
		cublasLtMatmulPreferenceDestroy(preference);
		count = 1 + found;
	}

  public:
	int count = 0;

	library_calls(library &from, const hopper_gemm &p) : with(from)
	{
		if (with.lt == NULL)
			return;
		b_operation = p.b_is_k_major ? CUBLAS_OP_T : CUBLAS_OP_N;
		CHECK(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
		CHECK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &b_operation,
											 sizeof b_operation));
		CHECK(cublasLtMatrixLayoutCreate(&b, CUDA_R_16F, p.b_is_k_major ? p.k : p.n,
										 p.b_is_k_major ? p.n : p.k, p.ldb));
		CHECK(cublasLtMatrixLayoutCreate(&a, CUDA_R_16F, p.k, p.m, p.lda));
		CHECK(cublasLtMatrixLayoutCreate(&c, CUDA_R_16F, p.n, p.m, p.ldc));
		suggest();
	}
	~library_calls()
	{
		if (product == NULL)
			return;
		for (cublasLtMatrixLayout_t layout : {a, b, c})
			cublasLtMatrixLayoutDestroy(layout);
		cublasLtMatmulDescDestroy(product);
	}
	library_calls(const library_calls &) = delete;

	/* Whether that worked. */
	bool call(int number, const hopper_gemm &p)
	{
		if (number == 0)
			return cublasGemmEx(with.blas, b_operation, a_operation, p.n, p.m, p.k, &p.alpha, p.b,
								CUDA_R_16F, p.ldb, p.a, CUDA_R_16F, p.lda, &p.beta, p.c, CUDA_R_16F,
								p.ldc, CUBLAS_COMPUTE_32F,
								CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS;
		return cublasLtMatmul(with.lt, product, &p.alpha, p.b, b, p.a, a, &p.beta, p.c, c, p.c, c,
							  &suggested[number - 1].algo, with.workspace, library::WORKSPACE,
							  with.stream) == CUBLAS_STATUS_SUCCESS;
	}
};
#endif

#endif
