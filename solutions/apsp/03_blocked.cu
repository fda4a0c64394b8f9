/* Floyd and Warshall's algorithm, 64 nodes a round: all but a few percent of it is a
 * min-plus product with tiles in registers.
 *
 * Idea: a round takes 64 nodes as stops between the others. With `closed`, the
 * shortest ways among these 64 by nobody else, and U the 64 rows of D and L its 64
 * columns that belong to them: closed*U and L*closed (min-plus products) are the ways
 * that begin or end at one of them, and D = min(D, L*closed * closed*U) is the round's
 * result. It is 1/64 of the algorithm, and D moves once.
 *
 * A round is two launches. apsp_cross: every block closes the 64x64 tile on the diagonal
 * for itself (cheaper than one more launch to wait for) and multiplies its own tile
 * of U or of L by it. The products go to a workspace and not back into D, so that no
 * block changes what another one reads, and L's is stored transposed. apsp_relax: 128x128
 * tiles of D, each thread with 8x8 of them in registers, against 64 rows of
 * either product. It does all tiles, also those of U and L themselves, which take the
 * products over in this way.
 *
 * Changes from 02_repeated_squaring: one product's work in all, and not one for
 * each doubling; operands come by cp.async, in four parts, the first of which is
 * worked on as soon as it is there. A matrix whose size is no multiple of 128 is
 * padded with INFINITY in the workspace: nodes that no edge leads to.
 *
 * Arithmetic intensity: 2*128*128*64 operations for 2*128*64 floats of the products and
 * 2*128*128 of D, 11 operations per byte, nearly all of it from and to the L2 cache.
 * 2 * N^3 operations in all; units for minima bound them to 33 T a second on an H200.
 *
 * Bound by minima, says `explain` (H200, N = 2048): 0.57 ms of 0.69 in apsp_relax,
 * 1.3 with the diagonals and crosses.
 *
 * reached: 13 TFLOP/s, 278% of plain (NVIDIA H200, N = 2048) */
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../sgemm/workspace.cuh"

constexpr int ROUND = 64; // nodes of a round
constexpr int TILE = 128; // rows and columns of D that a block of apsp_relax does
constexpr int THREADS = 256;
constexpr int PARTS = 4; // of the operands of apsp_relax, along the round's nodes
constexpr int PART_ROWS = ROUND / PARTS;
static_assert(TILE % ROUND == 0, "a padded matrix consists of whole tiles of both kinds");

/* What a round multiplies, two matrices of ROUND rows of `ld` floats: L*closed, transposed,
 * and closed*U. */
struct products {
	float *left, *upper;
};

static __device__ __forceinline__ void load_four(float (&x)[4], const float *from)
{
	float4 four = *(const float4 *)from;
	x[0] = four.x, x[1] = four.y, x[2] = four.z, x[3] = four.w;
}

static __device__ __forceinline__ void store_four(float *to, float a, float b, float c, float d)
{
	*(float4 *)to = make_float4(a, b, c, d);
}

/* best[i][j] = min(best[i][j], a[i] + b[j]) */
static __device__ __forceinline__ void relax(float (&best)[4][4], const float (&a)[4],
											 const float (&b)[4])
{
#pragma unroll
	for (int i = 0; i < 4; i++)
#pragma unroll
		for (int j = 0; j < 4; j++)
			best[i][j] = fminf(best[i][j], a[i] + b[j]);
}

/* The sweeps of Floyd and Warshall over a 64x64 tile of which each thread has 4x4. Row k and
 * column k are handed round through shared memory, in two places by turns: nobody comes to write
 * the one again before all have read it and met once more. */
