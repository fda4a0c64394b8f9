/* The tensor cores' instructions: wgmma (PTX ISA 9.7.15), and mma.sync for the smallest products
 * (9.7.14.5.8). */
#ifndef HOPPER_WGMMA_CUH
#define HOPPER_WGMMA_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <type_traits>

/* Register lists of 64 x N sums in PTX: %0 to %(N/2 - 1), each made from a shorter one. */
#define HOPPER_REGISTERS_16 "%0, %1, %2, %3, %4, %5, %6, %7"
#define HOPPER_REGISTERS_24 HOPPER_REGISTERS_16 ", %8, %9, %10, %11"
#define HOPPER_REGISTERS_32 HOPPER_REGISTERS_24 ", %12, %13, %14, %15"
#define HOPPER_REGISTERS_40 HOPPER_REGISTERS_32 ", %16, %17, %18, %19"
#define HOPPER_REGISTERS_48 HOPPER_REGISTERS_40 ", %20, %21, %22, %23"
#define HOPPER_REGISTERS_56 HOPPER_REGISTERS_48 ", %24, %25, %26, %27"
#define HOPPER_REGISTERS_64 HOPPER_REGISTERS_56 ", %28, %29, %30, %31"
#define HOPPER_REGISTERS_72 HOPPER_REGISTERS_64 ", %32, %33, %34, %35"
#define HOPPER_REGISTERS_80 HOPPER_REGISTERS_72 ", %36, %37, %38, %39"
#define HOPPER_REGISTERS_88 HOPPER_REGISTERS_80 ", %40, %41, %42, %43"
#define HOPPER_REGISTERS_96 HOPPER_REGISTERS_88 ", %44, %45, %46, %47"
#define HOPPER_REGISTERS_104 HOPPER_REGISTERS_96 ", %48, %49, %50, %51"
#define HOPPER_REGISTERS_112 HOPPER_REGISTERS_104 ", %52, %53, %54, %55"
#define HOPPER_REGISTERS_120 HOPPER_REGISTERS_112 ", %56, %57, %58, %59"
#define HOPPER_REGISTERS_128 HOPPER_REGISTERS_120 ", %60, %61, %62, %63"
#define HOPPER_REGISTERS_136 HOPPER_REGISTERS_128 ", %64, %65, %66, %67"
#define HOPPER_REGISTERS_144 HOPPER_REGISTERS_136 ", %68, %69, %70, %71"
#define HOPPER_REGISTERS_152 HOPPER_REGISTERS_144 ", %72, %73, %74, %75"
#define HOPPER_REGISTERS_160 HOPPER_REGISTERS_152 ", %76, %77, %78, %79"
#define HOPPER_REGISTERS_168 HOPPER_REGISTERS_160 ", %80, %81, %82, %83"
#define HOPPER_REGISTERS_176 HOPPER_REGISTERS_168 ", %84, %85, %86, %87"
#define HOPPER_REGISTERS_184 HOPPER_REGISTERS_176 ", %88, %89, %90, %91"
#define HOPPER_REGISTERS_192 HOPPER_REGISTERS_184 ", %92, %93, %94, %95"
#define HOPPER_REGISTERS_200 HOPPER_REGISTERS_192 ", %96, %97, %98, %99"
#define HOPPER_REGISTERS_208 HOPPER_REGISTERS_200 ", %100, %101, %102, %103"
#define HOPPER_REGISTERS_216 HOPPER_REGISTERS_208 ", %104, %105, %106, %107"
#define HOPPER_REGISTERS_224 HOPPER_REGISTERS_216 ", %108, %109, %110, %111"
#define HOPPER_REGISTERS_232 HOPPER_REGISTERS_224 ", %112, %113, %114, %115"
#define HOPPER_REGISTERS_240 HOPPER_REGISTERS_232 ", %116, %117, %118, %119"
#define HOPPER_REGISTERS_248 HOPPER_REGISTERS_240 ", %120, %121, %122, %123"
#define HOPPER_REGISTERS_256 HOPPER_REGISTERS_248 ", %124, %125, %126, %127"
#define HOPPER_SUMS_4(i) "+f"(d[i]), "+f"(d[(i) + 1]), "+f"(d[(i) + 2]), "+f"(d[(i) + 3])
#define HOPPER_SUMS_16 HOPPER_SUMS_4(0), HOPPER_SUMS_4(4)
#define HOPPER_SUMS_24 HOPPER_SUMS_16, HOPPER_SUMS_4(8)
#define HOPPER_SUMS_32 HOPPER_SUMS_24, HOPPER_SUMS_4(12)
#define HOPPER_SUMS_40 HOPPER_SUMS_32, HOPPER_SUMS_4(16)
#define HOPPER_SUMS_48 HOPPER_SUMS_40, HOPPER_SUMS_4(20)
#define HOPPER_SUMS_56 HOPPER_SUMS_48, HOPPER_SUMS_4(24)
#define HOPPER_SUMS_64 HOPPER_SUMS_56, HOPPER_SUMS_4(28)
#define HOPPER_SUMS_72 HOPPER_SUMS_64, HOPPER_SUMS_4(32)
#define HOPPER_SUMS_80 HOPPER_SUMS_72, HOPPER_SUMS_4(36)
#define HOPPER_SUMS_88 HOPPER_SUMS_80, HOPPER_SUMS_4(40)
#define HOPPER_SUMS_96 HOPPER_SUMS_88, HOPPER_SUMS_4(44)
#define HOPPER_SUMS_104 HOPPER_SUMS_96, HOPPER_SUMS_4(48)
#define HOPPER_SUMS_112 HOPPER_SUMS_104, HOPPER_SUMS_4(52)
#define HOPPER_SUMS_120 HOPPER_SUMS_112, HOPPER_SUMS_4(56)
#define HOPPER_SUMS_128 HOPPER_SUMS_120, HOPPER_SUMS_4(60)
#define HOPPER_SUMS_136 HOPPER_SUMS_128, HOPPER_SUMS_4(64)
#define HOPPER_SUMS_144 HOPPER_SUMS_136, HOPPER_SUMS_4(68)
#define HOPPER_SUMS_152 HOPPER_SUMS_144, HOPPER_SUMS_4(72)
#define HOPPER_SUMS_160 HOPPER_SUMS_152, HOPPER_SUMS_4(76)
#define HOPPER_SUMS_168 HOPPER_SUMS_160, HOPPER_SUMS_4(80)
#define HOPPER_SUMS_176 HOPPER_SUMS_168, HOPPER_SUMS_4(84)
#define HOPPER_SUMS_184 HOPPER_SUMS_176, HOPPER_SUMS_4(88)
#define HOPPER_SUMS_192 HOPPER_SUMS_184, HOPPER_SUMS_4(92)
#define HOPPER_SUMS_200 HOPPER_SUMS_192, HOPPER_SUMS_4(96)
#define HOPPER_SUMS_208 HOPPER_SUMS_200, HOPPER_SUMS_4(100)
#define HOPPER_SUMS_216 HOPPER_SUMS_208, HOPPER_SUMS_4(104)
#define HOPPER_SUMS_224 HOPPER_SUMS_216, HOPPER_SUMS_4(108)
#define HOPPER_SUMS_232 HOPPER_SUMS_224, HOPPER_SUMS_4(112)
#define HOPPER_SUMS_240 HOPPER_SUMS_232, HOPPER_SUMS_4(116)
#define HOPPER_SUMS_248 HOPPER_SUMS_240, HOPPER_SUMS_4(120)
#define HOPPER_SUMS_256 HOPPER_SUMS_248, HOPPER_SUMS_4(124)

