/* Sums as tensor cores make them (tensor/sum.h), a vector of them at a time. For tensor/kernels.c,
 * which is compiled once for each x86-64 level and has the types of vectors.
 *
 * All products and c are cut to 25 bits below the largest exponent among them, and added as
 * integers. First the exponents: those of A and of B are found once for a fragment, as bytes, and
 * the largest sum of two is a maximum of bytes. Then each product, which is exact in f32, times a
 * power of two is converted to an integer, which cuts it. What does not fit these ranges goes to
 * tensor_sum(), one after the other. */
#ifndef EMULATOR_TENSOR_EXACT_H
#define EMULATOR_TENSOR_EXACT_H

#include "emulator/tensor/factors.h"

/* To f32, towards 0. */
static ALWAYS_INLINE v_float to_floats_cut(v_int x)
{
#if SIMD_LEVEL >= 4
	return (v_float)_mm512_cvt_roundepi32_ps((__m512i)x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#else
	v_float nearest = __builtin_convertvector(x, v_float);
	/* back again, without what would be 2^31 */
	v_int magnitude = (v_int)nearest & INT32_MAX, back = truncated((v_float)magnitude);
	v_int sign = x >> 31, wanted = (x ^ sign) - sign;
	v_int over = (v_int)((v_unsigned)wanted - (v_unsigned)back) >> 31;
	return (v_float)((v_int)nearest + over);
#endif
}

#define BLOCK_SUMS (2 * TENSOR_LANES) /* of a row and a column block: two registers */

#if SIMD_LEVEL >= 4
typedef __m512i v_rows; /* of a block, by row and column */
#define ROWS_BYTES 64
#define SPREAD_TWICE(eight) _mm512_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)(eight)))
#define LARGER_SUM(largest, x, y) _mm512_max_epi8(largest, _mm512_adds_epi8(x, y))
#else
typedef __m128i v_rows;
#define ROWS_BYTES 16
#define SPREAD_TWICE(eight)                                                                        \
	_mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(eight)),                                  \
					   _mm_loadl_epi64((const __m128i *)(eight)))
#define LARGER_SUM(largest, x, y) _mm_max_epi8(largest, _mm_adds_epi8(x, y))
#endif
#define BLOCK_ROWS (BLOCK_SUMS / ROWS_BYTES)

/* Each of eight rows' bytes for the eight columns: part i of them. */
static ALWAYS_INLINE v_rows spread_rows(const int8_t *eight, unsigned i)
{
	const int64_t ones = 0x101010101010101, row = 2 * (int64_t)i;
#if SIMD_LEVEL >= 4
	const __m512i order =
		_mm512_set_epi64(7 * ones, 6 * ones, 5 * ones, 4 * ones, 3 * ones, 2 * ones, ones, 0);
	(void)row;
	return _mm512_shuffle_epi8(SPREAD_TWICE(eight), order);
#else
	return _mm_shuffle_epi8(SPREAD_TWICE(eight), _mm_set_epi64x((row + 1) * ones, row * ones));
#endif
}

/* By row and column, the even columns of each row first, to by register and lane. */
static ALWAYS_INLINE void store_largest(const v_rows *largest, int8_t *out)
{
#if SIMD_LEVEL >= 4
	const __m512i order = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
	_mm512_storeu_si512(out, _mm512_permutexvar_epi32(order, *largest));
#else
#pragma GCC unroll 4
	for (unsigned i = 0; i < BLOCK_ROWS; i++) {
		const __m128i turned = _mm_shuffle_epi32(largest[i], _MM_SHUFFLE(3, 1, 2, 0));
		_mm_storel_epi64((__m128i *)(out + 8 * i), turned);
		_mm_storel_epi64((__m128i *)(out + TENSOR_LANES + 8 * i), _mm_srli_si128(turned, 8));
	}
#endif
}

