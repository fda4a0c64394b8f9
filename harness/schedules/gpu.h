/* What predictions know of a GPU: one of the table (gpu/models.h), or that at hand. */
#ifndef GEMMJUDGE_SCHEDULES_GPU_H
#define GEMMJUDGE_SCHEDULES_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/suggest.h"
#include "judgement/device.h"

/* What multiplies; the numbers of the role `unit`. */
enum tune_unit { UNIT_FMA, UNIT_TENSOR_16, UNIT_TENSOR_TF32, UNIT_TENSOR_8, UNIT_COUNT };

struct tune_gpu {
	char id[16];    /* what --gpu takes: "h200"; that of the row */
	char name[128]; /* "NVIDIA H200" */
	int compute;    /* capability times ten: 90 */
	int multiprocessors;
	int fma_lanes; /* f32 lanes of a multiprocessor: "CUDA cores" */
	/* multiply-adds a clock and multiprocessor, by unit (UNIT_FMA: the lanes); 0: it has none */
	int multiply_adds[UNIT_COUNT];
	double clock_mhz; /* highest SM clock */
	double dram_bytes_per_second, l2_bytes_per_second;
	int shared_bytes_per_clock; /* of a multiprocessor */
	int64_t l2_bytes;
	int64_t shared_per_multiprocessor;
	int64_t shared_per_block; /* with the opt-in */
	int64_t shared_reserved;  /* by the system, a block */
	int registers_per_multiprocessor, registers_per_thread;
	int threads_per_block, threads_per_multiprocessor, blocks_per_multiprocessor;
};

/* What the id of no GPU may have meant, as the end of an error line (base/suggest.h), or "": one of
 * --gpu, one of the emulated GPU. Both return `out`. */
const char *gpu_suggest(char out[SUGGEST_TEXT], const char *word);
const char *gpu_suggest_emulated(char out[SUGGEST_TEXT], const char *word);

/* A row of gpu/models.h. False with err, which names them all. */
bool gpu_find(const char *id, struct tune_gpu *out, struct error *err);

/* The GPU that was opened: the row of its name, with the number of multiprocessors, L2 bytes, clock
 * and bandwidth that the device tells of itself; one that is no row (id is "") has these numbers
 * and the limits of its compute capability. An emulated one is the row that it stands for. False
 * with err where the capability is unknown. */
bool gpu_of_device(const struct device_properties *facts, enum device_kind kind,
				   struct tune_gpu *out, struct error *err);

#endif
