/* Why a call failed, and what to do about it: kept for a program that asks after its own code is
 * done (cudaEmulatedFailure), as most code does not look at what calls return. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emulator/runtime/runtime.h"

#define WHY_BYTES 512
#define ADVICE_BYTES 256

static _Thread_local struct {
	char why[WHY_BYTES], advice[ADVICE_BYTES];
	bool said; /* on stderr, in a line that names the call */
} running;     /* the call that runs */

/* The first of a row is the cause of those behind it: a cudaMemset of what no cudaMalloc gave. */
static _Thread_local struct {
	cudaError_t code;
	char text[WHY_BYTES + 96], advice[ADVICE_BYTES];
} first;

/* Under the lock: of the kernel that failed; what may be wrong with one that did not. */
static const char *fault_advice = "";
static char suspect[2 * ADVICE_BYTES];

static void keep(const char *advice, const char *format, va_list arguments)
{
	vsnprintf(running.why, sizeof running.why, format, arguments);
	snprintf(running.advice, sizeof running.advice, "%s", advice != NULL ? advice : "");
}

void refusal_reason(const char *advice, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	keep(advice, format, arguments);
	va_end(arguments);
}

void refusal_say(const char *advice, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	keep(advice, format, arguments);
	va_end(arguments);
	running.said = true;
	runtime_say("%s", running.why);
}

void refusal_note(const char *call, cudaError_t status)
{
	if (status != cudaSuccess && first.code == cudaSuccess) {
		first.code = status;
		snprintf(first.text, sizeof first.text, "%s%s%s", running.said ? "" : call,
				 running.said ? "" : ": ", running.why[0] ? running.why : cudaGetErrorName(status));
		memcpy(first.advice, running.advice, sizeof first.advice);
	}
	running.why[0] = running.advice[0] = '\0';
	running.said = false;
}

void refusal_forget(void)
{
	first.code = cudaSuccess;
	first.text[0] = first.advice[0] = '\0';
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* An address that is no multiple of what the instruction needs. */
static const char *advice_alignment(const char *instruction)
{
	if (begins(instruction, "wmma."))
		return "wmma loads and stores whole tiles, whose address is a multiple of 32 bytes and "
			   "whose "
			   "rows begin 16 bytes apart or a multiple of that: where sizes are no multiples of "
			   "16, "
			   "bring a tile through shared memory, with zeroes beyond the matrix";
	return "a vector access needs an address that is a multiple of its size: take it "
		   "only where row starts and leading dimensions are, else narrower ones";
}

/* Memory that nothing wrote. */
static const char *advice_unwritten(const char *instruction)
{
	if (begins(instruction, "atom.") || begins(instruction, "red."))
		return "atomics add to what is there, and cudaMalloc leaves anything there: set it to 0 "
			   "first (cudaMemset, or cudaMemsetAsync in the kernel's stream), in each call";
	return "write it before it is read: zeroes where a tile reaches past the matrix, "
		   "and a barrier between the writer and the reader";
}

/* Faults whose text says what is wrong, and not what to do. */
void refusal_fault(const struct fault *fault)
{
	if (fault->advice != NULL) {
		fault_advice = fault->advice;
		return;
	}
	switch (fault->kind) {
	case FAULT_ALIGNMENT: fault_advice = advice_alignment(fault->instruction); break;
	case FAULT_UNINITIALISED: fault_advice = advice_unwritten(fault->instruction); break;
	case FAULT_BARRIER:
		fault_advice = "let all threads of the block reach the same barrier: no return, break or "
					   "if around it that not all of them take";
		break;
	case FAULT_RACE:
		fault_advice = "put a __syncthreads() between the write and the read, where all threads "
					   "of the block reach it, and one before the next write of the same shared "
					   "memory";
		break;
	default: fault_advice = ""; break;
	}
}

void refusal_suspect(const char *advice)
{
	if (!suspect[0])
		snprintf(suspect, sizeof suspect, "%s", advice);
}

/* Not CUDA's: the calling thread's first call that failed since cudaGetLastError() was called last
 * ("cudaMalloc: 8 bytes; ..."), and what to do about it, or about the kernel that failed; where
 * none failed, what may be wrong with those that ran since this was asked last. Each text has room
 * for `size` bytes; "" where there is nothing to say. */
EXPORT cudaError_t cudaEmulatedFailure(char *text, char *advice, size_t size)
{
	const bool faulted = runtime.fault != cudaSuccess;
	snprintf(text, size, "%s", first.text);
	snprintf(advice, size, "%s",
			 faulted                ? fault_advice
			 : first.advice[0] != 0 ? first.advice
									: suspect);
	suspect[0] = '\0';
	return first.code;
}
