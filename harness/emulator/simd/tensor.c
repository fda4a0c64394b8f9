/* The inner loops of tensor.h. The accumulators stay in the order of the
 * registers, 32 lanes each: lane 4g + t wants row g of A and columns 2t and
 * 2t + 1 of B, so that B is read as 4 values repeated over the lanes, and A as 8
 * values, each for 4 lanes. Both are brought into that form first. */
#include "emulator/simd/tensor.h"

#include <stddef.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

#define WIDTH (SIMD_LEVEL >= 4 ? 16u : SIMD_LEVEL >= 3 ? 8u : 4u)
#define VECTORS (TENSOR_LANES / WIDTH)
#define INLINE static inline __attribute__((always_inline))

typedef float v_float __attribute__((vector_size(WIDTH * 4), aligned(4), may_alias));
typedef int32_t v_int __attribute__((vector_size(WIDTH * 4), aligned(4), may_alias));
typedef uint16_t v8h __attribute__((vector_size(16), aligned(2), may_alias));

static float half_to_float(uint16_t bits)
{
	uint32_t magnitude = (uint32_t)(bits & 0x7FFF) << 13, sign = (uint32_t)(bits & 0x8000) << 16;
	float value;
	uint32_t scaled;
	memcpy(&value, &magnitude, sizeof value);
	value *= 0x1p112f; /* rebias; right for subnormals too */
	memcpy(&scaled, &value, sizeof scaled);
	if ((bits & 0x7C00) == 0x7C00)
		scaled = magnitude | 0x7F800000u;
	scaled |= sign;
	memcpy(&value, &scaled, sizeof value);
	return value;
}

static float e4m3_to_float(uint8_t bits)
{
	int exponent = bits >> 3 & 15, mantissa = bits & 7;
	float value = exponent ? (float)(8 + mantissa) : (float)mantissa;
	uint32_t scale_bits = (uint32_t)((exponent ? exponent : 1) - 10 + 127) << 23;
	float scale;
	memcpy(&scale, &scale_bits, sizeof scale);
	value *= scale;
	if ((bits & 0x7F) == 0x7F)
		value = __builtin_nanf("");
	return bits & 0x80 ? -value : value;
}

/* --- a block, 8 rows of 16 bytes, to its elements in the same order --- */

static void halves(const uint16_t *bits, unsigned count, float *out)
{
	for (unsigned i = 0; i < count; i += 8)
#ifdef __F16C__
		_mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(bits + i))));
#else
		for (unsigned j = i; j < i + 8; j++)
			out[j] = half_to_float(bits[j]);
#endif
}

static void brain_floats(const uint16_t *bits, uint32_t *out)
{
	for (unsigned i = 0; i < TENSOR_BLOCK / 2; i++)
		out[i] = (uint32_t)bits[i] << 16;
}

/* The low 13 bits of a tf32 operand are not looked at. */
static void tensor_floats(const uint32_t *bits, uint32_t *out)
{
	for (unsigned i = 0; i < TENSOR_BLOCK / 4; i++)
		out[i] = bits[i] & 0xFFFFE000u;
}

static void bytes_to_elements(enum tensor_type type, const uint8_t *bytes,
							  union tensor_element *out)
{
	for (unsigned i = 0; i < TENSOR_BLOCK; i++)
		switch (type) {
		case TENSOR_E4M3: out[i].number = e4m3_to_float(bytes[i]); break;
		case TENSOR_E5M2: /* the upper byte of an f16 */
			out[i].number = half_to_float((uint16_t)(bytes[i] << 8));
			break;
		case TENSOR_S8: out[i].integer = (bytes[i] ^ 0x80) - 0x80; break;
		default: out[i].integer = bytes[i];
		}
}

