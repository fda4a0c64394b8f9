/* One warp's product of 16-bit elements, 16 rows: A without a pass through memory. For
 * tensor/kernels.c, which is compiled once for each x86-64 level. */
#ifndef EMULATOR_TENSOR_HALVES_H
#define EMULATOR_TENSOR_HALVES_H

#if SIMD_LEVEL >= 3
#define HALVES_WIDE 8 /* elements of a row of a block */

INLINE void column_halves(enum tensor_type type, const uint32_t *block, float *out)
{
#if SIMD_LEVEL >= 4
	for (unsigned half = 0; half < 2; half++, out += TENSOR_BLOCK / 4) {
		v_bits_twice turned = turned_half((const uint16_t *)block, even_first, half);
		*(v_float *)out = widened(type, half_of(turned, 0));
		*(v_float *)(out + WIDTH) = widened(type, half_of(turned, 1));
	}
#else
	uint16_t turned[TENSOR_BLOCK / 2];
	transpose((const uint16_t *)block, even_first, turned);
	for (unsigned i = 0; i < TENSOR_BLOCK / 2; i += WIDTH)
		*(v_float *)(out + i) = widened(type, _mm_loadu_si128((const __m128i *)(turned + i)));
#endif
}

/* d = c + the product for `row_blocks` row blocks (in a, d and c from their first on),
 * `column_blocks` column blocks and `k_blocks` along k. They are constants where this is inlined,
 * so that the sums stay in registers. */
INLINE void add_halves(enum tensor_type type, float *const d[], const uint32_t *const a[],
					   float right[2][2 * HALVES_WIDE][8], const float *const c[],
					   const unsigned row_blocks, const unsigned column_blocks,
					   const unsigned k_blocks)
{
	v_float sum[2 * 2 * VECTORS * 2]; /* row block, vector, column */
	const unsigned lefts = row_blocks * VECTORS, rights = 2 * column_blocks;
#pragma GCC unroll 16
	for (unsigned i = 0; i < lefts * rights; i++)
		sum[i] = *(const v_float *)(c[i % rights / 2 * 4 + i / rights / VECTORS * 2 + i % 2] +
									i / rights % VECTORS * WIDTH);
	for (unsigned quad = 0; quad < 2 * k_blocks; quad++) {
		const uint32_t *const *blocks = a + quad / 2 * 2;
		v_float left[2 * VECTORS];
#pragma GCC unroll 8
		for (unsigned i = 0; i < lefts; i++)
			left[i] =
				four_halves_of_rows(type, blocks[i / VECTORS] + i % VECTORS * WIDTH, quad % 2);
#pragma GCC unroll 4
		for (unsigned k = 0; k < 4; k++) {
			v_float b[4];
#pragma GCC unroll 4
			for (unsigned j = 0; j < rights; j++)
				b[j] = repeated_floats(right[j / 2][quad * 4 + k] + j % 2 * 4);
#pragma GCC unroll 16
			for (unsigned i = 0; i < lefts * rights; i++)
				sum[i] += one_of_four(left[i / rights], k) * b[i % rights];
		}
	}
#pragma GCC unroll 16
	for (unsigned i = 0; i < lefts * rights; i++)
		*(v_float *)(d[i % rights / 2 * 4 + i / rights / VECTORS * 2 + i % 2] +
					 i / rights % VECTORS * WIDTH) = NOT_MINUS_ZERO(sum[i]);
}

/* 16 rows. Eight vectors of sums go together. */
INLINE void halves_by_16(enum tensor_type type, float *const d[], const uint32_t *const a[],
						 const uint32_t *const b[], const float *const c[],
						 const unsigned column_blocks, const unsigned k_blocks)
{
	_Alignas(64) float right[2][2 * HALVES_WIDE][8], sums[8][TENSOR_LANES];
	for (unsigned i = 0; i < column_blocks * k_blocks; i++)
		column_halves(type, b[i], right[i / k_blocks][i % k_blocks * HALVES_WIDE]);
	/* in memory, from where four are repeated without a shuffle */
	__asm__("" : "+m"(right));
	if (VECTORS == 2 && column_blocks == 1) {
		add_halves(type, d, a, right, c, 2, 1, k_blocks);
		return;
	}
	/* in several steps, so that those come first of all that may lie where results will */
	const float *from[8];
	for (unsigned i = 0; i < column_blocks * 4; i++)
		from[i] = memcpy(sums[i], c[i], sizeof sums[i]);
	for (unsigned rb = 0; rb < 2; rb++)
		if (VECTORS == 2) {
			add_halves(type, d + 2 * rb, a + rb, right, from + 2 * rb, 1, 2, k_blocks);
		} else {
			for (unsigned cb = 0; cb < column_blocks; cb++)
				add_halves(type, d + 4 * cb + 2 * rb, a + rb, right + cb, from + 4 * cb + 2 * rb, 1,
						   1, k_blocks);
		}
}

