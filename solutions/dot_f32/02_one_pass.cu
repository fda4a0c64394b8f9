/* Few blocks that stay, 16 bytes a load, and a result in an order that does not change.
 *
 * Idea: what keeps device memory busy is bytes in flight, about 40 KB for each multiprocessor. Here
 * a thread has four vectors of A and four of B on their way at a time, 128 bytes; 1024 threads make
 * 128 KB. The grid has just the blocks that are at work at once, and each thread walks along in
 * strides of the whole grid, so that it goes through barriers once and not for every 256 products.
 *
 * Changes from 01_naive: the walk and the vectors; lanes add up by shuffles in registers; each
 * block stores its sum, and the block that arrives last adds up all of them. It does so in the
 * order of the blocks, whoever it is: the same bits in every call, and no memory to be set to
 * 0. A last partial vector, and what lies before the first aligned address, are single
 * elements of the first block. Where A and B are misaligned in different ways, all are.
 *
 * Arithmetic intensity: 0.25 FLOP per byte.
 *
 * Bound by memory: 10^8 elements are 800 MB, 167 us at 4.8 TB/s. The last block's work is a
 * few microseconds behind it. The prediction was 185 us, and 174.27 to 176.70 were measured, which
 * is 4.56 TB/s; cuBLAS took 182.46 (181.76 to 182.56).
 *
 * reached: 175.63 us, 104% of cuBLAS (NVIDIA H200, 2026-11-29, 10^8) */
#include "dot.cuh"

extern "C" void solve(const float *A, const float *B, float *result, int N)
{
	dot_solve(A, B, result, N);
}
