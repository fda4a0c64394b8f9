// problem: minplus-f32
// Tiles of 16 x 16 in shared memory, of least sums in place of sums of products.
#include <cuda_runtime.h>
#include <math_constants.h>

constexpr int T = 16;

__global__ void multiply(const float *A, const float *B, float *C, int M, int N, int K)
{
	__shared__ float a[T][T], b[T][T];
	int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
	float sum = CUDART_INF_F;
	for (int k0 = 0; k0 < K; k0 += T) {
		int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
		a[threadIdx.y][threadIdx.x] = row < M && ka < K ? A[(size_t)row * K + ka] : CUDART_INF_F;
		b[threadIdx.y][threadIdx.x] = kb < K && col < N ? B[(size_t)kb * N + col] : CUDART_INF_F;
		__syncthreads();
		for (int k = 0; k < T; k++)
			sum = fminf(sum, a[threadIdx.y][k] + b[k][threadIdx.x]);
		__syncthreads();
	}
	if (row < M && col < N)
		C[(size_t)row * N + col] = sum;
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	dim3 grid((N + T - 1) / T, (M + T - 1) / T);
	multiply<<<grid, dim3(T, T)>>>(A, B, C, M, N, K);
}
