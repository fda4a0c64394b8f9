/* Allocation, copies and fills. Copies are checked against the allocations that
 * they touch: a device range must lie in one allocation. Where a copy goes is what its pointers
 * say, as on a GPU with unified addresses; its direction only says which must be the device's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/runtime/runtime.h"

#define PITCH 512u
#define NEAR 65536u /* bytes past an allocation that a message still relates to it */

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
	if (!out)
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
	if (!memory || !dladdr(call, &of_call) || !of_call.dli_fname || !dladdr(&ours, &of_us) ||
		of_call.dli_fbase == of_us.dli_fbase)
		return;
	const char *slash = strrchr(of_call.dli_fname, '/');
	char site[sizeof((struct allocation *)0)->site];
	snprintf(site, sizeof site, "%.24s+0x%llx", slash ? slash + 1 : of_call.dli_fname,
			 (unsigned long long)(call - (const char *)of_call.dli_fbase));
	memory_set_site(address_of(memory), site);
}

/* The functions below are what a program calls: their return address is its. */
#define CALLER __builtin_return_address(0)

static cudaError_t enter_allocate(void **out, size_t size, const char *kind, bool host,
								  const void *caller)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = allocate(out, size, kind, host);
	if (status == cudaSuccess)
		note_site(*out, caller);
	return runtime_leave_call(kind, status);
}

EXPORT cudaError_t cudaMalloc(void **out, size_t size)
{
	return enter_allocate(out, size, "cudaMalloc", false, CALLER);
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
	bool own = at && !host_accessible(at);
	snprintf(text, size, "%s%s", own ? "a " : "", own ? memory_describe(at, what) : "");
	return cudaSuccess;
}

EXPORT cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream)
{
	(void)stream;
	return enter_allocate(out, size, "cudaMallocAsync", false, CALLER);
}
EXPORT_ALIAS(cudaMallocAsync, cudaMallocAsync_ptsz);

EXPORT cudaError_t cudaMallocFromPoolAsync(void **out, size_t size, cudaMemPool_t pool,
										   cudaStream_t stream)
{
	(void)pool;
	(void)stream;
	return enter_allocate(out, size, "cudaMallocFromPoolAsync", false, CALLER);
}
EXPORT_ALIAS(cudaMallocFromPoolAsync, cudaMallocFromPoolAsync_ptsz);

EXPORT cudaError_t cudaMallocHost(void **out, size_t size)
{
	return enter_allocate(out, size, "cudaMallocHost", true, CALLER);
}

EXPORT cudaError_t cudaHostAlloc(void **out, size_t size, unsigned flags)
{
	(void)flags;
	return enter_allocate(out, size, "cudaHostAlloc", true, CALLER);
}

EXPORT cudaError_t cudaMallocManaged(void **out, size_t size, unsigned flags)
{
	(void)flags;
	return enter_allocate(out, size, "cudaMallocManaged", true, CALLER);
}

EXPORT cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
	if (!pitch)
		return runtime_leave((runtime_enter(), cudaErrorInvalidValue));
	*pitch = (width + PITCH - 1) / PITCH * PITCH;
	size_t size = 0;
	if (__builtin_mul_overflow(*pitch, height, &size))
		return runtime_leave((runtime_enter(), cudaErrorMemoryAllocation));
	return enter_allocate(out, size, "cudaMallocPitch", false, CALLER);
}

static void say_not_freed(uint64_t address, const char *call)
{
	bool freed;
	const struct allocation *near = memory_nearest(address, &freed);
	unsigned long long at = address;
	char what[MEMORY_TEXT];
	if (near && freed && near->base == address)
		refusal_say(NULL, "%s(0x%llx): this memory, a %s, was freed before", call, at,
					memory_describe(near, what));
	else
		refusal_say(NULL, "%s(0x%llx): not the start of a live allocation", call, at);
}

