/* wgmma of 8-bit types, which takes both operands with K contiguous: a 64 x N tile and 32 bytes
 * along K. Those are also 16 elements of 16 bits, so that loads, stages and descriptors are those
 * of gemm_f16/hopper with a K-major B. */
#ifndef GEMMJUDGE_WGMMA_INSTRUCTIONS_CUH
#define GEMMJUDGE_WGMMA_INSTRUCTIONS_CUH

#include <cuda_fp8.h>

#include "../../gemm_f16/hopper/wgmma.cuh"

#define HOPPER_INT_SUMS(N) HOPPER_LIST_##N(HOPPER_INTS, HOPPER_MORE_INTS)
#define HOPPER_INTS(i, j, k, l) "+r"(d[i]), "+r"(d[j]), "+r"(d[k]), "+r"(d[l])
#define HOPPER_MORE_INTS(i, j, k, l) , HOPPER_INTS(i, j, k, l)

/* SUMS: lists the sums' registers; PROMOTES: whether f32 additions do the rest, as the tensor cores
 * keep only about 14 bits of an fp8 sum; REST: what an instruction of these types is told besides;
 * A, B, ACCUMULATE: the operands' numbers, behind the sums'. */
#define HOPPER_WGMMA_BYTES(ELEMENT, TYPES, SUM, SUMS, PROMOTES, REST, N, A, B, ACCUMULATE)         \
	template <> struct wgmma<ELEMENT, N> {                                                         \
		using sum = SUM;                                                                           \
		static constexpr bool PROMOTED = PROMOTES;                                                 \
		template <bool M_MAJOR, bool N_MAJOR>                                                      \
		static __device__ __forceinline__ void multiply(sum (&d)[N / 2], uint64_t a, uint64_t b,   \
														int accumulate)                            \
		{                                                                                          \
			static_assert(!M_MAJOR && !N_MAJOR, "8-bit operands have K contiguous");               \
			asm volatile("{\n\t"                                                                   \
						 ".reg .pred p;\n\t"                                                       \
						 "setp.ne.b32 p, %" ACCUMULATE ", 0;\n\t"                                  \
						 "wgmma.mma_async.sync.aligned.m64n" #N TYPES                              \
						 " {" HOPPER_REGISTERS(N) "}, %" A ", %" B ", p" REST ";\n\t"              \
												  "}"                                              \
						 : SUMS(N)                                                                 \
						 : "l"(a), "l"(b), "r"(accumulate));                                       \
		}                                                                                          \
	}
#define HOPPER_WGMMA(N, ...)                                                                       \
	HOPPER_WGMMA_BYTES(__nv_fp8_e4m3, "k32.f32.e4m3.e4m3", float, HOPPER_SUMS, true, ", 1, 1", N,  \
					   __VA_ARGS__);                                                               \
	HOPPER_WGMMA_BYTES(int8_t, "k32.s32.s8.s8", int, HOPPER_INT_SUMS, false, "", N, __VA_ARGS__)

namespace hopper
{
HOPPER_WGMMA(64, "32", "33", "34");
HOPPER_WGMMA(128, "64", "65", "66");
HOPPER_WGMMA(256, "128", "129", "130");
} // namespace hopper
#undef HOPPER_WGMMA
#undef HOPPER_WGMMA_BYTES

#endif
