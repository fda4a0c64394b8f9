/* All multiprocessors, and 16 bytes a load: the kernel of dot_f32/02_one_pass with eight halves a
 * vector.
 *
 * Idea: dot_f32/02_one_pass explains it. Products of two halves are exact in f32, and all sums are
 * f32, those of blocks too; the result is rounded to half once.
 *
 * Changes from 01_naive: a grid that fills the GPU, vectors, shuffles, and the block that arrives
 * last adds up the others' sums, in their order.
 *
 * Arithmetic intensity: 0.5 FLOP per byte.
 *
 * Bound by memory: 10^8 elements are 400 MB, 83 us at 4.8 TB/s. Each element is converted to f32 by
 * one instruction more, some 11 a clock and multiprocessor, a small part of its issue slots. The
 * prediction was 93 us, and 91.33 to 94.08 were measured; cuBLAS took 116.88 (115.23 to 118.08).
 *
 * reached: 93.25 us, 125% of cuBLAS (NVIDIA H200, 2026-11-29, 10^8) */
#include "../dot_f32/dot.cuh"

extern "C" void solve(const half *A, const half *B, half *result, int N)
{
	dot_solve(A, B, result, N);
}
