/* What the two library baselines share. Baselines are the only solutions that
 * may call a library; they measure what a hand-written kernel is up against.
 *
 * The libraries are column-major. A row-major m x n matrix read as column-major
 * is its transpose, n x m, so C = A * B is asked for as C^T = B^T * A^T: B comes
 * first, sizes are (n, m, k), nothing is copied. Only a B that lies transposed in memory
 * is transposed by the library. */
#ifndef GEMMJUDGE_BASELINE_CUH
#define GEMMJUDGE_BASELINE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <library_types.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

template <class Element> struct baseline_type;
template <> struct baseline_type<half> {
	static constexpr cudaDataType_t value = CUDA_R_16F;
};
template <> struct baseline_type<__nv_bfloat16> {
	static constexpr cudaDataType_t value = CUDA_R_16BF;
};
template <> struct baseline_type<float> {
	static constexpr cudaDataType_t value = CUDA_R_32F;
};
template <> struct baseline_type<__nv_fp8_e4m3> {
	static constexpr cudaDataType_t value = CUDA_R_8F_E4M3;
};
template <> struct baseline_type<int8_t> {
	static constexpr cudaDataType_t value = CUDA_R_8I;
};
template <> struct baseline_type<int32_t> {
	static constexpr cudaDataType_t value = CUDA_R_32I;
};

/* How B lies in memory, row-major: k x n, or its transpose, n x k. */
enum baseline_layout { BASELINE_B_PLAIN, BASELINE_B_TRANSPOSED };

/* solve() has no way to return an error, and a baseline that quietly did
 * nothing would be judged as fast. Ending the process gets a verdict. */
[[noreturn]] static inline void baseline_fail(const char *what, const char *why)
{
	fprintf(stderr, "baseline: %s: %s\n", what, why);
	abort();
}

static inline void baseline_check(cudaError_t status, const char *what)
{
	if (status != cudaSuccess)
		baseline_fail(what, cudaGetErrorString(status));
}

#define BASELINE_CUDA(call) baseline_check(call, #call)

#endif
