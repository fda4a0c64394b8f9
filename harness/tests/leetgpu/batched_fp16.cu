// problem: batched-f16
// suite: leetgpu-batched-f16
// As people write it on LeetGPU, challenge 57: FP16 Batched Matrix Multiplication.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void batched_matmul_kernel(const half *A, const half *B, half *C, int BATCH, int M,
									  int N, int K)
{
	int col = blockIdx.x * blockDim.x + threadIdx.x;
	int row = blockIdx.y * blockDim.y + threadIdx.y;
	int batch = blockIdx.z;
	if (row >= M || col >= N)
		return;
	A += batch * M * K;
	B += batch * K * N;
	C += batch * M * N;
	float acc = 0.0f;
	for (int k = 0; k < K; ++k)
		acc += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
	C[row * N + col] = __float2half(acc);
}

// A, B, C are device pointers
extern "C" void solve(const half *A, const half *B, half *C, int BATCH, int M, int N, int K)
{
	dim3 threads(16, 16);
	dim3 blocks((N + threads.x - 1) / threads.x, (M + threads.y - 1) / threads.y, BATCH);
	batched_matmul_kernel<<<blocks, threads>>>(A, B, C, BATCH, M, N, K);
	cudaDeviceSynchronize();
}
