/* Sets of buffers that are shared one by one: allocations of their own behind file descriptors,
 * side by side in the addresses of this process. */
#ifndef GEMMJUDGE_DEVICE_SEALED_SETS_CUH
#define GEMMJUDGE_DEVICE_SEALED_SETS_CUH

#include <stdlib.h>
#include <unistd.h>

#include "device/shared_memory.cuh"

struct sealed_sets {
	shared_memory::driver driver;
	bool open; /* `driver` can be used */
	CUdeviceptr base;
	uint64_t bytes; /* of the addresses */
	uint64_t stride;
	uint32_t count; /* of the allocations that are there */
	struct one {
		shared_memory::handle memory;
		int fd;
		bool mapped;
	} * sets;
};

inline void sealed_sets_drop(sealed_sets *all)
{
	for (uint32_t i = 0; i < all->count; i++) {
		if (all->sets[i].mapped)
			all->driver.unmap(all->base + i * all->stride, all->stride);
		all->driver.release(all->sets[i].memory);
		if (all->sets[i].fd >= 0)
			close(all->sets[i].fd);
	}
	if (all->base != 0)
		all->driver.free_address(all->base, all->bytes);
	free(all->sets);
	all->sets = nullptr;
	all->count = 0;
	all->base = 0;
}

/* One more. */
inline CUresult sealed_sets_add(sealed_sets *all)
{
	const shared_memory::driver *driver = &all->driver;
	sealed_sets::one *set = &all->sets[all->count];
	CUdeviceptr at = all->base + all->count * all->stride;
	*set = {0, -1, false};
	CUresult code = driver->create(&set->memory, all->stride, &driver->properties, 0);
	if (code != CUDA_SUCCESS)
		return code;
	all->count++;
	code = driver->export_to(&set->fd, set->memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
	if (code != CUDA_SUCCESS) {
		set->fd = -1;
		return code;
	}
	code = driver->map(at, all->stride, 0, set->memory, 0);
	set->mapped = code == CUDA_SUCCESS;
	return code;
}

/* `count` of them in place of what there was, each of at least *stride bytes, which is rounded up
 * to what the device allots. */
inline CUresult sealed_sets_make(sealed_sets *all, uint32_t count, uint64_t *stride)
{
	size_t unit = 0;
	if (!all->open && !shared_memory::open(&all->driver))
		return CUDA_ERROR_NOT_SUPPORTED;
	all->open = true;
	sealed_sets_drop(all);
	const shared_memory::driver *driver = &all->driver;
	CUresult code =
		driver->granularity(&unit, &driver->properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
	if (code != CUDA_SUCCESS)
		return code;
	*stride = (*stride + unit - 1) / unit * unit;
	all->stride = *stride;
	all->bytes = count * *stride;
	all->sets = static_cast<sealed_sets::one *>(calloc(count, sizeof *all->sets));
	if (all->sets == nullptr)
		return CUDA_ERROR_OUT_OF_MEMORY;
	code = driver->reserve(&all->base, all->bytes, 0, 0, 0);
	while (code == CUDA_SUCCESS && all->count < count)
		code = sealed_sets_add(all);
	if (code == CUDA_SUCCESS)
		code = driver->set_access(all->base, all->bytes, &driver->access, 1);
	if (code != CUDA_SUCCESS)
		sealed_sets_drop(all);
	return code;
}

#endif
