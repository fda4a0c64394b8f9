/* P - 1 products one after the other; one thread computes one element of each.
 *
 * Idea: input^P is input^(P - 1) times input. Every product has N*N independent dot products, and a
 * thread takes one of them. The powers take turns between the output and one matrix in the
 * workspace, as a product cannot be written over its own operand; the turns begin where the last
 * power comes to lie in the output.
 *
 * Changes from the step before: the first step. threadIdx.x runs along a row of the power, so that
 * the 32 lanes of a warp read 32 neighbours of the input and share the element of the power before.
 *
 * Arithmetic intensity: 2 FLOP for the 2 floats of a step along k, 2 / 8 = 0.25 FLOP per byte
 * requested from the caches.
 *
 * Bound by load instructions, two for each FMA; with small N by the launches and by the time that a
 * few warps take for N loads one after the other.
 *
 * reached: 96.34 us, 32% of cuBLAS (NVIDIA H200, 2026-11-29, N 512, P 3) */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "../sgemm/workspace.cuh"

constexpr int BLOCK_ROWS = 8;
constexpr int BLOCK_COLUMNS = 32; // a warp's width: its lanes share a row of the power

/* next = power * input */
static __global__ void power_multiply(const float *power, const float *input, float *next, int N)
{
	int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;
	int column = blockIdx.x * BLOCK_COLUMNS + threadIdx.x;
	if (row >= N || column >= N)
		return;
	float sum = 0.0f;
	for (int k = 0; k < N; k++)
		sum += power[(size_t)row * N + k] * input[(size_t)k * N + column];
	next[(size_t)row * N + column] = sum;
}

extern "C" void solve(const float *input, float *output, int N, int P)
{
	size_t bytes = (size_t)N * N * sizeof(float);
	if (P == 1) {
		cudaMemcpyAsync(output, input, bytes, cudaMemcpyDeviceToDevice);
		return;
	}
	float *other = (float *)workspace_get(bytes);
	if (other == NULL) {
		fprintf(stderr, "matrix_power: no memory for a second matrix\n");
		abort();
	}
	dim3 block(BLOCK_COLUMNS, BLOCK_ROWS);
	dim3 grid((N + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS, (N + BLOCK_ROWS - 1) / BLOCK_ROWS);
	const float *power = input;
	for (int exponent = 2; exponent <= P; exponent++) {
		float *next = (P - exponent) % 2 == 0 ? output : other;
		power_multiply<<<grid, block>>>(power, input, next, N);
		power = next;
	}
}
