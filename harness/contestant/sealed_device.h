/* What sealed calls need of an NVIDIA GPU: libexec/sealed_cuda.so exports it as
 * "sealed_device_cuda". Loaded before the process is closed. */
#ifndef GEMMJUDGE_CONTESTANT_SEALED_DEVICE_H
#define GEMMJUDGE_CONTESTANT_SEALED_DEVICE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SEALED_DEVICE_VERSION 1

struct sealed_device {
	int version;
	/* Everything that would be loaded late is loaded here. */
	cudaError_t (*open)(void);
	/* Groups of so many bytes will come, with outputs of at most so many. */
	cudaError_t (*prepare)(uint64_t group_bytes, uint64_t output_bytes);
	/* The memory behind the descriptor, where it can be worked on until conceal(). */
	cudaError_t (*release_inputs)(int fd, void **base);
	cudaError_t (*conceal)(void);
	/* Of device memory, when all that was started before on the default stream is done. */
	cudaError_t (*digest)(const void *from, uint64_t bytes, struct digest *out);
};

const struct sealed_device *sealed_device_cuda(void);

#ifdef __cplusplus
}
#endif

#endif
