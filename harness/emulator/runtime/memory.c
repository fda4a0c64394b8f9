/* Allocation, and what programs may ask about pointers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/memory_pages.h"
#include "emulator/runtime/graph.h"

#define PITCH 512u

static uint64_t address_of(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

static void *pointer_to(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

/* Whether the host may touch it directly: pinned, managed, registered. */
static bool host_accessible(const struct allocation *allocation)
{
	return allocation->written == NULL;
}

static cudaError_t allocate(void **out, size_t size, const char *kind, bool host)
{
	if (out == NULL)
		return cudaErrorInvalidValue;
	*out = NULL;
	if (size == 0)
		return cudaSuccess;
	kind = runtime_call_name(kind);
	uint64_t base = host ? memory_allocate_host(size, kind) : memory_allocate(size, kind);
	*out = pointer_to(base);
	if (!base)
		refusal_reason("free what is no longer needed, or ask for less",
					   "%zu bytes, while %zu of %zu are in use, in %zu allocations", size,
					   memory_used(), memory_limit(), memory_count());
	return base ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Notes which call asked for the memory, unless that was one of our own. */
static void note_site(const void *memory, const void *return_address)
{
	static const char ours = 0;
	const char *call =
		(const char *)return_address - 1; /* a call's last byte: behind it may be another line */
	Dl_info of_call, of_us;
	if (memory == NULL || !dladdr(call, &of_call) || of_call.dli_fname == NULL ||
		!dladdr(&ours, &of_us) || of_call.dli_fbase == of_us.dli_fbase)
		return;
	const char *slash = strrchr(of_call.dli_fname, '/');
	char site[sizeof((struct allocation *)0)->site];
	snprintf(site, sizeof site, "%.24s+0x%llx", slash != NULL ? slash + 1 : of_call.dli_fname,
			 (unsigned long long)(call - (const char *)of_call.dli_fbase));
	memory_set_site(address_of(memory), site);
}

/* The functions below are what a program calls: their return address is its. */
#define CALLER __builtin_return_address(0)

/* Whether memory may be had or given back while streams are captured. `stream`: NULL where the call
 * is not one of a stream, and may wait for the device. */
static cudaError_t check_capture(const char *call, const cudaStream_t *stream)
{
	struct branch *branch = NULL;
	if (stream == NULL)
		return capture_forbids();
	cudaError_t status = capture_of(*stream, &branch);
	if (status != cudaSuccess || branch == NULL)
		return status;
	runtime_say("%s(stream-capture) is not implemented", runtime_call_name(call));
	capture_spoil(branch);
	return cudaErrorNotSupported;
}

static cudaError_t enter_allocate(void **out, size_t size, const char *kind, bool host,
								  const cudaStream_t *stream, const void *caller)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = check_capture(kind, stream);
	if (status == cudaSuccess)
		status = allocate(out, size, kind, host);
	if (status == cudaSuccess)
		note_site(*out, caller);
	return runtime_leave_call(kind, status);
}

EXPORT cudaError_t cudaMalloc(void **out, size_t size)
{
	return enter_allocate(out, size, "cudaMalloc", false, NULL, CALLER);
}

/* Not CUDA's: what messages call this allocation. The judge's contestant says what each buffer
 * is. */
EXPORT cudaError_t cudaEmulatedName(const void *pointer, const char *name)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && !memory_name(address_of(pointer), name))
		status = cudaErrorInvalidValue;
	return runtime_leave(status);
}

/* Not CUDA's: what lies at an address ("400-byte allocation (cudaMalloc)"); "": nothing that is the
 * device's alone. May be called by a handler of a signal, for which nothing else changes here. */
EXPORT cudaError_t cudaEmulatedWhere(const void *pointer, char *text, size_t size)
{
	char what[MEMORY_TEXT];
	const struct allocation *at = memory_find(address_of(pointer));
	bool own = at != NULL && !host_accessible(at);
	snprintf(text, size, "%s%s", own ? "a " : "", own ? memory_describe(at, what) : "");
	return cudaSuccess;
}

EXPORT cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream)
{
	return enter_allocate(out, size, "cudaMallocAsync", false, &stream, CALLER);
}
EXPORT_ALIAS(cudaMallocAsync, cudaMallocAsync_ptsz);

EXPORT cudaError_t cudaMallocFromPoolAsync(void **out, size_t size, cudaMemPool_t pool,
										   cudaStream_t stream)
{
	(void)pool;
	return enter_allocate(out, size, "cudaMallocFromPoolAsync", false, &stream, CALLER);
}
EXPORT_ALIAS(cudaMallocFromPoolAsync, cudaMallocFromPoolAsync_ptsz);

EXPORT cudaError_t cudaMallocHost(void **out, size_t size)
{
	return enter_allocate(out, size, "cudaMallocHost", true, NULL, CALLER);
}

EXPORT cudaError_t cudaHostAlloc(void **out, size_t size, unsigned flags)
{
	(void)flags;
	return enter_allocate(out, size, "cudaHostAlloc", true, NULL, CALLER);
}

EXPORT cudaError_t cudaMallocManaged(void **out, size_t size, unsigned flags)
{
	(void)flags;
	return enter_allocate(out, size, "cudaMallocManaged", true, NULL, CALLER);
}

