// problem: matmul-f32
// Four columns a thread; rows of B that allow it are read as float4. Its own names of the sizes:
// the summed one is K, the width of C is N.
#include <cuda_runtime.h>

constexpr int T = 16, V = 4;

__global__ void multiply(const float *A, const float *B, float *C, int M, int N, int K)
{
	int row = blockIdx.y * T + threadIdx.y, first = (blockIdx.x * T + threadIdx.x) * V;
	float sum[V] = {};
	for (int ka = 0, kb = 0; ka < K; ka++, kb++) {
		float x = row < M ? A[(size_t)row * K + ka] : 0.0f;
		float y[V];
		if (N % V == 0 && first < N) {
			*(float4 *)y = *(const float4 *)&B[(size_t)kb * N + first];
		} else {
			for (int j = 0; j < V; j++) {
				int col = first + j;
				y[j] = col < N ? B[(size_t)kb * N + col] : 0.0f;
			}
		}
		for (int j = 0; j < V; j++)
			sum[j] += x * y[j];
	}
	for (int j = 0; j < V; j++) {
		int col = first + j;
		if (row < M && col < N)
			C[(size_t)row * N + col] = sum[j];
	}
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int K, int N)
{
	dim3 grid((N + T * V - 1) / (T * V), (M + T - 1) / T);
	multiply<<<grid, dim3(T, T)>>>(A, B, C, M, N, K);
}
