/* One solution for every shape on Hopper GPUs (sm_90a).
 *
 * Idea: on Hopper only wgmma reaches the tensor cores' full rate, and only TMA
 * feeds it without costing the threads that multiply. Both are used for every
 * shape that is large enough, however odd: an operand whose rows TMA cannot
 * address (a row length that is no multiple of 8 elements, which is most shapes) is
 * first copied into padded rows by the same launch, or loaded by warps that shift; or, if
 * it is A, addressed by classes of rows that start alike. The smallest shapes, and those
 * short along K, have kernels that do without both. The host picks by a small cost model.
 *
 *   hopper/solve.cuh    the host's choice of a way to cut the work,
 *   hopper/model.cuh      by what each takes,
 *   hopper/cuts.cuh       of all that there are
 *   hopper/launch.cuh   what each kernel's launch needs
 *   hopper/tma.cuh      the tile kernel: warp-specialised, persistent, TMA, wgmma;
 *   hopper/loader.cuh     what TMA is asked for;
 *   hopper/repack.cuh     first copies odd rows into padded ones, all blocks together
 *   hopper/shifted.cuh  the same tiles, filled by warps that shift odd rows in place
 *   hopper/groups.cuh     groups of their rows;
 *   hopper/words.cuh      their aligned words
 *   hopper/mixed.cuh    the same again, with A by TMA and B shifted
 *   hopper/scale.cuh    alpha = 0: C = beta * C
 *   hopper/tiny.cuh     nothing but latency: mma.sync straight from global memory
 *   hopper/shallow.cuh  short along K: small blocks, whose rows of A and C start alike;
 *   hopper/window.cuh     their way out
 *   hopper/consume.cuh  what the multiplying warpgroups of both tile kernels do;
 *   hopper/deferred.cuh   or what they do that finish a tile beside the next one's products;
 *   hopper/split.cuh      how blocks that share a tile along K add up,
 *   hopper/bulk.cuh       and how sums leave by TMA while the next tile is multiplied,
 *   hopper/turned.cuh     or those of a tile that is multiplied transposed,
 *   hopper/rows.cuh       or row by row, where TMA cannot address C;
 *   hopper/finish.cuh     what all ways out have in common
 *   hopper/config.cuh   what a kernel is made for: a tile's shape, and shared memory
 *   hopper/tile.cuh     which tiles there are, and where they lie in C
 *   hopper/ptx.cuh      the instructions
 *
 * Changes from the wmma ladder beside it: the multiplying threads load nothing
 * and wait for nothing but a barrier; operands go from shared memory into the
 * tensor cores without passing through registers; C comes and goes by TMA, in boxes
 * of a warp's own place in shared memory.
 *
 * Arithmetic intensity: a 128x256 tile loads 384 elements for every step along
 * K and does 2*128*256 FLOP with them: 85 FLOP per byte from the L2 cache, 128
 * when two blocks share their columns of B by multicast. Neighbours side by side share A
 * likewise.
 *
 * reached: H200, f16, beside the faster library: 4096^3 758 TFLOP/s, 104%;
 * 4095x4093x4091 622 TFLOP/s, 405%; 200 generated shapes 160% (geometric mean), with all
 * sizes a multiple of 8 111%, with uniform ones 274%.
 * RESULTS.md has the tables, NOTES.md what is open. */
#include "hopper/solve.cuh"

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	hopper_solve(A, B, C, M, N, K, alpha, beta);
}
