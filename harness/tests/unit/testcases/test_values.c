/* links: testcases base */
#include <criterion/criterion.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <math.h>
#include <string.h>

#include "testcases/values_run.h"

static const struct number_format *format_of(enum dtype type)
{
	return &type_of(type)->format;
}

/* A buffer of rows of 64. */
static struct values drawn(enum dtype type, struct value_spec spec, uint64_t seed, uint32_t stream)
{
	return (struct values){.format = *format_of(type),
						   .spec = spec,
						   .seed = seed,
						   .stream = stream,
						   .columns = 64,
						   .elements = 4096};
}

static uint32_t at(enum dtype type, struct value_spec spec, uint64_t seed, uint32_t stream,
				   uint64_t index)
{
	struct values values = drawn(type, spec, seed, stream);
	return values_at(&values, index);
}

static double value(enum dtype type, enum distribution distribution, float scale, uint64_t index)
{
	struct values values =
		drawn(type, (struct value_spec){.distribution = distribution, .scale = scale}, 42, 0);
	return values_number_at(&values, index);
}

static double to_double(enum dtype type, uint32_t bits)
{
	return values_to_double(format_of(type), bits);
}

static uint32_t from_double(enum dtype type, double x)
{
	return values_from_double(format_of(type), x);
}

/* The processor's own conversions: every x86-64 with AVX2 has F16C, every aarch64 its own. */
#if defined(__x86_64__)
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
#else
static float half_to_float(uint16_t bits)
{
	__fp16 half;
	memcpy(&half, &bits, sizeof half);
	return (float)half;
}

static uint16_t double_to_half(double x)
{
	__fp16 half = (__fp16)x;
	uint16_t bits;
	memcpy(&bits, &half, sizeof bits);
	return bits;
}
#endif

/* Every exponent and sign with the significands at which rounding to some format turns. */
Test(values, a_float_rounds_as_a_double_does)
{
	static const enum dtype types[] = {DTYPE_F16,  DTYPE_BF16, DTYPE_F32,
									   DTYPE_E4M3, DTYPE_S8,   DTYPE_U4};
	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		for (uint32_t top = 0; top < 1u << 16; top++)
			for (uint32_t i = 0; i < 64; i++) {
				/* the low 16 bits: around a half of each number of bits, and any */
				uint32_t low = i < 48 ? (1u << i / 3) + i % 3 - 1 : i * 0x9E3779B1u;
				uint32_t bits = top << 16 | (low & 0xFFFF);
				float x;
				memcpy(&x, &bits, sizeof x);
				uint32_t expected = from_double(types[t], x);
				uint32_t found = values_from_float(format_of(types[t]), x);
				cr_assert(found == expected, "%s of %08x: %x, not %x", type_of(types[t])->name,
						  bits, found, expected);
			}
}

Test(values, f16_bits_agree_with_the_processor)
{
	for (uint32_t bits = 0; bits < 65536; bits++) {
		float half = half_to_float((uint16_t)bits);
		double number = to_double(DTYPE_F16, bits);
		if (isnan(half)) {
			cr_assert(isnan(number), "%x", bits);
			continue;
		}
		cr_assert(number == half, "%x", bits);
		cr_assert(from_double(DTYPE_F16, number) == bits, "%x", bits);
	}
}

Test(values, bf16_is_the_upper_half_of_f32)
{
	for (uint32_t bits = 0; bits < 65536; bits++) {
		float single;
		uint32_t word = bits << 16;
		memcpy(&single, &word, sizeof single);
		double number = to_double(DTYPE_BF16, bits);
		if (isnan(single)) {
			cr_assert(isnan(number), "%x", bits);
			continue;
		}
		cr_assert(number == (double)single, "%x", bits);
		cr_assert(from_double(DTYPE_BF16, number) == bits, "%x", bits);
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
		cr_assert(from_double(DTYPE_F16, x) == double_to_half(x), "%a", x);
		cr_assert(from_double(DTYPE_F32, x) == single_bits, "%a", x);
	}
	cr_assert(from_double(DTYPE_F16, 65519.99) == 0x7BFF);
	cr_assert(from_double(DTYPE_F16, 65520) == 0x7C00);
	cr_assert(from_double(DTYPE_BF16, -1e300) == 0xFF80);
	cr_assert(from_double(DTYPE_F32, NAN) == 0x7FC00000);
}

