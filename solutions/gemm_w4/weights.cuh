/* Weights of four bits from shared memory to the tensor cores: made half in registers, where wgmma
 * takes its operand A from. */
#ifndef GEMMJUDGE_W4_WEIGHTS_CUH
#define GEMMJUDGE_W4_WEIGHTS_CUH

#include "epilogue.cuh"

#include "../gemm_f16/hopper/ptx.cuh"
#include "../gemm_f16/hopper/wgmma.cuh"
#include "nibbles.cuh"

using namespace hopper;

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
