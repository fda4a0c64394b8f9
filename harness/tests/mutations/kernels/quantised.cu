// problem: gemm-s8
// Tiles of 16 x 16 of codes, padded with their zero points.
#include <cstdint>
#include <cuda_runtime.h>

constexpr int T = 16;

__global__ void multiply(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K,
						 float scale_A, float scale_B, float scale_C, int zero_point_A,
						 int zero_point_B, int zero_point_C)
{
	__shared__ int a[T][T], b[T][T];
	int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
	int sum = 0;
	for (int k0 = 0; k0 < K; k0 += T) {
		int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
		a[threadIdx.y][threadIdx.x] = row < M && ka < K ? A[(size_t)row * K + ka] : zero_point_A;
		b[threadIdx.y][threadIdx.x] = kb < K && col < N ? B[(size_t)kb * N + col] : zero_point_B;
		__syncthreads();
		for (int k = 0; k < T; k++)
			sum += (a[threadIdx.y][k] - zero_point_A) * (b[k][threadIdx.x] - zero_point_B);
		__syncthreads();
	}
	if (row < M && col < N) {
		int code = (int)rintf(sum * scale_A * scale_B / scale_C) + zero_point_C;
		C[(size_t)row * N + col] = min(127, max(-128, code));
	}
}

extern "C" void solve(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K,
					  float scale_A, float scale_B, float scale_C, int zero_point_A,
					  int zero_point_B, int zero_point_C)
{
	dim3 grid((N + T - 1) / T, (M + T - 1) / T);
	multiply<<<grid, dim3(T, T)>>>(A, B, C, M, N, K, scale_A, scale_B, scale_C, zero_point_A,
								   zero_point_B, zero_point_C);
}