namespace hopper
{
__device__ __forceinline__ void wgmma_fence(void)
{
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wgmma_commit(void)
{
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Waits for all groups but the last PENDING ones. */
template <int PENDING> __device__ __forceinline__ void wgmma_wait(void)
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

/* Matrix descriptor (9.7.15.5.1.2.2) of an operand with the 128-byte swizzle and a stride dimension
 * byte offset of 1024, in two steps: the lower half has the start address and the leading dimension
 * byte offset, so that one addition is left between two wgmma. The warp that issues them would
 * otherwise take longer than the tensor cores. */
__device__ __forceinline__ uint32_t wgmma_operand(uint32_t address, uint32_t leading)
{
	return (address & 0x3FFFF) >> 4 | leading >> 4 << 16; // above: the block's rank in its cluster
}

/* Of the operand that begins so many bytes further on. */
__device__ __forceinline__ uint64_t wgmma_descriptor(uint32_t operand, uint32_t bytes)
{
	constexpr uint32_t STRIDE = 1024 >> 4, SWIZZLE_128 = 1u << 30;
	return (uint64_t)(STRIDE | SWIZZLE_128) << 32 | (operand + (bytes >> 4));
}

/* d (64 x N, f32, the warpgroup's registers) = a * b, plus d when `accumulate`. A is K-major in
 * shared memory and B N-major, as row-major matrices have them; SWAPPED: A is M-major, B K-major.
 */
template <class Element, int N> struct wgmma;

/* A, B, ACCUMULATE, TRANSPOSE_A, TRANSPOSE_B: the operands' numbers, behind the sums'. */
#define HOPPER_WGMMA_OF(ELEMENT, TYPE, N, A, B, ACCUMULATE, TRANSPOSE_A, TRANSPOSE_B)              \
	template <> struct wgmma<ELEMENT, N> {                                                         \
		template <bool SWAPPED>                                                                    \
		static __device__ __forceinline__ void multiply(float (&d)[N / 2], uint64_t a, uint64_t b, \
														int accumulate)                            \
		{                                                                                          \
			asm volatile("{\n\t"                                                                   \
						 ".reg .pred p;\n\t"                                                       \
						 "setp.ne.b32 p, %" ACCUMULATE ", 0;\n\t"                                  \
						 "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE           \
						 " {" HOPPER_REGISTERS_##N "}, %" A ", %" B ", p, 1, 1, %" TRANSPOSE_A     \
												   ", %" TRANSPOSE_B ";\n\t"                       \
												   "}"                                             \
						 : HOPPER_SUMS_##N                                                         \
						 : "l"(a), "l"(b), "r"(accumulate), "n"((int)SWAPPED),                     \
						   "n"((int)!SWAPPED));                                                    \
		}                                                                                          \
	}
#define HOPPER_WGMMA(N, ...)                                                                       \
	HOPPER_WGMMA_OF(half, "f16", N, __VA_ARGS__);                                                  \
	HOPPER_WGMMA_OF(__nv_bfloat16, "bf16", N, __VA_ARGS__)

/* the N of configs.def, and of other solutions */
HOPPER_WGMMA(16, "8", "9", "10", "11", "12");
HOPPER_WGMMA(32, "16", "17", "18", "19", "20");
HOPPER_WGMMA(48, "24", "25", "26", "27", "28");
HOPPER_WGMMA(64, "32", "33", "34", "35", "36");
HOPPER_WGMMA(80, "40", "41", "42", "43", "44");
HOPPER_WGMMA(96, "48", "49", "50", "51", "52");
HOPPER_WGMMA(104, "52", "53", "54", "55", "56");
HOPPER_WGMMA(112, "56", "57", "58", "59", "60");
HOPPER_WGMMA(120, "60", "61", "62", "63", "64");
HOPPER_WGMMA(128, "64", "65", "66", "67", "68");
HOPPER_WGMMA(160, "80", "81", "82", "83", "84");
HOPPER_WGMMA(176, "88", "89", "90", "91", "92");
HOPPER_WGMMA(184, "92", "93", "94", "95", "96");
HOPPER_WGMMA(192, "96", "97", "98", "99", "100");
HOPPER_WGMMA(200, "100", "101", "102", "103", "104");
HOPPER_WGMMA(208, "104", "105", "106", "107", "108");
HOPPER_WGMMA(240, "120", "121", "122", "123", "124");
HOPPER_WGMMA(256, "128", "129", "130", "131", "132");
#undef HOPPER_WGMMA
#undef HOPPER_WGMMA_OF

/* d (16 x 8, four sums of a lane, f32) += a * b, m16n8k16. */
template <class Element>
__device__ __forceinline__ void mma_sync(float *d, uint32_t a0, uint32_t a1, uint32_t a2,
										 uint32_t a3, uint32_t b0, uint32_t b1)
{
	if constexpr (std::is_same_v<Element, half>)
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
					 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
					 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
					 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
	else
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
					 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
					 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
					 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
} // namespace hopper

#endif
