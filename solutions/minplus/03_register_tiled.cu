/* An 8x8 tile of minima in the registers of each thread.
 *
 * Idea: as for sums of products, a thread that holds 64 results uses each word
 * of shared memory eight times. All that the f32 ladder does in seven steps is
 * done in one here: thread tiles, float4 reads, warp tiles, a transposed tile of
 * A, two buffers. The kernel is in register_tile.cuh.
 *
 * Changes from 02_tiled: 64 results a thread instead of one. There is no fused
 * instruction for an addition and a minimum of floats, so a step takes two, and
 * the minima go to a unit of half the speed. That unit sets the bound of 33 T
 * operations a second; but an addition and a minimum for each of its turns are
 * already all the instructions that an SM can issue, so that every load, address
 * and barrier comes on top.
 *
 * Arithmetic intensity: 32 operations per byte of global memory, 5.3 per byte
 * that leaves shared memory.
 *
 * Bound by issue slots and by minima alike, says `explain` (H200, 4096^3): 4.6 ms
 * of 5.4 each, as minima run at half the rate of FMAs; shared memory takes 1.7,
 * waits for tiles 0.7.
 *
 * reached: 24.1 TFLOP/s, 145% of plain (NVIDIA H200, 4096^3) */
#include "register_tile.cuh"

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	minplus_multiply(A, B, C, M, N, K);
}
