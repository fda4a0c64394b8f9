/* Copies and fills. They are checked against the allocations that they touch: a device range must
 * lie in one allocation. Where a copy goes is what its pointers say, as on a GPU with unified
 * addresses; its direction only says which must be the device's. */
#include <string.h>

#include "emulator/runtime/copy.h"
#include "emulator/runtime/graph.h"
#include "emulator/runtime/newer.h"

#define NEAR 65536u /* bytes past an allocation that a message still relates to it */

static uint64_t address_of(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

static void *pointer_to(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

bool runtime_range_check(const char *call, uint64_t address, size_t size)
{
	const struct allocation *allocation = memory_find(address);
	if (allocation != NULL && size <= allocation->base + allocation->size - address)
		return true;
	bool freed = false;
	call = runtime_call_name(call);
	const struct allocation *near =
		allocation != NULL ? allocation : memory_nearest(address, &freed);
	unsigned long long at = address;
	char what[MEMORY_TEXT];
	if (near == NULL || address - near->base > near->size + NEAR)
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
	bool known = must_be_device || memory_reserved(address) || memory_find(address) != NULL;
	return !known || runtime_range_check(call, address, size);
}

/* Whether the host, or an argument of the program, would get what a kernel made of memory that
 * nothing wrote. */
static bool gives_undefined(const char *call, const void *to, const void *from, size_t size)
{
	const struct allocation *source = memory_find(address_of(from));
	const struct allocation *target = memory_find(address_of(to));
	char what[MEMORY_TEXT];
	if (source == NULL || source->name[0] ||
		!memory_has_undefined(source, address_of(from), size) ||
		(target != NULL && target->written != NULL && !target->name[0]))
		return false;
	refusal_say("write it before it is read, or copy only what was computed",
				"%s: copies an undefined value from a %s: %s", runtime_call_name(call),
				memory_describe(source, what), source->undefined);
	return true;
}

static cudaError_t row_check(const char *call, const void *to, const void *from, size_t size,
							 enum cudaMemcpyKind kind)
{
	bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
	bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
	if (!side_check(call, to, size, to_device) || !side_check(call, from, size, from_device))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

static void copy_bytes(void *to, const void *from, size_t size)
{
	memmove(to, from, size);
	const struct allocation *target = memory_find(address_of(to));
	const struct allocation *source = memory_find(address_of(from));
	if (target == NULL)
		return;
	if (source != NULL)
		memory_copy_written(target, address_of(to), source, address_of(from), size);
	else
		memory_mark_written(target, address_of(to), size);
}

/* Where an operation stands among others. */
struct copy_place {
	const struct machine_order *order;
	bool keep; /* what is issued later may be unordered with it */
};

static cudaError_t row_run(const char *call, void *to, const void *from, size_t size,
						   enum cudaMemcpyKind kind, const struct copy_place *place)
{
	cudaError_t status = row_check(call, to, from, size, kind);
	if (status != cudaSuccess)
		return status;
	if (gives_undefined(call, to, from, size))
		return cudaErrorLaunchFailure;
	status = timeline_copy(place->order, call, place->keep, to, from, size);
	if (status == cudaSuccess)
		copy_bytes(to, from, size);
	return status;
}

static cudaError_t shape_check(const struct copy_work *copy)
{
	if (copy->kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	const bool rows = copy->height > 1 || copy->depth > 1;
	if (rows && (copy->width > copy->to_pitch || copy->width > copy->from_pitch))
		return cudaErrorInvalidPitchValue;
	if (copy->width && copy->height && copy->depth && (copy->to == NULL || copy->from == NULL))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

/* All rows, each looked at before it is copied. `place`: NULL, they are only looked at. */
static cudaError_t each_row(const char *call, const struct copy_work *copy,
							const struct copy_place *place)
{
	cudaError_t status = shape_check(copy);
	const size_t rows = copy->width ? copy->height * copy->depth : 0;
	for (size_t i = 0; status == cudaSuccess && i < rows; i++) {
		const size_t slice = i / copy->height, row = i % copy->height;
		void *to = (char *)copy->to + slice * copy->to_slice + row * copy->to_pitch;
		const void *from =
			(const char *)copy->from + slice * copy->from_slice + row * copy->from_pitch;
		status = place != NULL ? row_run(call, to, from, copy->width, copy->kind, place)
							   : row_check(call, to, from, copy->width, copy->kind);
	}
	return status;
}

cudaError_t copy_check(const char *call, const struct copy_work *copy)
{
	return each_row(call, copy, NULL);
}

cudaError_t copy_run(const char *call, const struct copy_work *copy,
					 const struct machine_order *order, bool keep)
{
	const struct copy_place place = {order, keep};
	runtime_open_memory();
	cudaError_t status = each_row(call, copy, &place);
	runtime_close_memory();
	return status;
}

/* What the stream is captured into, if it is. */
static cudaError_t enter_stream(cudaStream_t stream, struct branch **branch)
{
	cudaError_t status = runtime_enter_apart();
	if (status == cudaSuccess && !stream_valid(stream))
		status = cudaErrorInvalidResourceHandle;
	return status == cudaSuccess ? capture_of(stream, branch) : status;
}

/* Where there is one stream alone, whatever is issued later comes later. */
static bool order_kept(bool waits)
{
	return !waits && runtime.streams != NULL;
}

static cudaError_t copy_give(const char *call, cudaStream_t stream, bool waits,
							 struct branch *branch, const struct copy_work *copy)
{
	struct machine_order order;
	cudaError_t status = branch != NULL ? copy_check(call, copy) : cudaSuccess;
	if (status != cudaSuccess)
		return status;
	if (branch != NULL)
		return capture_add(branch,
						   &(struct graph_work){.type = cudaGraphNodeTypeMemcpy, .copy = *copy});
	timeline_issue(stream, false, false, &order);
	status = copy_run(call, copy, &order, order_kept(waits));
	if (waits)
		timeline_host_waits_stream(stream);
	return status;
}

cudaError_t copy_issue(const char *call, cudaStream_t stream, bool waits,
					   const struct copy_work *copy)
{
	struct branch *branch = NULL;
	cudaError_t status = enter_stream(stream, &branch);
	if (status == cudaSuccess)
		status = copy_give(call, stream, waits, branch, copy);
	return runtime_leave_call(call, status);
}

static struct copy_work flat(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
	return (struct copy_work){
		.to = to, .from = from, .width = size, .height = 1, .depth = 1, .kind = kind};
}

EXPORT cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
	const struct copy_work copy = flat(to, from, size, kind);
	return copy_issue(__func__, NULL, true, &copy);
}
EXPORT_ALIAS(cudaMemcpy, cudaMemcpy_ptds);

EXPORT cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size,
								   enum cudaMemcpyKind kind, cudaStream_t stream)
{
	const struct copy_work copy = flat(to, from, size, kind);
	return copy_issue(__func__, stream, false, &copy);
}
EXPORT_ALIAS(cudaMemcpyAsync, cudaMemcpyAsync_ptsz);

/* The attributes say when the source may be read at the latest, and guess where both lie: a copy
 * reads it inside the call, or when the graph runs that the stream is captured into. */
EXPORT cudaError_t cudaMemcpyWithAttributesAsync(void *to, const void *from, size_t size,
												 struct cudaMemcpyAttributes *attributes,
												 cudaStream_t stream)
{
	const struct copy_work copy = flat(to, from, size, cudaMemcpyDefault);
	if (attributes == NULL || attributes->srcAccessOrder < cudaMemcpySrcAccessOrderStream ||
		attributes->srcAccessOrder > cudaMemcpySrcAccessOrderAny)
		return runtime_leave((runtime_enter(), cudaErrorInvalidValue));
	return copy_issue(__func__, stream, false, &copy);
}
EXPORT_ALIAS(cudaMemcpyWithAttributesAsync, cudaMemcpyWithAttributesAsync_ptsz);

EXPORT cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
								  size_t size)
{
	if (to_device != 0 || from_device != 0)
		return runtime_leave((runtime_enter(), cudaErrorInvalidDevice));
	return cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice);
}

static cudaError_t copy_2d(const char *call, cudaStream_t stream, bool waits,
						   const struct copy_work *copy)
{
	if (copy->width > copy->to_pitch || copy->width > copy->from_pitch)
		return runtime_leave_call(call, (runtime_enter(), cudaErrorInvalidPitchValue));
	return copy_issue(call, stream, waits, copy);
}

EXPORT cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
									 size_t width, size_t height, enum cudaMemcpyKind kind,
									 cudaStream_t stream)
{
	struct copy_work copy = flat(to, from, width, kind);
	copy.to_pitch = to_pitch, copy.from_pitch = from_pitch, copy.height = height;
	return copy_2d(__func__, stream, false, &copy);
}
EXPORT_ALIAS(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz);

