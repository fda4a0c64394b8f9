/* Device memory that goes from process to process as a file descriptor: the driver's interface of
 * allocations and mappings apart (CUDA Driver API, "Virtual Memory Management"), whose functions
 * are found through the runtime, so that nothing is linked to the driver. */
#ifndef GEMMJUDGE_DEVICE_SHARED_MEMORY_CUH
#define GEMMJUDGE_DEVICE_SHARED_MEMORY_CUH

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace shared_memory
{

using handle = CUmemGenericAllocationHandle;

struct driver {
	decltype(&cuMemGetAllocationGranularity) granularity;
	decltype(&cuMemCreate) create;
	decltype(&cuMemRelease) release;
	decltype(&cuMemExportToShareableHandle) export_to;
	decltype(&cuMemImportFromShareableHandle) import_from;
	decltype(&cuMemAddressReserve) reserve;
	decltype(&cuMemAddressFree) free_address;
	decltype(&cuMemMap) map;
	decltype(&cuMemUnmap) unmap;
	decltype(&cuMemSetAccess) set_access;
	CUmemAllocationProp properties;
	CUmemAccessDesc access;
};

template <typename F> inline bool find(const char *name, F *out)
{
	cudaDriverEntryPointQueryResult result;
	void *found = nullptr;
	if (cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result) !=
			cudaSuccess ||
		result != cudaDriverEntryPointSuccess)
		return false;
	*out = reinterpret_cast<F>(found);
	return true;
}

/* Of the runtime's current device. False where the driver lacks a function. */
inline bool open(driver *out)
{
	int device = 0;
	*out = {};
	if (cudaGetDevice(&device) != cudaSuccess)
		return false;
	out->properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	out->properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	out->properties.location.id = device;
	out->properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	out->access.location = out->properties.location;
	out->access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	return find("cuMemGetAllocationGranularity", &out->granularity) &&
		   find("cuMemCreate", &out->create) && find("cuMemRelease", &out->release) &&
		   find("cuMemExportToShareableHandle", &out->export_to) &&
		   find("cuMemImportFromShareableHandle", &out->import_from) &&
		   find("cuMemAddressReserve", &out->reserve) &&
		   find("cuMemAddressFree", &out->free_address) && find("cuMemMap", &out->map) &&
		   find("cuMemUnmap", &out->unmap) && find("cuMemSetAccess", &out->set_access);
}

} // namespace shared_memory

#endif
