/* Groups of sets of buffers that are shared one by one: allocations of their own behind file
 * descriptors, side by side in the addresses of this process. */
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
	uint32_t count; /* of the allocations that are there: the groups, and what is behind them */
	struct part {
		shared_memory::handle memory;
		uint64_t offset, bytes;
		int fd;
		bool mapped;
	} * parts;
};

inline void sealed_sets_drop(sealed_sets *all)
{
	for (uint32_t i = 0; i < all->count; i++) {
		if (all->parts[i].mapped)
			all->driver.unmap(all->base + all->parts[i].offset, all->parts[i].bytes);
		all->driver.release(all->parts[i].memory);
		if (all->parts[i].fd >= 0)
			close(all->parts[i].fd);
	}
	if (all->base != 0)
		all->driver.free_address(all->base, all->bytes);
	free(all->parts);
	all->parts = nullptr;
	all->count = 0;
	all->base = 0;
}

/* One more, behind those that there are. */
inline CUresult sealed_sets_add(sealed_sets *all, uint64_t offset, uint64_t bytes)
{
	const shared_memory::driver *driver = &all->driver;
	sealed_sets::part *part = &all->parts[all->count];
	*part = {0, offset, bytes, -1, false};
	CUresult code = driver->create(&part->memory, bytes, &driver->properties, 0);
	if (code != CUDA_SUCCESS)
		return code;
	all->count++;
	code = driver->export_to(&part->fd, part->memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
	if (code != CUDA_SUCCESS) {
		part->fd = -1;
		return code;
	}
	code = driver->map(all->base + offset, bytes, 0, part->memory, 0);
	part->mapped = code == CUDA_SUCCESS;
	return code;
}

inline uint64_t sealed_sets_round(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* `groups` groups of `sets` sets each in place of what there was, each set of at least *stride
 * bytes, and one set behind them. *stride is rounded up so far that groups begin where the device
 * lets allocations begin. */
inline CUresult sealed_sets_make(sealed_sets *all, uint32_t groups, uint32_t sets, uint64_t *stride)
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
	/* the least multiple of what makes `sets` of them a multiple of `unit`, a power of two */
	uint64_t twos = sets & (~sets + 1);
	*stride = sealed_sets_round(*stride, unit / (twos < unit / 256 ? twos : unit / 256));
	uint64_t group_bytes = *stride * sets;
	uint64_t behind = sealed_sets_round(*stride, unit);
	all->bytes = groups * group_bytes + behind;
	all->parts = static_cast<sealed_sets::part *>(calloc(groups + 1, sizeof *all->parts));
	if (all->parts == nullptr)
		return CUDA_ERROR_OUT_OF_MEMORY;
	code = driver->reserve(&all->base, all->bytes, 0, 0, 0);
	for (uint32_t i = 0; i < groups && code == CUDA_SUCCESS; i++)
		code = sealed_sets_add(all, i * group_bytes, group_bytes);
	if (code == CUDA_SUCCESS)
		code = sealed_sets_add(all, groups * group_bytes, behind);
	if (code == CUDA_SUCCESS)
		code = driver->set_access(all->base, all->bytes, &driver->access, 1);
	if (code != CUDA_SUCCESS)
		sealed_sets_drop(all);
	return code;
}

#endif
