/* f32 products on the tensor cores by TF32: a float is split into two TF32 numbers, and three of
 * their four products are added up.
 *
 * A TF32 number has 11 significant bits. x rounded to the nearest one leaves a rest of 12 bits at
 * most, with a sign of its own; of that the tensor cores read the first 11. What is lost of x is
 * 2^-23 of its power of two at most, and of a product the two rests' product, 2^-22 at most and
 * seldom near that: what f32 itself loses in a few roundings.
 *
 * That holds between 2^-113 and the last binade: below, the rest loses what lies under 2^-136,
 * where subnormal TF32 numbers end; and from 0x1.ffep127 on the larger part is infinite.
 *
 * Tensor cores cut off what does not fit into a sum, where f32 would round: always towards zero, so
 * that a long chain of products loses as much as it is long. Two things keep chains short. The
 * large products have sums of their own, and the small ones, which are two thirds of all, others:
 * what is cut off of those is 2^-11 of it. And callers add sums to f32 registers after some 64
 * terms. */
#ifndef GEMMJUDGE_ATTENTION_TF32_CUH
#define GEMMJUDGE_ATTENTION_TF32_CUH

#include <cuda_runtime.h>
#include <stdint.h>

/* COUNT floats as large and small TF32 numbers, in the registers that mma takes. */
template <int COUNT> struct tf32_parts {
	uint32_t large[COUNT], small[COUNT];

	/* To the nearest, ties away from zero: 13 bits are left out. The tensor cores do not read the
	 * last 13 bits of the rest. */
	__device__ __forceinline__ void set(int i, float x)
	{
		large[i] = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
		small[i] = __float_as_uint(x - __uint_as_float(large[i]));
	}
};

/* A tile of 16 x 8 sums as m16n8k8 has it in a warp: a lane holds columns 2t and 2t + 1 of row g,
 * then of row g + 8, where g = lane / 4 and t = lane % 4. */
struct tf32_sums {
	float large[4], small[4];

	__device__ __forceinline__ float total(int i) const
	{
		return large[i] + small[i];
	}
};

/* sum += a b for a of 16 x 8 and b of 8 x 8. A lane has of a: (g, t), (g + 8, t), (g, t + 4),
 * (g + 8, t + 4); of b: (t, g), (t + 4, g). */
static __device__ __forceinline__ void tf32_mma(float (&sum)[4], const uint32_t (&a)[4],
												uint32_t b0, uint32_t b1)
{
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
				 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
				 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
				 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Adds products to COUNT tiles of sums side by side. A lane's two elements for tile i are
 * b[base + i * STRIDE] and the one APART behind it. Products that go to one sum stand far apart, as
 * each waits for the one before. */
template <int COUNT, int STRIDE, int APART, int ELEMENTS>
static __device__ __forceinline__ void tf32_multiply(tf32_sums (&sum)[COUNT],
													 const tf32_parts<4> &a,
													 const tf32_parts<ELEMENTS> &b, int base)
{
#pragma unroll
	for (int i = 0; i < COUNT; i++) {
		int at = base + i * STRIDE;
		tf32_mma(sum[i].small, a.small, b.large[at], b.large[at + APART]);
	}
#pragma unroll
	for (int i = 0; i < COUNT; i++) {
		int at = base + i * STRIDE;
		tf32_mma(sum[i].large, a.large, b.large[at], b.large[at + APART]);
	}
#pragma unroll
	for (int i = 0; i < COUNT; i++) {
		int at = base + i * STRIDE;
		tf32_mma(sum[i].small, a.large, b.small[at], b.small[at + APART]);
	}
}

#endif