/* What a seed means may never change: recorded from this implementation. */
Test(values, known_answers)
{
	struct value_spec uniform = {VALUES_UNIFORM, 1, 0, 0}, normal = {VALUES_NORMAL, 1, 0, 0};
	struct values_words words = values_random(0, 0, 0);
	/* Philox4x32-10 of zero counter and key, as Random123's own kat_vectors has it */
	cr_assert(words.word[0] == 0x6627E8D5 && words.word[1] == 0xE169C58D);
	cr_assert(words.word[2] == 0xBC57AC4C && words.word[3] == 0x9B00DBD8);
	cr_expect(at(DTYPE_F32, uniform, 1, 0, 0) == 0x3F47D00C);
	cr_expect(at(DTYPE_F32, normal, 1, 2, 5) == 0xBFC6B701);
	cr_expect(at(DTYPE_F16, uniform, 1, 1, 7) == 0xB4B9);
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
	static const enum distribution distributions[] = {VALUES_UNIFORM, VALUES_NORMAL, VALUES_GRAPH};
	for (size_t d = 0; d < 3; d++) {
		struct values values = drawn(
			DTYPE_BF16, (struct value_spec){.distribution = distributions[d], .scale = 1}, 9, 2);
		for (uint64_t block = 0; block < 50; block++) {
			uint32_t bits[VALUES_BLOCK];
			values_block(&values, block, bits);
			for (uint64_t i = 0; i < VALUES_BLOCK; i++)
				cr_assert(bits[i] == values_at(&values, block * VALUES_BLOCK + i));
		}
	}
}

/* Of every type and distribution, at scales on both sides of what is drawn otherwise. */
Test(values, many_at_once_are_those_of_their_blocks)
{
	static const struct value_spec specs[] = {{.scale = 1},
											  {.scale = 0.25f, .share = 0.1f},
											  {.scale = 24, .low = 0.5f},
											  {.scale = 0x1p26f}};
	enum { BLOCKS = 77 };
	for (size_t t = 0; type_at(t) != NULL; t++)
		for (int d = VALUES_UNIFORM; d <= VALUES_BLOCKS; d++)
			for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
				uint32_t bits[BLOCKS * VALUES_BLOCK], block[VALUES_BLOCK];
				const uint64_t first = 0xffffffe0; /* the counter's upper half comes into it */
				struct values values = {type_at(t)->format, specs[s], 7, 3, 40, 1600, 5};
				values.spec.distribution = (enum distribution)d;
				values_run(&values, first, BLOCKS, bits);
				for (uint64_t i = 0; i < BLOCKS; i++) {
					values_block(&values, first + i, block);
					cr_assert_arr_eq(block, bits + i * VALUES_BLOCK, sizeof block, "%s %d %zu %zu",
									 type_at(t)->name, d, s, (size_t)i);
				}
			}
}

Test(values, operands_and_seeds_differ)
{
	struct value_spec uniform = {VALUES_UNIFORM, 1, 0, 0};
	uint32_t a = at(DTYPE_F32, uniform, 1, 0, 0);
	cr_assert(a != at(DTYPE_F32, uniform, 1, 1, 0));
	cr_assert(a != at(DTYPE_F32, uniform, 2, 0, 0));
	cr_assert(a != at(DTYPE_F32, uniform, 1ull << 40 | 1, 0, 0));
}

