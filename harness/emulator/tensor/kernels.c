/* The inner loops of tensor.h. The accumulators stay in the order of the
 * registers, 32 lanes each: lane 4g + t wants row g of A and columns 2t and
 * 2t + 1 of B, so that B is read as 4 values repeated over the lanes, and A as 8
 * values, each for 4 lanes. Both are brought into that form first. */
#include "emulator/tensor/kernels.h"

#include <stddef.h>
#include <string.h>

#include "emulator/tensor/elements.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

#define WIDTH (SIMD_LEVEL >= 4 ? 16u : SIMD_LEVEL >= 3 ? 8u : 4u)
#define VECTORS (TENSOR_LANES / WIDTH)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define INLINE static ALWAYS_INLINE

typedef float v_float __attribute__((vector_size(WIDTH * 4), aligned(4), may_alias));
typedef int32_t v_int __attribute__((vector_size(WIDTH * 4), aligned(4), may_alias));
#include "emulator/tensor/factors.h"
typedef uint16_t v8h __attribute__((vector_size(16), aligned(2), may_alias));

/* --- rows of A, columns of B --- */

/* Element i of each four neighbours, four times. */
INLINE v_float one_of_four(v_float fours, unsigned i)
{
#if SIMD_LEVEL >= 4
#define REPEATED(i) (v_float) _mm512_permute_ps((__m512)fours, 0x55 * (i))
#elif SIMD_LEVEL >= 3
#define REPEATED(i) (v_float) _mm256_permute_ps((__m256)fours, 0x55 * (i))
#else
#define REPEATED(i) (v_float) _mm_shuffle_ps((__m128)fours, (__m128)fours, 0x55 * (i))
#endif
	switch (i) { /* the shuffles want constants */
	case 0: return REPEATED(0);
	case 1: return REPEATED(1);
	case 2: return REPEATED(2);
	default: return REPEATED(3);
	}
}

/* Four elements each of neighbouring rows of `width`, from `from` on. */
INLINE v_float four_of_rows(const float *from, unsigned width)
{
#if SIMD_LEVEL >= 4
	__m512 fours = _mm512_castps128_ps512(_mm_loadu_ps(from));
	fours = _mm512_insertf32x4(fours, _mm_loadu_ps(from + width), 1);
	fours = _mm512_insertf32x4(fours, _mm_loadu_ps(from + 2 * width), 2);
	return (v_float)_mm512_insertf32x4(fours, _mm_loadu_ps(from + 3 * width), 3);
#elif SIMD_LEVEL >= 3
	__m256 fours = _mm256_castps128_ps256(_mm_loadu_ps(from));
	return (v_float)_mm256_insertf128_ps(fours, _mm_loadu_ps(from + width), 1);
#else
	(void)width;
	return (v_float)_mm_loadu_ps(from);
#endif
}

/* Each element of a block for its row's four lanes. */
INLINE void spread_block(const float *elements, unsigned width, unsigned stride, float *out)
{
	for (unsigned quad = 0; quad < width / 4; quad++)
		for (unsigned v = 0; v < VECTORS; v++) {
			const float *from = elements + v * (WIDTH / 4) * width + 4 * quad;
			v_float fours = four_of_rows(from, width);
#pragma GCC unroll 4
			for (unsigned i = 0; i < 4; i++)
				*(v_float *)(out + (size_t)(4 * quad + i) * stride + v * WIDTH) =
					one_of_four(fours, i);
		}
}

#if SIMD_LEVEL >= 3
/* WIDTH elements of 16 bits, and twice as many. */
#if SIMD_LEVEL >= 4
typedef __m256i v_bits;
typedef __m512i v_bits_twice;
#else
typedef __m128i v_bits;
typedef __m256i v_bits_twice;
#endif

INLINE v_float widened(enum tensor_type type, v_bits bits)
{
#if SIMD_LEVEL >= 4
	__m512i brain = _mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16);
	return type == TENSOR_F16 ? (v_float)_mm512_cvtph_ps(bits) : (v_float)brain;
