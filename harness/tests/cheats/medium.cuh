// A right kernel of medium speed, for tricks against time: about 150 us for 1024 x 1024 x 1024 on
// an H200. It can work on a part of the columns, and on many sets of buffers at once.
#ifndef MEDIUM_CUH
#define MEDIUM_CUH

#include "cheat.cuh"

// With -DHONEST=1 the same file works without its trick.
#ifdef HONEST
constexpr bool TRICK = false;
#else
constexpr bool TRICK = true;
#endif

constexpr int MEDIUM_TILE = 64, MEDIUM_DEPTH = 16, MEDIUM_EACH = 4;

struct medium_part {
	size_t stride;       // bytes between two sets
	int column, columns; // of C
};

struct medium_tiles {
	float a[MEDIUM_DEPTH][MEDIUM_TILE], b[MEDIUM_DEPTH][MEDIUM_TILE];
};

static __device__ __forceinline__ void medium_load(struct medium_tiles *tiles, const half *A,
												   const half *B, int M, int N, int K, int row,
												   int column, int k0)
{
	for (int i = threadIdx.x; i < MEDIUM_TILE * MEDIUM_DEPTH; i += blockDim.x) {
		int r = i / MEDIUM_DEPTH, k = i % MEDIUM_DEPTH;
		bool within = row + r < M && k0 + k < K;
		tiles->a[k][r] = within ? __half2float(A[(size_t)(row + r) * K + k0 + k]) : 0.0f;
		int c = i % MEDIUM_TILE;
		k = i / MEDIUM_TILE;
		within = column + c < N && k0 + k < K;
		tiles->b[k][c] = within ? __half2float(B[(size_t)(k0 + k) * N + column + c]) : 0.0f;
	}
}

static __global__ void __launch_bounds__(256)
	medium_kernel(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
				  float beta, struct medium_part part)
{
	__shared__ struct medium_tiles tiles;
	int row = blockIdx.y * MEDIUM_TILE, column = part.column + blockIdx.x * MEDIUM_TILE;
	int y = threadIdx.x / 16 * MEDIUM_EACH, x = threadIdx.x % 16 * MEDIUM_EACH;
	float sum[MEDIUM_EACH][MEDIUM_EACH] = {};
	A = (const half *)((const char *)A + blockIdx.z * part.stride);
	B = (const half *)((const char *)B + blockIdx.z * part.stride);
	C = (half *)((char *)C + blockIdx.z * part.stride);
	for (int k0 = 0; k0 < K; k0 += MEDIUM_DEPTH) {
		medium_load(&tiles, A, B, M, N, K, row, column, k0);
		__syncthreads();
		for (int k = 0; k < MEDIUM_DEPTH; k++)
			for (int i = 0; i < MEDIUM_EACH; i++)
				for (int j = 0; j < MEDIUM_EACH; j++)
					sum[i][j] += tiles.a[k][y + i] * tiles.b[k][x + j];
		__syncthreads();
	}
	for (int i = 0; i < MEDIUM_EACH; i++)
		for (int j = 0; j < MEDIUM_EACH; j++) {
			if (row + y + i >= M || column + x + j >= part.column + part.columns)
				continue;
			half *to = C + (size_t)(row + y + i) * N + column + x + j;
			float result = alpha * sum[i][j];
			*to = __float2half(beta != 0.0f ? result + beta * __half2float(*to) : result);
		}
}

// Columns [column, column + columns) of C, which may be all.
static inline void medium_columns(const half *A, const half *B, half *C, int M, int N, int K,
								  float alpha, float beta, int column, int columns,
								  cudaStream_t stream = nullptr)
{
	dim3 grid((columns + MEDIUM_TILE - 1) / MEDIUM_TILE, (M + MEDIUM_TILE - 1) / MEDIUM_TILE);
	if (columns > 0)
		medium_kernel<<<grid, 256, 0, stream>>>(A, B, C, M, N, K, alpha, beta,
												{0, column, columns});
}

static inline void medium_right(const half *A, const half *B, half *C, int M, int N, int K,
								float alpha, float beta, cudaStream_t stream = nullptr)
{
	medium_columns(A, B, C, M, N, K, alpha, beta, 0, N, stream);
}

// One activity of about this long, which does nothing.
static __global__ void medium_nothing(unsigned nanoseconds)
{
	unsigned long long began, time;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(began));
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
	while (time - began < nanoseconds);
}

#endif
