/* What sums need to know of their factors: the exponents that they are stored with, as bytes, and
 * whether all are multiples of a large power of two. For tensor/kernels.c, which is compiled once
 * for each x86-64 level and has the types of vectors. */
#ifndef EMULATOR_TENSOR_FACTORS_H
#define EMULATOR_TENSOR_FACTORS_H

typedef uint32_t v_unsigned __attribute__((vector_size(WIDTH * 4), aligned(4), may_alias));
typedef int8_t v_bytes __attribute__((vector_size(WIDTH), aligned(1), may_alias));

#define F32_BIAS 127
/* of the largest exponents that are dealt with here: all powers are normal */
#define LOWEST (-100)
#define HIGHEST 124
/* between a fragment's exponents: larger than that, the lower ones count as it */
#define SPREAD 63
#define NO_VALUE (-128) /* the exponent of 0 */

static ALWAYS_INLINE v_int larger_integers(v_int x, v_int y)
{
#if SIMD_LEVEL >= 4
	return (v_int)_mm512_max_epi32((__m512i)x, (__m512i)y);
#elif SIMD_LEVEL >= 3
	return (v_int)_mm256_max_epi32((__m256i)x, (__m256i)y);
#else
	return (v_int)_mm_max_epi32((__m128i)x, (__m128i)y);
#endif
}

static ALWAYS_INLINE bool any(v_int x)
{
#if SIMD_LEVEL >= 4
	return _mm512_test_epi32_mask((__m512i)x, (__m512i)x) != 0;
#elif SIMD_LEVEL >= 3
	return !_mm256_testz_si256((__m256i)x, (__m256i)x);
#else
	return !_mm_testz_si128((__m128i)x, (__m128i)x);
#endif
}

/* INT32_MIN where it is out of range, as x86-64 has it. */
static ALWAYS_INLINE v_int truncated(v_float x)
{
#if defined(__x86_64__)
	return __builtin_convertvector(x, v_int);
#else
	return (v_int)_mm_cvttps_epi32((__m128)x);
#endif
}

/* The lowest bytes. */
static ALWAYS_INLINE void store_bytes(v_int x, int8_t *out)
{
	v_bytes bytes = __builtin_convertvector(x, v_bytes);
#if SIMD_LEVEL >= 4
	__asm__("" : "+x"(bytes)); /* to memory alone is slower */
#endif
	*(v_bytes *)out = bytes;
}

static ALWAYS_INLINE v_int largest_lane(v_int x)
{
	for (unsigned i = 1; i < WIDTH; i++)
		x[0] = x[i] > x[0] ? x[i] : x[0];
	return x;
}

/* Brings exponents, which are above `least`, to where SPREAD is enough. */
static void clamp_exponents(struct tensor_factor *x, unsigned count, int most)
{
	const float *numbers = &x->elements->number;
	const int least = x->least;
	const int low = most - SPREAD;
	v_int clamped = {0};
	for (unsigned i = 0; i < count; i += WIDTH) {
		const v_int magnitude = *(const v_int *)(numbers + i) << 1;
		v_int above =
			larger_integers((v_int)((v_unsigned)magnitude >> 24), (v_int){0} + least) - low;
		const v_int zero = magnitude == 0;
		clamped |= (above >> 31) & ~zero;
		above = larger_integers(above, (v_int){0});
		store_bytes((above & ~zero) | (zero & NO_VALUE), x->exponents + i);
	}
	x->base = low - F32_BIAS;
	x->clamped = any(clamped);
}

/* The exponents that numbers are stored with in their own format, whose smallest normal number has
 * that of `least` in f32. `count` is a multiple of 32. */
static ALWAYS_INLINE void find_exponents(unsigned count, struct tensor_factor *out)
{
	const float *numbers = &out->elements->number;
	const int least = out->least;
	v_int most = {0};
	for (unsigned i = 0; i < count; i += WIDTH) {
		const v_int magnitude = *(const v_int *)(numbers + i) << 1;
		const v_int stored = (v_int)((v_unsigned)magnitude >> 24), zero = magnitude == 0;
		const v_int above = larger_integers(stored - least, (v_int){0});
		most = larger_integers(most, stored);
		store_bytes((above & ~zero) | (zero & NO_VALUE), out->exponents + i);
	}
	const int largest = largest_lane(most)[0];
	out->base = least - F32_BIAS;
	out->most = largest - F32_BIAS;
	out->finite = largest < 255;
	out->clamped = false;
	out->lowest = INT32_MIN;
	if (largest > least + SPREAD)
		clamp_exponents(out, count, largest);
}

typedef uint16_t v_halves __attribute__((vector_size(WIDTH * 4), aligned(4), may_alias));

static ALWAYS_INLINE v_halves larger_halves(v_halves x, v_halves y)
{
#if SIMD_LEVEL >= 4
	return (v_halves)_mm512_max_epu16((__m512i)x, (__m512i)y);
#elif SIMD_LEVEL >= 3
	return (v_halves)_mm256_max_epu16((__m256i)x, (__m256i)y);
#else
	return (v_halves)_mm_max_epu16((__m128i)x, (__m128i)y);
#endif
}

static ALWAYS_INLINE v_halves smaller_halves(v_halves x, v_halves y)
{
	return ~larger_halves(~x, ~y);
}