/* The largest sums of exponents along k. `a`: by k, row and column; `b`: by k and column. */
static ALWAYS_INLINE void largest_of_block(const v_rows *a, const int8_t *b, unsigned k,
										   int8_t *out)
{
	v_rows largest[BLOCK_ROWS];
	memset(largest, NO_VALUE, sizeof largest);
	for (unsigned j = 0; j < k; j++, a += BLOCK_ROWS, b += 8) {
		const v_rows right = SPREAD_TWICE(b);
#pragma GCC unroll 4
		for (unsigned i = 0; i < BLOCK_ROWS; i++)
			largest[i] = LARGER_SUM(largest[i], right, a[i]);
	}
	store_largest(largest, out);
}

/* Of all row and column blocks, in the order of d. */
static ALWAYS_INLINE void largest_sums(const struct tensor_product *op, int8_t *out)
{
	v_rows spread[TENSOR_K_MAX * BLOCK_ROWS]; /* by k, row and column */
	const unsigned width = op->a->width, rows = op->row_blocks;
	for (unsigned rb = 0; rb < rows; rb++) {
		const int8_t *a = op->a->exponents + (size_t)rb * width * 8;
		unsigned in_block = 0;
		for (unsigned k = 0; k < op->k; k++, a += 8) {
#pragma GCC unroll 4
			for (unsigned i = 0; i < BLOCK_ROWS; i++)
				spread[k * BLOCK_ROWS + i] = spread_rows(a, i);
			if (++in_block == width) { /* to the next block along k */
				a += (size_t)(rows - 1) * width * 8;
				in_block = 0;
			}
		}
		for (unsigned cb = 0; cb < op->column_blocks; cb++)
			largest_of_block(spread, op->b->exponents + (size_t)cb * 8 * op->k, op->k,
							 out + (size_t)(cb * rows + rb) * BLOCK_SUMS);
	}
}

static ALWAYS_INLINE v_int widened_bytes(const int8_t *from)
{
#if SIMD_LEVEL >= 4
	return (v_int)_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)from));
#elif SIMD_LEVEL >= 3
	return (v_int)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)from));
#else
	return (v_int)_mm_cvtepi8_epi32(_mm_loadu_si32(from));
#endif
}

/* One vector of sums under way. */
struct partial {
	v_int exponent; /* the largest, as f32 stores it */
	v_float scale;  /* to units of its last bit that is kept */
	v_int c, sum;   /* in these units */
};

/* What is constant where this is inlined. */
struct exact_how {
	int kept;                  /* bits below the largest exponent */
	bool clamped, bytes, half; /* of exponents; as in tensor_rule */
};

/* `above`: the largest sums of exponents, less `base`; negative, below -SPREAD, where all products
 * are 0. `doubt`: negative where is_rare() must say more; `rare`: where this does not do. */
static ALWAYS_INLINE struct partial begin_sum(const struct exact_how how, v_int above, int base,
											  v_float c, v_int *doubt, v_int *rare)
{
	struct partial part;
	part.exponent = larger_integers(above + base, (v_int)((v_unsigned)((v_int)c << 1) >> 24));
	const int low = base - SPREAD > LOWEST + F32_BIAS ? base - SPREAD : LOWEST + F32_BIAS;
	*doubt |= (part.exponent - low) | ((HIGHEST + 2 + F32_BIAS) - part.exponent);
	part.exponent = larger_integers(part.exponent, (v_int){0} + LOWEST + F32_BIAS);
	part.scale = (v_float)((2 * F32_BIAS + how.kept - part.exponent) << 23);
	part.c = truncated(c * part.scale);
	part.sum = (v_int){0};
	if (how.clamped)
		*rare |= (above - SPREAD - 1) & ~above;
	return part;
}

/* Whether a sum has terms, and a largest exponent out of range. */
static ALWAYS_INLINE bool is_rare(v_int above, int base, v_float c)
{
	const v_int magnitude = (v_int)c << 1, none = above >> 31, zero = (magnitude == 0) & none;
	v_int exponent = ((above + base) & ~none) | none;
	exponent = larger_integers(exponent, (v_int)((v_unsigned)magnitude >> 24));
	return any(((exponent - (LOWEST + F32_BIAS)) | ((HIGHEST + 2 + F32_BIAS) - exponent)) >> 31 &
			   ~zero) ||
		   any(none & ~zero & (exponent - (base - SPREAD)) >> 31);
}