#else
	__m256i brain = _mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16);
	return type == TENSOR_F16 ? (v_float)_mm256_cvtph_ps(bits) : (v_float)brain;
#endif
}

INLINE v_bits half_of(v_bits_twice bits, unsigned half)
{
#if SIMD_LEVEL >= 4
	return half ? _mm512_extracti64x4_epi64(bits, 1) : _mm512_castsi512_si256(bits);
#else
	return half ? _mm256_extracti128_si256(bits, 1) : _mm256_castsi256_si128(bits);
#endif
}

/* four_of_rows of 16-bit elements, rows of 8: the four from 4 * quad on. */
INLINE v_float four_halves_of_rows(enum tensor_type type, const uint32_t *bits, unsigned quad)
{
#if SIMD_LEVEL >= 4
	const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
	v_bits_twice chosen = _mm512_permutexvar_epi64(order, _mm512_loadu_si512(bits));
#else
	v_bits_twice chosen = _mm256_permute4x64_epi64(_mm256_loadu_si256((const __m256i *)bits),
												   _MM_SHUFFLE(3, 1, 2, 0));
#endif
	return widened(type, half_of(chosen, quad));
}

/* spread_block of 16-bit elements, from registers to registers. */
INLINE void spread_halves(enum tensor_type type, const uint32_t *block, unsigned stride, float *out)
{
#pragma GCC unroll 8
	for (unsigned k = 0; k < 8; k++)
#pragma GCC unroll 4
		for (unsigned v = 0; v < VECTORS; v++)
			*(v_float *)(out + (size_t)k * stride + v * WIDTH) =
				one_of_four(four_halves_of_rows(type, block + v * WIDTH, k / 4), k % 4);
}
#endif

#if SIMD_LEVEL >= 4
#define TURNED(k, a, b, c, d, e, f, g, h)                                                          \
	8 * a + k, 8 * b + k, 8 * c + k, 8 * d + k, 8 * e + k, 8 * f + k, 8 * g + k, 8 * h + k
#define ORDER(...)                                                                                 \
	TURNED(0, __VA_ARGS__), TURNED(1, __VA_ARGS__), TURNED(2, __VA_ARGS__),                        \
		TURNED(3, __VA_ARGS__), TURNED(4, __VA_ARGS__), TURNED(5, __VA_ARGS__),                    \
		TURNED(6, __VA_ARGS__), TURNED(7, __VA_ARGS__)

/* The first or second half of a transposed 8x8 matrix, by where its elements are. */
INLINE __m512i turned_half(const uint16_t *in, const uint16_t order[64], unsigned half)
{
	return _mm512_permutex2var_epi16(_mm512_loadu_si512(in),
									 _mm512_loadu_si512(order + (size_t)32 * half),
									 _mm512_loadu_si512(in + 32));
}

INLINE void transpose(const uint16_t *in, const uint16_t order[64], uint16_t *out)
{
	__m512i first = turned_half(in, order, 0), second = turned_half(in, order, 1);
	_mm512_storeu_si512(out, first);
	_mm512_storeu_si512(out + 32, second);
}
#else
#define ORDER(...) __VA_ARGS__
#define ZIP(a, b, half)                                                                            \
	__builtin_shufflevector(a, b, (half), (half) + 8, (half) + 1, (half) + 9, (half) + 2,          \
							(half) + 10, (half) + 3, (half) + 11)

/* out[i][j] = in[order[j]][i]. Three rounds, each of which zips row i with row
 * i + 4. */
