// Shared memory begins behind a KiB of the system's from compute capability 9.0 on, and before at
// 0: the first array of a kernel lies there, and all of it can be used, by shared and generic
// addresses.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void first_address(unsigned *out)
{
	__shared__ unsigned words[64];
	extern __shared__ unsigned more[];
	unsigned *generic = threadIdx.x < 32 ? words : more - 32;
	generic[threadIdx.x] = threadIdx.x * 3;
	words[32 + threadIdx.x % 32] = threadIdx.x / 32;
	__syncthreads();
	out[threadIdx.x] = threadIdx.x < 32 ? words[threadIdx.x] : more[threadIdx.x - 32];
	if (threadIdx.x == 0)
		out[64] = (unsigned)__cvta_generic_to_shared(words);
}

int main()
{
	unsigned *device, host[65];
	int reserved = -1, major = 0, wrong = 0;
	cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
	cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, 0);
	cudaMalloc(&device, sizeof host);
	first_address<<<1, 64, 32 * sizeof(unsigned)>>>(device);
	cudaError_t status = cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
	for (unsigned i = 0; status == cudaSuccess && i < 64; i++)
		wrong += host[i] != i * 3;
	printf("%s, %d wrong, %d reserved, begins at %u\n", cudaGetErrorName(status), wrong, reserved,
		   host[64]);
	return status != cudaSuccess || wrong || host[64] != (major >= 9 ? 1024u : 0u);
}
