/* The CUDA runtime as functions found at run time, so that which libcudart.so.13
 * is behind them is decided when the contestant starts: NVIDIA's, the emulated
 * GPU's, or anybody's who implements the same interface. */
#ifndef GEMMJUDGE_CONTESTANT_CUDART_H
#define GEMMJUDGE_CONTESTANT_CUDART_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/paths.h"

#define CUDART_FILE "libcudart.so.13"
#define DRIVER_FILE "libcuda.so.1"

struct cudart {
	char path[PATHS_MAX]; /* of the loaded library */
	cudaError_t (*set_device)(int);
	cudaError_t (*malloc)(void **, size_t);
	cudaError_t (*free)(void *);
	cudaError_t (*memcpy)(void *, const void *, size_t, enum cudaMemcpyKind);
	cudaError_t (*device_synchronize)(void);
	cudaError_t (*get_last_error)(void);
	const char *(*get_error_name)(cudaError_t);
	const char *(*get_error_string)(cudaError_t);
	/* Only a real GPU needs these; NULL where the library has none of them. */
	cudaError_t (*ipc_open)(void **, cudaIpcMemHandle_t, unsigned);
	cudaError_t (*ipc_close)(void *);
	cudaError_t (*event_create)(cudaEvent_t *);
	cudaError_t (*event_record)(cudaEvent_t, cudaStream_t);
	cudaError_t (*event_synchronize)(cudaEvent_t);
	cudaError_t (*event_elapsed)(float *, cudaEvent_t, cudaEvent_t);
	cudaError_t (*event_destroy)(cudaEvent_t);
	/* The emulated GPU's own (emulator/DESIGN.md): what it calls an allocation in messages, and
	 * which call failed, and what to do. */
	cudaError_t (*emulated_name)(const void *, const char *);
	cudaError_t (*emulated_failure)(char *, char *, size_t);
	cudaError_t (*emulated_memory)(size_t *peak, size_t *now);
	cudaError_t (*emulated_order)(uint64_t);
	cudaError_t (*emulated_lock)(uint64_t out[4]);
	cudaError_t (*emulated_counters)(char *at, size_t size); /* in place of a file */
	cudaError_t (*emulated_steps)(uint64_t steps);           /* of each launch; 0: its own limit */
	/* For handlers of signals: what lies at an address; that kernels that run are to say where. */
	cudaError_t (*emulated_where)(const void *, char *, size_t);
	cudaError_t (*emulated_where_now)(void);
	cudaError_t (*mem_get_info)(size_t *, size_t *);
};

/* Loads FOLDER/libcudart.so.13 or, where folder is NULL, the one of this machine.
 * Its symbols become global: the solution that is loaded next finds it under the
 * same soname. */
bool cudart_load(struct cudart *out, const char *folder, struct error *err);

#endif
