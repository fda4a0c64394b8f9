// problem: sgemm
// Tiles of 16 x 16 by asynchronous copies, the next one while the last one is multiplied.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int T = 16;

__device__ void copy(float *to, const float *from, bool inside)
{
	if (inside)
		__pipeline_memcpy_async(to, from, 4);
	else
		*to = 0.0f;
}

__global__ void multiply(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
						 float beta)
{
	__shared__ float a[2][T][T], b[2][T][T];
	int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
	int y = threadIdx.y, x = threadIdx.x, stage = 0;
	float sum = 0.0f;
	auto load = [&](int s, int k0) {
		int ka = k0 + x, kb = k0 + y;
		copy(&a[s][y][x], &A[(size_t)row * K + ka], row < M && ka < K);
		copy(&b[s][y][x], &B[(size_t)kb * N + col], kb < K && col < N);
		__pipeline_commit();
	};
	load(0, 0);
	for (int k0 = 0; k0 < K; k0 += T, stage ^= 1) {
		load(stage ^ 1, k0 + T);
		__pipeline_wait_prior(1);
		__syncthreads();
		for (int k = 0; k < T; k++)
			sum += a[stage][y][k] * b[stage][k][x];
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