/* Written out from "FP8 formats for deep learning", not from the row of the type. */
Test(values, every_e4m3_code_is_what_its_fields_say)
{
	for (uint32_t code = 0; code < 256; code++) {
		int e = (int)(code >> 3 & 15), m = (int)(code & 7);
		double sign = code >= 128 ? -1 : 1, number = to_double(DTYPE_E4M3, code);
		if (e == 15 && m == 7) {
			cr_assert(isnan(number), "%x", code);
			continue;
		}
		double want = e == 0 ? sign * m / 512.0 : sign * ldexp(1 + m / 8.0, e - 7);
		cr_assert(number == want && !signbit(number) == !signbit(want), "%x: %g", code, number);
		cr_assert(from_double(DTYPE_E4M3, number) == code, "%x", code);
	}
	cr_assert(to_double(DTYPE_E4M3, 0x7E) == 448 && to_double(DTYPE_E4M3, 0x01) == 0x1p-9);
}

/* The nearest code by search; of two the one with an even significand. */
static uint32_t nearest_e4m3(double x)
{
	uint32_t best = 0, sign = signbit(x) ? 0x80 : 0;
	for (uint32_t code = 1; code < 0x7F; code++) {
		double nearer = fabs(fabs(x) - to_double(DTYPE_E4M3, best)) -
						fabs(fabs(x) - to_double(DTYPE_E4M3, code));
		if (nearer > 0 || (nearer == 0 && code % 2 == 0))
			best = code;
	}
	return sign | best;
}

Test(values, e4m3_rounds_to_nearest_even_and_saturates)
{
	for (uint32_t code = 0; code + 1 < 0x7F; code++) {
		double low = to_double(DTYPE_E4M3, code), high = to_double(DTYPE_E4M3, code + 1);
		const double places[] = {0.25, 0.5, 0.5 + 0x1p-30, 0.5 - 0x1p-30, 0.75};
		for (size_t i = 0; i < sizeof places / sizeof *places; i++)
			for (int sign = -1; sign <= 1; sign += 2) {
				double x = sign * (low + places[i] * (high - low));
				cr_assert(from_double(DTYPE_E4M3, x) == nearest_e4m3(x), "%a", x);
			}
	}
	const double beyond[] = {449, 464, 480, 1e30, INFINITY};
	for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
		cr_assert(from_double(DTYPE_E4M3, beyond[i]) == 0x7E, "%g", beyond[i]);
		cr_assert(from_double(DTYPE_E4M3, -beyond[i]) == 0xFE, "%g", beyond[i]);
	}
	cr_assert((from_double(DTYPE_E4M3, NAN) & 0x7F) == 0x7F);
	cr_assert(from_double(DTYPE_E4M3, 0x1p-10) == 0, "half of the smallest is a tie");
	cr_assert(from_double(DTYPE_E4M3, 0x1.1p-10) == 1);
}

Test(values, integer_codes)
{
	for (uint32_t code = 0; code < 256; code++) {
		cr_assert(to_double(DTYPE_S8, code) == (int8_t)code, "%x", code);
		cr_assert(from_double(DTYPE_S8, (int8_t)code) == code, "%x", code);
	}
	for (uint32_t code = 0; code < 16; code++) {
		cr_assert(to_double(DTYPE_U4, code) == (int)code - 8, "%x", code);
		cr_assert(from_double(DTYPE_U4, (int)code - 8) == code, "%x", code);
	}
	static const struct {
		double x;
		int s8, u4;
	} rounded[] = {{0.5, 0, 0},           {1.5, 2, 2},    {-2.5, -2, -2},    {127.5, 127, 7},
				   {-128.5, -128, -8},    {1e30, 127, 7}, {-1e30, -128, -8}, {INFINITY, 127, 7},
				   {-INFINITY, -128, -8}, {6.5, 6, 6},    {7.5, 8, 7},       {-0.4, 0, 0}};
	for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++) {
		uint32_t s8 = from_double(DTYPE_S8, rounded[i].x), u4 = from_double(DTYPE_U4, rounded[i].x);
		cr_assert(s8 == (uint8_t)rounded[i].s8, "%g", rounded[i].x);
		cr_assert(u4 == (uint32_t)(rounded[i].u4 + 8), "%g", rounded[i].x);
	}
}

