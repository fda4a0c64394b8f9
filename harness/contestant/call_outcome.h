/* How a call of the solution went, in the words of a reply. */
#ifndef GEMMJUDGE_CONTESTANT_CALL_OUTCOME_H
#define GEMMJUDGE_CONTESTANT_CALL_OUTCOME_H

#include <stddef.h>

#include "contestant/cudart.h"
#include "process/protocol.h"

struct call_outcome {
	enum run_status status;
	enum run_status left; /* by a call that is RUN_OK: what `code` would mean */
	cudaError_t code;
	char text[512];
};

struct call_outcome call_outcome_of_code(const struct cudart *cudart, cudaError_t code);

/* Of a call that ended with this code, and left another one behind. A refused cudaFuncSetAttribute
 * that nobody asked about is no fault: whether it did harm, the result tells. */
struct call_outcome call_outcome_of(const struct cudart *cudart, cudaError_t code,
									cudaError_t left);

/* The code's name; "" where it says success. */
void call_outcome_name(const struct cudart *cudart, cudaError_t code, char *out, size_t size);

void call_outcome_fill(const struct cudart *cudart, struct call_outcome outcome, double seconds,
					   struct contestant_reply *reply);

#endif
