// problem: gemm-bf16
// A warp for each 16 x 8 of C, by mma.sync; each thread gathers its own fragments.
#include <cstdint>
#include <cuda_bf16.h>

constexpr int T = 16, TN = 8;

__device__ uint32_t pair(__nv_bfloat16 low, __nv_bfloat16 high)
{
	return (uint32_t)__bfloat16_as_ushort(high) << 16 | __bfloat16_as_ushort(low);
}

__global__ void multiply(const __nv_bfloat16 *A, const __nv_bfloat16 *B, __nv_bfloat16 *C, int M,
						 int N, int K, float alpha, float beta)
{
	__shared__ __nv_bfloat16 a[T][T], b[T][TN];
	int g = threadIdx.x / 4, t = threadIdx.x % 4 * 2;
	float sum[4] = {};
	for (int k0 = 0; k0 < K; k0 += T) {
		for (int i = threadIdx.x; i < T * T; i += 32) {
			int row = blockIdx.y * T + i / T, ka = k0 + i % T;
			a[i / T][i % T] = row < M && ka < K ? A[(size_t)row * K + ka] : __float2bfloat16(0.0f);
		}
		for (int i = threadIdx.x; i < T * TN; i += 32) {
			int kb = k0 + i / TN, col = blockIdx.x * TN + i % TN;
			b[i / TN][i % TN] =
				kb < K && col < N ? B[(size_t)kb * N + col] : __float2bfloat16(0.0f);
		}
		__syncthreads();
		uint32_t a0 = pair(a[g][t], a[g][t + 1]), a1 = pair(a[g + 8][t], a[g + 8][t + 1]);
		uint32_t a2 = pair(a[g][t + 8], a[g][t + 9]), a3 = pair(a[g + 8][t + 8], a[g + 8][t + 9]);
		uint32_t b0 = pair(b[t][g], b[t + 1][g]), b1 = pair(b[t + 8][g], b[t + 9][g]);
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
					 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
					 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
					 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
		__syncthreads();
	}
	for (int i = 0; i < 4; i++) {
		int row = blockIdx.y * T + g + i / 2 * 8, col = blockIdx.x * TN + t + i % 2;
		if (row < M && col < N) {
			float old = beta != 0.0f ? beta * __bfloat162float(C[(size_t)row * N + col]) : 0.0f;
			C[(size_t)row * N + col] = __float2bfloat16(alpha * sum[i] + old);
		}
	}
}

extern "C" void solve(const __nv_bfloat16 *A, const __nv_bfloat16 *B, __nv_bfloat16 *C, int M,
					  int N, int K, float alpha, float beta)
{
	dim3 grid((N + TN - 1) / TN, (M + T - 1) / T);
	multiply<<<grid, 32>>>(A, B, C, M, N, K, alpha, beta);
}