Test(values, two_codes_of_four_bits_share_a_byte_the_first_in_the_high_half)
{
	const struct number_format *u4 = format_of(DTYPE_U4), *s8 = format_of(DTYPE_S8);
	uint8_t bytes[32] = {0xA5, 0xA5, 0xA5, 0xA5}; /* room for the widest type */
	values_store(u4, bytes, 0, 0x3);
	cr_assert(bytes[0] == 0x35, "the other half stays");
	values_store(u4, bytes, 1, 0xC);
	values_store(u4, bytes, 4, 0xF);
	cr_assert(bytes[0] == 0x3C && bytes[1] == 0xA5 && bytes[2] == 0xF5 && bytes[3] == 0xA5);
	cr_assert(values_load(u4, bytes, 0) == 0x3 && values_load(u4, bytes, 1) == 0xC);
	cr_assert(values_load(u4, bytes, 2) == 0xA && values_load(u4, bytes, 3) == 0x5);
	values_store(s8, bytes, 3, 0x80);
	cr_assert(bytes[3] == 0x80 && values_load(s8, bytes, 3) == 0x80);
	cr_assert(type_bytes(type_of(DTYPE_U4), 6) == 3 && type_bytes(type_of(DTYPE_U4), 7) == 4);
	cr_assert(type_bytes(type_of(DTYPE_E4M3), 7) == 7 && type_bytes(type_of(DTYPE_F32), 7) == 28);
}

/* In squares of 2 x 2, as many as the share says, and whole ones. */
Test(values, extreme_codes_come_in_squares)
{
	struct value_spec spec = {VALUES_INTEGER, 5, 0, 0.25f};
	size_t lowest = 0, highest = 0;
	for (uint64_t row = 0; row < 64; row += 2)
		for (uint64_t column = 0; column < 64; column += 2) {
			double corner = to_double(DTYPE_S8, at(DTYPE_S8, spec, 9, 1, row * 64 + column));
			for (uint64_t i = 0; i < 4; i++) {
				uint64_t index = (row + i / 2) * 64 + column + i % 2;
				double other = to_double(DTYPE_S8, at(DTYPE_S8, spec, 9, 1, index));
				cr_assert(fabs(corner) <= 5 ? fabs(other) <= 5 : other == corner);
			}
			lowest += corner == -128;
			highest += corner == 127;
		}
	cr_assert(lowest > 90 && lowest < 170 && highest > 90 && highest < 170, "%zu, %zu", lowest,
			  highest);
}

/* Of floating point no code is infinite or NaN, so that every code is a number. */
Test(values, codes_are_numbers_and_reach_all_of_them)
{
	const struct value_spec codes = {.distribution = VALUES_CODES, .scale = 1};
	for (size_t t = 0; type_at(t) != NULL; t++) {
		const struct type *type = type_at(t);
		bool seen[256] = {false};
		size_t different = 0;
		for (uint64_t i = 0; i < 20000; i++) {
			uint32_t bits = at((enum dtype)t, codes, 3, 1, i);
			cr_assert(isfinite(to_double((enum dtype)t, bits)), "%s %x", type->name, bits);
			different += !seen[bits & 255];
			seen[bits & 255] = true;
		}
		size_t want = type->format.bits == 4 ? 16 : type->format.nan_first == 0x7F ? 254 : 256;
		cr_assert(different == want, "%s: %zu", type->name, different);
	}
}

/* What lies in a result that is only overwritten: a number that no result comes to. */
Test(values, markers_are_finite_and_of_both_signs)
{
	const struct value_spec marker = {.distribution = VALUES_MARKER};
	for (size_t t = 0; type_at(t) != NULL; t++) {
		const struct type *type = type_at(t);
		size_t negative = 0;
		for (uint64_t i = 0; i < 4096; i++) {
			double x = to_double((enum dtype)t, at((enum dtype)t, marker, 3, 2, i));
			negative += x < 0;
			cr_assert(isfinite(x), "%s", type->name);
			cr_assert(type->format.is_integer || fabs(x) >= type->largest / 8, "%s: %g", type->name,
					  x);
		}
		cr_assert(negative > 1500 && negative < 2600, "%s: %zu", type->name, negative);
	}
}

