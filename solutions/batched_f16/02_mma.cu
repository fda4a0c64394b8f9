/* Tensor cores, with as many tiles at once as the whole batch has.
 *
 * Idea: a product of 256x256x256 is too small for a GPU, 32 of them are 128 tiles
 * of 128x128: one for nearly every SM. Each block copies its tiles in four stages
 * of 64 along K, so that three are in flight while one is multiplied; at K =
 * 256 that is nearly all there is, and the time is that of one trip to memory.
 *
 * Changes from 01_naive: tensor cores (mma.m16n8k16 and ldmatrix, as in
 * ../gemm_bf16/08_swizzled), asynchronous copies of 16 bytes where rows allow it,
 * of 4 or 2 where they do not, smaller tiles where the batch has too few large
 * ones. The kernel is in mma.cuh.
 *
 * Arithmetic intensity: 2*128*128 FLOP for 256 halves, 64 FLOP per byte of global
 * memory.
 *
 * Bound by nothing alone, says `explain` (H200, 32x256x256x256): memory and shared
 * memory 2.9 us each, L2 2.3, the first and last trips to memory 2.2; 8.3 in all.
 *
 * reached: 144 TFLOP/s, 91% of cuBLASLt (NVIDIA H100 80GB HBM3, 32x256x256x256) */
#include "mma.cuh"

extern "C" void solve(const half *A, const half *B, half *C, int BATCH, int M, int N, int K)
{
	mma_multiply(A, B, BATCH, M, N, K, epilogue_make(C, BATCH * M, N));
}
