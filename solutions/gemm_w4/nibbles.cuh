/* Two weights of four bits become two halves in a register: three instructions. */
#ifndef GEMMJUDGE_W4_NIBBLES_CUH
#define GEMMJUDGE_W4_NIBBLES_CUH

#include <cuda_runtime.h>
#include <stdint.h>

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

#endif
