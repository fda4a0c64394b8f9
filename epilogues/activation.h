/* The arithmetic of the activations; no stage itself.
 *
 * sigmoid aside, they are of the form x * gate(x), gate rising from 0 to 1 with
 * gate(-x) = 1 - gate(x), and are computed as
 *
 *     max(x, 0) - |x| * gate(-|x|)
 *
 * where nothing overflows, cancels or tells positive from negative, and where small
 * results keep their relative accuracy. Where a chain runs while the tensor cores wait, its
 * time counts: lines and polynomials that err by less than two ulp of a 16-bit type take the
 * place of divisions, which leaves one result of the special function unit an output
 * (a sixteenth of a cycle on an SM of an H200) and about as much time for the others. */
#ifndef GEMMJUDGE_ACTIVATION_H
#define GEMMJUDGE_ACTIVATION_H

constexpr float ACTIVATION_LOG2_E = 0x1.715476p+0f;

/* 2^x, with a relative error of 2^-22; 0 below 2^-126. */
__device__ __forceinline__ float activation_exp2(float x)
{
	float y;
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

/* 1 / x, with a relative error of 2^-23; 0 from 2^126 on. */
__device__ __forceinline__ float activation_inverse(float x)
{
	float y;
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

/* max(x, 0); NaN stays NaN. */
__device__ __forceinline__ float activation_relu(float x)
{
	float y;
	asm("max.NaN.f32 %0, %1, 0f00000000;" : "=f"(y) : "f"(x));
	return y;
}

/* |x|, but no more than `end`, so that |x| * 0 is 0; NaN stays NaN. */
__device__ __forceinline__ float activation_magnitude(float x, float end)
{
	float y;
	asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(fabsf(x)), "f"(end));
	return y;
}

/* The coefficients from the highest power down, by Horner's rule. */
__device__ __forceinline__ float activation_polynomial(float, float sum)
{
	return sum;
}
template <class... Rest>
__device__ __forceinline__ float activation_polynomial(float x, float sum, float next, Rest... rest)
{
	return activation_polynomial(x, fmaf(sum, x, next), rest...);
}

/* ---- 16-bit outputs ------------------------------------------------------------ */

/* a * b + c, but 0 below 0 and for NaN, as 0 times infinity is, and 1 above 1. */
__device__ __forceinline__ float activation_unit(float a, float b, float c)
{
	float y;
	asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(y) : "f"(a), "f"(b), "f"(c));
	return y;
}

/* 2^-SHIFT / (1 + exp(-a)), given a from 0 on and e = 2^SHIFT exp(-a), with an error of 0.53 ulp of
 * f16. 1 / (1 + exp(-a)) is 1 - exp(-a) / (1 + exp(-a)); after two such steps the inner one may
 * be a line. */
template <int SHIFT> __device__ __forceinline__ float activation_share(float e, float a)
{
	constexpr float UNIT = 1.0f / (1 << SHIFT);
	float line = fmaf(a, 0.281920254f * UNIT * UNIT * UNIT, 0.529891253f * UNIT * UNIT * UNIT);
	float inner = activation_unit(-e, line, 1.0300101f * UNIT * UNIT); // not NaN at infinity
	return fmaf(-e, inner, 1.00018573f * UNIT);
}

/* x * gate(x), given the polynomial log2_tail(a) = log2(gate(-a)) for a up to `end`,
 * from where on a * gate(-a) is nothing. */
template <class Element, class Tail>
__device__ __forceinline__ float activation_gated(float x, float end, Tail log2_tail)
{
	constexpr float SHIFT = std::is_same_v<Element, half> ? 0.0f : 16.0f; // for subnormal numbers
	constexpr float SCALE = std::is_same_v<Element, half> ? 1.0f : 0x1p-16f;
	float a = activation_magnitude(x, end);
	return fmaf(a * -SCALE, activation_exp2(log2_tail(a, SHIFT)), activation_relu(x));
}

/* ---- f32 outputs ---------------------------------------------------------------- */

/* high + low, unrounded. */
struct activation_pair {
	float high, low;
};

constexpr float ACTIVATION_UNIT = 0x1p-40f; // of the tails, which reach below 2^-149

/* 1 / (1 + 2^t) in ACTIVATION_UNIT, for t from 0 to 165. Its relative error is about
 * 2^-25: all that is rounded on the way is kept in the low parts. */
__device__ __forceinline__ activation_pair activation_tail(activation_pair t)
{
	constexpr float ROUND = 0x1.8p+23f; // a sum with it has the nearest integer in its last bits
	float integer = t.high + ROUND, f = (integer - ROUND - t.high) - t.low;
	float scale = __int_as_float(0x3f800000 + (40 << 23) - (__float_as_int(integer) << 23));

	float bend = activation_polynomial(f, 0.000153214627f, 0.00133901904f, 0.00961852539f,
									   0.0555036217f, 0.240226477f);
	float rise = fmaf(f * f, bend, f * 0.693147181f); // 2^f - 1
	float power = 1.0f + rise, power_low = rise - (power - 1.0f);
	float e = power * scale, e_low = power_low * scale; // 2^-t

	float sum = fmaf(e, ACTIVATION_UNIT, 1.0f), sum_low = fmaf(e, ACTIVATION_UNIT, 1.0f - sum);
	float inverse = activation_inverse(sum);
	float error = fmaf(-sum_low, inverse, fmaf(-sum, inverse, 1.0f));

	float high = __fmul_rn(e, inverse);
	float low = fmaf(e, inverse * error, e_low * inverse);
	return {high, fmaf(e, inverse, -high) + low};
}

/* x * log2(e), for the tail of the logistic function. */
__device__ __forceinline__ activation_pair activation_times_log2_e(float x)
{
	float high = __fmul_rn(x, ACTIVATION_LOG2_E);
	return {high, fmaf(x, 0x1.4ae0c0p-26f, fmaf(x, ACTIVATION_LOG2_E, -high))};
}

/* max(x, 0) - a * tail, where a is |x|. */
__device__ __forceinline__ float activation_less_tail(float x, float a, activation_pair tail)
{
	float product = fmaf(a, tail.high, a * tail.low);
	return fmaf(product, -ACTIVATION_UNIT, activation_relu(x));
}

#endif
