/* links: base */
/* How versions of CUDA and cuBLAS are told. */
#include <criterion/criterion.h>

#include "base/cuda_versions.h"

static int cublas_of_13_0(int kind, int *value)
{
	static const int parts[] = {13, 1, 0};
	*value = parts[kind];
	return 0;
}

static int cublas_of_13_5(int kind, int *value)
{
	static const int parts[] = {13, 10, 0};
	*value = parts[kind];
	return 0;
}

static int refuses(int kind, int *value)
{
	*value = kind;
	return 7;
}

Test(cuda_versions, of_cublas)
{
	char text[64];
	cublas_version(cublas_of_13_0, text, sizeof text);
	cr_expect_str_eq(text, "cuBLAS 13.1.0");
	cublas_version(cublas_of_13_5, text, sizeof text);
	cr_expect_str_eq(text, "cuBLAS 13.10.0");
	cublas_version(refuses, text, sizeof text);
	cr_expect_str_eq(text, "cuBLAS");
}

Test(cuda_versions, of_cuda)
{
	char text[32];
	cuda_version(13000, text, sizeof text);
	cr_expect_str_eq(text, "CUDA 13.0");
	cuda_version(13050, text, sizeof text);
	cr_expect_str_eq(text, "CUDA 13.5");
	cuda_version(13100, text, sizeof text);
	cr_expect_str_eq(text, "CUDA 13.10");
}

Test(cuda_versions, a_driver_runs_what_its_major_version_has)
{
	cr_expect(cuda_driver_is_too_old(12090, 13000));
	cr_expect_not(cuda_driver_is_too_old(13000, 13050));
	cr_expect_not(cuda_driver_is_too_old(14000, 13050));
}
