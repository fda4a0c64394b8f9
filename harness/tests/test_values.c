/* links: testcases base */
#include <criterion/criterion.h>
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "testcases/values.h"

static double value(enum dtype type, enum distribution distribution, float scale, uint64_t index)
{
	struct value_spec spec = {distribution, scale};
	return values_to_double(type, values_at(type, spec, 42, VALUES_STREAM_A, index));
}

/* The processor's own conversions: every x86-64 with AVX2 has F16C. */
__attribute__((target("f16c"))) static float half_to_float(uint16_t bits)
{
	return _cvtsh_ss(bits);
}

/* It rounds from float; rounding to odd on the way there keeps the result of
 * two roundings that of one. */
__attribute__((target("f16c"))) static uint16_t double_to_half(double x)
{
	float single = (float)x;
	if ((double)single != x && isfinite(single)) {
		uint32_t bits;
		if (fabs((double)single) > fabs(x))
			single = nextafterf(single, 0);
		memcpy(&bits, &single, sizeof bits);
		bits |= 1;
		memcpy(&single, &bits, sizeof single);
	}
	return _cvtss_sh(single, _MM_FROUND_TO_NEAREST_INT);
}

Test(values, f16_bits_agree_with_the_processor)
{
	for (uint32_t bits = 0; bits < 65536; bits++) {
		float half = half_to_float((uint16_t)bits);
		double number = values_to_double(DTYPE_F16, bits);
		if (isnan(half)) {
			cr_assert(isnan(number), "%x", bits);
			continue;
		}
		cr_assert(number == half, "%x", bits);
		cr_assert(values_from_double(DTYPE_F16, number) == bits, "%x", bits);
	}
}

Test(values, bf16_is_the_upper_half_of_f32)
{
	for (uint32_t bits = 0; bits < 65536; bits++) {
		float single;
		uint32_t word = bits << 16;
		memcpy(&single, &word, sizeof single);
		double number = values_to_double(DTYPE_BF16, bits);
		if (isnan(single)) {
			cr_assert(isnan(number), "%x", bits);
			continue;
		}
		cr_assert(number == (double)single, "%x", bits);
		cr_assert(values_from_double(DTYPE_BF16, number) == bits, "%x", bits);
	}
}

/* Doubles of random bits, half of them with few, so that ties occur. */
Test(values, rounding_agrees_with_the_processor)
{
	for (uint64_t i = 0; i < 400000; i++) {
		struct values_words words = values_random(5, VALUES_STREAM_SPOT, i);
		uint64_t bits = (uint64_t)words.word[0] << 32 | words.word[1];
		int exponent =
			i % 2 != 0 ? (int)(words.word[2] % 60) - 35 : (int)(words.word[2] % 300) - 155;
		bits = (bits & 0x800FFFFFFFFFFFFFull) | (uint64_t)(1023 + exponent) << 52;
		if (i % 4 < 2)
			bits &= i % 2 != 0 ? ~0x3FFFFFFFFFFull : ~0x1FFFFFFFull;
		double x;
		memcpy(&x, &bits, sizeof x);

		float single = (float)x;
		uint32_t single_bits;
		memcpy(&single_bits, &single, sizeof single_bits);
		cr_assert(values_from_double(DTYPE_F16, x) == double_to_half(x), "%a", x);
		cr_assert(values_from_double(DTYPE_F32, x) == single_bits, "%a", x);
	}
	cr_assert(values_from_double(DTYPE_F16, 65519.99) == 0x7BFF);
	cr_assert(values_from_double(DTYPE_F16, 65520) == 0x7C00);
	cr_assert(values_from_double(DTYPE_BF16, -1e300) == 0xFF80);
	cr_assert(values_from_double(DTYPE_F32, NAN) == 0x7FC00000);
}

/* What a seed means may never change: recorded from this implementation. */
Test(values, known_answers)
{
	struct value_spec uniform = {VALUES_UNIFORM, 1}, normal = {VALUES_NORMAL, 1};
	struct values_words words = values_random(0, 0, 0);
	/* Philox4x32-10 of zero counter and key, as Random123's own kat_vectors has it */
	cr_assert(words.word[0] == 0x6627E8D5 && words.word[1] == 0xE169C58D);
	cr_assert(words.word[2] == 0xBC57AC4C && words.word[3] == 0x9B00DBD8);
	cr_expect(values_at(DTYPE_F32, uniform, 1, 0, 0) == 0x3F47D00C);
	cr_expect(values_at(DTYPE_F32, normal, 1, 2, 5) == 0xBFC6B701);
	cr_expect(values_at(DTYPE_F16, uniform, 1, 1, 7) == 0xB4B9);
}

Test(values, distributions_keep_their_ranges)
{
	double sum = 0, squares = 0;
	size_t special = 0, count = 40000;
	for (uint64_t i = 0; i < count; i++) {
		cr_assert(fabs(value(DTYPE_F16, VALUES_UNIFORM, 10, i)) <= 10);
		double positive = value(DTYPE_F32, VALUES_POSITIVE, 2, i);
		cr_assert(positive >= 0 && positive < 2);
		double integer = value(DTYPE_BF16, VALUES_INTEGER, 3, i);
		cr_assert(fabs(integer) <= 3 && integer == rint(integer));
		double sparse = value(DTYPE_BF16, VALUES_INTEGER, 0.25f, i);
		cr_assert(sparse == 0 || fabs(sparse) == 1);
		double wide = fabs(value(DTYPE_F32, VALUES_WIDE, 10, i));
		cr_assert(wide >= 0x1p-5 && wide < 0x1p5);
		double large = fabs(value(DTYPE_F16, VALUES_LARGE, 200, i));
		cr_assert(large >= 100 && large <= 200);
		cr_assert(isnan(value(DTYPE_F32, VALUES_NAN, 1, i)));
		cr_assert(value(DTYPE_F32, VALUES_ZERO, 1, i) == 0);
		special += !isfinite(value(DTYPE_F16, VALUES_SPECIAL, 1, i));
		double normal = value(DTYPE_F32, VALUES_NORMAL, 3, i);
		sum += normal;
		squares += normal * normal;
	}
	cr_assert(special > 2 && special < 30, "%zu of %zu", special, count);
	cr_assert(fabs(sum / (double)count) < 0.1);
	cr_assert(fabs(sqrt(squares / (double)count) - 3) < 0.1);
}

Test(values, a_block_holds_its_elements)
{
	static const enum distribution distributions[] = {VALUES_UNIFORM, VALUES_NORMAL};
	for (size_t d = 0; d < 2; d++) {
		struct value_spec spec = {distributions[d], 1};
		for (uint64_t block = 0; block < 50; block++) {
			uint32_t bits[VALUES_BLOCK];
			values_block(DTYPE_BF16, spec, 9, VALUES_STREAM_C, block, bits);
			for (uint64_t i = 0; i < VALUES_BLOCK; i++)
				cr_assert(bits[i] == values_at(DTYPE_BF16, spec, 9, VALUES_STREAM_C,
											   block * VALUES_BLOCK + i));
		}
	}
}

Test(values, operands_and_seeds_differ)
{
	struct value_spec uniform = {VALUES_UNIFORM, 1};
	uint32_t a = values_at(DTYPE_F32, uniform, 1, VALUES_STREAM_A, 0);
	cr_assert(a != values_at(DTYPE_F32, uniform, 1, VALUES_STREAM_B, 0));
	cr_assert(a != values_at(DTYPE_F32, uniform, 2, VALUES_STREAM_A, 0));
	cr_assert(a != values_at(DTYPE_F32, uniform, 1ull << 40 | 1, VALUES_STREAM_A, 0));
}