/* The shapes of mma.sync, and wmma's square one. */
INLINE bool multiply_by_shape(enum tensor_type type, const struct tensor_shape *shape,
							  float *const d[], const uint32_t *const a[],
							  const uint32_t *const b[], const float *const c[])
{
	if (shape->n == 8 && shape->k == 16)
		halves_by_16(type, d, a, b, c, 1, 2);
	else if (shape->n == 16 && shape->k == 16)
		halves_by_16(type, d, a, b, c, 2, 2);
	else if (shape->n == 8 && shape->k == 8)
		halves_by_16(type, d, a, b, c, 1, 1);
	else
		return false;
	return true;
}

/* --- sums that are cut (exact.h) --- */

#define COLUMN_BLOCKS_MAX 2 /* of a shape */
#define K_BLOCKS_MAX 2

/* B's elements by column block, k and column, and its exponents; those of A by block, k and row;
 * results, as they wait for all to be done: c may be d. */
struct halves_work {
	_Alignas(64) float right[COLUMN_BLOCKS_MAX][K_BLOCKS_MAX * HALVES_WIDE][8];
	int8_t of_right[COLUMN_BLOCKS_MAX * K_BLOCKS_MAX][HALVES_WIDE][8];
	int8_t of_left[2 * K_BLOCKS_MAX][HALVES_WIDE][8];
	_Alignas(64) float results[COLUMN_BLOCKS_MAX * 4][TENSOR_LANES];
};

/* Of a block as transpose() left it: exponents above `low`, which none but those of 0 is below. */
INLINE void exponents_of_turned(const uint16_t *turned, const int fraction, unsigned low,
								int8_t *out)
{
	for (unsigned i = 0; i < HALVES; i += 2 * WIDTH) {
#if SIMD_LEVEL >= 4
		const __m512i x = _mm512_loadu_si512(turned + i);
		const __m512i magnitude = _mm512_and_si512(x, _mm512_set1_epi16(0x7fff));
		__m512i above = _mm512_subs_epu16(_mm512_srli_epi16(magnitude, (unsigned)fraction),
										  _mm512_set1_epi16((short)low));
		above = _mm512_mask_mov_epi16(above, _mm512_testn_epi16_mask(magnitude, magnitude),
									  _mm512_set1_epi16(NO_VALUE));
		_mm256_storeu_si256((__m256i *)(out + i), _mm512_cvtepi16_epi8(above));
#else
		const __m256i x = _mm256_loadu_si256((const __m256i *)(turned + i));
		const __m256i magnitude = _mm256_and_si256(x, _mm256_set1_epi16(0x7fff));
		__m256i above = _mm256_subs_epu16(_mm256_srli_epi16(magnitude, fraction),
										  _mm256_set1_epi16((short)low));
		above = _mm256_blendv_epi8(above, _mm256_set1_epi16(NO_VALUE),
								   _mm256_cmpeq_epi16(magnitude, _mm256_setzero_si256()));
		_mm_storeu_si128((__m128i *)(out + i), _mm_packs_epi16(_mm256_castsi256_si128(above),
															   _mm256_extracti128_si256(above, 1)));
#endif
	}
}

INLINE void prepare_halves(enum tensor_type type, const uint32_t *const a[],
						   const uint32_t *const b[], const struct tensor_shape *shape,
						   const unsigned low[2], struct halves_work *work)
{
	const int fraction = type == TENSOR_F16 ? 10 : 7;
	const unsigned k_blocks = shape->k / 8u;
	for (unsigned i = 0; i < 2 * k_blocks; i++) {
		_Alignas(64) uint16_t turned[HALVES];
		transpose((const uint16_t *)a[i], in_order, turned);
		exponents_of_turned(turned, fraction, low[0], work->of_left[i][0]);
	}
	for (unsigned i = 0; i < shape->n / 8u * k_blocks; i++) {
		_Alignas(64) uint16_t turned[HALVES];
		const unsigned cb = i / k_blocks, k = i % k_blocks * HALVES_WIDE;
		transpose((const uint16_t *)b[i], even_first, turned);
		exponents_of_turned(turned, fraction, low[1], work->of_right[i][0]);
		for (unsigned j = 0; j < HALVES; j += WIDTH)
			*(v_float *)(work->right[cb][k] + j) =
				widened(type, *(const v_bits *)(const void *)(turned + j));
	}
}

