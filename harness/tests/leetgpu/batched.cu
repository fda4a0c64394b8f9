// problem: batched-f32
// suite: leetgpu-batched-f32
// As people write it on LeetGPU, challenge 30: Batched Matrix Multiplication.
#include <cuda_runtime.h>

__global__ void batched_matmul_kernel(const float *A, const float *B, float *C, int BATCH, int M,
									  int N, int K)
{
	int col = blockIdx.x * blockDim.x + threadIdx.x;
	int row = blockIdx.y * blockDim.y + threadIdx.y;
	int batch = blockIdx.z;
	if (batch < BATCH && row < M && col < N) {
		const float *a = A + batch * M * K;
		const float *b = B + batch * K * N;
		float sum = 0.0f;
		for (int i = 0; i < K; i++) {
			sum += a[row * K + i] * b[i * N + col];
		}
		C[batch * M * N + row * N + col] = sum;
	}
}

// A, B, C are device pointers
extern "C" void solve(const float *A, const float *B, float *C, int BATCH, int M, int N, int K)
{
	dim3 threadsPerBlock(16, 16, 1);
	dim3 blocksPerGrid((N + 15) / 16, (M + 15) / 16, BATCH);
	batched_matmul_kernel<<<blocksPerGrid, threadsPerBlock>>>(A, B, C, BATCH, M, N, K);
	cudaDeviceSynchronize();
}