static __device__ __forceinline__ void close_tile(float (&d)[4][4], int y, int x)
{
	__shared__ alignas(16) float row[2][ROUND], column[2][ROUND];
#pragma unroll 1
	for (int k = 0; k < ROUND; k += 4) {
#pragma unroll
		for (int i = 0; i < 4; i++) {
			if (y == k / 4)
				store_four(&row[i % 2][4 * x], d[i][0], d[i][1], d[i][2], d[i][3]);
			if (x == k / 4)
				store_four(&column[i % 2][4 * y], d[0][i], d[1][i], d[2][i], d[3][i]);
			__syncthreads();
			float a[4], b[4];
			load_four(a, &column[i % 2][4 * y]);
			load_four(b, &row[i % 2][4 * x]);
			relax(d, a, b);
		}
	}
}

/* Block (x, 0): tile x of closed*U; (x, 1): tile x of L*closed. */
static __global__ void __launch_bounds__(THREADS)
	apsp_cross(const float *D, int ld, int round, products out)
{
	constexpr int LD = ROUND + 4; // float4 stay aligned
	static_assert(THREADS * 16 == ROUND * ROUND, "each thread has 4x4 of a tile");
	__shared__ alignas(16) float left[ROUND][LD]; // transposed
	__shared__ alignas(16) float right[ROUND][LD];

	int y = threadIdx.x / (ROUND / 4), x = threadIdx.x % (ROUND / 4);
	int tile = blockIdx.x;
	bool upper = blockIdx.y == 0;
	size_t inside = (size_t)4 * y * ld + 4 * x; // this thread's part of a tile
	const float *diagonal = D + (size_t)round * ROUND * (ld + 1) + inside;
	const float *own = D + inside +
					   (upper ? (size_t)round * ROUND * ld + tile * ROUND
							  : (size_t)tile * ROUND * ld + round * ROUND);
	float closed[4][4], best[4][4];
#pragma unroll
	for (int i = 0; i < 4; i++) {
		load_four(closed[i], diagonal + (size_t)i * ld);
		load_four(best[i], own + (size_t)i * ld);
	}
	close_tile(closed, y, x);

	/* Both factors; the thread's own tile is one of them. */
#pragma unroll
	for (int i = 0; i < 4; i++) {
		const float(&l)[4][4] = closed, (&r)[4][4] = best;
		if (upper) {
			store_four(&left[4 * x + i][4 * y], l[0][i], l[1][i], l[2][i], l[3][i]);
			store_four(&right[4 * y + i][4 * x], r[i][0], r[i][1], r[i][2], r[i][3]);
		} else {
			store_four(&left[4 * x + i][4 * y], r[0][i], r[1][i], r[2][i], r[3][i]);
			store_four(&right[4 * y + i][4 * x], l[i][0], l[i][1], l[i][2], l[i][3]);
		}
	}
	__syncthreads();
#pragma unroll 8
	for (int k = 0; k < ROUND; k++) {
		float a[4], b[4];
		load_four(a, &left[k][4 * y]);
		load_four(b, &right[k][4 * x]);
		relax(best, a, b);
	}

#pragma unroll
	for (int i = 0; i < 4; i++)
		if (upper)
			store_four(&out.upper[(size_t)(4 * y + i) * ld + tile * ROUND + 4 * x], best[i][0],
					   best[i][1], best[i][2], best[i][3]);
		else
			store_four(&out.left[(size_t)(4 * x + i) * ld + tile * ROUND + 4 * y], best[0][i],
					   best[1][i], best[2][i], best[3][i]);
}

/* D = min(D, left^T * upper). A warp has 32x64 of the tile, a thread four pieces of 4x4, 16
 * rows or 32 columns apart. */