EXPORT cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
	if (pitch == NULL)
		return runtime_leave((runtime_enter(), cudaErrorInvalidValue));
	*pitch = (width + PITCH - 1) / PITCH * PITCH;
	size_t size = 0;
	if (__builtin_mul_overflow(*pitch, height, &size))
		return runtime_leave((runtime_enter(), cudaErrorMemoryAllocation));
	return enter_allocate(out, size, "cudaMallocPitch", false, NULL, CALLER);
}

static void say_not_freed(uint64_t address, const char *call)
{
	bool freed;
	const struct allocation *near = memory_nearest(address, &freed);
	unsigned long long at = address;
	char what[MEMORY_TEXT];
	if (near != NULL && freed && near->base == address)
		refusal_say(NULL, "%s(0x%llx): this memory, a %s, was freed before", call, at,
					memory_describe(near, what));
	else
		refusal_say(NULL, "%s(0x%llx): not the start of a live allocation", call, at);
}

static cudaError_t enter_free(void *pointer, const char *call, const cudaStream_t *stream)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = check_capture(call, stream);
	if (status == cudaSuccess && pointer != NULL && !memory_free(address_of(pointer))) {
		say_not_freed(address_of(pointer), runtime_call_name(call));
		status = cudaErrorInvalidValue;
	}
	return runtime_leave_call(call, status);
}

EXPORT cudaError_t cudaFree(void *pointer)
{
	return enter_free(pointer, "cudaFree", NULL);
}

EXPORT cudaError_t cudaFreeHost(void *pointer)
{
	return enter_free(pointer, "cudaFreeHost", NULL);
}

EXPORT cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
	return enter_free(pointer, "cudaFreeAsync", &stream);
}
EXPORT_ALIAS(cudaFreeAsync, cudaFreeAsync_ptsz);

EXPORT cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags)
{
	cudaError_t status = runtime_enter();
	(void)flags;
	if (status == cudaSuccess && (pointer == NULL || !size))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess && !memory_register_host(pointer, size))
		status = cudaErrorHostMemoryAlreadyRegistered;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaHostUnregister(void *pointer)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && !memory_unregister_host(pointer))
		status = cudaErrorHostMemoryNotRegistered;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
	cudaError_t status = runtime_enter();
	(void)flags;
	const struct allocation *allocation = memory_find(address_of(host));
	if (status == cudaSuccess &&
		(device == NULL || allocation == NULL || !host_accessible(allocation)))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*device = host;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
	cudaError_t status = runtime_enter();
	const struct allocation *allocation = memory_find(address_of(host));
	if (status == cudaSuccess &&
		(flags == NULL || allocation == NULL || !host_accessible(allocation)))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*flags = cudaHostAllocMapped;
	return runtime_leave(status);
}

/* Not CUDA's: how a filter of system calls keeps device memory closed (pages_lock_take); as
 * numbers, in that order. */
EXPORT cudaError_t cudaEmulatedLock(uint64_t out[4])
{
	cudaError_t status = runtime_enter();
	const struct pages_lock lock = pages_lock_take();
	out[0] = lock.base;
	out[1] = lock.mask;
	out[2] = lock.far;
	out[3] = lock.key;
	return runtime_leave(status);
}

/* Not CUDA's: the most device memory that was allocated at once since the last call of it, and what
 * is allocated now. */
EXPORT cudaError_t cudaEmulatedMemory(size_t *peak, size_t *now)
{
	cudaError_t status = runtime_enter();
	*peak = memory_peak();
	*now = memory_used();
	return runtime_leave(status);
}

EXPORT cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && available != NULL)
		*available = memory_limit() - memory_used();
	if (status == cudaSuccess && total != NULL)
		*total = memory_limit();
	return runtime_leave(status);
}

EXPORT cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && out == NULL)
		status = cudaErrorInvalidValue;
	if (status != cudaSuccess)
		return runtime_leave(status);
	const struct allocation *allocation = memory_find(address_of(pointer));
	*out = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered, .device = -2};
	if (allocation == NULL) {
		out->hostPointer = (void *)pointer;
		return runtime_leave(cudaSuccess);
	}
	out->device = 0;
	out->devicePointer = (void *)pointer;
	if (!host_accessible(allocation)) {
		out->type = cudaMemoryTypeDevice;
		return runtime_leave(cudaSuccess);
	}
	out->hostPointer = (void *)pointer;
	bool managed = strstr(allocation->kind, "Managed") != NULL;
	out->type = managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
	return runtime_leave(cudaSuccess);
}

/* Hints about where managed memory should lie. */
static cudaError_t hint(const char *call, const void *pointer, size_t size)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && !runtime_range_check(call, address_of(pointer), size))
		status = cudaErrorInvalidValue;
	return runtime_leave_call(call, status);
}

EXPORT cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size,
										struct cudaMemLocation location, unsigned flags,
										cudaStream_t stream)
{
	(void)location, (void)flags, (void)stream;
	return hint("cudaMemPrefetchAsync", pointer, size);
}
EXPORT_ALIAS(cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz);

EXPORT cudaError_t cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
								 struct cudaMemLocation location)
{
	(void)advice, (void)location;
	return hint("cudaMemAdvise", pointer, size);
}
