/* The runtime's state, its lock, and errors as CUDA has them: a last error per
 * thread, and a sticky one once a kernel has faulted. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/runtime/runtime.h"
#include "emulator/simd_level.h"

static pthread_mutex_t runtime_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local cudaError_t last_error = cudaSuccess;
static _Thread_local unsigned long long own_calls;
static _Atomic bool where_asked;              /* a kernel that runs is to say where it is */
static _Thread_local const char *driver_call; /* the driver's function that is running, or NULL */
static _Thread_local bool in_host_function;   /* of a graph: the thread has the lock */

static void lock(void)
{
	if (!in_host_function)
		pthread_mutex_lock(&runtime_lock);
}

static void unlock(void)
{
	if (!in_host_function)
		pthread_mutex_unlock(&runtime_lock);
}

void runtime_call_host(void (*function)(void *data), void *data)
{
	in_host_function = true;
	function(data);
	in_host_function = false;
}

void runtime_call_begin(const char *name)
{
	driver_call = name;
}

void runtime_call_end(void)
{
	driver_call = NULL;
}

unsigned long long runtime_own_calls(void)
{
	return own_calls;
}

const char *runtime_call_name(const char *own)
{
	return driver_call != NULL ? driver_call : own;
}

void runtime_open_memory(void)
{
	memory_guard(false);
}

void runtime_close_memory(void)
{
	memory_guard(!runtime.unguarded);
}

static void say_line(const char *line)
{
	runtime_say("%s", line);
}

/* Cores that this process may use; 0: not known. Launches do not ask again, which costs a closed
 * process more than a small kernel does. */
static int cores(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

static cudaError_t initialise(void)
{
	environment_check();
	const char *id = getenv("EMULATED_GPU");
	if (!gpu_make(id != NULL && *id ? id : GPU_DEFAULT, &runtime.made)) {
		runtime_say("EMULATED_GPU=%s is not known; use one of" GPU_EMULATED_IDS, id);
		return cudaErrorNoDevice;
	}
	runtime.gpu = &runtime.made;
	if (!memory_init(runtime.gpu->memory_bytes)) {
		runtime_say("the host refuses the address space for device memory");
		return cudaErrorMemoryAllocation;
	}
	runtime_close_memory();
	const char *check = getenv("EMULATED_GPU_CHECK");
	const uint64_t threads = environment_number("EMULATED_GPU_THREADS");
	simd_level(); /* as EMULATED_GPU_SIMD says now */
	runtime.step_budget = environment_number("EMULATED_GPU_STEPS");
	runtime.registers = environment_text("EMULATED_GPU_REGISTERS");
	runtime.counters = environment_text("EMULATED_GPU_COUNTERS");
	runtime.options = (struct machine_options){
		.threads = threads > 0 && threads <= INT_MAX ? (int)threads : cores(),
		.step_budget = runtime.step_budget,
		.check_race = check != NULL && strcmp(check, "race") == 0,
		.check_none = check != NULL && strcmp(check, "none") == 0,
		.serialised = environment_text("EMULATED_GPU_SERIALISED"),
		.swizzle = environment_swizzle(getenv("EMULATED_GPU_SWIZZLE")),
		.multiprocessors = (uint32_t)runtime.gpu->multiprocessors,
		.multiprocessor_warps = (uint32_t)runtime.gpu->threads_per_multiprocessor / 32,
		.seed = environment_number("EMULATED_GPU_SEED"),
		.order = environment_number("EMULATED_GPU_ORDER"),
		.sample = (uint32_t)environment_number("EMULATED_GPU_SAMPLE"),
		.by_line = environment_number("EMULATED_GPU_LINES") > 0,
		.where_asked = &where_asked,
		.say = say_line,
	};
	return cudaSuccess;
}

static void initialise_once(void)
{
	if (runtime.ready)
		return;
	runtime.ready = true;
	runtime.init_status = initialise();
}

void runtime_enter_early(void)
{
	lock();
	initialise_once();
}

cudaError_t runtime_enter_queueing(void)
{
	runtime_enter_early();
	if (runtime.init_status != cudaSuccess)
		return runtime.init_status;
	if (in_host_function)
		return cudaErrorNotPermitted;
	if (driver_call == NULL) {
		runtime.used = runtime.holds_primary = true;
		own_calls++;
	}
	if (runtime.fault != cudaSuccess)
		runtime.fault_surfaced = true;
	return runtime.fault;
}

cudaError_t runtime_leave_call(const char *call, cudaError_t status)
{
	refusal_note(runtime_call_name(call), runtime.fault == cudaSuccess ? status : cudaSuccess);
	if (status != cudaSuccess && driver_call == NULL)
		last_error = status;
	unlock();
	return status;
}

cudaError_t runtime_leave_quietly(cudaError_t status)
{
	unlock();
	return status;
}

static cudaError_t fault_status(enum fault_kind kind)
{
	switch (kind) {
	case FAULT_NONE: return cudaSuccess;
	case FAULT_SYNTAX: return cudaErrorInvalidPtx;
	case FAULT_UNSUPPORTED: return cudaErrorNotSupported;
	case FAULT_ADDRESS: return cudaErrorIllegalAddress;
	case FAULT_ALIGNMENT: return cudaErrorMisalignedAddress;
	case FAULT_INSTRUCTION: return cudaErrorIllegalInstruction;
	case FAULT_BUDGET: return cudaErrorLaunchTimeout;
	case FAULT_ASSERT: return cudaErrorAssert;
	case FAULT_PC: return cudaErrorInvalidPc;
	case FAULT_LAUNCH: return cudaErrorInvalidConfiguration;
	case FAULT_MEMORY: return cudaErrorMemoryAllocation;
	case FAULT_TRAP:
	case FAULT_UNINITIALISED:
	case FAULT_BARRIER:
	case FAULT_RACE:
	case FAULT_ASYNC: break;
	}
	return cudaErrorLaunchFailure;
}

void runtime_fault(const struct fault *fault)
{
	runtime_say("%s", fault->text[0] ? fault->text : "a kernel failed without saying why");
	if (runtime.fault == cudaSuccess) {
		runtime.fault = fault_status(fault->kind);
		refusal_fault(fault);
	}
	if (runtime.fault == cudaSuccess)
		runtime.fault = cudaErrorLaunchFailure;
}

/* A fault that no call has reported yet is not visible here: on a GPU the
 * kernel would still be running. */
static cudaError_t take_last_error(bool reset)
{
	lock();
	cudaError_t status = last_error;
	if (runtime.fault != cudaSuccess && runtime.fault_surfaced)
		status = runtime.fault;
	if (reset) {
		last_error = cudaSuccess;
		refusal_forget();
	}
	return runtime_leave_quietly(status);
}

EXPORT cudaError_t cudaGetLastError(void)
{
	return take_last_error(true);
}

EXPORT cudaError_t cudaPeekAtLastError(void)
{
	return take_last_error(false);
}

/* Not CUDA's: warp instructions that each launch from now on may take; 0: as at the start. */
EXPORT cudaError_t cudaEmulatedSteps(uint64_t steps)
{
	runtime_enter_early();
	runtime.options.step_budget = steps ? steps : runtime.step_budget;
	return runtime_leave_quietly(cudaSuccess);
}

/* Not CUDA's: a kernel that runs, or the next one, says where it is ("... at gemm.cu:12: still
 * runs:
 * ..."). May be called by a handler of a signal. */
EXPORT cudaError_t cudaEmulatedWhereNow(void)
{
	where_asked = true;
	return cudaSuccess;
}
