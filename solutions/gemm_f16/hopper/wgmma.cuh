/* The tensor cores' instructions: wgmma (PTX ISA 9.7.15), and mma.sync for the smallest products
 * (9.7.14.5.8). */
#ifndef HOPPER_WGMMA_CUH
#define HOPPER_WGMMA_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <type_traits>

/* The N/2 sums of a thread in a product of 64 x N, d[0] and so on: their names in PTX, and they as
 * operands of an asm statement. HOPPER_LIST_N has F for four, M for four more. */
#define HOPPER_REGISTERS(N) HOPPER_LIST_##N(HOPPER_NAMES, HOPPER_MORE_NAMES)
#define HOPPER_SUMS(N) HOPPER_LIST_##N(HOPPER_OPERANDS, HOPPER_MORE_OPERANDS)
#define HOPPER_NAMES(i, j, k, l) "%" #i ", %" #j ", %" #k ", %" #l
#define HOPPER_MORE_NAMES(i, j, k, l) ", " HOPPER_NAMES(i, j, k, l)
#define HOPPER_OPERANDS(i, j, k, l) "+f"(d[i]), "+f"(d[j]), "+f"(d[k]), "+f"(d[l])
#define HOPPER_MORE_OPERANDS(i, j, k, l) , HOPPER_OPERANDS(i, j, k, l)
#define HOPPER_LIST_16(F, M) F(0, 1, 2, 3) M(4, 5, 6, 7)
#define HOPPER_LIST_32(F, M) HOPPER_LIST_16(F, M) M(8, 9, 10, 11) M(12, 13, 14, 15)
#define HOPPER_LIST_48(F, M) HOPPER_LIST_32(F, M) M(16, 17, 18, 19) M(20, 21, 22, 23)
#define HOPPER_LIST_64(F, M) HOPPER_LIST_48(F, M) M(24, 25, 26, 27) M(28, 29, 30, 31)
#define HOPPER_LIST_80(F, M) HOPPER_LIST_64(F, M) M(32, 33, 34, 35) M(36, 37, 38, 39)
#define HOPPER_LIST_96(F, M) HOPPER_LIST_80(F, M) M(40, 41, 42, 43) M(44, 45, 46, 47)
#define HOPPER_LIST_104(F, M) HOPPER_LIST_96(F, M) M(48, 49, 50, 51)
#define HOPPER_LIST_112(F, M) HOPPER_LIST_104(F, M) M(52, 53, 54, 55)
#define HOPPER_LIST_120(F, M) HOPPER_LIST_112(F, M) M(56, 57, 58, 59)
#define HOPPER_LIST_128(F, M) HOPPER_LIST_120(F, M) M(60, 61, 62, 63)
#define HOPPER_LIST_144(F, M) HOPPER_LIST_128(F, M) M(64, 65, 66, 67) M(68, 69, 70, 71)
#define HOPPER_LIST_160(F, M) HOPPER_LIST_144(F, M) M(72, 73, 74, 75) M(76, 77, 78, 79)
#define HOPPER_LIST_176(F, M) HOPPER_LIST_160(F, M) M(80, 81, 82, 83) M(84, 85, 86, 87)
#define HOPPER_LIST_184(F, M) HOPPER_LIST_176(F, M) M(88, 89, 90, 91)
#define HOPPER_LIST_192(F, M) HOPPER_LIST_184(F, M) M(92, 93, 94, 95)
#define HOPPER_LIST_200(F, M) HOPPER_LIST_192(F, M) M(96, 97, 98, 99)
#define HOPPER_LIST_208(F, M) HOPPER_LIST_200(F, M) M(100, 101, 102, 103)
#define HOPPER_LIST_224(F, M) HOPPER_LIST_208(F, M) M(104, 105, 106, 107) M(108, 109, 110, 111)
#define HOPPER_LIST_240(F, M) HOPPER_LIST_224(F, M) M(112, 113, 114, 115) M(116, 117, 118, 119)
#define HOPPER_LIST_256(F, M) HOPPER_LIST_240(F, M) M(120, 121, 122, 123) M(124, 125, 126, 127)

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

/* After a wait: the compiler does not know that the sum changes here, and might have copied it. */
__device__ __forceinline__ void sum_changes(float &sum)
{
	asm volatile("" : "+f"(sum)::"memory");
}
__device__ __forceinline__ void sum_changes(int &sum)
{
	asm volatile("" : "+r"(sum)::"memory");
}

/* Matrix descriptor (9.7.15.5.1.2.2) of an operand with the 128-byte swizzle and a stride dimension
 * byte offset of 1024, in two steps: the lower half has the start address and the leading dimension
 * byte offset, so that one addition is left between two wgmma. The warp that issues them would
 * otherwise take longer than the tensor cores. */
__device__ __forceinline__ uint32_t wgmma_operand(uint32_t address, uint32_t leading_offset)
{
	return (address & 0x3FFFF) >> 4 |
		   leading_offset >> 4 << 16; // above: the block's rank in its cluster
}

/* Of the operand that begins so many bytes further on. */
__device__ __forceinline__ uint64_t wgmma_descriptor(uint32_t operand, uint32_t bytes)
{
	constexpr uint32_t STRIDE = 1024 >> 4, SWIZZLE_128 = 1u << 30;
	return (uint64_t)(STRIDE | SWIZZLE_128) << 32 | (operand + (bytes >> 4));
}

/* d (64 x N, f32, the warpgroup's registers) = a * b, plus d when `accumulate`. A is K-major in
 * shared memory, M-major if M_MAJOR; B is N-major if N_MAJOR, else K-major. Without template
 * arguments both are as row-major matrices have them. PROMOTED: the tensor cores' sums are too
 * short for more than a k-block. */
template <class Element, int N> struct wgmma;

/* A, B, ACCUMULATE, TRANSPOSE_A, TRANSPOSE_B: the operands' numbers, behind the sums'. */
#define HOPPER_WGMMA_OF(ELEMENT, TYPE, N, A, B, ACCUMULATE, TRANSPOSE_A, TRANSPOSE_B)              \
	template <> struct wgmma<ELEMENT, N> {                                                         \
		using sum = float;                                                                         \
		static constexpr bool PROMOTED = false;                                                    \
		template <bool M_MAJOR = false, bool N_MAJOR = true>                                       \
		static __device__ __forceinline__ void multiply(float (&d)[N / 2], uint64_t a, uint64_t b, \
														int accumulate)                            \
		{                                                                                          \
			asm volatile("{\n\t"                                                                   \
						 ".reg .pred p;\n\t"                                                       \
						 "setp.ne.b32 p, %" ACCUMULATE ", 0;\n\t"                                  \
						 "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE           \
						 " {" HOPPER_REGISTERS(N) "}, %" A ", %" B ", p, 1, 1, %" TRANSPOSE_A      \
												  ", %" TRANSPOSE_B ";\n\t"                        \
												  "}"                                              \
						 : HOPPER_SUMS(N)                                                          \
						 : "l"(a), "l"(b), "r"(accumulate), "n"((int)M_MAJOR), "n"((int)N_MAJOR)); \
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
HOPPER_WGMMA(144, "72", "73", "74", "75", "76");
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
