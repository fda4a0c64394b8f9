/* Repeated min-plus squaring.
 *
 * Idea: let D hold the shortest paths of at most e edges (e = 1: the input, with
 * zeros on its diagonal, which stand for staying). A path of at most 2e edges is
 * two of at most e, so the min-plus product D*D holds those; no shortest path has
 * more than N - 1 edges, and ceil(log2(N - 1)) squarings find them all.
 *
 * Changes from 01_naive: a few products with tiles in registers, those of
 * ../minplus/03_register_tiled, in place of N sweeps that move the whole matrix each. Two
 * matrices take turns, the output and one in the workspace, so that the last result
 * comes to lie in the output. It is log2(N) times the arithmetic, but bound by that
 * and no longer by memory.
 *
 * Arithmetic intensity: 32 operations per byte of global memory, as the product.
 * 2 * N^3 * ceil(log2(N - 1)) operations in all.
 *
 * Bound by issue slots and minima, says `explain` (H200, N = 2048), as the
 * product: 6.3 ms of 7.5.
 *
 * reached: 2.14 TFLOP/s, 46% of plain (NVIDIA H200, N = 2048) */
#include <stdio.h>
#include <stdlib.h>

#include "../minplus/register_tile.cuh"
#include "../sgemm/workspace.cuh"

constexpr int THREADS = 256;

/* Paths of at most one edge. */
static __global__ void apsp_begin(const float *dist, float *D, int N)
{
	int row = blockIdx.x; // a grid ends at 65535 along y
	int column = blockIdx.y * THREADS + threadIdx.x;
	if (column >= N)
		return;
	size_t place = (size_t)row * N + column;
	D[place] = row == column ? fminf(dist[place], 0.0f) : dist[place];
}

extern "C" void solve(const float *dist, float *output, int N)
{
	int squarings = 0;
	while (1ll << squarings < N - 1)
		squarings++;

	float *other = NULL;
	if (squarings > 0) {
		other = (float *)workspace_get((size_t)N * N * sizeof(float));
		if (!other) {
			fprintf(stderr, "02_repeated_squaring: no memory for a second matrix\n");
			abort();
		}
	}
	float *from = squarings % 2 == 0 ? output : other;
	float *to = squarings % 2 == 0 ? other : output;
	apsp_begin<<<dim3(N, (N + THREADS - 1) / THREADS), THREADS>>>(dist, from, N);
	for (int i = 0; i < squarings; i++) {
		minplus_multiply(from, from, to, N, N, N);
		float *swap = from;
		from = to;
		to = swap;
	}
}
