/* One kernel with an online softmax, a head along the grid's y.
 *
 * Idea: that of ../attention/02_online.cu, whose kernel this is. Heads of Q that share one of K and
 * V read it where it lies: nothing is repeated in memory, and as they are neighbours in the grid,
 * the L2 cache has it for all of them.
 *
 * Changes from 01_naive: one kernel for three, both products on the tensor cores in f32's accuracy;
 * scores stay in registers. With heads of more than 128 columns a warp has 32 keys at a time for
 * 64: its sums take twice the registers.
 *
 * Arithmetic intensity: 32 FLOP per byte that comes from the L2 cache. From memory, at 32 heads
 * over 8 with 1024 queries and keys, 4 * 1024 FLOP for the 8 bytes of an element of Q and of the
 * output, and 2 for those of K and V: 410 FLOP per byte.
 *
 * Bound, by arithmetic, by the tensor cores (../attention/NOTES.md). Of the 81 TFLOP/s that their
 * mma might have, 51.2 were reached: 335.6 us (334.8 to 337.3), beside 543.0 of cuBLAS and a
 * softmax kernel.
 *
 * reached: 335.6 us, 162% of cuBLAS and a softmax (NVIDIA H200, 2026-11-29, 32 over 8, 1024x128) */
#include "../attention/online.cuh"

extern "C" void solve(const float *Q, const float *K, const float *V, float *output,
					  int num_q_heads, int num_kv_heads, int seq_len, int head_dim)
{
	online_problem p = {Q,       K,       V,       output, num_q_heads, num_q_heads / num_kv_heads,
						seq_len, seq_len, head_dim};
	if (head_dim <= 64)
		online_launch_best<64, false>(p);
	else if (head_dim <= 128)
		online_launch_best<128, false>(p);
	else
		online_launch_best<256, false>(p);
}
