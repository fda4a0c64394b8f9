// problem: gemm-w4
// Tiles of 16 x 16: weights of four bits become numbers when they are loaded.
#include <cstdint>
#include <cuda_fp16.h>

constexpr int T = 16;

__device__ float weight(const uint8_t *w_q, const half *scales, int K, int group_size, int n, int k)
{
	int byte = w_q[((size_t)n * K + k) / 2];
	int code = k % 2 == 0 ? byte >> 4 : byte & 15;
	return (code - 8) * __half2float(scales[(size_t)n * (K / group_size) + k / group_size]);
}

__global__ void multiply(const half *A, const uint8_t *w_q, const half *scales, half *C, int M,
						 int N, int K, int group_size)
{
	__shared__ float a[T][T], b[T][T];
	int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
	float sum = 0.0f;
	for (int k0 = 0; k0 < K; k0 += T) {
		int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
		a[threadIdx.y][threadIdx.x] =
			row < M && ka < K ? __half2float(A[(size_t)row * K + ka]) : 0.0f;
		b[threadIdx.y][threadIdx.x] =
			kb < K && col < N ? weight(w_q, scales, K, group_size, col, kb) : 0.0f;
		__syncthreads();
		for (int k = 0; k < T; k++)
			sum += a[threadIdx.y][k] * b[k][threadIdx.x];
		__syncthreads();
	}
	if (row < M && col < N)
		C[(size_t)row * N + col] = __float2half(sum);
}

extern "C" void solve(const half *x, const uint8_t *w_q, const half *scales, half *y, int M, int N,
					  int K, int group_size)
{
	dim3 grid((N + T - 1) / T, (M + T - 1) / T);
	multiply<<<grid, dim3(T, T)>>>(x, w_q, scales, y, M, N, K, group_size);
}