static cudaError_t enter_free(void *pointer, const char *call)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && pointer && !memory_free(address_of(pointer))) {
		say_not_freed(address_of(pointer), runtime_call_name(call));
		status = cudaErrorInvalidValue;
	}
	return runtime_leave_call(call, status);
}

EXPORT cudaError_t cudaFree(void *pointer)
{
	return enter_free(pointer, "cudaFree");
}

EXPORT cudaError_t cudaFreeHost(void *pointer)
{
	return enter_free(pointer, "cudaFreeHost");
}

EXPORT cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
	(void)stream;
	return enter_free(pointer, "cudaFreeAsync");
}
EXPORT_ALIAS(cudaFreeAsync, cudaFreeAsync_ptsz);

EXPORT cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags)
{
	cudaError_t status = runtime_enter();
	(void)flags;
	if (status == cudaSuccess && (!pointer || !size))
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
	if (status == cudaSuccess && (!device || !allocation || !host_accessible(allocation)))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*device = host;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
	cudaError_t status = runtime_enter();
	const struct allocation *allocation = memory_find(address_of(host));
	if (status == cudaSuccess && (!flags || !allocation || !host_accessible(allocation)))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*flags = cudaHostAllocMapped;
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
	if (status == cudaSuccess && available)
		*available = memory_limit() - memory_used();
	if (status == cudaSuccess && total)
		*total = memory_limit();
	return runtime_leave(status);
}

EXPORT cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && !out)
		status = cudaErrorInvalidValue;
	if (status != cudaSuccess)
		return runtime_leave(status);
	const struct allocation *allocation = memory_find(address_of(pointer));
	*out = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered, .device = -2};
	if (!allocation) {
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

bool runtime_range_check(const char *call, uint64_t address, size_t size)
{
	const struct allocation *allocation = memory_find(address);
	if (allocation && size <= allocation->base + allocation->size - address)
		return true;
	bool freed = false;
	call = runtime_call_name(call);
	const struct allocation *near = allocation ? allocation : memory_nearest(address, &freed);
	unsigned long long at = address;
	char what[MEMORY_TEXT];
	if (!near || address - near->base > near->size + NEAR)
		refusal_say("look at the copy's direction, and at what cudaMalloc returned",
					"%s: 0x%llx is not device memory", call, at);
	else if (freed)
		refusal_say("free it after its last use", "%s: 0x%llx lies in a %s that was freed", call,
					at, memory_describe(near, what));
	else
		refusal_say("its size is in bytes: elements times sizeof of one",
					"%s: %zu bytes at 0x%llx, offset %llu, reach past the end of a %s", call, size,
					at, (unsigned long long)(address - near->base), memory_describe(near, what));
	return false;
}

/* One side of a copy. A pointer that the runtime does not know is the host's own, unless a device
 * pointer is needed. */
static bool side_check(const char *call, const void *pointer, size_t size, bool must_be_device)
{
	uint64_t address = address_of(pointer);
	bool known = must_be_device || memory_reserved(address) || memory_find(address);
	return !known || runtime_range_check(call, address, size);
}

/* Whether the host, or an argument of the program, would get what a kernel made of memory that
 * nothing wrote. */
static bool gives_undefined(const char *call, const void *to, const void *from, size_t size)
{
	const struct allocation *source = memory_find(address_of(from));
	const struct allocation *target = memory_find(address_of(to));
	char what[MEMORY_TEXT];
	if (!source || source->name[0] || !memory_has_undefined(source, address_of(from), size) ||
		(target && target->written && !target->name[0]))
		return false;
	refusal_say("write it before it is read, or copy only what was computed",
				"%s: copies an undefined value from a %s: %s", runtime_call_name(call),
				memory_describe(source, what), source->undefined);
	return true;
}

static cudaError_t copy_check(const char *call, const void *to, const void *from, size_t size,
							  enum cudaMemcpyKind kind)
{
	if (kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (size == 0)
		return cudaSuccess;
	if (!to || !from)
		return cudaErrorInvalidValue;
	bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
	bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
	if (!side_check(call, to, size, to_device) || !side_check(call, from, size, from_device))
		return cudaErrorInvalidValue;
	return gives_undefined(call, to, from, size) ? cudaErrorLaunchFailure : cudaSuccess;
}

static void copy_bytes(void *to, const void *from, size_t size)
{
	if (size == 0)
		return;
	memmove(to, from, size);
	const struct allocation *target = memory_find(address_of(to));
	const struct allocation *source = memory_find(address_of(from));
	if (!target)
		return;
	if (source)
		memory_copy_written(target, address_of(to), source, address_of(from), size);
	else
		memory_mark_written(target, address_of(to), size);
}

static cudaError_t copy_in(const char *call, cudaStream_t stream, bool synchronous, void *to,
						   const void *from, size_t size, enum cudaMemcpyKind kind)
{
	cudaError_t status = copy_check(call, to, from, size, kind);
	if (status != cudaSuccess)
		return status;
	status = timeline_copy(call, stream, synchronous, to, from, size);
	if (status != cudaSuccess)
		return status;
	runtime_open_memory();
	copy_bytes(to, from, size);
	runtime_close_memory();
	return cudaSuccess;
}

static cudaError_t copy(const char *call, void *to, const void *from, size_t size,
						enum cudaMemcpyKind kind)
{
	return copy_in(call, NULL, true, to, from, size, kind);
}

EXPORT cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
	cudaError_t status = runtime_enter_apart();
	if (status == cudaSuccess)
		status = copy("cudaMemcpy", to, from, size, kind);
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaMemcpy, cudaMemcpy_ptds);

EXPORT cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size,
								   enum cudaMemcpyKind kind, cudaStream_t stream)
{
	cudaError_t status = runtime_enter_apart();
	if (status == cudaSuccess && !stream_valid(stream))
		status = cudaErrorInvalidResourceHandle;
	if (status == cudaSuccess)
		status = copy_in("cudaMemcpyAsync", stream, false, to, from, size, kind);
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaMemcpyAsync, cudaMemcpyAsync_ptsz);

