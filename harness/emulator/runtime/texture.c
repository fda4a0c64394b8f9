/* Arrays of two dimensions and texture objects of linear memory, of rows with a pitch and of such
 * arrays. */
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/texture.h"
#include "emulator/runtime/copy.h"
#include "emulator/runtime/graph.h"

#define LINEAR_MOST ((size_t)1 << 28) /* texels */
#define SIDE_MOST ((size_t)1 << 17)

/* Rows of texels, one behind the other. */
struct cudaArray {
	cudaArray_t next;
	struct cudaChannelFormatDesc format;
	size_t width, height; /* 0: one-dimensional */
	unsigned flags;
	uint64_t base;
};

static cudaArray_t arrays;

static bool known(cudaArray_const_t array)
{
	cudaArray_const_t at = arrays;
	while (at != NULL && at != array)
		at = at->next;
	return at != NULL;
}

static cudaError_t lacks(const char *what)
{
	runtime_say("%s is not implemented", what);
	return cudaErrorNotSupported;
}

/* One, two or four channels of the same 8, 16 or 32 bits. */
static bool format_take(const struct cudaChannelFormatDesc *format, struct texture *out)
{
	const int bits[4] = {format->x, format->y, format->z, format->w};
	int channels = 0;
	while (channels < 4 && bits[channels] > 0)
		channels++;
	for (int i = 0; i < 4; i++)
		if (bits[i] != (i < channels ? bits[0] : 0))
			return false;
	if (channels == 0 || channels == 3 || (bits[0] != 8 && bits[0] != 16 && bits[0] != 32) ||
		format->f > cudaChannelFormatKindFloat ||
		(format->f == cudaChannelFormatKindFloat && bits[0] == 8))
		return false;
	out->channels = (uint8_t)channels;
	out->channel_bytes = (uint8_t)(bits[0] / 8);
	out->number = (uint8_t)format->f; /* the same numbers */
	return true;
}

static size_t texel_bytes(const struct texture *texture)
{
	return (size_t)texture->channels * texture->channel_bytes;
}

/* ---- arrays --------------------------------------------------------------------------- */

static cudaError_t array_make(cudaArray_t *out, const struct cudaChannelFormatDesc *format,
							  size_t width, size_t height, unsigned flags)
{
	struct texture texel;
	if (out == NULL || format == NULL || width == 0 || width > SIDE_MOST || height > SIDE_MOST)
		return cudaErrorInvalidValue;
	if (!format_take(format, &texel))
		return cudaErrorInvalidChannelDescriptor;
	if (flags & ~(unsigned)(cudaArraySurfaceLoadStore | cudaArrayTextureGather))
		return lacks("cudaMallocArray(flags)");
	cudaArray_t array = calloc(1, sizeof *array);
	if (array == NULL)
		return cudaErrorMemoryAllocation;
	array->base =
		memory_allocate(width * (height ? height : 1) * texel_bytes(&texel), "cudaMallocArray");
	if (!array->base) {
		free(array);
		return cudaErrorMemoryAllocation;
	}
	array->format = *format;
	array->width = width;
	array->height = height;
	array->flags = flags;
	array->next = arrays;
	arrays = array;
	*out = array;
	return cudaSuccess;
}

EXPORT cudaError_t cudaMallocArray(cudaArray_t *out, const struct cudaChannelFormatDesc *format,
								   size_t width, size_t height, unsigned flags)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = capture_forbids();
	if (status == cudaSuccess)
		status = array_make(out, format, width, height, flags);
	return runtime_leave(status);
}

EXPORT cudaError_t cudaFreeArray(cudaArray_t array)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = capture_forbids();
	if (status == cudaSuccess && array != NULL && !known(array))
		status = cudaErrorInvalidValue;
	if (status != cudaSuccess || array == NULL)
		return runtime_leave(status);
	cudaArray_t *at = &arrays;
	while (*at != array)
		at = &(*at)->next;
	*at = array->next;
	memory_free(array->base);
	free(array);
	return runtime_leave(cudaSuccess);
}

