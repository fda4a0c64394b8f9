// problem: gemm-s8
// suite: leetgpu-s8
// As people write it on LeetGPU, challenge 32: INT8 Quantized MatMul.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void quantized_matmul_kernel(const int8_t *A, const int8_t *B, int8_t *C, int M, int N,
										int K, float scale, int zero_point_A, int zero_point_B,
										int zero_point_C)
{
	int col = blockIdx.x * blockDim.x + threadIdx.x;
	int row = blockIdx.y * blockDim.y + threadIdx.y;
	if (row < M && col < N) {
		int sum = 0;
		for (int k = 0; k < K; k++) {
			int a = (int)A[row * K + k] - zero_point_A;
			int b = (int)B[k * N + col] - zero_point_B;
			sum += a * b;
		}
		int q = __float2int_rn(sum * scale) + zero_point_C;
		q = max(-128, min(127, q));
		C[row * N + col] = (int8_t)q;
	}
}

// A, B, C are device pointers
extern "C" void solve(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K,
					  float scale_A, float scale_B, float scale_C, int zero_point_A,
					  int zero_point_B, int zero_point_C)
{
	float scale = scale_A * scale_B / scale_C;
	dim3 threadsPerBlock(16, 16);
	dim3 blocksPerGrid((N + 15) / 16, (M + 15) / 16);
	quantized_matmul_kernel<<<blocksPerGrid, threadsPerBlock>>>(
		A, B, C, M, N, K, scale, zero_point_A, zero_point_B, zero_point_C);
	cudaDeviceSynchronize();
}