EXPORT cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
								size_t width, size_t height, enum cudaMemcpyKind kind)
{
	struct copy_work copy = flat(to, from, width, kind);
	copy.to_pitch = to_pitch, copy.from_pitch = from_pitch, copy.height = height;
	return copy_2d(__func__, NULL, true, &copy);
}
EXPORT_ALIAS(cudaMemcpy2D, cudaMemcpy2D_ptds);

static void *row_of(const struct cudaPitchedPtr *in, const struct cudaPos *at)
{
	return (char *)in->ptr + (at->z * in->ysize + at->y) * in->pitch + at->x;
}

cudaError_t copy_from_3d(const char *call, const struct cudaMemcpy3DParms *parameters,
						 struct copy_work *out)
{
	if (parameters == NULL)
		return cudaErrorInvalidValue;
	if (parameters->srcArray != NULL || parameters->dstArray != NULL) {
		runtime_say("%s(cudaArray) is not implemented", runtime_call_name(call));
		return cudaErrorNotSupported;
	}
	const struct cudaPitchedPtr *to = &parameters->dstPtr, *from = &parameters->srcPtr;
	*out = (struct copy_work){
		.to = to->ptr != NULL ? row_of(to, &parameters->dstPos) : NULL,
		.to_pitch = to->pitch,
		.to_slice = to->pitch * to->ysize,
		.from = from->ptr != NULL ? row_of(from, &parameters->srcPos) : NULL,
		.from_pitch = from->pitch,
		.from_slice = from->pitch * from->ysize,
		.width = parameters->extent.width,
		.height = parameters->extent.height,
		.depth = parameters->extent.depth,
		.kind = parameters->kind,
	};
	return cudaSuccess;
}