EXPORT cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
								  size_t size)
{
	if (to_device != 0 || from_device != 0)
		return runtime_leave((runtime_enter(), cudaErrorInvalidDevice));
	return cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice);
}

static cudaError_t copy_2d(const char *call, void *to, size_t to_pitch, const void *from,
						   size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	if (width > to_pitch || width > from_pitch)
		return cudaErrorInvalidPitchValue;
	cudaError_t status = cudaSuccess;
	runtime_open_memory();
	for (size_t row = 0; status == cudaSuccess && row < height; row++) {
		void *to_row = (char *)to + row * to_pitch;
		const void *from_row = (const char *)from + row * from_pitch;
		status = copy_check(call, to_row, from_row, width, kind);
		if (status == cudaSuccess)
			copy_bytes(to_row, from_row, width);
	}
	runtime_close_memory();
	return status;
}

EXPORT cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
								size_t width, size_t height, enum cudaMemcpyKind kind)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = copy_2d("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind);
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaMemcpy2D, cudaMemcpy2D_ptds);

EXPORT cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
									 size_t width, size_t height, enum cudaMemcpyKind kind,
									 cudaStream_t stream)
{
	(void)stream;
	return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
EXPORT_ALIAS(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz);

static cudaError_t symbol_range(const void *symbol, size_t size, size_t offset, uint64_t *address)
{
	struct variable *variable;
	cudaError_t status = variable_find(symbol, &variable);
	if (status != cudaSuccess)
		return status;
	if (offset > variable->size || size > variable->size - offset)
		return cudaErrorInvalidValue;
	*address = variable->address + offset;
	return cudaSuccess;
}

EXPORT cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size,
									  size_t offset, enum cudaMemcpyKind kind)
{
	uint64_t address;
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = symbol_range(symbol, size, offset, &address);
	if (status == cudaSuccess)
		status = copy("cudaMemcpyToSymbol", pointer_to(address), from, size, kind);
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds);

