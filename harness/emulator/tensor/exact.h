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

typedef uint32_t v_unsigned __attribute__((vector_size(WIDTH * 4), aligned(4), may_alias));

#define F32_BIAS 127
#define LOWEST (-100) /* of the largest exponents that are dealt with here: all powers are normal  \
					   */
#define HIGHEST 124
#define SPREAD 63 /* between a fragment's exponents: larger than that, the lower ones count as it  \
				   */
#define NO_VALUE (-128) /* the exponent of 0 */

/* The exponents of a fragment's numbers, less `base`: 0 to SPREAD, or NO_VALUE. */
struct exponents {
	int base, most;
	bool finite, clamped; /* clamped: some are lower, and stand as 0 */
	int8_t *bytes;
};

INLINE v_int larger_integers(v_int x, v_int y)
{
#if SIMD_LEVEL >= 4
	return (v_int)_mm512_max_epi32((__m512i)x, (__m512i)y);
#elif SIMD_LEVEL >= 3
	return (v_int)_mm256_max_epi32((__m256i)x, (__m256i)y);
#else
	return (v_int)_mm_max_epi32((__m128i)x, (__m128i)y);
#endif
}

INLINE v_int truncated(v_float x)
{
	return __builtin_convertvector(x, v_int);
}

/* To f32, towards 0. */
INLINE v_float to_floats_cut(v_int x)
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

/* The exponents that numbers are stored with in their own format, whose smallest normal number has
 * that of `least` in f32. */
static void find_exponents(const float *numbers, unsigned count, unsigned least,
						   struct exponents *out)
{
	uint8_t *stored = (uint8_t *)out->bytes, most = 0, clamped = 0;
	for (unsigned i = 0; i < count; i++) {
		uint32_t bits;
		memcpy(&bits, &numbers[i], sizeof bits);
		uint32_t exponent = bits >> 23 & 255;
		exponent = exponent > least ? exponent : least;
		exponent = bits << 1 != 0 ? exponent : 0;
		stored[i] = (uint8_t)exponent;
		most = stored[i] > most ? stored[i] : most;
	}
	const uint8_t low = most > least + SPREAD ? (uint8_t)(most - SPREAD) : (uint8_t)least;
	for (unsigned i = 0; i < count; i++) {
		uint8_t above = stored[i] > low ? (uint8_t)(stored[i] - low) : 0;
		clamped |= (uint8_t)((stored[i] < low) & (stored[i] != 0));
		stored[i] = stored[i] != 0 ? above : (uint8_t)NO_VALUE;
	}
	out->base = low - F32_BIAS;
	out->most = most - F32_BIAS;
	out->finite = most < 255;
	out->clamped = clamped;
}

/* For the 32 lanes of an accumulator's register the largest sums of exponents along k. `a`: 32
 * lanes for each k, `stride` apart; `b`: four columns for each k, 8 apart. */
INLINE void largest_sums(const int8_t *a, size_t stride, const int8_t *b, unsigned k, int8_t *out)
{
#if SIMD_LEVEL >= 3
	__m256i largest = _mm256_set1_epi8(NO_VALUE);
	for (unsigned i = 0; i < k; i++, a += stride, b += 8) {
		int32_t four;
		memcpy(&four, b, sizeof four);
		__m256i sum =
			_mm256_adds_epi8(_mm256_loadu_si256((const __m256i *)a), _mm256_set1_epi32(four));
		largest = _mm256_max_epi8(largest, sum);
	}
	_mm256_storeu_si256((__m256i *)out, largest);
#else
	__m128i low = _mm_set1_epi8(NO_VALUE), high = low;
	for (unsigned i = 0; i < k; i++, a += stride, b += 8) {
		int32_t four;
		memcpy(&four, b, sizeof four);
		__m128i right = _mm_set1_epi32(four);
		low = _mm_max_epi8(low, _mm_adds_epi8(_mm_loadu_si128((const __m128i *)a), right));
		high = _mm_max_epi8(high, _mm_adds_epi8(_mm_loadu_si128((const __m128i *)(a + 16)), right));
	}
	_mm_storeu_si128((__m128i *)out, low);
	_mm_storeu_si128((__m128i *)(out + 16), high);
#endif
}

