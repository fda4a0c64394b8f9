#include "contestant/opened.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static bool within(const struct arena_buffer *buffer, uint64_t stride)
{
	return buffer->bytes <= stride && buffer->offset <= stride - buffer->bytes;
}

bool opened_sound(const struct arena *arena)
{
	bool sound = arena->count <= BUFFERS_MAX && arena->sets > 0 &&
				 arena->set_stride <= arena->bytes / arena->sets;
	for (uint32_t i = 0; sound && i < arena->count; i++)
		sound = within(&arena->buffers[i], arena->set_stride);
	return sound;
}

static bool map_file(struct opened *opened, int fd, struct error *err)
{
	struct stat facts;
	if (fd < 0 || fstat(fd, &facts) != 0 || (uint64_t)facts.st_size < opened->arena.bytes)
		return error_set(err, "the case came without its buffers");
	void *base = mmap(NULL, opened->arena.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return error_set(err, "cannot map the buffers of the case: %s", strerror(errno));
	opened->base = base;
	return true;
}

static bool open_handle(struct opened *opened, const struct cudart *cudart, cudaError_t *code,
						struct error *err)
{
	cudaIpcMemHandle_t handle;
	void *base = NULL;
	_Static_assert(sizeof handle == sizeof opened->arena.ipc_handle, "the handle as it is sent");
	if (cudart->ipc_open == NULL || cudart->ipc_close == NULL)
		return error_set(err, CUDART_FILE " cannot share memory between processes");
	memcpy(&handle, opened->arena.ipc_handle, sizeof handle);
	*code = cudart->ipc_open(&base, handle, cudaIpcMemLazyEnablePeerAccess);
	if (*code != cudaSuccess)
		return error_set(err, "cannot open the buffers of the case");
	opened->base = base;
	return true;
}

bool opened_open(struct opened *opened, const struct cudart *cudart,
				 const struct arena_given *given, cudaError_t *code, struct error *err)
{
	*code = cudaSuccess;
	opened_close(opened, cudart);
	if (!opened_sound(given->arena))
		return error_set(err, "the buffers of the case lie outside of their arena");
	opened->shared = given->device == DEVICE_CUDA && given->fd < 0;
	opened->copied = !opened->shared || given->own;
	opened->arena = *given->arena;
	return opened->shared ? open_handle(opened, cudart, code, err)
						  : map_file(opened, given->fd, err);
}

void opened_close(struct opened *opened, const struct cudart *cudart)
{
	if (opened->base == NULL)
		return;
	if (opened->shared)
		cudart->ipc_close(opened->base);
	else
		munmap(opened->base, opened->arena.bytes);
	opened->base = NULL;
}

/* The CPU does not wait for the end of every copy to the device; the streams of the solution,
 * and the referee, must find it done. */
static cudaError_t await_copies(const struct opened *opened, const struct cudart *cudart,
								cudaError_t code)
{
	if (!opened->copied || !opened->shared || code != cudaSuccess)
		return code;
	return cudart->device_synchronize();
}

/* Through the host's memory: to initcheck, the memory of another process is unwritten;
 * what comes from the host is written beyond doubt. */
static cudaError_t copy_by_host(const struct cudart *cudart, void *to, const void *from,
								size_t bytes)
{
	void *between = malloc(bytes);
	if (between == NULL)
		return cudaErrorMemoryAllocation;
	cudaError_t code = cudart->memcpy(between, from, bytes, cudaMemcpyDeviceToHost);
	if (code == cudaSuccess)
		code = cudart->memcpy(to, between, bytes, cudaMemcpyHostToDevice);
	free(between);
	return code;
}

static unsigned char *in_arena(const struct opened *opened, uint32_t set, uint32_t buffer)
{
	return opened->base + set * opened->arena.set_stride + opened->arena.buffers[buffer].offset;
}

static cudaError_t take(const struct opened *opened, const struct cudart *cudart, uint32_t set,
						uint32_t buffer, void **out)
{
	void *from = in_arena(opened, set, buffer);
	size_t bytes = opened->arena.buffers[buffer].bytes;
	if (!opened->copied) {
		*out = from;
		return cudaSuccess;
	}
	cudaError_t code = cudart->malloc(out, bytes);
	if (code == cudaSuccess)
		code = opened->shared ? copy_by_host(cudart, *out, from, bytes)
							  : cudart->memcpy(*out, from, bytes, cudaMemcpyHostToDevice);
	return code;
}

cudaError_t opened_take(const struct opened *opened, const struct cudart *cudart, uint32_t set,
						struct call_operands *out)
{
	cudaError_t code = cudaSuccess;
	for (uint32_t i = 0; i < opened->arena.count; i++)
		out->at[i] = NULL;
	for (uint32_t i = 0; i < opened->arena.count && code == cudaSuccess; i++)
		code = take(opened, cudart, set, i, &out->at[i]);
	return await_copies(opened, cudart, code);
}

cudaError_t opened_put_back(const struct opened *opened, const struct cudart *cudart, uint32_t set,
							struct call_operands *operands, cudaError_t what)
{
	if (!opened->copied)
		return what;
	for (uint32_t i = 0; i < opened->arena.count && what == cudaSuccess; i++)
		what = cudart->memcpy(in_arena(opened, set, i), operands->at[i],
							  opened->arena.buffers[i].bytes,
							  opened->shared ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost);
	what = await_copies(opened, cudart, what);
	for (uint32_t i = 0; i < opened->arena.count; i++)
		if (operands->at[i] != NULL)
			cudart->free(operands->at[i]);
	return what;
}