static cudaError_t issue_3d(const char *call, cudaStream_t stream, bool waits,
							const struct cudaMemcpy3DParms *parameters)
{
	struct copy_work copy;
	cudaError_t status = copy_from_3d(call, parameters, &copy);
	if (status != cudaSuccess)
		return runtime_leave_call(call, (runtime_enter(), status));
	return copy_issue(call, stream, waits, &copy);
}

EXPORT cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters)
{
	return issue_3d(__func__, NULL, true, parameters);
}
EXPORT_ALIAS(cudaMemcpy3D, cudaMemcpy3D_ptds);

EXPORT cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters,
									 cudaStream_t stream)
{
	return issue_3d(__func__, stream, false, parameters);
}
EXPORT_ALIAS(cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz);

/* ---- variables ------------------------------------------------------------------------ */

cudaError_t copy_symbol(const void *symbol, size_t size, size_t offset, void **out)
{
	struct variable *variable;
	cudaError_t status = variable_find(symbol, &variable);
	if (status != cudaSuccess)
		return status;
	if (offset > variable->size || size > variable->size - offset)
		return cudaErrorInvalidValue;
	*out = pointer_to(variable->address + offset);
	return cudaSuccess;
}

/* Where in a variable. */
struct variable_place {
	const void *symbol;
	size_t offset;
};

/* The variable is the side of the copy that `written` tells. */
static cudaError_t copy_variable(const char *call, cudaStream_t stream, bool waits,
								 struct variable_place place, bool written, struct copy_work copy)
{
	struct branch *branch = NULL;
	void *at = NULL;
	cudaError_t status = enter_stream(stream, &branch);
	if (status == cudaSuccess)
		status = copy_symbol(place.symbol, copy.width, place.offset, &at);
	if (written)
		copy.to = at;
	else
		copy.from = at;
	if (status == cudaSuccess)
		status = copy_give(call, stream, waits, branch, &copy);
	return runtime_leave_call(call, status);
}

EXPORT cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size,
										   size_t offset, enum cudaMemcpyKind kind,
										   cudaStream_t stream)
{
	return copy_variable(__func__, stream, false, (struct variable_place){symbol, offset}, true,
						 flat(NULL, from, size, kind));
}
EXPORT_ALIAS(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz);

EXPORT cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size,
									  size_t offset, enum cudaMemcpyKind kind)
{
	return copy_variable(__func__, NULL, true, (struct variable_place){symbol, offset}, true,
						 flat(NULL, from, size, kind));
}
EXPORT_ALIAS(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds);