static ALWAYS_INLINE v_float end_sum(const struct exact_how how, struct partial part, v_int *rare)
{
	v_int sum = part.sum + part.c;
	*rare |= (part.sum ^ sum) & (part.c ^ sum);
	v_float result = to_floats_cut(sum);
	if (how.half)
		result = (v_float)((v_int)result | ((truncated(result) != sum) & 1));
	result *= (v_float)((2 * F32_BIAS << 23) - (v_int)part.scale);
	if (how.bytes && !how.half)
		result = (v_float)((v_int)result & ~((1 << (24 - TENSOR_SUM_BITS_BYTES)) - 1));
	return result;
}

#define EXACT_GROUP 4u /* vectors that go together */

/* Vector i of a group that begins at `first`, of a row and a column block: its register of the
 * two, and its first lane. */
#define GROUP_REGISTER(first, i) (((first) + (i)) / VECTORS)
#define GROUP_LANE(first, i) (((first) + (i)) % VECTORS * WIDTH)

static void sum_one_by_one(const struct tensor_product *op, unsigned block, unsigned reg,
						   unsigned lane)
{
	const unsigned rb = block % op->row_blocks, cb = block / op->row_blocks, at = 2 * block + reg;
	for (unsigned i = lane; i < lane + WIDTH; i++) {
		struct tensor_terms terms = {
			.a = &op->a->elements[rb * TENSOR_LANES + i].number,
			.b = &op->b->elements[(size_t)cb * 8 * op->k + 4 * reg + i % 4].number,
			.a_stride = (size_t)op->row_blocks * TENSOR_LANES,
			.b_stride = 8,
			.count = op->k,
			.c = op->c[at][i]};
		op->d[at][i] = tensor_sum(&op->rule, &terms);
	}
}

static ALWAYS_INLINE void sum_group(const struct exact_how how, const struct tensor_product *op,
									unsigned block, const int8_t *largest, int base,
									const unsigned first)
{
	const unsigned rb = block % op->row_blocks, cb = block / op->row_blocks;
	const size_t stride = (size_t)op->row_blocks * TENSOR_LANES;
	const float *a = &op->a->elements[(size_t)rb * TENSOR_LANES].number;
	const float *b = &op->b->elements[(size_t)cb * 8 * op->k].number;
	float *const *d = op->d + (size_t)2 * block;
	const float *const *c = op->c + (size_t)2 * block;
	struct partial part[EXACT_GROUP];
	v_float result[EXACT_GROUP];
	v_int doubt = {0}, rare = {0};
	bool one_by_one = false;
#pragma GCC unroll 4
	for (unsigned i = 0; i < EXACT_GROUP; i++)
		part[i] = begin_sum(how, widened_bytes(largest + (first + i) * WIDTH), base,
							*(const v_float *)(c[GROUP_REGISTER(first, i)] + GROUP_LANE(first, i)),
							&doubt, &rare);
	for (unsigned k = 0; k < op->k; k++, a += stride, b += 8) {
#pragma GCC unroll 4
		for (unsigned i = 0; i < EXACT_GROUP; i++) {
			v_float product = *(const v_float *)(a + GROUP_LANE(first, i)) *
							  repeated_floats(b + 4 * GROUP_REGISTER(first, i));
			part[i].sum += truncated(product * part[i].scale);
		}
	}
#pragma GCC unroll 4
	for (unsigned i = 0; i < EXACT_GROUP; i++)
		result[i] = end_sum(how, part[i], &rare);
	if (__builtin_expect(any((doubt | rare) >> 31), 0)) {
		one_by_one = any(rare >> 31);
		for (unsigned i = 0; i < EXACT_GROUP; i++)
			one_by_one =
				one_by_one ||
				is_rare(widened_bytes(largest + (first + i) * WIDTH), base,
						*(const v_float *)(c[GROUP_REGISTER(first, i)] + GROUP_LANE(first, i)));
	}
	if (one_by_one) {
		for (unsigned i = 0; i < EXACT_GROUP; i++)
			sum_one_by_one(op, block, GROUP_REGISTER(first, i), GROUP_LANE(first, i));
		return;
	}
#pragma GCC unroll 4
	for (unsigned i = 0; i < EXACT_GROUP; i++)
		*(v_float *)(d[GROUP_REGISTER(first, i)] + GROUP_LANE(first, i)) = result[i];
}

