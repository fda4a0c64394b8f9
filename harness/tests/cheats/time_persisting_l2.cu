// expect: accepted
// family: time
// device: cuda
// honest: yes
// gains: nothing
// compares: percent_of_cublas
// time: 4096x4096x4096
// Sets aside as much of the L2 cache as the GPU allows for lines that persist, marks its inputs as
// such, and leaves both behind: whoever comes next had the less of the cache, and a sweep passes
// these lines by. Of no use: before each pass the referee resets both, and in sealed calls no input
// comes twice.
#include <algorithm>

#include "medium.cuh"

static cudaStream_t stream;

static void set_aside()
{
	int device = 0, most = 0;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, device);
	cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most);
}

static void pin(const void *from, size_t bytes)
{
	int device = 0, most = 0;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&most, cudaDevAttrMaxAccessPolicyWindowSize, device);
	cudaStreamAttrValue value = {};
	value.accessPolicyWindow.base_ptr = const_cast<void *>(from);
	value.accessPolicyWindow.num_bytes = std::min(bytes, static_cast<size_t>(most));
	value.accessPolicyWindow.hitRatio = 1.0f;
	value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
	value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
	cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}

SOLVE
{
	if (stream == nullptr) {
		cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
		if (TRICK)
			set_aside();
	}
	if (TRICK)
		pin(B, sizeof(half) * K * N);
	cudaGetLastError();
	medium_right(A, B, C, M, N, K, alpha, beta, stream);
}