EXPORT cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size,
											 size_t offset, enum cudaMemcpyKind kind,
											 cudaStream_t stream)
{
	return copy_variable(__func__, stream, false, (struct variable_place){symbol, offset}, false,
						 flat(to, NULL, size, kind));
}
EXPORT_ALIAS(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz);

EXPORT cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
										enum cudaMemcpyKind kind)
{
	return copy_variable(__func__, NULL, true, (struct variable_place){symbol, offset}, false,
						 flat(to, NULL, size, kind));
}
EXPORT_ALIAS(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds);

/* ---- fills ---------------------------------------------------------------------------- */

static void fill_row(void *to, unsigned value, size_t element, size_t count)
{
	if (element == 1)
		memset(to, (int)value, count);
	for (size_t i = 0; element > 1 && i < count; i++) /* the lower bytes come first */
		memcpy((char *)to + i * element, &value, element);
}

static cudaError_t each_filled(const char *call, const struct fill *fill,
							   const struct copy_place *place)
{
	size_t bytes;
	const size_t element = fill->element, pitch = fill->pitch;
	if (__builtin_mul_overflow(fill->width, element, &bytes))
		return cudaErrorInvalidValue;
	if (fill->height > 1 && bytes > pitch)
		return cudaErrorInvalidPitchValue;
	if (address_of(fill->to) % element || (fill->height > 1 && pitch % element))
		return cudaErrorInvalidValue;
	for (size_t row = 0; bytes && row < fill->height; row++) {
		const uint64_t address = address_of(fill->to) + row * pitch;
		if (!runtime_range_check(call, address, bytes))
			return cudaErrorInvalidValue;
		if (place == NULL)
			continue;
		cudaError_t status =
			timeline_copy(place->order, call, place->keep, pointer_to(address), NULL, bytes);
		if (status != cudaSuccess)
			return status;
		fill_row(pointer_to(address), fill->value, element, fill->width);
		memory_mark_written(memory_find(address), address, bytes);
	}
	return cudaSuccess;
}

cudaError_t fill_check(const char *call, const struct fill *fill)
{
	if (fill->element != 1 && fill->element != 2 && fill->element != 4)
		return cudaErrorInvalidValue;
	return each_filled(call, fill, NULL);
}

cudaError_t fill_run(const char *call, const struct fill *fill, const struct machine_order *order,
					 bool keep)
{
	const struct copy_place place = {order, keep};
	runtime_open_memory();
	cudaError_t status = each_filled(call, fill, &place);
	runtime_close_memory();
	return status;
}

cudaError_t fill_issue(const char *call, cudaStream_t stream, const struct fill *fill)
{
	struct branch *branch = NULL;
	cudaError_t status = enter_stream(stream, &branch);
	struct machine_order order;
	if (status == cudaSuccess && branch == NULL) {
		timeline_issue(stream, false, false, &order);
		status = fill_run(call, fill, &order, order_kept(false));
	}
	if (status == cudaSuccess && branch != NULL)
		status = fill_check(call, fill);
	if (status == cudaSuccess && branch != NULL)
		status = capture_add(branch,
							 &(struct graph_work){.type = cudaGraphNodeTypeMemset, .fill = *fill});
	return runtime_leave_call(call, status);
}

EXPORT cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
									 cudaStream_t stream)
{
	return fill_issue(__func__, stream,
					  &(struct fill){to, pitch, (unsigned)value, 1, width, height});
}
EXPORT_ALIAS(cudaMemset2DAsync, cudaMemset2DAsync_ptsz);

EXPORT cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
	return fill_issue(__func__, NULL, &(struct fill){to, pitch, (unsigned)value, 1, width, height});
}
EXPORT_ALIAS(cudaMemset2D, cudaMemset2D_ptds);

EXPORT cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
	return fill_issue(__func__, stream, &(struct fill){to, size, (unsigned)value, 1, size, 1});
}
EXPORT_ALIAS(cudaMemsetAsync, cudaMemsetAsync_ptsz);

EXPORT cudaError_t cudaMemset(void *to, int value, size_t size)
{
	return fill_issue(__func__, NULL, &(struct fill){to, size, (unsigned)value, 1, size, 1});
}
EXPORT_ALIAS(cudaMemset, cudaMemset_ptds);
