/* One warp's product of 16-bit elements, 16 rows, whose sums are exact in f32: without a pass
 * through memory. For tensor/kernels.c, which is compiled once for each x86-64 level. */
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

/* Whether the sums are exact, as in multiply_small(). */
static bool are_small_halves(const struct tensor_shape *shape, const uint32_t *const a[],
							 const uint32_t *const b[], const float *const c[])
{
	const unsigned k_blocks = shape->k / 8u, column_blocks = shape->n / 8u;
	struct tensor_factor left, right;
	survey_blocks(shape->a, a, 2 * k_blocks, &left);
	survey_blocks(shape->a, b, column_blocks * k_blocks, &right);
	return are_small(&left, &right, shape->k) &&
		   are_small_multiples(c, 4 * column_blocks, left.lowest + right.lowest);
}

static bool multiply_halves(const struct tensor_shape *shape, float *const d[],
							const uint32_t *const a[], const uint32_t *const b[],
							const float *const c[])
{
	if (shape->m != 16 || !is_halves(shape->a) || !are_small_halves(shape, a, b, c))
		return false;
	return shape->a == TENSOR_F16 ? multiply_by_shape(TENSOR_F16, shape, d, a, b, c)
								  : multiply_by_shape(TENSOR_BF16, shape, d, a, b, c);
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