Test(values, what_is_not_written_stays_a_nan)
{
	const struct value_spec unwritten = {.distribution = VALUES_UNWRITTEN};
	for (size_t t = 0; type_at(t) != NULL; t++) {
		const struct number_format *format = &type_at(t)->format;
		uint32_t all = (uint32_t)((1ull << format->bits) - 1);
		for (uint64_t i = 0; i < 64 && !format->is_integer; i++)
			cr_assert(at((enum dtype)t, unwritten, 3, 2, i) == all && isnan(to_double(t, all)));
	}
	size_t different = 0; /* integers have no NaN: they vary instead */
	for (uint64_t i = 0; i < 64; i++)
		different += at(DTYPE_S8, unwritten, 3, 2, i) != at(DTYPE_S8, unwritten, 3, 2, 0);
	cr_assert(different > 48);
}

/* ---- graphs ----------------------------------------------------------------------- */

#define NODES 24

/* Floyd and Warshall's closure; the least length of a cycle lies on the diagonal. */
static double least_cycle(const struct values *values, size_t *edges, bool *negative)
{
	double d[NODES][NODES], least = INFINITY;
	for (uint64_t i = 0; i < NODES; i++)
		for (uint64_t j = 0; j < NODES; j++) {
			double length = values_number_at(values, i * NODES + j);
			cr_assert(!isnan(length) && length > -INFINITY);
			cr_assert(i != j || length == 0, "the diagonal is 0");
			*edges += i != j && isfinite(length);
			*negative = *negative || length < 0;
			d[i][j] = i == j ? INFINITY : length;
		}
	for (size_t k = 0; k < NODES; k++)
		for (size_t i = 0; i < NODES; i++)
			for (size_t j = 0; j < NODES; j++)
				d[i][j] = fmin(d[i][j], d[i][k] + d[k][j]);
	for (size_t i = 0; i < NODES; i++)
		least = fmin(least, d[i][i]);
	return least;
}

Test(values, no_cycle_of_a_graph_is_negative)
{
	static const struct value_spec specs[] = {{VALUES_GRAPH, 10, 0.1f, 1},
											  {VALUES_GRAPH_SIGNED, 10, 0.1f, 1},
											  {VALUES_GRAPH_SIGNED, 10, 0.1f, 0.125f},
											  {VALUES_GRAPH_SIGNED, 0.01f, 0.1f, 1},
											  {VALUES_GRAPH_INTEGER, 10, 0, 0.5f}};
	for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
		const struct value_spec *spec = &specs[s];
		size_t edges = 0, graphs = 300;
		bool negative = false;
		for (uint64_t seed = 0; seed < graphs; seed++) {
			struct values values = {.format = *format_of(DTYPE_F32),
									.spec = *spec,
									.seed = seed,
									.columns = NODES,
									.elements = (uint64_t)NODES * NODES};
			double cycle = least_cycle(&values, &edges, &negative);
			double least = spec->distribution == VALUES_GRAPH_INTEGER ? 2 : 0.199;
			cr_assert(cycle >= least, "%zu, seed %d: %g", s, (int)seed, cycle);
		}
		cr_assert(negative == (spec->distribution != VALUES_GRAPH));
		double share = (double)edges / (double)(graphs * NODES * (NODES - 1));
		cr_assert(fabs(share - (double)spec->share) < 0.01, "%zu: %g", s, share);
	}
}

/* Draws with bits exchanged, of every kind that an output may hold. */
Test(values, bits_are_exchanged_in_every_element)
{
	const enum distribution kinds[] = {VALUES_UNWRITTEN, VALUES_MARKER, VALUES_NORMAL, VALUES_NAN};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct values values = drawn(DTYPE_F16, (struct value_spec){kinds[i], 1, 0, 0}, 42, 0);
		struct values other = values;
		other.flip = 0x8001;
		for (uint64_t index = 0; index < 100; index++)
			cr_assert_eq(values_at(&values, index) ^ 0x8001, values_at(&other, index));
	}
}
