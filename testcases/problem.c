#include "testcases/problem.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCALARS_ARGUMENTS                                                                          \
	"A is M x K, B is K x N, C is M x N, row-major and dense, in device memory; "                  \
	"C = alpha*A*B + beta*C, accumulated in f32"

static const struct problem problems[] = {
	{
		.name = "gemm-f16",
		.folder = "gemm_f16",
		.summary = "LeetGPU's General Matrix Multiplication (GEMM): half in and out",
		.solve =
			"extern \"C\" void solve(const half *A, const half *B, half *C, int M, int N, int K, "
			"float alpha, float beta)",
		.arguments = SCALARS_ARGUMENTS,
		.include = "cuda_fp16.h",
		.element = "half",
		.dtype = DTYPE_F16,
		.call = CALL_SIZES_SCALARS,
		.operands = "ABC",
		.size_order = "MNK",
		.leetgpu_atol = 0.05,
		.leetgpu_rtol = 0.05,
		.large = {1024, 1024, 1024},
		.large_alpha = 1,
		.large_beta = 1,
		.min_dim = 16,
		.max_dim = 4096,
	},
	{
		.name = "gemm-bf16",
		.folder = "gemm_bf16",
		.summary = "the same GEMM in bfloat16",
		.solve = "extern \"C\" void solve(const __nv_bfloat16 *A, const __nv_bfloat16 *B, "
				 "__nv_bfloat16 *C, int M, int N, int K, float alpha, float beta)",
		.arguments = SCALARS_ARGUMENTS,
		.include = "cuda_bf16.h",
		.element = "__nv_bfloat16",
		.dtype = DTYPE_BF16,
		.call = CALL_SIZES_SCALARS,
		.operands = "ABC",
		.size_order = "MNK",
		.leetgpu_atol = 0.05,
		.leetgpu_rtol = 0.05,
		.large = {1024, 1024, 1024},
		.large_alpha = 1,
		.large_beta = 1,
		.min_dim = 16,
		.max_dim = 4096,
	},
	{
		.name = "sgemm",
		.folder = "sgemm",
		.summary = "the same GEMM in float",
		.solve = "extern \"C\" void solve(const float *A, const float *B, float *C, int M, int N, "
				 "int K, float alpha, float beta)",
		.arguments = SCALARS_ARGUMENTS,
		.include = "",
		.element = "float",
		.dtype = DTYPE_F32,
		.call = CALL_SIZES_SCALARS,
		.operands = "ABC",
		.size_order = "MNK",
		.leetgpu_atol = 1e-4,
		.leetgpu_rtol = 1e-4,
		.large = {4096, 4096, 4096},
		.large_alpha = 1,
		.large_beta = 0,
		.min_dim = 16,
		.max_dim = 4096,
	},
	{
		.name = "matmul-f32",
		.folder = "matmul_f32",
		.summary = "LeetGPU's Matrix Multiplication: float, no alpha or beta, its own M, N, K",
		.solve = "extern \"C\" void solve(const float *A, const float *B, float *C, int M, int N, "
				 "int K)",
		.arguments = "A is M x N, B is N x K, C is M x K (N is the summed size, K the width of the "
					 "result), row-major and dense, in device memory; C = A*B",
		.include = "",
		.element = "float",
		.dtype = DTYPE_F32,
		.call = CALL_SIZES,
		.operands = "ABC",
		.size_order = "MKN",
		.leetgpu_atol = 1e-4,
		.leetgpu_rtol = 1e-4,
		.large = {8192, 4096, 6144},
		.large_alpha = 1,
		.large_beta = 0,
		.min_dim = 1,
		.max_dim = 4096,
	},
	{
		.name = "gemv-f32",
		.folder = "gemv",
		.summary = "a matrix times a vector, in float",
		.solve = "extern \"C\" void solve(const float *A, const float *x, float *y, int M, int N)",
		.arguments = "A is M x N, row-major and dense, x has N and y M elements, all in device "
					 "memory; y = A*x",
		.include = "",
		.element = "float",
		.dtype = DTYPE_F32,
		.metric = METRIC_BYTES,
		.call = CALL_MATRIX_VECTOR,
		.operands = "Axy",
		.size_order = "MK",
		.leetgpu_atol = 1e-4,
		.leetgpu_rtol = 1e-4,
		.large = {16384, 1, 16384},
		.large_alpha = 1,
		.large_beta = 0,
		.min_dim = 16,
		.max_dim = 16384,
		.common_dim = 4096,
	},
	{
		.name = "minplus-f32",
		.folder = "minplus",
		.summary = "the product of shortest paths: min in place of the sum, + of the product",
		.solve = "extern \"C\" void solve(const float *A, const float *B, float *C, int M, int N, "
				 "int K)",
		.arguments = "A is M x K, B is K x N, C is M x N, row-major and dense, in device memory; "
					 "C[i][j] = the least A[i][k] + B[k][j] over all k, bit for bit",
		.include = "",
		.element = "float",
		.dtype = DTYPE_F32,
		.algebra = ALGEBRA_MIN_PLUS,
		.call = CALL_SIZES,
		.operands = "ABC",
		.size_order = "MNK",
		.large = {4096, 4096, 4096},
		.large_alpha = 1,
		.large_beta = 0,
		.min_dim = 16,
		.max_dim = 4096,
	},
};

