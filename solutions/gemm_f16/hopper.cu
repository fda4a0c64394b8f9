/* One solution for every shape on Hopper GPUs (sm_90a).
 *
 * Idea: on Hopper only wgmma reaches the tensor cores' full rate, and only TMA feeds it without
 * costing the threads that multiply. Both are used for every shape that is large enough, however
 * odd. TMA cannot address rows whose length is no multiple of 8 elements, which most shapes have:
 * such an operand is first copied into padded rows by the same launch, or loaded by warps that
 * shift it in registers, or, if it is A, addressed by residue classes of rows that start alike. The
 * smallest shapes have a kernel that does without both. The host picks one of 65 tile
 * configurations by a model of their times.
 *
 *     hopper/hopper_gemm.h       the same as a C function; gemm.cuh: with fused epilogues
 *     hopper/configs.def         the configurations; config.cuh: what follows from one
 *     hopper/heuristic.cuh       their times, and the choice
 *     hopper/tune.cuh            the choice by measurement, in a program
 *     hopper/launch.cuh          tensor maps and launches
 *     hopper/kernels.cuh         the kernels, and the consumers' loop over tiles
 *     hopper/scheduler.cuh       which tile is whose, and where the block keeps what
 *     hopper/producer_*.cuh      loads by TMA; pad copy; register-staged loads
 *     hopper/mainloop.cuh, split_k.cuh, store_*.cuh  what a consumer does with a tile
 *     hopper/consumer_overlapped.cuh  the same, beside the next tile's products
 *     hopper/ping_pong.cuh       two consumers that take turns, for a short K
 *     hopper/kernel_small.cuh    the kernel without TMA and wgmma
 *     hopper/ptx.cuh, wgmma.cuh  instructions
 *     hopper/parts.cuh           each configuration as an object of its own (harness/README.md)
 *     hopper/problem.cuh         what the host knows; device.cuh and clusters.cuh: of the GPU
 *
 * `gemmjudge tune` chooses the configuration for a shape by measurement.
 * With -DHOPPER_BATCH_INVARIANT=1 a row has the same bits in batches of any M (DESIGN.md).
 *
 * Changes from 21_persistent_cluster: every alignment, tiles of any multiple of 8 rows by
 * multiplying the transposed operands (swap-AB), split-K over distributed shared memory, clusters
 * of up to 8 blocks.
 *
 * Arithmetic intensity: a 128x256 tile loads 384 elements for every k and does 2*128*256 FLOP with
 * them: 85 FLOP per byte from the L2 cache, 128 when two blocks share B by multicast.
 *
 * reached: beside the faster library (RESULTS.md has the GPUs and dates): 4096^3 100%;
 * 4095x4093x4091 411%; 200 generated shapes 157% (geometric mean), with all sizes a multiple of 8
 * 112%, with uniform ones 253%. Aligned shapes with K up to 256 had other configurations then. */

/* The heuristic (0), or a line of configs.def: up to 41 for aligned operands, the last for any. */
// tune HOPPER_CONFIGURATION = 0 : 0..65
// tune let MISALIGNED = K % 8 != 0 || N % 8 != 0
// tune where HOPPER_CONFIGURATION % 65 == 0 || (HOPPER_CONFIGURATION > 41) == MISALIGNED
#include "hopper/solve.cuh"

#if SOLUTION_SOLVES
extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	hopper::solve(A, B, C, M, N, K, alpha, beta);
}

extern "C" int solution_part(const half *A, const half *B, half *C, int M, int N, int K,
							 float alpha, float beta)
{
	return hopper::part_for(A, B, C, M, N, K, alpha, beta);
}
#else
static const part_entry entry(hopper::part_launcher<half, hopper::B_N_MAJOR>());
#endif