INLINE v_int widened_bytes(const int8_t *from)
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
	v_int exponent; /* the largest */
	v_float scale;  /* to units of its last bit that is kept */
	v_int c, sum;   /* in these units */
};

/* What is constant where this is inlined. */
struct exact_how {
	int kept;            /* bits below the largest exponent */
	bool clamped, bytes; /* some exponents are; tensor_rule.bytes */
	bool half;
};

/* `rare`: not 0 where this does not do. */
INLINE struct partial begin_sum(const struct exact_how how, v_int above, int base, v_float c,
								v_int *rare)
{
	struct partial part;
	v_int bits = (v_int)c, magnitude = bits << 1, none = above >> 31;
	v_int of_c = (v_int)((v_unsigned)magnitude >> 24) - F32_BIAS;
	v_int largest = ((above + base) & ~none) | (none & (LOWEST - 100));
	if (how.clamped)
		*rare |= (above - SPREAD - 1) >> 31 & ~none;
	largest = larger_integers(largest, of_c);
	*rare |= ((largest - LOWEST) | (HIGHEST + 2 - largest)) >> 31 & (magnitude | ~none);
	part.exponent = larger_integers(largest, LOWEST - (v_int){0});
	part.scale = (v_float)((F32_BIAS + how.kept - part.exponent) << 23);
	part.c = truncated(c * part.scale);
	part.sum = (v_int){0};
	return part;
}

INLINE v_float end_sum(const struct exact_how how, struct partial part, v_int *rare)
{
	v_int sum = part.sum + part.c;
	*rare |= (v_int)((v_unsigned)((part.sum ^ sum) & (part.c ^ sum)) >> 31);
	v_float result = to_floats_cut(sum);
	if (how.half)
		result = (v_float)((v_int)result | ((truncated(result) != sum) & 1));
	result *= (v_float)((part.exponent + (F32_BIAS - how.kept)) << 23);
	if (how.bytes && !how.half)
		result = (v_float)((v_int)result & ~((1 << (24 - TENSOR_SUM_BITS_BYTES)) - 1));
	return result;
}

INLINE bool any(v_int x)
{
#if SIMD_LEVEL >= 4
	return _mm512_test_epi32_mask((__m512i)x, (__m512i)x) != 0;
#elif SIMD_LEVEL >= 3
	return !_mm256_testz_si256((__m256i)x, (__m256i)x);
#else
	return !_mm_testz_si128((__m128i)x, (__m128i)x);
#endif
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
		struct tensor_terms terms = {.a = op->a + rb * TENSOR_LANES + i,
									 .b = op->b + (size_t)cb * 8 * op->k + 4 * reg + i % 4,
									 .a_stride = (size_t)op->row_blocks * TENSOR_LANES,
									 .b_stride = 8,
									 .count = op->k,
									 .c = op->c[at][i]};
		op->d[at][i] = tensor_sum(&op->rule, &terms);
	}
}