INLINE void transpose(const uint16_t *in, const uint16_t order[8], uint16_t *out)
{
	v8h a[8], b[8];
	for (unsigned i = 0; i < 8; i++)
		a[i] = *(const v8h *)(in + (size_t)8 * order[i]);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 4; i++) {
			b[2 * i] = ZIP(a[i], a[i + 4], 0);
			b[2 * i + 1] = ZIP(a[i], a[i + 4], 4);
		}
		memcpy(a, b, sizeof a);
	}
	memcpy(out, a, sizeof a);
}
#endif

static const uint16_t in_order[] = {ORDER(0, 1, 2, 3, 4, 5, 6, 7)};
static const uint16_t even_first[] = {ORDER(0, 2, 4, 6, 1, 3, 5, 7)};

static void transpose_b16(uint32_t reg[TENSOR_LANES])
{
	transpose((const uint16_t *)reg, in_order, (uint16_t *)reg);
}

static bool is_halves(enum tensor_type type)
{
	return type == TENSOR_F16 || type == TENSOR_BF16;
}

#define ROW_BLOCKS_MAX (TENSOR_ROWS_MAX / 8 * 2) /* along k, too */
#define HALVES (TENSOR_BLOCK / 2)                /* of a block */

static void exponents_of_half_rows(enum tensor_type type, const uint32_t *const blocks[],
								   unsigned count, struct tensor_factor *out)
{
	_Alignas(64) uint16_t turned[ROW_BLOCKS_MAX * HALVES];
	if (count == 0 || count > ROW_BLOCKS_MAX)
		return;
	for (unsigned i = 0; i < count; i++)
		transpose((const uint16_t *)blocks[i], in_order, turned + (size_t)HALVES * i);
	find_exponents_of_halves(type, turned, count * HALVES, out);
}

/* Eight rows of 4 bytes, by columns. */
INLINE void turn_fours(const int8_t *in, int8_t *out)
{
	const __m128i order = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
	__m128i low = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)in), order);
	__m128i high = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(in + 16)), order);
	_mm_storeu_si128((__m128i *)out, _mm_unpacklo_epi32(low, high));
	_mm_storeu_si128((__m128i *)(out + 16), _mm_unpackhi_epi32(low, high));
}

/* Eight rows of 16 bytes, by columns. */
INLINE void turn_sixteens(const int8_t *in, int8_t *out)
{
	__m128i pairs[4], fours[4];
	for (unsigned half = 0; half < 2; half++, out += 64) {
		for (unsigned i = 0; i < 4; i++) /* rows i and i + 4, a byte each in turn */
			pairs[i] =
				_mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(in + 16 * i + 8 * half)),
								  _mm_loadl_epi64((const __m128i *)(in + 16 * (i + 4) + 8 * half)));
		for (unsigned i = 0; i < 2; i++) { /* rows i, i + 2, i + 4, i + 6 */
			fours[2 * i] = _mm_unpacklo_epi8(pairs[i], pairs[i + 2]);
			fours[2 * i + 1] = _mm_unpackhi_epi8(pairs[i], pairs[i + 2]);
		}
		for (unsigned i = 0; i < 2; i++) {
			_mm_storeu_si128((__m128i *)(out + 32 * i), _mm_unpacklo_epi8(fours[i], fours[i + 2]));
			_mm_storeu_si128((__m128i *)(out + 32 * i + 16),
							 _mm_unpackhi_epi8(fours[i], fours[i + 2]));
		}
	}
}

static void exponents_of_rows(enum tensor_type type, const uint32_t *const blocks[], unsigned count,
							  struct tensor_factor *out)
{
	_Alignas(64) union tensor_element elements[ROW_BLOCKS_MAX * TENSOR_BLOCK];
	_Alignas(64) int8_t by_rows[ROW_BLOCKS_MAX * TENSOR_BLOCK];
	const unsigned width = out->width, block = 8 * width;
	struct tensor_factor all = *out;
	for (unsigned i = 0; i < count; i++)
		block_elements(type, blocks[i], elements + (size_t)i * block);
	all.elements = elements;
	all.exponents = by_rows;
	find_exponents(count * block, &all);
	for (unsigned i = 0; i < count * block; i += block)
		if (width == 4)
			turn_fours(by_rows + i, out->exponents + i);
		else
			turn_sixteens(by_rows + i, out->exponents + i);
	all.elements = out->elements;
	all.exponents = out->exponents;
	*out = all;
}