static void block_elements(enum tensor_type type, const void *block, union tensor_element *out)
{
	switch (type) {
	case TENSOR_F16: halves(block, TENSOR_BLOCK / 2, &out->number); return;
	case TENSOR_BF16: brain_floats(block, &out->bits); return;
	case TENSOR_TF32: tensor_floats(block, &out->bits); return;
	default: bytes_to_elements(type, block, out);
	}
}

/* --- rows of A, columns of B --- */

/* Of the rows at `from`, `width` elements each: element k, for four lanes a row. */
INLINE v_float for_four_lanes(const float *from, unsigned width, unsigned k)
{
#if SIMD_LEVEL >= 4
	if (width <= 8) {
		const __m512i row = _mm512_srli_epi32(
			_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 2);
		__m512i index = _mm512_add_epi32(_mm512_mullo_epi32(row, _mm512_set1_epi32((int)width)),
										 _mm512_set1_epi32((int)k));
		__m512 low = _mm512_loadu_ps(from), high = width < 8 ? low : _mm512_loadu_ps(from + 16);
		return (v_float)_mm512_permutex2var_ps(low, index, high);
	}
#endif
	v_float values;
	for (unsigned i = 0; i < WIDTH; i++)
		values[i] = from[i / 4 * width + k];
	return values;
}

INLINE void spread_block(const float *elements, unsigned width, unsigned stride, float *out)
{
#pragma GCC unroll 8
	for (unsigned k = 0; k < width; k++)
#pragma GCC unroll 4
		for (unsigned v = 0; v < VECTORS; v++)
			*(v_float *)(out + (size_t)k * stride + v * WIDTH) =
				for_four_lanes(elements + v * (WIDTH / 4) * width, width, k);
}

static void rows(enum tensor_type type, const uint32_t *const blocks[], unsigned row_blocks,
				 unsigned k_blocks, union tensor_element *out)
{
	union tensor_element elements[TENSOR_BLOCK];
	unsigned width = TENSOR_CHUNK / (unsigned)tensor_type_bytes(type);
	unsigned stride = row_blocks * TENSOR_LANES;
	for (unsigned i = 0; i < row_blocks * k_blocks; i++) {
		float *to = &out[i / row_blocks * width * stride + i % row_blocks * TENSOR_LANES].number;
		block_elements(type, blocks[i], elements);
		if (width == 8)
			spread_block(&elements->number, 8, stride, to);
		else if (width == 4)
			spread_block(&elements->number, 4, stride, to);
		else
			spread_block(&elements->number, 16, stride, to);
	}
}

#define ZIP(a, b, half)                                                                            \
	__builtin_shufflevector(a, b, (half), (half) + 8, (half) + 1, (half) + 9, (half) + 2,          \
							(half) + 10, (half) + 3, (half) + 11)

/* out[i][j] = in[order[j]][i]. Three rounds, each of which zips row i with row
 * i + 4. */
INLINE void transpose(const uint16_t *in, const uint8_t order[8], uint16_t *out)
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

static void transpose_b16(uint32_t reg[TENSOR_LANES])
{
	static const uint8_t in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	transpose((const uint16_t *)reg, in_order, (uint16_t *)reg);
}

static void columns(enum tensor_type type, const uint32_t *const blocks[], unsigned column_blocks,
					unsigned k_blocks, union tensor_element *out)
{
	static const uint8_t even_first[8] = {0, 2, 4, 6, 1, 3, 5, 7};
	unsigned width = TENSOR_CHUNK / (unsigned)tensor_type_bytes(type);
	for (unsigned i = 0; i < column_blocks * k_blocks; i++, out += (size_t)8 * width) {
		if (width == 8) {
			uint16_t turned[TENSOR_BLOCK / 2];
			transpose((const uint16_t *)blocks[i], even_first, turned);
			block_elements(type, turned, out);
			continue;
		}
		union tensor_element elements[TENSOR_BLOCK];
		block_elements(type, blocks[i], elements);
		for (unsigned k = 0; k < width; k++)
			for (unsigned column = 0; column < 8; column++)
				out[8 * k + column] = elements[even_first[column] * width + k];
	}
}