#define BLOCKS_MAX (TENSOR_WGMMA_COLUMNS / 8 * 2) /* or 16, of a warp's mma */

static ALWAYS_INLINE void sum_blocks(const struct exact_how how, const struct tensor_product *op)
{
	_Alignas(64) int8_t largest[BLOCKS_MAX * BLOCK_SUMS];
	const int base = op->a->base + op->b->base + F32_BIAS;
	largest_sums(op, largest);
	for (unsigned block = 0; block < op->row_blocks * op->column_blocks; block++) {
#pragma GCC unroll 4
		for (unsigned first = 0; first < 2 * VECTORS; first += EXACT_GROUP)
			sum_group(how, op, block, largest + (size_t)block * BLOCK_SUMS, base, first);
	}
}

/* Whether all of c are multiples of 2^unit, and at most 2^22 times as large. */
static bool are_small_multiples(const float *const c[], unsigned count, int unit)
{
	const union tensor_element most = {.integer = (unit + 22 + F32_BIAS) << 23};
	const v_float shift = (v_float){0} + 3 * most.number; /* whose last bit is 2^unit */
	v_int wrong = {0};
	for (unsigned i = 0; i < count * VECTORS; i++) {
		const v_float x = *(const v_float *)(c[i / VECTORS] + i % VECTORS * WIDTH);
		wrong |= (v_int)((x + shift) - shift != x) | (most.integer - ((v_int)x & INT32_MAX));
	}
	return !any(wrong >> 31);
}

/* Whether nothing is cut, and f32 sums are exact in any order, of products and a c that is a small
 * multiple. */
static bool are_small(const struct tensor_factor *a, const struct tensor_factor *b, unsigned k)
{
	const int unit = a->lowest + b->lowest;
	return a->finite && b->finite && a->lowest != INT32_MIN && b->lowest != INT32_MIN && k <= 16 &&
		   unit >= LOWEST && a->most + b->most + 2 + 4 - unit <= 23;
}

static bool multiply_small(const struct tensor_product *op)
{
	const unsigned registers = 2 * op->row_blocks * op->column_blocks;
	if (!are_small(op->a, op->b, op->k) ||
		!are_small_multiples(op->c, registers, op->a->lowest + op->b->lowest))
		return false;
	multiply_floats(op->d, op->c, &op->a->elements->number, &op->b->elements->number,
					op->row_blocks, op->column_blocks, op->k);
	return true;
}

/* All numbers are finite, and products, too. */
static bool are_in_range(const struct tensor_factor *a, const struct tensor_factor *b)
{
	return a->finite && b->finite && a->most + b->most <= HIGHEST;
}

static void multiply(const struct tensor_product *op)
{
	const unsigned blocks = op->row_blocks * op->column_blocks;
	if (!are_in_range(op->a, op->b)) {
		for (unsigned i = 0; i < blocks * 2 * VECTORS; i++)
			sum_one_by_one(op, i / VECTORS / 2, i / VECTORS % 2, i % VECTORS * WIDTH);
		return;
	}
	struct exact_how how = {.kept = op->rule.bytes ? TENSOR_KEPT_BYTES : TENSOR_KEPT,
							.clamped = op->a->clamped || op->b->clamped,
							.bytes = op->rule.bytes,
							.half = op->rule.half};
	if (!how.bytes && multiply_small(op))
		return;
	if (how.clamped || how.bytes || how.half)
		sum_blocks(how, op);
	else
		sum_blocks((struct exact_how){.kept = TENSOR_KEPT}, op);
}

#endif
