/* What the referee holds on a GPU, for the parts of referee_cuda.cu: memory and errors. */
#ifndef GEMMJUDGE_DEVICE_REFEREE_CUDA_STATE_CUH
#define GEMMJUDGE_DEVICE_REFEREE_CUDA_STATE_CUH

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stdarg.h>
#include <stdio.h>

#include "device/digest_cuda.cuh"
#include "device/sealed_sets.cuh"
#include "device/values_cuda.cuh"

namespace
{

constexpr int threads = 256;

/* A buffer that only grows; its contents do not survive growing. */
struct buffer {
	void *at;
	uint64_t bytes;
};

struct cuda_state {
	cublasHandle_t cublas;
	uint8_t *base; /* of the case's buffers: the arena or the sealed sets */
	buffer arena, replaced;
	sealed_sets sealed;
	digest_cuda::workspace digests;
	buffer rows;                                                          /* device */
	buffer a_f32, b_f32, a_f64, b_f64, product, magnitude, squares, rest; /* device */
	buffer host_product, host_magnitude, host_squares, host_rest;         /* pinned */
	buffer sweep;                                                         /* device */
	uint64_t l2_bytes;
	unsigned long long *changed; /* device */
};

/* Each is true where the call was good, else false and the error. */
__attribute__((format(printf, 2, 3))) bool fail(struct error *err, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(err->message, sizeof err->message, format, args);
	va_end(args);
	return false;
}

bool good(cudaError_t status, const char *what, struct error *err)
{
	if (status == cudaSuccess)
		return true;
	return fail(err, "%s: %s (%s)", what, cudaGetErrorString(status), cudaGetErrorName(status));
}

bool good(cublasStatus_t status, const char *what, struct error *err)
{
	if (status == CUBLAS_STATUS_SUCCESS)
		return true;
	return fail(err, "%s: %s", what, cublasGetStatusString(status));
}

unsigned grid_of(uint64_t elements)
{
	uint64_t blocks = (elements + VALUES_BLOCK - 1) / VALUES_BLOCK;
	uint64_t grid = (blocks + threads - 1) / threads;
	return static_cast<unsigned>(grid < 1 ? 1 : grid > 65536 ? 65536 : grid);
}

/* After a launch: did it start, and did it end well? */
bool finish(const char *what, struct error *err)
{
	return good(cudaGetLastError(), what, err) && good(cudaDeviceSynchronize(), what, err);
}

void drop(buffer *memory)
{
	if (memory->at != nullptr)
		cudaFree(memory->at);
	*memory = {};
}

uint64_t next_power(uint64_t bytes)
{
	uint64_t power = 1u << 20;
	while (power < bytes)
		power *= 2;
	return power;
}

/* At least so many bytes, of the device or pinned; what was in there is lost. */
bool grow(buffer *memory, uint64_t bytes, struct error *err)
{
	if (bytes <= memory->bytes)
		return true;
	drop(memory);
	uint64_t rounded = next_power(bytes);
	cudaError_t status = cudaMalloc(&memory->at, rounded);
	if (status != cudaSuccess) {
		memory->at = nullptr;
		return good(status, "device memory for the reference", err);
	}
	memory->bytes = rounded;
	return true;
}

bool grow_host(buffer *memory, uint64_t bytes, struct error *err)
{
	if (bytes <= memory->bytes)
		return true;
	cudaFreeHost(memory->at);
	*memory = {};
	uint64_t rounded = next_power(bytes);
	cudaError_t status = cudaMallocHost(&memory->at, rounded);
	if (status != cudaSuccess) {
		memory->at = nullptr;
		return good(status, "host memory for the reference", err);
	}
	memory->bytes = rounded;
	return true;
}

} // namespace

#endif