static void rows(enum tensor_type type, const uint32_t *const blocks[], unsigned row_blocks,
				 unsigned k_blocks, struct tensor_factor *factor)
{
	union tensor_element elements[TENSOR_BLOCK], *out = factor->elements;
	unsigned width = TENSOR_CHUNK / (unsigned)tensor_type_bytes(type);
	unsigned stride = row_blocks * TENSOR_LANES;
	for (unsigned i = 0; i < row_blocks * k_blocks; i++) {
		float *to = &out[i / row_blocks * width * stride + i % row_blocks * TENSOR_LANES].number;
#if SIMD_LEVEL >= 3
		if (width == 8) {
			if (type == TENSOR_F16)
				spread_halves(TENSOR_F16, blocks[i], stride, to);
			else
				spread_halves(TENSOR_BF16, blocks[i], stride, to);
			continue;
		}
#endif
		block_elements(type, blocks[i], elements);
		if (width == 8)
			spread_block(&elements->number, 8, stride, to);
		else if (width == 4)
			spread_block(&elements->number, 4, stride, to);
		else
			spread_block(&elements->number, 16, stride, to);
	}
	factor->width = width;
	if (is_halves(type))
		exponents_of_half_rows(type, blocks, row_blocks * k_blocks, factor);
	else if (!tensor_is_integer(type))
		exponents_of_rows(type, blocks, row_blocks * k_blocks, factor);
}

static void columns_of_halves(enum tensor_type type, const uint32_t *const blocks[], unsigned count,
							  struct tensor_factor *out)
{
	_Alignas(64) uint16_t turned[TENSOR_WGMMA_COLUMNS / 8 * 2 * HALVES];
	for (unsigned i = 0; i < count; i++)
		transpose((const uint16_t *)blocks[i], even_first, turned + (size_t)HALVES * i);
	for (unsigned i = 0; i < count; i++)
		block_elements(type, turned + (size_t)HALVES * i, out->elements + (size_t)HALVES * i);
	find_exponents_of_halves(type, turned, count * HALVES, out);
}

/* Four elements of each of eight columns, which lie `width` apart: k by k, even columns first. */
INLINE void turn_columns(const float *from, unsigned width, float *out)
{
	for (unsigned odd = 0; odd < 2; odd++) {
		__m128 c[4];
		for (unsigned i = 0; i < 4; i++)
			c[i] = _mm_loadu_ps(from + (2 * i + odd) * width);
		_MM_TRANSPOSE4_PS(c[0], c[1], c[2], c[3]);
		for (unsigned i = 0; i < 4; i++)
			_mm_storeu_ps(out + 8 * i + 4 * odd, c[i]);
	}
}

static void columns(enum tensor_type type, const uint32_t *const blocks[], unsigned column_blocks,
					unsigned k_blocks, struct tensor_factor *factor)
{
	unsigned width = TENSOR_CHUNK / (unsigned)tensor_type_bytes(type);
	union tensor_element elements[TENSOR_BLOCK], *out = factor->elements;
	if (is_halves(type)) {
		columns_of_halves(type, blocks, column_blocks * k_blocks, factor);
		return;
	}
	for (unsigned i = 0; i < column_blocks * k_blocks; i++, out += (size_t)8 * width) {
		block_elements(type, blocks[i], elements);
		for (unsigned k = 0; k < width; k += 4)
			turn_columns(&elements[k].number, width, &out[8 * k].number);
	}
	if (!tensor_is_integer(type))
		find_exponents(column_blocks * k_blocks * 8 * width, factor);
}

