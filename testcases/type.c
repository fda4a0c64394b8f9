#include "testcases/type.h"

static const struct type types[] = {
	[DTYPE_F16] =
		{
			.name = "f16",
			.element = "half",
			.mangled = "6__half",
			.include = "cuda_fp16.h",
			.widen = "__half2float",
			.narrow = "__float2half",
			.format = {.bits = 16,
					   .precision = 11,
					   .smallest_exponent = -14,
					   .sign = 0x8000,
					   .overflow = 0x7C00,
					   .infinity = 0x7C00,
					   .nan = 0x7E00,
					   .nan_first = 0x7C01},
			.unit_roundoff = 0x1p-11,
			.smallest = 0x1p-24,
			.largest = 65504.0,
			.truncation = 0.3,
			.uniform_most = 4,
			.wide_most = 10,
		},
	[DTYPE_BF16] =
		{
			.name = "bf16",
			.element = "__nv_bfloat16",
			.mangled = "13__nv_bfloat16",
			.include = "cuda_bf16.h",
			.widen = "__bfloat162float",
			.narrow = "__float2bfloat16",
			.format = {.bits = 16,
					   .precision = 8,
					   .smallest_exponent = -126,
					   .sign = 0x8000,
					   .overflow = 0x7F80,
					   .infinity = 0x7F80,
					   .nan = 0x7FC0,
					   .nan_first = 0x7F81},
			.unit_roundoff = 0x1p-8,
			.smallest = 0x1p-133,
			.largest = 0x1.fep127,
			.truncation = 0.3,
			.uniform_most = 10,
			.wide_most = 24,
		},
	[DTYPE_F32] =
		{
			.name = "f32",
			.element = "float",
			.mangled = "f",
			.include = "",
			.widen = "",
			.narrow = "",
			.format = {.bits = 32,
					   .precision = 24,
					   .smallest_exponent = -126,
					   .sign = 0x80000000,
					   .overflow = 0x7F800000,
					   .infinity = 0x7F800000,
					   .nan = 0x7FC00000,
					   .nan_first = 0x7F800001},
			.unit_roundoff = 0x1p-24,
			.smallest = 0x1p-149,
			.largest = 0x1.fffffep127,
			.uniform_most = 10,
			.wide_most = 24,
		},
	[DTYPE_S8] =
		{
			.name = "s8",
			.element = "int8_t",
			.mangled = "a",
			.include = "stdint.h",
			.widen = "(float)",
			.narrow = "(int8_t)",
			.format = {.bits = 8,
					   .is_integer = 1,
					   .precision = 8,
					   .lowest = -128,
					   .highest = 127,
					   .sign = 0x80},
			.smallest = 1,
			.largest = 127,
			.uniform_most = 127,
		},
	/* "FP8 formats for deep learning" (Micikevicius and others, 2022), section 3: no infinities,
	 * one NaN of each sign, 448 the largest. `cut` is for what the tensor cores of sm_90 lose of
	 * sums of at most 128 products (referee/README.md), and `wide_most` keeps that true: a sum with
	 * one term far above the others loses more. */
	[DTYPE_E4M3] =
		{
			.name = "e4m3",
			.element = "__nv_fp8_e4m3",
			.mangled = "13__nv_fp8_e4m3",
			.include = "cuda_fp8.h",
			.widen = "(float)",
			.narrow = "__nv_fp8_e4m3",
			.format = {.bits = 8,
					   .precision = 4,
					   .smallest_exponent = -6,
					   .sign = 0x80,
					   .overflow = 0x7E,
					   .nan = 0x7F,
					   .nan_first = 0x7F},
			.unit_roundoff = 0x1p-4,
			.smallest = 0x1p-9,
			.largest = 448.0,
			.cut = 0x1p-8,
			.uniform_most = 8,
			.wide_most = 5,
		},
	/* A weight of four bits: -8 to 7, stored with 8 added. */
	[DTYPE_U4] =
		{
			.name = "u4",
			.element = "uint8_t",
			.mangled = "h",
			.include = "stdint.h",
			.widen = "(float)",
			.narrow = "(uint8_t)",
			.format =
				{.bits = 4, .is_integer = 1, .precision = 4, .lowest = -8, .highest = 7, .zero = 8},
			.smallest = 1,
			.largest = 7,
			.uniform_most = 7,
		},
};

const struct type *type_of(enum dtype type)
{
	return &types[type];
}

const struct type *type_at(size_t index)
{
	return index < sizeof types / sizeof *types ? &types[index] : NULL;
}

uint64_t type_bytes(const struct type *type, uint64_t elements)
{
	return (elements * type->format.bits + 7) / 8;
}
