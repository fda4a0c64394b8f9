/* The Hopper solution of gemm_f16, with W as it is.
 *
 * Idea: X and W both have K contiguous, which wgmma takes as it is, so nothing is transposed
 * anywhere: B of a product X * B is then K-major, which gemm_f16/hopper has as a layout of its tile
 * configurations. TMA brings W's rows into shared memory as it brings X's, and all else is that of
 * a row-major B: the choice among configurations, split-K, swap-AB, the overlapped epilogue.
 *
 * TMA can address neither X nor W where K is no multiple of 8. Both are then copied into padded
 * rows by the same launch; or, of small products, X is addressed by residue classes of rows, and
 * producer warpgroups shift W in registers. gemm_f16/hopper.cu lists the files.
 *
 * This is gemm_f16/hopper.cu, so read gemm_f16's steps up to 21_persistent_cluster and
 * gemm_f16/DESIGN.md first. What differs from a row-major B: W's tile of 256 x 64 is 256 rows
 * of 128 bytes, one TMA box a k-block where a row-major B takes one for each 64 columns; wgmma's
 * descriptor of B says K-major; rows of K elements have to be multiples of 16 bytes for both
 * operands, where a row-major B has rows of N.
 *
 * With -DHOPPER_BATCH_INVARIANT=1 a row has the same bits in batches of any M (gemm_f16/DESIGN.md).
 *
 * Changes from 01_naive: all but the formula.
 *
 * Arithmetic intensity: a tile of 128 x 256 loads 48 KB a k-block and multiplies 4.2 MFLOP
 * with it, 85 FLOP per byte of the L2 cache; with W shared by two blocks 128.
 *
 * Bound by L2, says `explain` (H200, 4096^3): 138 us, beside 129 of tensor cores and 123 of
 * shared memory; 206 in all.
 *
 * Not measured; what follows is of the kernel before it, which had neither split-K nor swap-AB.
 * reached: 740 TFLOP/s, 101% of cuBLASLt (NVIDIA H100 80GB HBM3, 4096^3) */

/* The heuristic (0), or a line of configs.def: up to 41 for aligned operands, the last for any. */
// tune HOPPER_CONFIGURATION = 0 : 0..65
// tune let MISALIGNED = K % 8 != 0 || N % 8 != 0
// tune where HOPPER_CONFIGURATION % 65 == 0 || (HOPPER_CONFIGURATION > 41) == MISALIGNED
#include "../gemm_f16/hopper/solve.cuh"

#if SOLUTION_SOLVES
extern "C" void solve(const half *X, const half *W, half *Y, int M, int N, int K, float alpha,
					  float beta)
{
	hopper::solve<hopper::B_K_MAJOR>(X, W, Y, M, N, K, alpha, beta);
}

extern "C" int solution_part(const half *X, const half *W, half *Y, int M, int N, int K,
							 float alpha, float beta)
{
	return hopper::part_for<hopper::B_K_MAJOR>(X, W, Y, M, N, K, alpha, beta);
}
#else
static const part_entry entry(hopper::part_launcher<half, hopper::B_K_MAJOR>());
#endif
