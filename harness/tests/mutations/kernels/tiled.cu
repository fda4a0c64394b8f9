// problem: sgemm
// Tiles of 16 x 16 in shared memory.
#include <cuda_runtime.h>

constexpr int T = 16;

__global__ void multiply(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
						 float beta)
{
	__shared__ float a[T][T], b[T][T];
	int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
	float sum = 0.0f;
	for (int k0 = 0; k0 < K; k0 += T) {
		int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
		a[threadIdx.y][threadIdx.x] = row < M && ka < K ? A[(size_t)row * K + ka] : 0.0f;
		b[threadIdx.y][threadIdx.x] = kb < K && col < N ? B[(size_t)kb * N + col] : 0.0f;
		__syncthreads();
		for (int k = 0; k < T; k++)
			sum += a[threadIdx.y][k] * b[k][threadIdx.x];
		__syncthreads();
	}
	if (row < M && col < N) {
		float old = beta != 0.0f ? beta * C[(size_t)row * N + col] : 0.0f;
		C[(size_t)row * N + col] = alpha * sum + old;
	}
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + T - 1) / T, (M + T - 1) / T);
	multiply<<<grid, dim3(T, T)>>>(A, B, C, M, N, K, alpha, beta);
}
