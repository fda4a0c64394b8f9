#include "contestant/buffers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define PARTS_MAX (3 + CHAIN_BUFFERS_MAX)

/* The operands of a set, so that they can be worked through in a loop. */
struct part {
	void **operand;
	unsigned char *in_arena;
	size_t bytes;
};

static uint32_t parts_of(const struct buffers *buffers, uint32_t set, struct operands *operands,
						 struct part parts[PARTS_MAX])
{
	const struct arena *arena = &buffers->arena;
	unsigned char *base = buffers->base + set * arena->set_stride;
	parts[0] = (struct part){&operands->a, base + arena->a_offset, arena->a_bytes};
	parts[1] = (struct part){&operands->b, base + arena->b_offset, arena->b_bytes};
	parts[2] = (struct part){&operands->c, base + arena->c_offset, arena->c_bytes};
	for (uint32_t i = 0; i < arena->extras; i++)
		parts[3 + i] = (struct part){&operands->extra[i], base + arena->extra_offset[i],
									 arena->extra_bytes[i]};
	return 3 + arena->extras;
}

static bool within(uint64_t offset, uint64_t bytes, uint64_t stride)
{
	return bytes <= stride && offset <= stride - bytes;
}

static bool arena_sound(const struct arena *arena)
{
	bool sound = arena->extras <= CHAIN_BUFFERS_MAX;
	for (uint32_t i = 0; sound && i < arena->extras; i++)
		sound = within(arena->extra_offset[i], arena->extra_bytes[i], arena->set_stride);
	return sound && arena->sets > 0 && arena->set_stride <= arena->bytes / arena->sets &&
		   within(arena->a_offset, arena->a_bytes, arena->set_stride) &&
		   within(arena->b_offset, arena->b_bytes, arena->set_stride) &&
		   within(arena->c_offset, arena->c_bytes, arena->set_stride);
}

static bool map_file(struct buffers *buffers, int fd, struct error *err)
{
	struct stat facts;
	if (fd < 0 || fstat(fd, &facts) != 0 || (uint64_t)facts.st_size < buffers->arena.bytes)
		return error_set(err, "the case came without its buffers");
	void *base = mmap(NULL, buffers->arena.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return error_set(err, "cannot map the buffers of the case: %s", strerror(errno));
	buffers->base = base;
	return true;
}

static bool open_handle(struct buffers *buffers, const struct cudart *cudart, cudaError_t *code,
						struct error *err)
{
	cudaIpcMemHandle_t handle;
	void *base = NULL;
	_Static_assert(sizeof handle == sizeof buffers->arena.ipc_handle, "the handle as it is sent");
	if (cudart->ipc_open == NULL || cudart->ipc_close == NULL)
		return error_set(err, CUDART_FILE " cannot share memory between processes");
	memcpy(&handle, buffers->arena.ipc_handle, sizeof handle);
	*code = cudart->ipc_open(&base, handle, cudaIpcMemLazyEnablePeerAccess);
	if (*code != cudaSuccess)
		return error_set(err, "cannot open the buffers of the case");
	buffers->base = base;
	return true;
}

bool buffers_open(struct buffers *buffers, const struct cudart *cudart, enum device_kind device,
				  bool own, const struct arena *arena, int fd, cudaError_t *code, struct error *err)
{
	*code = cudaSuccess;
	buffers_close(buffers, cudart);
	if (!arena_sound(arena))
		return error_set(err, "the buffers of the case lie outside of their arena");
	buffers->shared = device == DEVICE_CUDA && fd < 0;
	buffers->copied = !buffers->shared || own;
	buffers->arena = *arena;
	return buffers->shared ? open_handle(buffers, cudart, code, err) : map_file(buffers, fd, err);
}

void buffers_close(struct buffers *buffers, const struct cudart *cudart)
{
	if (buffers->base == NULL)
		return;
	if (buffers->shared)
		cudart->ipc_close(buffers->base);
	else
		munmap(buffers->base, buffers->arena.bytes);
	buffers->base = NULL;
}

/* The CPU does not wait for the end of every copy to the device; the streams of the solution,
 * and the referee, must find it done. */
static cudaError_t await_copies(const struct buffers *buffers, const struct cudart *cudart,
								cudaError_t code)
{
	if (!buffers->copied || !buffers->shared || code != cudaSuccess)
		return code;
	return cudart->device_synchronize();
}

/* Through the host's memory: to initcheck, the memory of another process is unwritten;
 * what comes from the host is written beyond doubt. */
static cudaError_t copy_by_host(const struct cudart *cudart, const struct part *part)
{
	void *between = malloc(part->bytes);
	if (between == NULL)
		return cudaErrorMemoryAllocation;
	cudaError_t code = cudart->memcpy(between, part->in_arena, part->bytes, cudaMemcpyDeviceToHost);
	if (code == cudaSuccess)
		code = cudart->memcpy(*part->operand, between, part->bytes, cudaMemcpyHostToDevice);
	free(between);
	return code;
}

static cudaError_t take_part(const struct buffers *buffers, const struct cudart *cudart,
							 const struct part *part)
{
	if (!buffers->copied) {
		*part->operand = part->in_arena;
		return cudaSuccess;
	}
	cudaError_t code = cudart->malloc(part->operand, part->bytes);
	if (code != cudaSuccess)
		return code;
	if (buffers->shared)
		return copy_by_host(cudart, part);
	return cudart->memcpy(*part->operand, part->in_arena, part->bytes, cudaMemcpyHostToDevice);
}

cudaError_t buffers_take(const struct buffers *buffers, const struct cudart *cudart, uint32_t set,
						 struct operands *out)
{
	struct part parts[PARTS_MAX];
	cudaError_t code = cudaSuccess;
	*out = (struct operands){0};
	uint32_t count = parts_of(buffers, set, out, parts);
	for (uint32_t i = 0; i < count && code == cudaSuccess; i++)
		code = take_part(buffers, cudart, &parts[i]);
	return await_copies(buffers, cudart, code);
}

cudaError_t buffers_put_back(const struct buffers *buffers, const struct cudart *cudart,
							 uint32_t set, struct operands *operands, cudaError_t what)
{
	struct part parts[PARTS_MAX];
	if (!buffers->copied)
		return what;
	uint32_t count = parts_of(buffers, set, operands, parts);
	for (uint32_t i = 0; i < count && what == cudaSuccess; i++)
		what = cudart->memcpy(parts[i].in_arena, *parts[i].operand, parts[i].bytes,
							  buffers->shared ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost);
	what = await_copies(buffers, cudart, what);
	for (uint32_t i = 0; i < count; i++)
		if (*parts[i].operand != NULL)
			cudart->free(*parts[i].operand);
	return what;
}
