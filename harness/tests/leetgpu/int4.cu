// problem: gemm-w4
// suite: leetgpu-w4
// As people write it on LeetGPU, challenge 81: INT4 Weight-Only Quantized MatMul.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void w4a16_kernel(const half *x, const uint8_t *w_q, const half *scales, half *y, int M,
							 int N, int K, int group_size)
{
	int n = blockIdx.x * blockDim.x + threadIdx.x;
	int m = blockIdx.y * blockDim.y + threadIdx.y;
	if (m >= M || n >= N)
		return;

	int num_groups = K / group_size;
	float sum = 0.0f;
	for (int k = 0; k < K; k += 2) {
		uint8_t packed = w_q[n * (K / 2) + k / 2];
		int w0 = (packed >> 4) - 8;
		int w1 = (packed & 0xF) - 8;
		float s0 = __half2float(scales[n * num_groups + k / group_size]);
		float s1 = __half2float(scales[n * num_groups + (k + 1) / group_size]);
		sum += __half2float(x[m * K + k]) * (w0 * s0);
		sum += __half2float(x[m * K + k + 1]) * (w1 * s1);
	}
	y[m * N + n] = __float2half(sum);
}

// x, w_q, scales, y are device pointers
extern "C" void solve(const half *x, const uint8_t *w_q, const half *scales, half *y, int M, int N,
					  int K, int group_size)
{
	dim3 block(16, 16);
	dim3 grid((N + block.x - 1) / block.x, (M + block.y - 1) / block.y);
	w4a16_kernel<<<grid, block>>>(x, w_q, scales, y, M, N, K, group_size);
	cudaDeviceSynchronize();
}