/* As sum_group(). False where that would go one by one. */
INLINE bool sum_group_of_halves(enum tensor_type type, bool half, const uint32_t *const a[],
								const float (*right)[8], const float *const c[], unsigned k,
								const int8_t *largest, int base, const unsigned first, float *out)
{
	const struct exact_how how = {.kept = TENSOR_KEPT, .half = half};
	struct partial part[EXACT_GROUP];
	v_float left[EXACT_GROUP];
	v_int doubt = {0}, rare = {0};
	const unsigned lefts = EXACT_GROUP < VECTORS ? EXACT_GROUP : VECTORS;
#pragma GCC unroll 4
	for (unsigned i = 0; i < EXACT_GROUP; i++)
		part[i] = begin_sum(how, widened_bytes(largest + (first + i) * WIDTH), base,
							*(const v_float *)(c[GROUP_REGISTER(first, i)] + GROUP_LANE(first, i)),
							&doubt, &rare);
	for (unsigned quad = 0; quad < k / 4; quad++) {
#pragma GCC unroll 4
		for (unsigned i = 0; i < lefts; i++)
			left[i] = four_halves_of_rows(type, a[quad / 2 * 2] + GROUP_LANE(first, i), quad % 2);
#pragma GCC unroll 4
		for (unsigned j = 0; j < 4; j++)
#pragma GCC unroll 4
			for (unsigned i = 0; i < EXACT_GROUP; i++) {
				v_float product =
					one_of_four(left[i % lefts], j) *
					repeated_floats(right[quad * 4 + j] + 4 * GROUP_REGISTER(first, i));
				part[i].sum += truncated(product * part[i].scale);
			}
	}
#pragma GCC unroll 4
	for (unsigned i = 0; i < EXACT_GROUP; i++)
		*(v_float *)(out + (first + i) * WIDTH) = end_sum(how, part[i], &rare);
	bool one_by_one = any(rare >> 31);
	if (__builtin_expect(any(doubt >> 31), 0))
		for (unsigned i = 0; i < EXACT_GROUP; i++)
			one_by_one =
				one_by_one ||
				is_rare(widened_bytes(largest + (first + i) * WIDTH), base,
						*(const v_float *)(c[GROUP_REGISTER(first, i)] + GROUP_LANE(first, i)));
	return !one_by_one;
}

INLINE bool cut_halves(enum tensor_type type, const struct tensor_shape *shape, float *const d[],
					   const uint32_t *const a[], const uint32_t *const b[], const float *const c[],
					   const struct tensor_factor sides[2])
{
	struct halves_work work;
	_Alignas(64) int8_t largest[COLUMN_BLOCKS_MAX * 2 * BLOCK_SUMS];
	const int bias = half_format(type).bias;
	const bool half = shape->c == TENSOR_F16 && shape->d == TENSOR_F16;
	const unsigned low[2] = {(unsigned)(sides[0].base + bias), (unsigned)(sides[1].base + bias)};
	const int base = sides[0].base + sides[1].base + F32_BIAS;
	prepare_halves(type, a, b, shape, low, &work);
	largest_sums(work.of_left[0][0], HALVES_WIDE, 2, work.of_right[0][0], shape->n / 8u, shape->k,
				 largest);
	for (unsigned i = 0; i < shape->n / 4u; i++) {
		const unsigned rb = i % 2, cb = i / 2;
#pragma GCC unroll 2
		for (unsigned first = 0; first < 2 * VECTORS; first += EXACT_GROUP)
			if (!sum_group_of_halves(type, half, a + rb, (const float(*)[8])work.right[cb],
									 c + (size_t)2 * i, shape->k, largest + (size_t)i * BLOCK_SUMS,
									 base, first, work.results[2 * i]))
				return false;
	}
	for (unsigned i = 0; i < shape->n / 2u; i++)
		memcpy(d[i], work.results[i], sizeof work.results[i]);
	return true;
}

static bool multiply_halves(const struct tensor_shape *shape, float *const d[],
							const uint32_t *const a[], const uint32_t *const b[],
							const float *const c[])
{
	const unsigned k_blocks = shape->k / 8u, column_blocks = shape->n / 8u;
	struct tensor_factor sides[2];
	if (shape->m != 16 || shape->n > 8 * COLUMN_BLOCKS_MAX || !is_halves(shape->a))
		return false;
	survey_blocks(shape->a, a, 2 * k_blocks, &sides[0]);
	survey_blocks(shape->a, b, column_blocks * k_blocks, &sides[1]);
	if (are_small(&sides[0], &sides[1], shape->k) &&
		are_small_multiples(c, 4 * column_blocks, sides[0].lowest + sides[1].lowest))
		return shape->a == TENSOR_F16 ? multiply_by_shape(TENSOR_F16, shape, d, a, b, c)
									  : multiply_by_shape(TENSOR_BF16, shape, d, a, b, c);
	if (!are_in_range(&sides[0], &sides[1]) || sides[0].clamped || sides[1].clamped)
		return false;
	return shape->a == TENSOR_F16 ? cut_halves(TENSOR_F16, shape, d, a, b, c, sides)
								  : cut_halves(TENSOR_BF16, shape, d, a, b, c, sides);
}
#else
static bool multiply_halves(const struct tensor_shape *shape, float *const d[],
							const uint32_t *const a[], const uint32_t *const b[],
							const float *const c[])
{
	(void)shape, (void)d, (void)a, (void)b, (void)c;
	return false;
}
#endif

#endif
