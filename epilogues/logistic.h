/* 1 / (1 + exp(-x)), for the stages that are built on it; no stage itself. */
#ifndef GEMMJUDGE_LOGISTIC_H
#define GEMMJUDGE_LOGISTIC_H

/* exp is only ever taken of what is not positive, so that nothing overflows and
 * small results keep their relative accuracy. */
__device__ __forceinline__ double logistic(double x)
{
	double e = exp(-fabs(x));
	return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

/* By the special function unit (ex2.approx and rcp.approx, errors of about
 * 2^-22): the argument's rounding grows to 2^-17 at x = -88, far inside an ulp
 * of a 16-bit result. */
__device__ __forceinline__ float logistic_approximate(float x)
{
	float e, r;
	asm("ex2.approx.f32 %0, %1;" : "=f"(e) : "f"(fabsf(x) * -1.4426950408889634f));
	asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(1.0f + e));
	return (x < 0.0f ? e : 1.0f) * r;
}

/* The infinite ends of x * logistic(...): -inf * 0 would be NaN, the limit is 0. */
__device__ __forceinline__ float times_logistic(float x, float gate)
{
	return gate == 0.0f ? gate * copysignf(0.0f, x) : x * gate;
}

#endif
