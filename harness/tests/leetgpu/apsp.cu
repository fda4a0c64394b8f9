// problem: apsp-f32
// suite: leetgpu-apsp
// As people write it on LeetGPU, challenge 73: All-Pairs Shortest Paths.
#include <cuda_runtime.h>

__global__ void floyd_warshall_kernel(float *output, int N, int k)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < N && j < N) {
		float through_k = output[i * N + k] + output[k * N + j];
		if (through_k < output[i * N + j]) {
			output[i * N + j] = through_k;
		}
	}
}

// dist, output are device pointers
extern "C" void solve(const float *dist, float *output, int N)
{
	cudaMemcpy(output, dist, sizeof(float) * N * N, cudaMemcpyDeviceToDevice);

	dim3 threadsPerBlock(16, 16);
	dim3 blocksPerGrid((N + 15) / 16, (N + 15) / 16);
	for (int k = 0; k < N; k++) {
		floyd_warshall_kernel<<<blocksPerGrid, threadsPerBlock>>>(output, N, k);
	}
	cudaDeviceSynchronize();
}
