/* What shortest paths are measured against: no library has them, so this is a plain
 * kernel of ours. Floyd and Warshall's algorithm in blocks of 32 x 32: a round
 * goes by TILE nodes at once. It first finishes the block on the diagonal, whose ways
 * need nothing else, then the blocks beside and above it, then all others, which are
 * min-plus products. One kernel does all three; nothing is held in registers but one
 * element a thread.
 *
 * Beyond the edges of the matrix, INFINITY stands for nodes that no edge leads to. */
#include <cuda_runtime.h>

constexpr int TILE = 32;

enum phase { DIAGONAL, CROSS, OTHERS }; // of a round

/* Blocks of a phase need those of the phases before. Those of the cross and the diagonal are
 * factors of themselves: what they multiply changes with every k, and the threads wait for
 * each other. */
static __global__ void __launch_bounds__(TILE *TILE)
	apsp_plain(float *D, int N, int round, phase now)
{
	__shared__ float left[TILE][TILE], upper[TILE][TILE];
	int block_row = blockIdx.y, block_column = blockIdx.x;
	if (now == DIAGONAL || (now == CROSS && blockIdx.y == 0))
		block_row = round;
	if (now == CROSS && blockIdx.y == 1)
		block_row = blockIdx.x;
	if (now == DIAGONAL || (now == CROSS && blockIdx.y == 1))
		block_column = round;
	bool in_row = block_row == round, in_column = block_column == round;
	if ((now == CROSS && in_row && in_column) || (now == OTHERS && (in_row || in_column)))
		return;

	int x = threadIdx.x, y = threadIdx.y;
	int row = block_row * TILE + y, column = block_column * TILE + x;
	int k_row = round * TILE + y, k_column = round * TILE + x;
	left[y][x] = row < N && k_column < N ? D[(size_t)row * N + k_column] : INFINITY;
	upper[y][x] = k_row < N && column < N ? D[(size_t)k_row * N + column] : INFINITY;
	float best = row < N && column < N ? D[(size_t)row * N + column] : INFINITY;
	__syncthreads();
	for (int k = 0; k < TILE; k++) {
		best = fminf(best, left[y][k] + upper[k][x]);
		if (now == OTHERS)
			continue;
		__syncthreads();
		if (in_column)
			left[y][x] = best;
		if (in_row)
			upper[y][x] = best;
		__syncthreads();
	}
	if (row < N && column < N)
		D[(size_t)row * N + column] = best;
}

extern "C" void solve(const float *dist, float *output, int N)
{
	int blocks = (N + TILE - 1) / TILE;
	dim3 block(TILE, TILE);
	cudaMemcpyAsync(output, dist, (size_t)N * N * sizeof(float), cudaMemcpyDeviceToDevice);
	for (int round = 0; round < blocks; round++) {
		apsp_plain<<<1, block>>>(output, N, round, DIAGONAL);
		if (blocks == 1)
			break;
		apsp_plain<<<dim3(blocks, 2), block>>>(output, N, round, CROSS);
		apsp_plain<<<dim3(blocks, blocks), block>>>(output, N, round, OTHERS);
	}
}
