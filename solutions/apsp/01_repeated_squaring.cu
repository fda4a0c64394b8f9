/* All-pairs shortest paths by repeated min-plus squaring.
 *
 * W[i][j] is the length of the edge from i to j, INFINITY where there is none;
 * lengths may be negative as long as no cycle is. D[i][j] becomes the length of
 * the shortest path, INFINITY where there is none.
 *
 * Idea: let D hold the shortest paths of at most e edges (e = 1: W with zeros on
 * its diagonal, which stand for staying). A path of at most 2e edges is two of
 * at most e, so the min-plus product D*D holds those; no shortest path has more
 * than N - 1 edges, and ceil(log2(N - 1)) squarings find them all.
 *
 * Changes from ../minplus/03_register_tiled: nothing in the kernel; a driver that lets two
 * matrices take turns, D and one in the workspace, so that the last result comes
 * to lie in D. Floyd and Warshall's N sweeps do log2(N) times less work, but as
 * N launches that move the whole matrix each; squaring is bound by arithmetic.
 *
 * Arithmetic intensity: 32 operations per byte of global memory, as the product.
 * 2 * N^3 * ceil(log2(N - 1)) operations in all.
 *
 * No problem of the judge: testcases/README.md says why, and
 * harness/tests/test_apsp.c compares it with Floyd and Warshall's algorithm.
 *
 * reached: not measured yet */
#include "../minplus/register_tile.cuh"
#include "../sgemm/workspace.cuh"

constexpr int THREADS = 256;

/* Paths of at most one edge. */
static __global__ void apsp_begin(const float *W, float *D, int N)
{
	int row = blockIdx.y;
	int column = blockIdx.x * THREADS + threadIdx.x;
	if (column >= N)
		return;
	size_t place = (size_t)row * N + column;
	D[place] = row == column ? fminf(W[place], 0.0f) : W[place];
}

extern "C" void solve(const float *W, float *D, int N)
{
	int squarings = 0;
	while (1ll << squarings < N - 1)
		squarings++;

	float *other = NULL;
	if (squarings > 0) {
		other = (float *)workspace_get((size_t)N * N * sizeof(float));
		if (!other)
			return; // D stays as it was, and the judge says so
	}
	float *from = squarings % 2 == 0 ? D : other;
	float *to = squarings % 2 == 0 ? other : D;
	apsp_begin<<<dim3((N + THREADS - 1) / THREADS, N), THREADS>>>(W, from, N);
	for (int i = 0; i < squarings; i++) {
		minplus_multiply(from, from, to, N, N, N);
		float *swap = from;
		from = to;
		to = swap;
	}
}