/* Four neighbours, again and again. */
INLINE v_float repeated_floats(const float *four)
{
#if SIMD_LEVEL >= 4
	return (v_float)_mm512_broadcast_f32x4(_mm_loadu_ps(four));
#elif SIMD_LEVEL >= 3
	return (v_float)_mm256_broadcast_ps((const __m128 *)four);
#else
	return (v_float)_mm_loadu_ps(four);
#endif
}

INLINE v_int repeated_integers(const int32_t *four)
{
	return (v_int)repeated_floats((const float *)four);
}

/* Both multiplications are this text, for floats and for integers. With wide vectors two
 * row blocks and two column blocks go together: each vector of A and of B is loaded for
 * four products, and the sums are enough to hide the latency of the additions. The
 * counts rows_ and columns_ are constants, and loops over them unrolled, so that the sums
 * stay in registers. */
#define TOGETHER (WIDTH == 16 ? 2u : 1u)
/* gcc makes slower code where it is told so, too. */
#ifdef __clang_analyzer__
#define ANALYZER_KNOWS(condition)                                                                  \
	if (!(condition))                                                                              \
		__builtin_unreachable();
#else
#define ANALYZER_KNOWS(condition)
#endif
#define UNROLL _Pragma("GCC unroll 16")
#define DEFINE_MULTIPLY(name, element, vector, repeated, result)                                   \
	INLINE void name##_blocks(element *const d[], const element *const c[], const element *a,      \
							  unsigned row_blocks, const element *b, const unsigned rows_,         \
							  const unsigned columns_, unsigned k)                                 \
	{                                                                                              \
		vector sum[2 * 2 * 2 * VECTORS], left[2 * VECTORS]; /* column, row block, part */          \
		const unsigned lefts = rows_ * VECTORS, rights = 2 * columns_;                             \
		const element *next = b + (size_t)8 * k; /* the next column block */                       \
		ANALYZER_KNOWS(lefts > 0)                                                                  \
		UNROLL for (unsigned i = 0; i < lefts * rights; i++) sum[i] =                              \
			*(const vector                                                                         \
				  *)(c[i / lefts / 2 * 2 * row_blocks + i % lefts / VECTORS * 2 + i / lefts % 2] + \
					 i % VECTORS * WIDTH);                                                         \
		for (unsigned at = 0; at < 8 * k; at += 8, a += row_blocks * TENSOR_LANES) {               \
			UNROLL for (unsigned i = 0; i < lefts; i++) left[i] =                                  \
				*(const vector *)(a + i * WIDTH);                                                  \
			UNROLL for (unsigned j = 0; j < rights; j++)                                           \
			{                                                                                      \
				vector right = repeated((j < 2 ? b : next) + at + 4 * (j % 2));                    \
				UNROLL for (unsigned i = 0; i < lefts; i++) sum[j * lefts + i] += left[i] * right; \
			}                                                                                      \
		}                                                                                          \
		UNROLL for (unsigned i = 0; i < lefts * rights; i++) *                                     \
			(vector                                                                                \
				 *)(d[i / lefts / 2 * 2 * row_blocks + i % lefts / VECTORS * 2 + i / lefts % 2] +  \
					i % VECTORS * WIDTH) = result(sum[i]);                                         \
	}                                                                                              \
                                                                                                   \
	static void name(element *const d[], const element *const c[], const element *a,               \
					 const element *b, unsigned row_blocks, unsigned column_blocks, unsigned k)    \
	{                                                                                              \
		for (unsigned cb = 0, columns_; cb < column_blocks; cb += columns_) {                      \
			columns_ = column_blocks - cb < TOGETHER ? 1 : TOGETHER;                               \
			for (unsigned rb = 0, rows_; rb < row_blocks; rb += rows_) {                           \
				rows_ = row_blocks - rb < TOGETHER ? 1 : TOGETHER;                                 \
				size_t at = (size_t)(cb * row_blocks + rb) * 2;                                    \
				const element *left = a + (size_t)rb * TENSOR_LANES;                               \
				const element *right = b + (size_t)cb * 8 * k;                                     \
				if (rows_ == 2 && columns_ == 2)                                                   \
					name##_blocks(d + at, c + at, left, row_blocks, right, TOGETHER, TOGETHER, k); \
				else if (rows_ == 2)                                                               \
					name##_blocks(d + at, c + at, left, row_blocks, right, TOGETHER, 1, k);        \
				else if (columns_ == 2)                                                            \
					name##_blocks(d + at, c + at, left, row_blocks, right, 1, TOGETHER, k);        \
				else                                                                               \
					name##_blocks(d + at, c + at, left, row_blocks, right, 1, 1, k);               \
			}                                                                                      \
		}                                                                                          \
	}

