/* One kernel with an online softmax: scores never leave the registers.
 *
 * Idea: a row's softmax can be made while its scores come in. Keep the largest score so far, and
 * the sums relative to it: a larger score scales both down. So 64 queries stay on a multiprocessor
 * while tiles of K and V pass by, and the M x N scores, which 01 writes and reads four times, are
 * never in memory. online.cuh has the kernel.
 *
 * Changes from 01_naive: one kernel for three; both products on the tensor cores, in f32's accuracy
 * by three products of TF32 parts (tf32.cuh); K and V through shared memory by asynchronous copies,
 * each under the product with the other. Where there are few queries, blocks share the keys of a
 * tile: those of a cluster, and several clusters, whose parts the last of them joins.
 *
 * Arithmetic intensity: 4 * 64 * d FLOP for the 8 * d bytes of a key's rows of K and V: 32 FLOP per
 * byte that comes from the L2 cache. From memory, at M = N = 1024 and d = 128, 256 FLOP for each
 * of the 2 MB.
 *
 * Bound of large problems, by arithmetic, by the tensor cores: three TF32 products for one are 165
 * of the 495 TFLOP/s that an H200 has, and mma reaches some six tenths of what wgmma does, which
 * would leave 81. Of that 48.1 were reached at 4096x4096x64. Small problems are bound by their
 * beginning and their end: at 1024x1024x128 the prediction was 13 us, and 20.42 (20.38 to 20.42)
 * were measured, 165% of cuBLAS and a softmax kernel, which took 33.66 (33.60 to 33.76). NOTES.md
 * has the rest.
 *
 * reached: 12.90 us, 230% of cuBLAS and a softmax (NVIDIA H200, 2026-11-29, 512x256x128) */
#include "online.cuh"

extern "C" void solve(const float *Q, const float *K, const float *V, float *output, int M, int N,
					  int d)
{
	online_problem p = {Q, K, V, output, 1, 1, M, N, d};
	if (d <= 64)
		online_launch_best<64, false>(p);
	else
		online_launch_best<128, false>(p);
}