INLINE void sum_group(const struct exact_how how, const struct tensor_product *op, unsigned block,
					  const int8_t *largest, int base, const unsigned first)
{
	const unsigned rb = block % op->row_blocks, cb = block / op->row_blocks;
	const size_t stride = (size_t)op->row_blocks * TENSOR_LANES;
	const float *a = op->a + (size_t)rb * TENSOR_LANES, *b = op->b + (size_t)cb * 8 * op->k;
	float *const *d = op->d + (size_t)2 * block;
	const float *const *c = op->c + (size_t)2 * block;
	struct partial part[EXACT_GROUP];
	v_float result[EXACT_GROUP];
	v_int rare = {0};
#pragma GCC unroll 4
	for (unsigned i = 0; i < EXACT_GROUP; i++)
		part[i] = begin_sum(how, widened_bytes(largest + (first + i) * WIDTH), base,
							*(const v_float *)(c[GROUP_REGISTER(first, i)] + GROUP_LANE(first, i)),
							&rare);
	for (unsigned k = 0; k < op->k; k++, a += stride, b += 8)
#pragma GCC unroll 4
		for (unsigned i = 0; i < EXACT_GROUP; i++) {
			v_float product = *(const v_float *)(a + GROUP_LANE(first, i)) *
							  repeated_floats(b + 4 * GROUP_REGISTER(first, i));
			part[i].sum += truncated(product * part[i].scale);
		}
#pragma GCC unroll 4
	for (unsigned i = 0; i < EXACT_GROUP; i++)
		result[i] = end_sum(how, part[i], &rare);
	if (__builtin_expect(any(rare), 0)) {
		for (unsigned i = 0; i < EXACT_GROUP; i++)
			sum_one_by_one(op, block, GROUP_REGISTER(first, i), GROUP_LANE(first, i));
		return;
	}
#pragma GCC unroll 4
	for (unsigned i = 0; i < EXACT_GROUP; i++)
		*(v_float *)(d[GROUP_REGISTER(first, i)] + GROUP_LANE(first, i)) = result[i];
}

INLINE void sum_blocks(const struct exact_how how, const struct tensor_product *op,
					   const struct exponents *xa, const struct exponents *xb)
{
	_Alignas(64) int8_t largest[2 * TENSOR_LANES];
	const size_t stride = (size_t)op->row_blocks * TENSOR_LANES;
	for (unsigned block = 0; block < op->row_blocks * op->column_blocks; block++) {
		const int8_t *a = xa->bytes + block % op->row_blocks * TENSOR_LANES;
		const int8_t *b = xb->bytes + (size_t)(block / op->row_blocks) * 8 * op->k;
		for (unsigned reg = 0; reg < 2; reg++)
			largest_sums(a, stride, b + 4 * reg, op->k, largest + reg * TENSOR_LANES);
#pragma GCC unroll 4
		for (unsigned first = 0; first < 2 * VECTORS; first += EXACT_GROUP)
			sum_group(how, op, block, largest, xa->base + xb->base, first);
	}
}

static void multiply(const struct tensor_product *op)
{
	_Alignas(64) int8_t of_a[TENSOR_ROWS_MAX / 8 * TENSOR_LANES * TENSOR_K_MAX];
	_Alignas(64) int8_t of_b[TENSOR_WGMMA_COLUMNS * TENSOR_K_MAX];
	struct exponents xa = {.bytes = of_a}, xb = {.bytes = of_b};
	const unsigned blocks = op->row_blocks * op->column_blocks;
	find_exponents(op->a, op->row_blocks * TENSOR_LANES * op->k, op->rule.least_a, &xa);
	find_exponents(op->b, op->column_blocks * 8 * op->k, op->rule.least_b, &xb);
	if (!xa.finite || !xb.finite || xa.most + xb.most > HIGHEST) {
		for (unsigned i = 0; i < blocks * 2 * VECTORS; i++)
			sum_one_by_one(op, i / VECTORS / 2, i / VECTORS % 2, i % VECTORS * WIDTH);
		return;
	}
	struct exact_how how = {.kept = op->rule.bytes ? TENSOR_KEPT_BYTES : TENSOR_KEPT,
							.clamped = xa.clamped || xb.clamped,
							.bytes = op->rule.bytes,
							.half = op->rule.half};
	if (!how.clamped && !how.bytes && !how.half)
		sum_blocks((struct exact_how){.kept = TENSOR_KEPT}, op, &xa, &xb);
	else
		sum_blocks(how, op, &xa, &xb);
}

#endif