static cudaError_t enter_array(cudaArray_const_t array)
{
	cudaError_t status = runtime_enter();
	return status == cudaSuccess && !known(array) ? cudaErrorInvalidResourceHandle : status;
}

EXPORT cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
									unsigned *flags, cudaArray_t array)
{
	cudaError_t status = enter_array(array);
	if (status == cudaSuccess && format != NULL)
		*format = array->format;
	if (status == cudaSuccess && extent != NULL)
		*extent = (struct cudaExtent){array->width, array->height, 0};
	if (status == cudaSuccess && flags != NULL)
		*flags = array->flags;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *out, cudaArray_const_t array)
{
	cudaError_t status = enter_array(array);
	if (status == cudaSuccess && out == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*out = array->format;
	return runtime_leave(status);
}

/* The array's side of a copy: `x` and the copy's width in bytes. */
static cudaError_t array_place(cudaArray_const_t array, size_t x, size_t y,
							   const struct copy_work *copy, char **out, size_t *pitch)
{
	struct texture texel;
	cudaError_t status = enter_array(array);
	if (status == cudaSuccess) {
		format_take(&array->format, &texel);
		*pitch = array->width * texel_bytes(&texel);
		*out = (char *)(uintptr_t)array->base + y * *pitch + x;
		const size_t rows = array->height ? array->height : 1;
		if (x > *pitch || copy->width > *pitch - x || y > rows || copy->height > rows - y)
			status = cudaErrorInvalidValue;
	}
	return runtime_leave_call("cudaMemcpy2DToArray", status);
}

EXPORT cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
											size_t pitch, size_t width, size_t height,
											enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct copy_work copy = {.from = from,
							 .from_pitch = pitch,
							 .width = width,
							 .height = height,
							 .depth = 1,
							 .kind = kind};
	char *place = NULL;
	cudaError_t status = array_place(to, x, y, &copy, &place, &copy.to_pitch);
	copy.to = place;
	return status == cudaSuccess ? copy_issue("cudaMemcpy2DToArray", stream, stream == NULL, &copy)
								 : status;
}
EXPORT_ALIAS(cudaMemcpy2DToArrayAsync, cudaMemcpy2DToArrayAsync_ptsz);

EXPORT cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from,
									   size_t pitch, size_t width, size_t height,
									   enum cudaMemcpyKind kind)
{
	return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, NULL);
}
EXPORT_ALIAS(cudaMemcpy2DToArray, cudaMemcpy2DToArray_ptds);

EXPORT cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from,
											  size_t x, size_t y, size_t width, size_t height,
											  enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct copy_work copy = {
		.to = to, .to_pitch = pitch, .width = width, .height = height, .depth = 1, .kind = kind};
	char *place = NULL;
	cudaError_t status = array_place(from, x, y, &copy, &place, &copy.from_pitch);
	copy.from = place;
	return status == cudaSuccess
			   ? copy_issue("cudaMemcpy2DFromArray", stream, stream == NULL, &copy)
			   : status;
}
EXPORT_ALIAS(cudaMemcpy2DFromArrayAsync, cudaMemcpy2DFromArrayAsync_ptsz);

EXPORT cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
										 size_t y, size_t width, size_t height,
										 enum cudaMemcpyKind kind)
{
	return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, NULL);
}
EXPORT_ALIAS(cudaMemcpy2DFromArray, cudaMemcpy2DFromArray_ptds);

/* ---- texture objects ------------------------------------------------------------------ */