/* -0 is no sum: c is +0 then. */
#define NOT_MINUS_ZERO(x) ((x) + (v_float){0})
DEFINE_MULTIPLY(multiply_floats, float, v_float, repeated_floats, NOT_MINUS_ZERO)
DEFINE_MULTIPLY(multiply_integers, int32_t, v_int, repeated_integers, )

#include "emulator/tensor/chosen.h"
#include "emulator/tensor/exact.h"
#include "emulator/tensor/halves.h"

static void halves_to_floats(const uint32_t reg[TENSOR_LANES], float low[TENSOR_LANES],
							 float high[TENSOR_LANES])
{
	float both[2 * TENSOR_LANES];
	halves((const uint16_t *)reg, 2 * TENSOR_LANES, both);
	for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
		low[lane] = both[2 * lane];
		high[lane] = both[2 * lane + 1];
	}
}

static uint16_t float_to_half(float value)
{
#ifdef __F16C__
	return (uint16_t)_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
	_Float16 half = (_Float16)value;
	uint16_t bits;
	memcpy(&bits, &half, sizeof bits);
	return bits;
#endif
}

/* Of sums, whose zeros have no sign. */
static void floats_to_halves(const float low[TENSOR_LANES], const float high[TENSOR_LANES],
							 uint32_t reg[TENSOR_LANES])
{
#ifdef __F16C__
	const __m128i minus = _mm_set1_epi16((int16_t)0x8000);
	for (unsigned i = 0; i < TENSOR_LANES; i += 8) {
		__m128i even = _mm256_cvtps_ph(_mm256_loadu_ps(low + i), _MM_FROUND_TO_NEAREST_INT);
		__m128i odd = _mm256_cvtps_ph(_mm256_loadu_ps(high + i), _MM_FROUND_TO_NEAREST_INT);
		even = _mm_andnot_si128(_mm_cmpeq_epi16(even, minus), even);
		odd = _mm_andnot_si128(_mm_cmpeq_epi16(odd, minus), odd);
		_mm_storeu_si128((__m128i *)(reg + i), _mm_unpacklo_epi16(even, odd));
		_mm_storeu_si128((__m128i *)(reg + i + 4), _mm_unpackhi_epi16(even, odd));
	}
#else
	for (unsigned i = 0; i < TENSOR_LANES; i++) {
		const uint32_t even = float_to_half(low[i]), odd = float_to_half(high[i]);
		reg[i] = (even == 0x8000 ? 0 : even) | (odd == 0x8000 ? 0 : odd) << 16;
	}
#endif
}

const struct tensor_kernels PASTE(tensor_kernels_v, SIMD_LEVEL) = {
	.rows = rows,
	.columns = columns,
	.elements = block_elements,
	.multiply_chosen = multiply_chosen,
	.transpose_b16 = transpose_b16,
	.multiply = multiply,
	.multiply_halves = multiply_halves,
	.multiply_integers = multiply_integers,
	.halves_to_floats = halves_to_floats,
	.floats_to_halves = floats_to_halves,
	.half_to_float = half_to_float,
	.float_to_half = float_to_half,
};
