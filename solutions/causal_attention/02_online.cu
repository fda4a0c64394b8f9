/* One kernel with an online softmax, which leaves out the tiles above the diagonal.
 *
 * Idea: that of ../attention/02_online.cu, whose kernel this is. A block of 64 queries ends at the
 * tile of keys that has its last row, so that half of all tiles are never read; a warp leaves out
 * those parts of it that lie behind its own 16 rows. Only there are scores compared with the
 * diagonal.
 *
 * Changes from 01_naive: one kernel for three, half of the products, on the tensor cores in f32's
 * accuracy; scores stay in registers. Blocks with the most keys are the first of the grid, so that
 * short ones fill up the end.
 *
 * Arithmetic intensity: 32 FLOP per byte that comes from the L2 cache, as without a diagonal.
 *
 * Bound, by arithmetic, by the tensor cores (../attention/NOTES.md). Of the 81 TFLOP/s that their
 * mma might have, 37.1 were reached: 172.3 to 172.7 us, beside 392.5 of two products by cuBLAS, of
 * all scores, and a softmax.
 *
 * reached: 172.5 us, 228% of cuBLAS and a softmax (NVIDIA H200, 2026-11-29, 5000x128) */
#include "../attention/online.cuh"

extern "C" void solve(const float *Q, const float *K, const float *V, float *output, int M, int d)
{
	online_problem p = {Q, K, V, output, 1, 1, M, M, d};
	if (d <= 64)
		online_launch_best<64, true>(p);
	else
		online_launch_best<128, true>(p);
}
