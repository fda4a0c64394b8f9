/* Blocked multiplication in its plain form: a square tile, an output a thread.
 *
 * Idea: cut C, A and B into square blocks of side m. A block of C is the sum
 * over k of (block of A) * (block of B), the schoolbook formula with blocks in
 * place of numbers. m*m threads load one element of each operand into shared
 * memory, and each reads m of both from there.
 *
 * Changes from 02_tiled: the tile grows to 32x32, which halves what comes from
 * global memory, and the coarsening goes: one output a thread. This is the form
 * that texts on the subject begin with, and it shows what blocking alone gives.
 * It does not beat 02_tiled: every multiplication now reads two floats of
 * shared memory, where 02's reads one and a half, and blocks of 1024 threads
 * leave an SM idle at their barriers (two fit on it, so only one other block
 * can fill in). Global memory, of which it needs less, limits neither.
 *
 * Arithmetic intensity: 2*32*32 FLOP for 2*32 floats, m / 4 = 8 FLOP per byte of
 * global memory; 0.25 FLOP per byte of shared memory, where a warp's read of A
 * is one broadcast word.
 *
 * Bound by shared memory, says `explain` (H200, 4096^3): 2.1 passes for each FMA,
 * 17.1 ms; issue slots take 8.4, waits for tiles 5.0, FMAs 2.2. It predicts 23.2
 * ms where 16.2 are measured, as it counts reads that nvcc 13.0 joins.
 *
 * reached: 8.5 TFLOP/s, 16% of cuBLAS (NVIDIA H100 80GB HBM3, 4096^3) */
#include "epilogue.cuh"

constexpr int TILE = 32;
static_assert(TILE == 32, "a warp is a row of the tile, so that its loads are one line each");

static __global__ void __launch_bounds__(TILE *TILE)
	gemm_blocked(const float *A, const float *B, int M, int N, int K, epilogue<float> out)
{
	__shared__ float tile_a[TILE][TILE];
	__shared__ float tile_b[TILE][TILE];

	int tx = threadIdx.x;
	int ty = threadIdx.y;
	int row = blockIdx.y * TILE + ty;
	int column = blockIdx.x * TILE + tx;

	float sum = 0.0f;
	for (int k0 = 0; k0 < K; k0 += TILE) {
		tile_a[ty][tx] = row < M && k0 + tx < K ? A[(size_t)row * K + k0 + tx] : 0.0f;
		tile_b[ty][tx] = k0 + ty < K && column < N ? B[(size_t)(k0 + ty) * N + column] : 0.0f;
		__syncthreads();
#pragma unroll
		for (int k = 0; k < TILE; k++)
			sum += tile_a[ty][k] * tile_b[k][tx];
		__syncthreads();
	}
	out.by_lanes().store(row, column, sum);
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 block(TILE, TILE);
	dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
	gemm_blocked<<<grid, block>>>(A, B, M, N, K, epilogue_make(C, M, N, alpha, beta));
}