/* Four neighbours, again and again. */
INLINE v_float repeated_floats(const float *four)
{
#if SIMD_LEVEL >= 4
	return (v_float)_mm512_broadcast_f32x4(_mm_loadu_ps(four));
#else
	v_float values;
	for (unsigned i = 0; i < WIDTH; i++)
		values[i] = four[i % 4];
	return values;
#endif
}

INLINE v_int repeated_integers(const int32_t *four)
{
	return (v_int)repeated_floats((const float *)four);
}

/* Both multiplications are this text, for floats and for integers. With wide
 * vectors two row blocks go together, so that eight accumulators hide the
 * latency of the additions. */
#define DEFINE_MULTIPLY(name, element, vector, repeated)                                           \
	INLINE void name##_blocks(element *const d[], const element *const c[], const element *a,      \
							  unsigned stride, const element *b, const unsigned blocks,            \
							  unsigned k)                                                          \
	{                                                                                              \
		vector sum[2 * 2 * VECTORS];                                                               \
		for (unsigned i = 0; i < 2 * blocks; i++)                                                  \
			memcpy(sum + i * VECTORS, c[i], sizeof *sum * VECTORS);                                \
		for (unsigned i = 0; i < k; i++, a += stride, b += 8)                                      \
			for (unsigned j = 0; j < 2; j++) {                                                     \
				vector right = repeated(b + 4 * j);                                                \
				for (unsigned rb = 0; rb < blocks; rb++)                                           \
					for (unsigned v = 0; v < VECTORS; v++)                                         \
						sum[(rb * 2 + j) * VECTORS + v] +=                                         \
							*(const vector *)(a + rb * TENSOR_LANES + v * WIDTH) * right;          \
			}                                                                                      \
		for (unsigned i = 0; i < 2 * blocks; i++)                                                  \
			memcpy(d[i], sum + i * VECTORS, sizeof *sum * VECTORS);                                \
	}                                                                                              \
                                                                                                   \
	static void name(element *const d[], const element *const c[], const element *a,               \
					 const element *b, unsigned row_blocks, unsigned column_blocks, unsigned k)    \
	{                                                                                              \
		unsigned stride = row_blocks * TENSOR_LANES;                                               \
		for (unsigned cb = 0; cb < column_blocks; cb++, b += (size_t)8 * k)                        \
			for (unsigned rb = 0; rb < row_blocks;) {                                              \
				size_t at = (size_t)(cb * row_blocks + rb) * 2;                                    \
				const element *left = a + (size_t)rb * TENSOR_LANES;                               \
				bool two = WIDTH == 16 && rb + 1 < row_blocks;                                     \
				if (two)                                                                           \
					name##_blocks(d + at, c + at, left, stride, b, 2, k);                          \
				else                                                                               \
					name##_blocks(d + at, c + at, left, stride, b, 1, k);                          \
				rb += two ? 2 : 1;                                                                 \
			}                                                                                      \
	}

DEFINE_MULTIPLY(multiply, float, v_float, repeated_floats)
DEFINE_MULTIPLY(multiply_integers, int32_t, v_int, repeated_integers)

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

static void floats_to_halves(const float low[TENSOR_LANES], const float high[TENSOR_LANES],
							 uint32_t reg[TENSOR_LANES])
{
	for (unsigned i = 0; i < TENSOR_LANES; i++)
		reg[i] = float_to_half(low[i]) | (uint32_t)float_to_half(high[i]) << 16;
}

const struct tensor_kernels PASTE(tensor_kernels_v, SIMD_LEVEL) = {
	.rows = rows,
	.columns = columns,
	.transpose_b16 = transpose_b16,
	.multiply = multiply,
	.multiply_integers = multiply_integers,
	.halves_to_floats = halves_to_floats,
	.floats_to_halves = floats_to_halves,
	.half_to_float = half_to_float,
	.float_to_half = float_to_half,
};