EXPORT cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size,
										   size_t offset, enum cudaMemcpyKind kind,
										   cudaStream_t stream)
{
	(void)stream;
	return cudaMemcpyToSymbol(symbol, from, size, offset, kind);
}
EXPORT_ALIAS(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz);

EXPORT cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
										enum cudaMemcpyKind kind)
{
	uint64_t address;
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = symbol_range(symbol, size, offset, &address);
	if (status == cudaSuccess)
		status = copy("cudaMemcpyFromSymbol", to, pointer_to(address), size, kind);
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds);

EXPORT cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size,
											 size_t offset, enum cudaMemcpyKind kind,
											 cudaStream_t stream)
{
	(void)stream;
	return cudaMemcpyFromSymbol(to, symbol, size, offset, kind);
}
EXPORT_ALIAS(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz);

static void fill_row(void *to, unsigned value, size_t element, size_t count)
{
	if (element == 1)
		memset(to, (int)value, count);
	for (size_t i = 0; element > 1 && i < count; i++) /* the lower bytes come first */
		memcpy((char *)to + i * element, &value, element);
}

static cudaError_t fill_2d(const char *call, cudaStream_t stream, void *to, size_t pitch,
						   unsigned value, size_t element, size_t width, size_t height)
{
	size_t bytes;
	if (__builtin_mul_overflow(width, element, &bytes))
		return cudaErrorInvalidValue;
	if (height > 1 && bytes > pitch)
		return cudaErrorInvalidPitchValue;
	if (address_of(to) % element || (height > 1 && pitch % element))
		return cudaErrorInvalidValue;
	cudaError_t status = cudaSuccess;
	runtime_open_memory();
	for (size_t row = 0; bytes && status == cudaSuccess && row < height; row++) {
		uint64_t address = address_of(to) + row * pitch;
		if (!runtime_range_check(call, address, bytes)) {
			status = cudaErrorInvalidValue;
			continue;
		}
		status = timeline_copy(call, stream, false, pointer_to(address), NULL, bytes);
		if (status != cudaSuccess)
			continue;
		fill_row(pointer_to(address), value, element, width);
		memory_mark_written(memory_find(address), address, bytes);
	}
	runtime_close_memory();
	return status;
}

cudaError_t memory_fill(const char *call, void *to, size_t pitch, unsigned value, size_t element,
						size_t width, size_t height)
{
	cudaError_t status = runtime_enter_apart();
	if (status == cudaSuccess)
		status = fill_2d(call, NULL, to, pitch, value, element, width, height);
	return runtime_leave_call(call, status);
}

EXPORT cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
	return memory_fill("cudaMemset2D", to, pitch, (unsigned)value, 1, width, height);
}
EXPORT_ALIAS(cudaMemset2D, cudaMemset2D_ptds);

EXPORT cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
									 cudaStream_t stream)
{
	(void)stream;
	return cudaMemset2D(to, pitch, value, width, height);
}
EXPORT_ALIAS(cudaMemset2DAsync, cudaMemset2DAsync_ptsz);

EXPORT cudaError_t cudaMemset(void *to, int value, size_t size)
{
	return memory_fill("cudaMemset", to, size, (unsigned)value, 1, size, 1);
}
EXPORT_ALIAS(cudaMemset, cudaMemset_ptds);

EXPORT cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
	cudaError_t status = runtime_enter_apart();
	if (status == cudaSuccess && !stream_valid(stream))
		status = cudaErrorInvalidResourceHandle;
	if (status == cudaSuccess)
		status = fill_2d("cudaMemsetAsync", stream, to, size, (unsigned)value, 1, size, 1);
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaMemsetAsync, cudaMemsetAsync_ptsz);

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