static __global__ void __launch_bounds__(THREADS, 2) apsp_relax(float *D, int ld, products by)
{
	extern __shared__ __align__(16) float relax_memory[];
	float *left = relax_memory, *upper = relax_memory + ROUND * TILE;
	int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;

#pragma unroll
	for (int part = 0; part < PARTS; part++) {
#pragma unroll
		for (int i = 0; i < PART_ROWS * TILE / 4 / THREADS; i++) {
			int e = (part * PART_ROWS * TILE) + (i * THREADS + (int)threadIdx.x) * 4;
			size_t from = (size_t)(e / TILE) * ld + e % TILE;
			__pipeline_memcpy_async(&left[e], by.left + from + row0, 16);
			__pipeline_memcpy_async(&upper[e], by.upper + from + column0, 16);
		}
		__pipeline_commit();
	}

	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	int row = warp / 2 * 32 + lane / 8 * 4;
	int column = warp % 2 * 64 + lane % 8 * 4;
	float *d = D + (size_t)(row0 + row) * ld + column0 + column;
	float best[2][2][4][4];
#pragma unroll
	for (int m = 0; m < 2; m++)
#pragma unroll
		for (int i = 0; i < 4; i++)
#pragma unroll
			for (int n = 0; n < 2; n++)
				load_four(best[m][n][i], d + (size_t)(m * 16 + i) * ld + n * 32);

#pragma unroll 1
	for (int part = 0; part < PARTS; part++) {
		__pipeline_wait_prior(PARTS - 1 - part);
		__syncthreads();
#pragma unroll 8
		for (int k = part * PART_ROWS; k < (part + 1) * PART_ROWS; k++) {
			float a[2][4], b[2][4];
#pragma unroll
			for (int m = 0; m < 2; m++) {
				load_four(a[m], &left[k * TILE + row + m * 16]);
				load_four(b[m], &upper[k * TILE + column + m * 32]);
			}
#pragma unroll
			for (int m = 0; m < 2; m++)
#pragma unroll
				for (int n = 0; n < 2; n++)
					relax(best[m][n], a[m], b[n]);
		}
	}

#pragma unroll
	for (int m = 0; m < 2; m++)
#pragma unroll
		for (int i = 0; i < 4; i++)
#pragma unroll
			for (int n = 0; n < 2; n++) {
				const float(&x)[4] = best[m][n][i];
				store_four(d + (size_t)(m * 16 + i) * ld + n * 32, x[0], x[1], x[2], x[3]);
			}
}

/* The first `columns` of each row; INFINITY for what lies outside of the N x N elements. */
static __global__ void apsp_copy(const float *from, int from_ld, float *to, int to_ld, int columns,
								 int N)
{
	int row = blockIdx.x; // a grid ends at 65535 along y
	int column = blockIdx.y * THREADS + threadIdx.x;
	if (column < columns)
		to[(size_t)row * to_ld + column] =
			row < N && column < N ? from[(size_t)row * from_ld + column] : INFINITY;
}

static void copy(const float *from, int from_ld, float *to, int to_ld, int size, int N)
{
	dim3 grid(size, (size + THREADS - 1) / THREADS);
	apsp_copy<<<grid, THREADS>>>(from, from_ld, to, to_ld, size, N);
}

extern "C" void solve(const float *dist, float *output, int N)
{
	constexpr int SHARED = 2 * ROUND * TILE * sizeof(float);
	if (cudaFuncSetAttribute(apsp_relax, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED) !=
		cudaSuccess) {
		fprintf(stderr, "03_blocked: a block cannot have %d bytes of shared memory\n", SHARED);
		abort();
	}
	int tiles = (N + TILE - 1) / TILE, ld = tiles * TILE;
	bool in_place = ld == N && (uintptr_t)output % 16 == 0;
	size_t panel = (size_t)ROUND * ld, matrix = in_place ? 0 : (size_t)ld * ld;
	float *memory = (float *)workspace_get((2 * panel + matrix) * sizeof(float));
	if (!memory) {
		fprintf(stderr, "03_blocked: no memory for the products of a round\n");
		abort();
	}
	products by = {memory, memory + panel};
	float *D = in_place ? output : memory + 2 * panel;

	copy(dist, N, D, ld, ld, N);
	for (int round = 0; round * ROUND < N; round++) {
		apsp_cross<<<dim3(ld / ROUND, 2), THREADS>>>(D, ld, round, by);
		apsp_relax<<<dim3(tiles, tiles), THREADS, SHARED>>>(D, ld, by);
	}
	if (!in_place)
		copy(D, ld, output, N, N, N);
}