const struct problem *problem_table(size_t *count)
{
	*count = sizeof problems / sizeof problems[0];
	return problems;
}

const struct problem *problem_find(const char *name)
{
	for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
		if (strcmp(problems[i].name, name) == 0)
			return &problems[i];
	return NULL;
}

static const struct problem *find_folder(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
		if (strlen(problems[i].folder) == length && memcmp(problems[i].folder, name, length) == 0)
			return &problems[i];
	return NULL;
}

/* The last folder of `path` (its last component left out) that names a problem. */
static const struct problem *find_in_text(const char *path)
{
	const char *end = strrchr(path, '/');
	while (end != NULL && end > path) {
		const char *start = end;
		while (start > path && start[-1] != '/')
			start--;
		const struct problem *found = find_folder(start, (size_t)(end - start));
		if (found != NULL)
			return found;
		end = start > path ? start - 1 : NULL;
	}
	return NULL;
}

const struct problem *problem_of_path(const char *path)
{
	const struct problem *found = find_in_text(path);
	if (found != NULL)
		return found;

	/* "01_naive.cu", typed inside the folder: only the absolute path says it. */
	char *absolute = realpath(path, NULL);
	if (absolute != NULL)
		found = find_in_text(absolute);
	free(absolute);
	return found;
}

bool problem_has_scalars(const struct problem *problem)
{
	return problem->call == CALL_SIZES_SCALARS;
}

bool problem_has_vectors(const struct problem *problem)
{
	return problem->call == CALL_MATRIX_VECTOR;
}

size_t dtype_size(enum dtype type)
{
	return type == DTYPE_F32 ? 4 : 2;
}

const char *dtype_name(enum dtype type)
{
	switch (type) {
	case DTYPE_F16: return "f16";
	case DTYPE_BF16: return "bf16";
	case DTYPE_F32: return "f32";
	}
	return "unknown";
}

const char *algebra_name(enum algebra algebra)
{
	return algebra == ALGEBRA_MIN_PLUS ? "min-plus" : "plus-times";
}

double dtype_unit_roundoff(enum dtype type)
{
	switch (type) {
	case DTYPE_F16: return 0x1p-11;
	case DTYPE_BF16: return 0x1p-8;
	case DTYPE_F32: return 0x1p-24;
	}
	return NAN;
}

double dtype_smallest(enum dtype type)
{
	switch (type) {
	case DTYPE_F16: return 0x1p-24;
	case DTYPE_BF16: return 0x1p-133;
	case DTYPE_F32: return 0x1p-149;
	}
	return NAN;
}

double dtype_largest(enum dtype type)
{
	switch (type) {
	case DTYPE_F16: return 65504.0;
	case DTYPE_BF16: return 0x1.fep127;
	case DTYPE_F32: return 0x1.fffffep127;
	}
	return NAN;
}
