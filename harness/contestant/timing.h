/* Device time of calls of solve(). */
#ifndef GEMMJUDGE_CONTESTANT_TIMING_H
#define GEMMJUDGE_CONTESTANT_TIMING_H

#include <stdbool.h>

#include "base/error.h"
#include "contestant/cudart.h"
#include "contestant/opened.h"
#include "contestant/solution.h"
#include "process/protocol.h"

/* One call after the other, each on a set of its own, the device idle between
 * them. */
struct timing {
	const struct cudart *cudart;
	struct solution *solution;
	const struct opened *opened;
	const struct test_case *test;
	uint32_t first, warmups, calls;
	cudaError_t *left; /* the first error that a call left behind without a fault of the device */
};

/* Both fill microseconds[0..calls). *code is the CUDA error that ended it, if any.
 * False and err: this cannot be measured here, and why. */

/* Loads what TIME_SPAN needs, and records once, so that nothing is to be loaded later. */
bool timing_prepare(struct error *err);

/* TIME_EVENT: between two events around the call, on the legacy default stream. */
bool timing_event(const struct timing *timing, float *microseconds, cudaError_t *code,
				  struct error *err);

/* TIME_SPAN: from CUPTI's activity records, which exist only during this function.
 * timing_prepare() is called where nobody has done so.
 * *activities: the most kernels, copies and sets that one call made. *kernels: those of
 * the first call after the warm-ups. */
bool timing_span(const struct timing *timing, float *microseconds, uint32_t *activities,
				 struct kernel_list *kernels, cudaError_t *code, struct error *err);

/* Calls back to back, on a real device: a message of that name says which (protocol.h). */
struct streamed {
	uint64_t calls;
	double seconds; /* of the host's clock, with the wait for the last of them */
};
bool timing_stream(const struct timing *timing, const struct contestant_stream *asked,
				   struct streamed *out, cudaError_t *code, struct error *err);

/* One call on the index'th of the pass's sets, without synchronisation. Takes the error that the
 * call leaves behind. */
void timing_call(const struct timing *timing, uint32_t index);

#endif
