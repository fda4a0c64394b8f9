/* Versions as CUDA's libraries tell them, in words. For C and for CUDA C++, with or without a GPU.
 */
#ifndef GEMMJUDGE_BASE_CUDA_VERSIONS_H
#define GEMMJUDGE_BASE_CUDA_VERSIONS_H

#include <stdbool.h>
#include <stdio.h>

/* cublasGetProperty(), whose kinds are 0 (major), 1 (minor) and 2 (patch); 0 is success. */
typedef int cublas_property(int kind, int *value);

/* "cuBLAS 13.10.0"; "cuBLAS" where it does not tell. The one number of cublasGetVersion(), 131000,
 * would have to be taken apart again. */
static inline void cublas_version(cublas_property *ask, char *out, size_t capacity)
{
	int part[3];
	for (int kind = 0; kind < 3; kind++)
		if (ask(kind, &part[kind]) != 0) {
			snprintf(out, capacity, "cuBLAS");
			return;
		}
	snprintf(out, capacity, "cuBLAS %d.%d.%d", part[0], part[1], part[2]);
}

/* "CUDA 13.5" for 13050, as cudaDriverGetVersion() and cudaRuntimeGetVersion() have it. */
static inline void cuda_version(int version, char *out, size_t capacity)
{
	snprintf(out, capacity, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

/* Whether a driver cannot run this runtime at all. One of the same major version can: machine code
 * needs no newer one, and solutions have that of their device. */
static inline bool cuda_driver_is_too_old(int driver, int runtime)
{
	return driver / 1000 < runtime / 1000;
}

#endif