/* The 128-bit parts of a vector, combined. */
#if SIMD_LEVEL >= 4
#define PART(x, i) (_mm512_extracti32x4_epi32((__m512i)(x), i))
#define COMBINED(f, x) f(f(PART(x, 0), PART(x, 1)), f(PART(x, 2), PART(x, 3)))
#elif SIMD_LEVEL >= 3
#define PART(x, i) (_mm256_extracti128_si256((__m256i)(x), i))
#define COMBINED(f, x) f(PART(x, 0), PART(x, 1))
#else
#define COMBINED(f, x) ((__m128i)(x))
#endif

static ALWAYS_INLINE uint16_t smallest_half(v_halves x)
{
	return (uint16_t)_mm_cvtsi128_si32(_mm_minpos_epu16(COMBINED(_mm_min_epu16, x)));
}

static ALWAYS_INLINE uint16_t union_of_halves(v_halves x)
{
	__m128i part = COMBINED(_mm_or_si128, x);
	uint64_t bits = (uint64_t)(_mm_extract_epi64(part, 0) | _mm_extract_epi64(part, 1));
	bits |= bits >> 32;
	return (uint16_t)(bits | bits >> 16);
}

/* --- of 16 bits, from their bits: much less of them than of floats --- */

struct half_format {
	int fraction, bias, infinite; /* bits; the exponent of infinity */
};

static inline struct half_format half_format(enum tensor_type type)
{
	return type == TENSOR_F16 ? (struct half_format){10, 15, 31}
							  : (struct half_format){7, 127, 255};
}

/* Of all: the largest magnitude, the smallest one above 0 less 1, all bits that are 1. */
struct half_facts {
	uint16_t most, least, used;
};

/* Loops that the compiler vectorises. `stored`: the exponents, 0 of 0. */
static ALWAYS_INLINE struct half_facts survey_halves(const uint16_t *bits, unsigned count,
													 const int fraction, uint8_t *stored)
{
	uint16_t most = 0, least = UINT16_MAX, used = 0;
	for (unsigned i = 0; i < count; i++) {
		const uint16_t magnitude = bits[i] & 0x7fff, below = (uint16_t)(magnitude - 1);
		uint16_t exponent = (uint16_t)(magnitude >> fraction);
		most = magnitude > most ? magnitude : most;
		least = below < least ? below : least;
		used |= magnitude;
		exponent = exponent > 1 ? exponent : 1;
		stored[i] = (uint8_t)(magnitude != 0 ? exponent : 0);
	}
	return (struct half_facts){most, least, used};
}

/* What facts say of all numbers. */
static ALWAYS_INLINE void note_facts(enum tensor_type type, struct half_facts facts,
									 struct tensor_factor *out)
{
	const struct half_format format = half_format(type);
	const int most = facts.most >> format.fraction;
	const int stored = (facts.least + 1) >> format.fraction, least = stored > 0 ? stored : 1;
	const int low = most > SPREAD ? most - SPREAD : 1;
	out->most = (most > 0 ? most : 1) - format.bias;
	out->finite = most < format.infinite;
	out->base = low - format.bias;
	out->clamped = least < low;
	out->lowest =
		least - format.bias - format.fraction + __builtin_ctz(facts.used | 1u << format.fraction);
}

/* From exponents as they are stored, which are bytes, to those above `low`. */
static void clamp_bytes(const uint8_t *stored, unsigned count, uint8_t low, int8_t *out)
{
	for (unsigned i = 0; i < count; i++) {
		const uint8_t most = stored[i] > low ? stored[i] : low, zero = stored[i] == 0 ? 255 : 0;
		out[i] = (int8_t)((uint8_t)(most - low) & ~zero) | (int8_t)(zero & 0x80);
	}
}

/* `bits`: in the order of the exponents. */
static void find_exponents_of_halves(enum tensor_type type, const uint16_t *bits, unsigned count,
									 struct tensor_factor *out)
{
	uint8_t stored[TENSOR_WGMMA_COLUMNS * 2 * TENSOR_CHUNK / 2];
	const struct half_format format = half_format(type);
	const struct half_facts facts = type == TENSOR_F16 ? survey_halves(bits, count, 10, stored)
													   : survey_halves(bits, count, 7, stored);
	note_facts(type, facts, out);
	clamp_bytes(stored, count, (uint8_t)(out->base + format.bias), out->exponents);
}

/* The facts alone, of blocks. */
static ALWAYS_INLINE void survey_blocks(enum tensor_type type, const uint32_t *const blocks[],
										unsigned count, struct tensor_factor *out)
{
	v_halves most = {0}, below = ~most, used = {0};
	for (unsigned i = 0; i < count; i++)
		for (unsigned v = 0; v < VECTORS; v++) {
			const v_halves magnitude = *(const v_halves *)(blocks[i] + v * WIDTH) & 0x7fff;
			most = larger_halves(most, magnitude);
			below = smaller_halves(below, magnitude - 1);
			used |= magnitude;
		}
	struct half_facts facts = {.most = (uint16_t)~smallest_half(~most),
							   .least = smallest_half(below),
							   .used = union_of_halves(used)};
	note_facts(type, facts, out);
}

#endif