static cudaError_t take_linear(const struct cudaResourceDesc *resource, struct texture *out)
{
	const size_t bytes = resource->res.linear.sizeInBytes;
	out->base = (uint64_t)(uintptr_t)resource->res.linear.devPtr;
	if (!format_take(&resource->res.linear.desc, out))
		return cudaErrorInvalidChannelDescriptor;
	out->linear = true;
	out->size[0] = bytes / texel_bytes(out);
	out->size[1] = 1;
	if (out->size[0] == 0 || out->size[0] > LINEAR_MOST || out->base % texel_bytes(out) ||
		!runtime_range_check("cudaCreateTextureObject", out->base, bytes))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

static cudaError_t take_rows(const struct cudaResourceDesc *resource, struct texture *out)
{
	out->base = (uint64_t)(uintptr_t)resource->res.pitch2D.devPtr;
	if (!format_take(&resource->res.pitch2D.desc, out))
		return cudaErrorInvalidChannelDescriptor;
	out->size[0] = resource->res.pitch2D.width;
	out->size[1] = resource->res.pitch2D.height;
	out->pitch = resource->res.pitch2D.pitchInBytes;
	const size_t row = out->size[0] * texel_bytes(out);
	if (!out->size[0] || !out->size[1] || out->size[0] > SIDE_MOST || out->size[1] > SIDE_MOST ||
		out->pitch < row || out->pitch % 32 || out->base % texel_bytes(out) ||
		!runtime_range_check("cudaCreateTextureObject", out->base,
							 (out->size[1] - 1) * out->pitch + row))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

static cudaError_t take_array(const struct cudaResourceDesc *resource, struct texture *out)
{
	cudaArray_const_t array = resource->res.array.array;
	if (!known(array))
		return cudaErrorInvalidResourceHandle;
	format_take(&array->format, out);
	out->base = array->base;
	out->size[0] = array->width;
	out->size[1] = array->height ? array->height : 1;
	out->pitch = array->width * texel_bytes(out);
	return cudaSuccess;
}

static cudaError_t take_resource(const struct cudaResourceDesc *resource, struct texture *out)
{
	switch (resource->resType) {
	case cudaResourceTypeLinear: return take_linear(resource, out);
	case cudaResourceTypePitch2D: return take_rows(resource, out);
	case cudaResourceTypeArray: return take_array(resource, out);
	default: return lacks("cudaCreateTextureObject(mipmapped)");
	}
}

static cudaError_t take_description(const struct cudaTextureDesc *description, struct texture *out)
{
	for (int i = 0; i < 2; i++) {
		if (description->addressMode[i] > cudaAddressModeBorder)
			return cudaErrorInvalidValue;
		out->address[i] = (uint8_t)description->addressMode[i]; /* the same numbers */
	}
	if (description->sRGB)
		return lacks("cudaCreateTextureObject(sRGB)");
	out->as_floats = description->readMode == cudaReadModeNormalizedFloat;
	out->normalised = description->normalizedCoords != 0;
	out->filter = description->filterMode == cudaFilterModeLinear && !out->linear;
	memcpy(out->border, description->borderColor, sizeof out->border);
	if (out->as_floats && out->channel_bytes == 4 && out->number != TEXTURE_FLOAT)
		return cudaErrorInvalidNormSetting;
	if (out->filter && !out->as_floats && out->number != TEXTURE_FLOAT)
		return cudaErrorInvalidFilterSetting;
	return cudaSuccess;
}

static cudaError_t create(cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
						  const struct cudaTextureDesc *description,
						  const struct cudaResourceViewDesc *view)
{
	struct texture texture = {0};
	if (out == NULL || resource == NULL || description == NULL)
		return cudaErrorInvalidValue;
	if (view != NULL)
		return lacks("cudaCreateTextureObject(view)");
	cudaError_t status = take_resource(resource, &texture);
	if (status == cudaSuccess)
		status = take_description(description, &texture);
	if (status == cudaSuccess && !(*out = texture_add(&texture)))
		status = cudaErrorMemoryAllocation;
	return status;
}

EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out,
										   const struct cudaResourceDesc *resource,
										   const struct cudaTextureDesc *description,
										   const struct cudaResourceViewDesc *view)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = create(out, resource, description, view);
	return runtime_leave(status);
}

EXPORT cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && texture && !texture_remove(texture))
		status = cudaErrorInvalidValue;
	return runtime_leave(status);
}

void runtime_textures_drop_all(void)
{
	texture_remove_all();
	while (arrays != NULL) {
		cudaArray_t array = arrays;
		arrays = array->next;
		free(array);
	}
}
