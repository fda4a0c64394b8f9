/* TMA and wgmma, with sums of 128 products promoted to f32.
 *
 * Idea: a warp loads k-blocks of 128 bytes along K by TMA, in the swizzle that wgmma reads without
 * bank conflicts, and one to three consumer warpgroups multiply from there: 128 products of fp8 an
 * output. The tensor cores keep only about 14 bits of an fp8 sum, so that they sum no more than a
 * k-block: its sums are then added to others in f32, by ordinary instructions. While one consumer
 * warpgroup adds, the others' products are made. Two sets of sums take twice the registers,
 * so that a warpgroup has 64 x 128 outputs.
 *
 * This is gemm_f16/21_persistent_cluster with operands of one byte: read 17_warp_specialised and
 * 21 there first. What differs: a k-block of 128 bytes is 128 elements, and wgmma m64n128k32 takes
 * four steps for it; sums are promoted after each k-block, in a second set of registers, so that a
 * tile has 128 columns in place of 256; both operands have K contiguous, as wgmma demands it of
 * 8-bit types, so that B's tile is 128 rows of its own, not of K; sums are scaled before they are
 * stored. The code is gemm_f16/hopper's, with wgmma/ for what 8-bit types have besides.
 *
 * Changes from 01_naive: all but the formula.
 *
 * Arithmetic intensity: a tile of 128 x 128 loads 32 KB a k-block and multiplies 4.2 MFLOP
 * with it, 128 FLOP per byte of the L2 cache; one of 192 x 128 154. Shared memory is the tighter
 * bound: a k-block of 128 x 128 writes 32 KB there and reads 48, which takes 640 clocks; the
 * products take 512.
 *
 * Bound by L2, says `explain` (H200, 4096^3, 128 x 128 tiles whose blocks share B): 94 us, beside
 * 73 of shared memory and 65 of tensor cores; 134 in all. Without the sharing it is 2.5% faster
 * (NOTES.md), so L2 is not what bounds it.
 *
 * reached: 1255 TFLOP/s, 96% of cuBLASLt (NVIDIA H200, 4096^3) */
#include "wgmma/launch.cuh"

/* C through the epilogue, which gets the scaled sums. */
struct scaled_out {
	epilogue_out<__nv_bfloat16> out;
	float scale_A, scale_B;
	static constexpr bool elementwise = true;
	using run = epilogue_out<__nv_bfloat16>::run;

	__device__ __forceinline__ run exchange(int row, int column, const float (&x)[RUN]) const
	{
		float scaled[RUN];
#pragma unroll
		for (int i = 0; i < RUN; i++)
			scaled[i] = x[i] * scale_A * scale_B;
		return out.exchange(row, column, scaled);
	}
	__device__ __forceinline__ void store(int row, int column, const run &from) const
	{
		out.store(row, column, from);
	}
};

extern "C" void solve(const __nv_fp8_e4m3 *A, const __nv_fp8_e4m3 *B, __nv_bfloat16 *C, int M,
					  int N, int K, float scale_A, float scale_B)
{
	gemm_any(A, B, M, N, K, scaled_out{{epilogue_make(C, M, N)}, scale_A, scale_B});
}
