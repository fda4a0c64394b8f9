/* The two instructions below wmma, for bf16: ldmatrix, which loads fragments
 * from shared memory, and mma.m16n8k16, which multiplies them.
 *
 * A lane's part of a fragment is specified here (PTX ISA, "Warp-level matrix
 * instructions"). With g = lane / 4 and q = lane % 4 a lane holds
 *   of the 16x8 accumulator: (g, 2q), (g, 2q+1), (g+8, 2q), (g+8, 2q+1);
 *   of the 16x16 A: pairs of neighbours at (g, 2q), (g+8, 2q), (g, 2q+8), (g+8, 2q+8);
 *   of the 16x8 B: pairs down a column at (2q, g) and (2q+8, g). */
#ifndef GEMM_BF16_MMA_CUH
#define GEMM_BF16_MMA_CUH

#include <stdint.h>

/* Four 8x8 matrices, one register each. Lane i names the 16 bytes of row i % 8
 * of matrix i / 8, in shared memory; a register holds the pair of matrix row g
 * at columns 2q and 2q+1. With the lanes' rows as mma_lane_row() and
 * mma_lane_column() say, these are the registers of A. */
__device__ __forceinline__ void mma_load(uint32_t (&to)[4], uint32_t address)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
				 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
				 : "r"(address));
}

/* As mma_load(), with each 8x8 matrix transposed on the way. From a 16x16 tile of the
 * row-major B, registers 0 and 1 are B's fragment for the first 8 columns,
 * registers 2 and 3 the one for the next 8. */
__device__ __forceinline__ void mma_load_transposed(uint32_t (&to)[4], uint32_t address)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
				 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
				 : "r"(address));
}

/* The row and column, within a 16x16 tile, of the 16 bytes that a lane names to
 * the loads above: down the left half, then down the right half. */
__device__ __forceinline__ int mma_lane_row(int lane)
{
	return lane % 16;
}
__device__ __forceinline__ int mma_lane_column(int lane)
{
	return lane / 16 * 8;
}

/* sum += a * b for 16x16 a and 16x8 b. */
__device__ __forceinline__ void mma_m16n8k16(float (&sum)[4], const uint32_t (&a)[4], uint32_t b0,
											 uint32_t b1)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
				 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
				 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
				 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

#endif
