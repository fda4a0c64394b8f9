/* The inner loops of tensor.h. The accumulators stay in the order of the
 * registers, 32 lanes each: lane 4g + t wants row g of A and columns 2t and
 * 2t + 1 of B, so that B is read as 4 values repeated over the lanes, and A as 8
 * values, each for 4 lanes. Eight-lane vectors; gcc splits them where the level
 * has none. */
#include "emulator/tensor_isa.h"

#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

#define QUARTERS 4 /* eight-lane vectors in 32 lanes */

typedef float v8f __attribute__((vector_size(32)));
typedef int32_t v8i __attribute__((vector_size(32)));

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

static void halves(const uint8_t chunk[TENSOR_CHUNK], float *out)
{
#ifdef __F16C__
	_mm256_storeu_ps(out, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)chunk)));
#else
	uint16_t bits[8];
	memcpy(bits, chunk, sizeof bits);
	for (int i = 0; i < 8; i++)
		out[i] = half_to_float(bits[i]);
#endif
}

static void brain_floats(const uint8_t chunk[TENSOR_CHUNK], float *out)
{
	uint16_t bits[8];
	uint32_t wide[8];
	memcpy(bits, chunk, sizeof bits);
	for (int i = 0; i < 8; i++)
		wide[i] = (uint32_t)bits[i] << 16;
	memcpy(out, wide, sizeof wide);
}

/* The low 13 bits of a tf32 operand are not looked at. */
static void tensor_floats(const uint8_t chunk[TENSOR_CHUNK], float *out)
{
	uint32_t bits[4];
	memcpy(bits, chunk, sizeof bits);
	for (int i = 0; i < 4; i++)
		bits[i] &= 0xFFFFE000u;
	memcpy(out, bits, sizeof bits);
}

static void to_floats(enum tensor_type type, const uint8_t chunk[TENSOR_CHUNK], float *out)
{
	switch (type) {
	case TENSOR_F16: halves(chunk, out); return;
	case TENSOR_BF16: brain_floats(chunk, out); return;
	case TENSOR_TF32: tensor_floats(chunk, out); return;
	case TENSOR_E4M3:
		for (unsigned i = 0; i < TENSOR_CHUNK; i++)
			out[i] = e4m3_to_float(chunk[i]);
		return;
	case TENSOR_E5M2: /* the upper byte of an f16 */
		for (unsigned i = 0; i < TENSOR_CHUNK; i++)
			out[i] = half_to_float((uint16_t)(chunk[i] << 8));
		return;
	default: return;
	}
}

/* Both multiplications are this text, for floats and for integers. Rows of A go
 * two row blocks at a time, so that eight accumulators hide the latency of the
 * additions; A is spread over the lanes once for all column blocks. */
#define DEFINE_MULTIPLY(name, element, vector)                                                     \
	static void name##_column(element *const acc[], const vector *a, const element *b,             \
							  unsigned blocks, unsigned k)                                         \
	{                                                                                              \
		vector sum[2][QUARTERS];                                                                   \
		for (unsigned rb = 0; rb < blocks; rb++)                                                   \
			memcpy(sum[rb], acc[2 * rb], sizeof sum[rb]);                                          \
		for (unsigned rb = blocks; rb < 2; rb++)                                                   \
			memset(sum[rb], 0, sizeof sum[rb]);                                                    \
		for (unsigned i = 0; i < k; i++) {                                                         \
			const element *at = b + 4 * i;                                                         \
			vector right = {at[0], at[1], at[2], at[3], at[0], at[1], at[2], at[3]};               \
			for (unsigned rb = 0; rb < 2; rb++)                                                    \
				for (unsigned v = 0; v < QUARTERS; v++)                                            \
					sum[rb][v] += a[(i * 2 + rb) * QUARTERS + v] * right;                          \
		}                                                                                          \
		for (unsigned rb = 0; rb < blocks; rb++)                                                   \
			memcpy(acc[2 * rb], sum[rb], sizeof sum[rb]);                                          \
	}                                                                                              \
                                                                                                   \
	static void name##_spread(vector *out, const element *a, unsigned blocks, unsigned k)          \
	{                                                                                              \
		for (unsigned i = 0; i < k; i++)                                                           \
			for (unsigned rb = 0; rb < 2; rb++)                                                    \
				for (unsigned v = 0; v < QUARTERS; v++) {                                          \
					element x = 0, y = 0;                                                          \
					if (rb < blocks) {                                                             \
						x = a[(8 * rb + 2 * v) * TENSOR_K_MAX + i];                                \
						y = a[(8 * rb + 2 * v + 1) * TENSOR_K_MAX + i];                            \
					}                                                                              \
					out[(i * 2 + rb) * QUARTERS + v] = (vector){x, x, x, x, y, y, y, y};           \
				}                                                                                  \
	}                                                                                              \
                                                                                                   \
	static void name(element *const acc[], const element *a, const element *b,                     \
					 unsigned row_blocks, unsigned column_blocks, unsigned k)                      \
	{                                                                                              \
		vector spread[TENSOR_K_MAX * 2 * QUARTERS];                                                \
		element right[4 * TENSOR_K_MAX];                                                           \
		for (unsigned rb = 0; rb < row_blocks; rb += 2) {                                          \
			unsigned blocks = row_blocks - rb < 2 ? 1 : 2;                                         \
			name##_spread(spread, a + (size_t)8 * rb * TENSOR_K_MAX, blocks, k);                   \
			for (unsigned cb = 0; cb < column_blocks; cb++)                                        \
				for (unsigned j = 0; j < 2; j++) {                                                 \
					for (unsigned t = 0; t < 4; t++)                                               \
						for (unsigned i = 0; i < k; i++)                                           \
							right[4 * i + t] = b[(8 * cb + 2 * t + j) * TENSOR_K_MAX + i];         \
					name##_column(acc + (cb * row_blocks + rb) * 2 + j, spread, right, blocks, k); \
				}                                                                                  \
		}                                                                                          \
	}

DEFINE_MULTIPLY(multiply, float, v8f)
DEFINE_MULTIPLY(multiply_integers, int32_t, v8i)

static void halves_to_floats(const uint32_t reg[TENSOR_LANES], float low[TENSOR_LANES],
							 float high[TENSOR_LANES])
{
	for (unsigned i = 0; i < TENSOR_LANES; i += 4) {
		float both[8];
		halves((const uint8_t *)(reg + i), both);
		for (unsigned lane = 0; lane < 4; lane++) {
			low[i + lane] = both[2 * lane];
			high[i + lane] = both[2 * lane + 1];
		}
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

const struct tensor_kernels PASTE(tensor_kernels_v, EXEC_LEVEL) = {
	.to_floats = to_floats,
	.multiply = multiply,
	.multiply_integers = multiply_integers,
	.halves_to_floats = halves_to_floats,
	.floats_to_halves = floats_to_halves,
};
