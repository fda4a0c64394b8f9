/* Floyd and Warshall's algorithm: N sweeps over the matrix, one thread an element.
 *
 * dist[i][j] is the length of the edge from i to j, INFINITY where there is none;
 * lengths may be negative as long as no cycle is. output[i][j] becomes the length
 * of the shortest path, INFINITY where there is none.
 *
 * Idea: after sweep k, D[i][j] is the shortest way from i to j by nodes up to k
 * only. One more node brings one more choice: D[i][j] = min(D[i][j], D[i][k] + D[k][j]).
 * Every sweep needs the whole of the one before, and blocks cannot wait for each
 * other, so a sweep is a launch. It works in place: row k and column k do not
 * change in sweep k, as the way from k to k is 0 (a sum with a negative diagonal
 * would be a negative cycle).
 *
 * Changes from the step before: the first step.
 *
 * Arithmetic intensity: 2 operations for an element that is read and written, 0.25
 * per byte. 2 * N^3 operations in N launches.
 *
 * Bound by latency, says `explain` (H200, N = 2048): the first and last trip to
 * memory of each block, in 2048 launches: 24 ms, as measured.
 *
 * reached: 0.692 TFLOP/s, 15% of plain (NVIDIA H200, N = 2048) */
#include <cuda_runtime.h>

constexpr int BLOCK_ROWS = 8;
constexpr int BLOCK_COLUMNS = 32; // a warp's width: its lanes share a row

static __global__ void apsp_sweep(float *D, int N, int k)
{
	int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;
	int column = blockIdx.x * BLOCK_COLUMNS + threadIdx.x;
	if (row >= N || column >= N || row == k || column == k)
		return;

	float there = D[(size_t)row * N + column];
	float by_k = D[(size_t)row * N + k] + D[(size_t)k * N + column];
	if (by_k < there)
		D[(size_t)row * N + column] = by_k;
}

extern "C" void solve(const float *dist, float *output, int N)
{
	dim3 block(BLOCK_COLUMNS, BLOCK_ROWS);
	dim3 grid((N + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS, (N + BLOCK_ROWS - 1) / BLOCK_ROWS);
	cudaMemcpyAsync(output, dist, (size_t)N * N * sizeof(float), cudaMemcpyDeviceToDevice);
	for (int k = 0; k < N; k++)
		apsp_sweep<<<grid, block>>>(output, N, k);
}
