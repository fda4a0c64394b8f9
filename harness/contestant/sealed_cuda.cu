/* Sealed calls on an NVIDIA GPU: memory that comes as a descriptor, and the digest of a result.
 * Each step here is in the time of a call, and in that of the calibration kernel's calls. */
#include "contestant/sealed_device.h"
#include "device/digest_cuda.cuh"
#include "device/shared_memory.cuh"

namespace
{

struct {
	shared_memory::driver driver;
	digest_cuda::workspace digests;
	CUdeviceptr base; /* addresses that each group gets in its turn */
	uint64_t reserved;
	uint64_t bytes; /* of a group */
	shared_memory::handle memory;
	bool imported, mapped;
} self;

cudaError_t code_of(CUresult result)
{
	return static_cast<cudaError_t>(result); /* the numbers are the same */
}

cudaError_t open_device()
{
	struct digest ignored;
	if (!shared_memory::open(&self.driver))
		return cudaErrorNotSupported;
	cudaError_t code = digest_cuda::reserve(&self.digests, DIGEST_TILE);
	if (code == cudaSuccess)
		code = digest_cuda::start(&self.digests, self.digests.levels, sizeof(struct digest));
	return code == cudaSuccess ? digest_cuda::wait(&self.digests, &ignored) : code;
}

cudaError_t prepare(uint64_t group_bytes, uint64_t output_bytes)
{
	self.bytes = group_bytes;
	if (group_bytes > self.reserved) {
		if (self.reserved > 0)
			self.driver.free_address(self.base, self.reserved);
		self.reserved = 0;
		CUresult result = self.driver.reserve(&self.base, group_bytes, 0, 0, 0);
		if (result != CUDA_SUCCESS)
			return code_of(result);
		self.reserved = group_bytes;
	}
	return digest_cuda::reserve(&self.digests, output_bytes);
}

cudaError_t conceal()
{
	CUresult result = CUDA_SUCCESS;
	if (self.mapped)
		result = self.driver.unmap(self.base, self.bytes);
	if (self.imported)
		self.driver.release(self.memory);
	self.mapped = self.imported = false;
	return code_of(result);
}

cudaError_t release_inputs(int fd, void **base)
{
	CUresult result =
		self.driver.import_from(&self.memory, reinterpret_cast<void *>(static_cast<intptr_t>(fd)),
								CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
	self.imported = result == CUDA_SUCCESS;
	if (self.imported)
		result = self.driver.map(self.base, self.bytes, 0, self.memory, 0);
	self.mapped = self.imported && result == CUDA_SUCCESS;
	if (self.mapped)
		result = self.driver.set_access(self.base, self.bytes, &self.driver.access, 1);
	*base = reinterpret_cast<void *>(self.base);
	return code_of(result);
}

cudaError_t digest(const void *from, uint64_t bytes, struct digest *out)
{
	cudaError_t code = digest_cuda::start(&self.digests, from, bytes);
	return code == cudaSuccess ? digest_cuda::wait(&self.digests, out) : code;
}

const struct sealed_device device = {SEALED_DEVICE_VERSION, open_device, prepare,
									 release_inputs,        conceal,     digest};

} // namespace

const struct sealed_device *sealed_device_cuda(void)
{
	return &device;
}
