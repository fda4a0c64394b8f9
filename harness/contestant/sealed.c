#include "contestant/sealed.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/paths.h"
#include "base/text.h"

void sealed_open(struct sealed *sealed, enum device_kind kind)
{
	char build[PATHS_MAX], path[PATHS_MAX];
	struct error err = {{0}};
	bool built =
		paths_build(build, &err) && paths_join(path, build, "libexec/sealed_cuda.so", &err);
	sealed->kind = kind;
	sealed->open = kind == DEVICE_EMULATED;
	if (sealed->open)
		return;
	void *library = NULL;
	const struct sealed_device *(*get)(void) = NULL;
	if (built)
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library != NULL)
		*(void **)&get = dlsym(library, "sealed_device_cuda");
	const struct sealed_device *device = get != NULL ? get() : NULL;
	if (device == NULL || device->version != SEALED_DEVICE_VERSION) {
		const char *why = dlerror();
		text_format(sealed->unavailable, sizeof sealed->unavailable, "libexec/sealed_cuda.so: %s",
					!built        ? err.message
					: why != NULL ? why
								  : "of another version");
		return;
	}
	cudaError_t code = device->open();
	sealed->device = device;
	sealed->open = code == cudaSuccess;
	if (!sealed->open)
		snprintf(sealed->unavailable, sizeof sealed->unavailable,
				 "the driver does not share memory by descriptors (CUDA error %d)", (int)code);
}

bool sealed_prepare(struct sealed *sealed, const struct contestant_sealed *request,
					struct error *err)
{
	const struct arena *arena = &request->arena;
	uint64_t largest = 0;
	if (!sealed->open)
		return error_set(err, "no sealed calls here: %s", sealed->unavailable);
	if (!opened_sound(arena))
		return error_set(err, "the buffers of the case lie outside of their arena");
	for (uint32_t i = 0; i < arena->count; i++)
		largest = arena->buffers[i].bytes > largest ? arena->buffers[i].bytes : largest;
	cudaError_t code = cudaSuccess;
	if (sealed->device != NULL)
		code = sealed->device->prepare(arena->bytes, largest);
	sealed->opened = (struct opened){.arena = *arena, .shared = sealed->device != NULL};
	sealed->test = request->test;
	sealed->outputs = request->outputs;
	sealed->ready = code == cudaSuccess;
	return sealed->ready || error_set(err, "no sealed calls here (CUDA error %d)", (int)code);
}

static cudaError_t take_digests(const struct sealed *sealed, uint32_t set,
								struct digest digests[BUFFERS_MAX])
{
	const struct arena *arena = &sealed->opened.arena;
	const unsigned char *base = sealed->opened.base + set * arena->set_stride;
	cudaError_t code = cudaSuccess;
	for (uint32_t i = 0; i < arena->count && code == cudaSuccess; i++) {
		const struct arena_buffer *buffer = &arena->buffers[i];
		if ((sealed->outputs >> i & 1) == 0)
			continue;
		if (sealed->device != NULL)
			code = sealed->device->digest(base + buffer->offset, buffer->bytes, &digests[i]);
		else if (!digest_of(base + buffer->offset, buffer->bytes, &digests[i]))
			code = cudaErrorMemoryAllocation;
	}
	return code;
}

cudaError_t sealed_go(struct sealed *sealed, const struct cudart *cudart, int fd)
{
	cudaError_t code = cudaSuccess;
	struct error err;
	void *base = NULL;
	if (sealed->device == NULL) {
		const struct arena arena = sealed->opened.arena;
		const struct arena_given given = {sealed->kind, &arena, fd, true};
		return opened_open(&sealed->opened, cudart, &given, &code, &err)
				   ? cudaSuccess
				   : cudaErrorMapBufferObjectFailed;
	}
	if (sealed->opened.base != NULL)
		sealed->device->conceal();
	code = sealed->device->release_inputs(fd, &base);
	sealed->opened.base = code == cudaSuccess ? base : NULL;
	return code;
}

cudaError_t sealed_call(struct sealed *sealed, const struct cudart *cudart,
						struct solution *solution, uint32_t set, struct digest digests[BUFFERS_MAX],
						cudaError_t *left)
{
	struct call_operands operands;
	cudaError_t code = opened_take(&sealed->opened, cudart, set, &operands);
	if (code == cudaSuccess) {
		solution_call(solution, &sealed->test, &operands);
		*left = cudart->get_last_error();
		code = cudart->device_synchronize();
	}
	code = opened_put_back(&sealed->opened, cudart, set, &operands, code);
	return code == cudaSuccess ? take_digests(sealed, set, digests) : code;
}

cudaError_t sealed_end(struct sealed *sealed, const struct cudart *cudart)
{
	if (sealed->device == NULL) {
		opened_close(&sealed->opened, cudart);
		return cudaSuccess;
	}
	sealed->opened.base = NULL;
	return sealed->device->conceal();
}
