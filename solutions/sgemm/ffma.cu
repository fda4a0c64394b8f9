/* Every shape by FMAs alone: six tiles, split along K where there are few of them.
 *
 * Idea: what a step of the ladder reaches on large squares it loses on other shapes, where its one
 * tile is too large for C, or C has fewer tiles than the GPU has multiprocessors. Here a table of
 * tiles goes from 128x256 to 16x64, a cluster of up to 8 blocks shares a tile along K, and a model
 * of the clocks of the busiest multiprocessor chooses both.
 *
 * Changes from 12_multistage: thin tiles for thin shapes, whose warps have 8 to 64 rows; split-K
 * over distributed shared memory instead of idle multiprocessors; tiles walked in groups of rows
 * for the L2 cache; alpha = 0 multiplies nothing. ffma.cuh has all of it, for three problems.
 *
 * Arithmetic intensity: 2*128*256 FLOP for 384 floats, 42.7 FLOP per byte of global memory, for the
 * largest tile.
 *
 * reached: beside the fastest library 1.05, 1.00, 1.02 and 1.04 at 1024^3 to 8192^3, and 0.97 on
 * 120 drawn shapes (H200, 2026-11-29; NOTES.md)
 */
#include "ffma_solve.cuh"

#if SOLUTION_SOLVES
extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	ffma_solve({A, B, 1, M, N, K}, epilogue_make(C, M, N, alpha, beta));
}

extern "C" int solution_part(const float *A, const float *B, float *C, int M, int N, int K,
							 float alpha, float beta)
{
	return ffma_part_for({A, B, 1, M, N, K},
						 epilogue_with(C, M, N, epilogue_stages<float>(), alpha, beta));
}
#else
static const part_entry entry(ffma_part_launcher());
#endif
