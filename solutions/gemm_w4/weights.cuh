/* Weights of four bits from shared memory to the tensor cores: made half in registers, where wgmma
 * takes its operand A from. */
#ifndef GEMMJUDGE_W4_WEIGHTS_CUH
#define GEMMJUDGE_W4_WEIGHTS_CUH

#include "epilogue.cuh"

#include "../gemm_f16/hopper/ptx.cuh"
#include "../gemm_f16/hopper/wgmma.cuh"

using namespace hopper;

/* Picks byte 0 to 3 of a word for both halves of a register, with what belongs above it there. */
__device__ __forceinline__ uint32_t weights_selector(int byte)
{
	return 0x5040 + 0x0101 * byte;
}

/* The two weights of a byte, without their scale: nibble - 8, the high nibble's in the lower half.
 * Bits below 0x6400 (1024) count 1 each; below 0x5400 (64) they count 1/16, so that a
 * high nibble may stay where it is. What is subtracted is 64 + 8 and 1024 + 8, and that is exact.
 */
__device__ __forceinline__ uint32_t weights_pair(uint32_t word, uint32_t selector)
{
	constexpr uint32_t ABOVE = 0x6454, KEPT = 0x640F54F0, OFFSETS = 0xE408D480; // -1032, -72
	uint32_t raw = __byte_perm(word, ABOVE, selector) & KEPT, pair;
	asm("add.rn.f16x2 %0, %1, %2;" : "=r"(pair) : "r"(raw), "r"(OFFSETS));
	return pair;
}

/* Weights for COUNT steps of 16 along K: of a lane's row of W, and of the row 8 below, which begins
 * `below` bytes further on. Four lanes read the same address. */
template <int COUNT>
__device__ __forceinline__ void weights_load(uint32_t (&words)[2][2 * COUNT], uint32_t from,
											 uint32_t below)
{
#pragma unroll
	for (int i = 0; i < 2; i++)
		if constexpr (COUNT == 2)
			asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
						 : "=r"(words[i][0]), "=r"(words[i][1]), "=r"(words[i][2]),
						   "=r"(words[i][3])
						 : "r"(from + i * below)
						 : "memory");
		else
			asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
						 : "=r"(words[i][0]), "=r"(words[i][1])
						 : "r"(from + i * below)
						 : "memory");
}

/* They become wgmma's fragments of A (9.7.15.5.1.1.1): of 16 elements, lane l has 2 * (l % 4) and
 * that + 8, each with its neighbour, so of 8 bytes numbers l % 4 and + 4. */
template <int COUNT>
__device__ __forceinline__ void
weights_make(uint32_t (&a)[COUNT][4], const uint32_t (&words)[2][2 * COUNT], uint32_t selector)
{
#pragma unroll
	for (int j = 0; j < COUNT; j++)
#pragma unroll
		for (int i = 0; i < 4; i++)
			a[j][i] = weights_pair(words[i % 2][2 * j + i / 2], selector);
}

/* d (64 x 128, f32) = a * b, plus d when `accumulate`. A comes from registers; B is K-major in
 * shared memory, its 128 rows with the 128-byte swizzle. */
__device__ __forceinline__ void wgmma_registers(float (&d)[64], const uint32_t (&a)[4], uint64_t b,
												int accumulate)
{
	asm volatile("{\n\t"
				 ".reg .pred p;\n\t"
				 "setp.ne.b32 p, %69, 0;\n\t"
				 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
				 "{" HOPPER_REGISTERS(128) "}, {%64, %65, %66, %67}, %68, p, 1, 1, 0;\n\t}"
				 : HOPPER_SUMS(128)
				 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate));
}

#endif
