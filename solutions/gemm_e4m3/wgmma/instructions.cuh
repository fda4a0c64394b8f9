/* wgmma of 8-bit types, which takes both operands with K contiguous: the instruction of a 64 x N
 * tile and 32 bytes along K. The other instructions are in gemm_f16/hopper/ptx.cuh. */
#ifndef GEMMJUDGE_WGMMA_INSTRUCTIONS_CUH
#define GEMMJUDGE_WGMMA_INSTRUCTIONS_CUH

#include <cuda_fp8.h>

#include "../../gemm_f16/hopper/ptx.cuh"
#include "../../gemm_f16/hopper/wgmma.cuh"

using namespace hopper;

/* What products of a type are summed in, and whether the tensor cores' sums must be promoted. */
template <class Element> struct wgmma_type;
template <> struct wgmma_type<int8_t> {
	using sum = int;
	static constexpr bool PROMOTED = false;
};
template <> struct wgmma_type<__nv_fp8_e4m3> {
	using sum = float;
	static constexpr bool PROMOTED = true; // they keep about 14 bits of an fp8 sum
};

/* d (64 x N, the warpgroup's registers) = a * b, plus d when `adds`. a and b are descriptors. */
template <class Element, int N> struct wgmma_k_major;

#define WGMMA_4(KIND, i) KIND(d[i]), KIND(d[i + 1]), KIND(d[i + 2]), KIND(d[i + 3])
#define WGMMA_16(KIND, i)                                                                          \
	WGMMA_4(KIND, i), WGMMA_4(KIND, i + 4), WGMMA_4(KIND, i + 8), WGMMA_4(KIND, i + 12)
#define WGMMA_SUMS_64(KIND) WGMMA_16(KIND, 0), WGMMA_16(KIND, 16)
#define WGMMA_SUMS_128(KIND) WGMMA_SUMS_64(KIND), WGMMA_16(KIND, 32), WGMMA_16(KIND, 48)
#define WGMMA_SUMS_256(KIND)                                                                       \
	WGMMA_SUMS_128(KIND), WGMMA_16(KIND, 64), WGMMA_16(KIND, 80), WGMMA_16(KIND, 96),              \
		WGMMA_16(KIND, 112)

/* TYPES: with the depth before them; KIND: of the sums' registers; REST: what an instruction of
 * these types is told besides; A, B, ADDS: names of the operands behind the sums. */
#define WGMMA_OF(ELEMENT, TYPES, KIND, REST, N, A, B, ADDS)                                        \
	template <> struct wgmma_k_major<ELEMENT, N> {                                                 \
		static __device__ __forceinline__ void multiply(wgmma_type<ELEMENT>::sum (&d)[N / 2],      \
														uint64_t a, uint64_t b, int adds)          \
		{                                                                                          \
			asm volatile("{\n\t"                                                                   \
						 ".reg .pred p;\n\t"                                                       \
						 "setp.ne.b32 p, %" ADDS ", 0;\n\t"                                        \
						 "wgmma.mma_async.sync.aligned.m64n" #N TYPES                              \
						 " {" HOPPER_REGISTERS(N) "}, %" A ", %" B ", p" REST ";\n\t"              \
												  "}"                                              \
						 : WGMMA_SUMS_##N(KIND)                                                    \
						 : "l"(a), "l"(b), "r"(adds));                                             \
		}                                                                                          \
	}
#define WGMMA(N, A, B, ADDS)                                                                       \
	WGMMA_OF(__nv_fp8_e4m3, "k32.f32.e4m3.e4m3", "+f", ", 1, 1", N, A, B, ADDS);                   \
	WGMMA_OF(int8_t, "k32.s32.s8.s8", "+r", "", N, A, B, ADDS)

WGMMA(64, "32", "33", "34");
WGMMA(128, "64", "65", "66");
WGMMA(256, "128", "129", "130");

#undef WGMMA
#undef WGMMA_OF

/* After a wait: the compiler does not know that the sums were not there before. */
__device__ __forceinline__ void sums_are_here(float &x)
{
	asm volatile("" : "+f"(x)::"memory");
}
__device__ __forceinline__ void sums_are_here(int &x)
{
	asm volatile("" : "+r"(x)::"memory");
}
template <class Sum, int COUNT> __device__ __forceinline__ void sums_are_here(Sum (&x)[COUNT])
{
#pragma unroll
	for (int i = 0; i < COUNT; i++)
		sums_are_here(x[i]);
}

#endif
