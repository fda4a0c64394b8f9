/* One warp's product of 16-bit elements, 16 rows: A without a pass through memory. For
 * tensor/kernels.c, which is compiled once for each x86-64 level. */
#ifndef EMULATOR_TENSOR_HALVES_H
#define EMULATOR_TENSOR_HALVES_H

#if SIMD_LEVEL >= 3
#define HALVES_WIDE 8 /* elements of a row of a block */

static ALWAYS_INLINE void column_halves(enum tensor_type type, const uint32_t *block, float *out)
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
static ALWAYS_INLINE void add_halves(enum tensor_type type, float *const d[],
									 const uint32_t *const a[], float right[2][2 * HALVES_WIDE][8],
									 const float *const c[], const unsigned row_blocks,
									 const unsigned column_blocks, const unsigned k_blocks)
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
static ALWAYS_INLINE void halves_by_16(enum tensor_type type, float *const d[],
									   const uint32_t *const a[], const uint32_t *const b[],
									   const float *const c[], const unsigned column_blocks,
									   const unsigned k_blocks)
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
static ALWAYS_INLINE bool multiply_by_shape(enum tensor_type type, const struct tensor_shape *shape,
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

/* A product and its operands as blocks; B's elements by column block, k and column; and results, as
 * they wait for all to be done: c may be d. Numbers are as in tensor_product but for A's. */
struct halves_work {
	struct tensor_product op;
	const uint32_t *const *a, *const *b;
	struct tensor_factor left, right;
	_Alignas(64) float elements[COLUMN_BLOCKS_MAX][K_BLOCKS_MAX * HALVES_WIDE][8];
	int8_t of_left[2 * K_BLOCKS_MAX][HALVES], of_right[COLUMN_BLOCKS_MAX * K_BLOCKS_MAX][HALVES];
	_Alignas(64) float results[COLUMN_BLOCKS_MAX * 4][TENSOR_LANES];
	_Alignas(64) int8_t largest[COLUMN_BLOCKS_MAX * 2][BLOCK_SUMS];
};

/* Of a block as transpose() left it: exponents above `low`, which none but those of 0 is below. */
static ALWAYS_INLINE void exponents_of_turned(const uint16_t *turned, const int fraction,
											  unsigned low, int8_t *out)
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

static ALWAYS_INLINE void prepare_halves(enum tensor_type type, struct halves_work *work)
{
	const struct half_format format = half_format(type);
	const unsigned k_blocks = work->op.k / HALVES_WIDE;
	_Alignas(64) uint16_t turned[HALVES];
	work->left.width = HALVES_WIDE;
	work->left.exponents = work->of_left[0];
	work->right.exponents = work->of_right[0];
	work->op.a = &work->left;
	work->op.b = &work->right;
	for (unsigned i = 0; i < 2 * k_blocks; i++) {
		transpose((const uint16_t *)work->a[i], in_order, turned);
		exponents_of_turned(turned, format.fraction, (unsigned)(work->left.base + format.bias),
							work->of_left[i]);
	}
	for (unsigned i = 0; i < work->op.column_blocks * k_blocks; i++) {
		float *to = work->elements[i / k_blocks][i % k_blocks * HALVES_WIDE];
		transpose((const uint16_t *)work->b[i], even_first, turned);
		exponents_of_turned(turned, format.fraction, (unsigned)(work->right.base + format.bias),
							work->of_right[i]);
		for (unsigned j = 0; j < HALVES; j += WIDTH)
			*(v_float *)(to + j) = widened(type, *(const v_bits *)(const void *)(turned + j));
	}
}

/* As sum_group(). False where that would go one by one. */
static ALWAYS_INLINE bool sum_group_of_halves(enum tensor_type type, struct halves_work *work,
											  unsigned block, const unsigned first)
{
	const struct exact_how how = {.kept = TENSOR_KEPT, .half = work->op.rule.half};
	const int base = work->left.base + work->right.base + F32_BIAS;
	const int8_t *largest = work->largest[block] + first * WIDTH;
	const uint32_t *const *a = work->a + block % 2;
	const float(*right)[8] = (const float(*)[8])work->elements[block / 2];
	const unsigned lefts = EXACT_GROUP < VECTORS ? EXACT_GROUP : VECTORS;
	struct partial part[EXACT_GROUP];
	v_float left[EXACT_GROUP];
	v_int doubt = {0}, rare = {0};
#define C_OF(i)                                                                                    \
	(*(const v_float *)(work->op.c[2 * block + GROUP_REGISTER(first, i)] + GROUP_LANE(first, i)))
#pragma GCC unroll 4
	for (unsigned i = 0; i < EXACT_GROUP; i++)
		part[i] = begin_sum(how, widened_bytes(largest + i * WIDTH), base, C_OF(i), &doubt, &rare);
	for (unsigned quad = 0; quad < work->op.k / 4; quad++) {
#pragma GCC unroll 4
		for (unsigned i = 0; i < lefts; i++)
			left[i] = four_halves_of_rows(type, a[quad / 2 * 2] + GROUP_LANE(first, i), quad % 2);
#pragma GCC unroll 16
		for (unsigned j = 0; j < 4 * EXACT_GROUP; j++) {
			const unsigned i = j % EXACT_GROUP, k = j / EXACT_GROUP;
			v_float product = one_of_four(left[i % lefts], k) *
							  repeated_floats(right[quad * 4 + k] + 4 * GROUP_REGISTER(first, i));
			part[i].sum += truncated(product * part[i].scale);
		}
	}
	bool one_by_one = false;
#pragma GCC unroll 4
	for (unsigned i = 0; i < EXACT_GROUP; i++)
		*(v_float *)(work->results[2 * block] + (first + i) * WIDTH) = end_sum(how, part[i], &rare);
	if (__builtin_expect(any(doubt >> 31), 0))
		for (unsigned i = 0; i < EXACT_GROUP; i++)
			one_by_one = one_by_one || is_rare(widened_bytes(largest + i * WIDTH), base, C_OF(i));
	return !one_by_one && !any(rare >> 31);
}

static ALWAYS_INLINE bool cut_halves(enum tensor_type type, struct halves_work *work)
{
	prepare_halves(type, work);
	largest_sums(&work->op, work->largest[0]);
	for (unsigned block = 0; block < 2 * work->op.column_blocks; block++)
#pragma GCC unroll 2
		for (unsigned first = 0; first < 2 * VECTORS; first += EXACT_GROUP)
			if (!sum_group_of_halves(type, work, block, first))
				return false;
	for (unsigned i = 0; i < 4 * work->op.column_blocks; i++)
		memcpy(work->op.d[i], work->results[i], sizeof work->results[i]);
	return true;
}

static bool multiply_halves(const struct tensor_shape *shape, float *const d[],
							const uint32_t *const a[], const uint32_t *const b[],
							const float *const c[])
{
	const unsigned k_blocks = shape->k / HALVES_WIDE, column_blocks = shape->n / 8u;
	struct halves_work work;
	if (shape->m != 16 || column_blocks > COLUMN_BLOCKS_MAX || !is_halves(shape->a))
		return false;
	survey_blocks(shape->a, a, 2 * k_blocks, &work.left);
	survey_blocks(shape->a, b, column_blocks * k_blocks, &work.right);
	if (are_small(&work.left, &work.right, shape->k) &&
		are_small_multiples(c, 4 * column_blocks, work.left.lowest + work.right.lowest))
		return shape->a == TENSOR_F16 ? multiply_by_shape(TENSOR_F16, shape, d, a, b, c)
									  : multiply_by_shape(TENSOR_BF16, shape, d, a, b, c);
	if (!are_in_range(&work.left, &work.right) || work.left.clamped || work.right.clamped)
		return false;
	work.a = a;
	work.b = b;
	work.op =
		(struct tensor_product){.d = d,
								.c = c,
								.row_blocks = 2,
								.column_blocks = column_blocks,
								.k = shape->k,
								.rule.half = shape->c == TENSOR_F16 && shape->d == TENSOR_F16};
	return shape->a == TENSOR_F16 ? cut_halves(TENSOR_F16, &work) : cut_halves(TENSOR_BF16, &work);
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
