/* Every activation against f64, over the whole range of its input: all values of
 * the 16-bit types, and of f32 every exponent with random significands; NaN and
 * infinities included. A result may be 2 ulp of the output type off. Runs on a GPU
 * and on the emulated one. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "epilogue.cuh"

#include "clamp.cuh"
#include "gelu.cuh"
#include "gelu_erf.cuh"
#include "hardswish.cuh"
#include "leaky_relu.cuh"
#include "relu.cuh"
#include "sigmoid.cuh"
#include "silu.cuh"
#include "tanh.cuh"

constexpr double ULP_ALLOWED = 2.0;
constexpr int SIGNIFICANDS = 2048; // random ones for each sign and exponent of f32

static int failures;

/* ---- the references --------------------------------------------------------- */

static double logistic_f64(double x)
{
	return 1.0 / (1.0 + exp(-x));
}
static double gated(double x, double gate)
{
	return x == -INFINITY ? -0.0 : x * gate;
}
static double want_sigmoid(double x)
{
	return logistic_f64(x);
}
static double want_silu(double x)
{
	return gated(x, logistic_f64(x));
}
static double want_gelu(double x)
{
	return gated(x, logistic_f64(2.0 * sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x)));
}
static double want_gelu_erf(double x)
{
	return gated(x, 0.5 * erfc(-x / M_SQRT2));
}
static double want_tanh(double x)
{
	return tanh(x);
}
static double want_relu(double x)
{
	return x < 0.0 ? 0.0 : x;
}
static double want_leaky_relu(double x)
{
	return x < 0.0 ? (double)0.01f * x : x;
}
static double want_hardswish(double x)
{
	return x <= -3.0 ? 0.0 : x >= 3.0 ? x : x * (x + 3.0) / 6.0;
}
static double want_clamp(double x)
{
	return x < -1.5 ? -1.5 : x > 6.0 ? 6.0 : x;
}

/* ---- types -------------------------------------------------------------------- */

template <class Element> struct type_facts;
template <> struct type_facts<half> {
	static constexpr const char *name = "f16";
	static constexpr int precision = 11, smallest_exponent = -14;
	static constexpr double threshold = 65520.0; // from here on rounds to infinity
};
template <> struct type_facts<__nv_bfloat16> {
	static constexpr const char *name = "bf16";
	static constexpr int precision = 8, smallest_exponent = -126;
	static constexpr double threshold = 0x1.ffp127;
};
template <> struct type_facts<float> {
	static constexpr const char *name = "f32";
	static constexpr int precision = 24, smallest_exponent = -126;
	static constexpr double threshold = 0x1.ffffffp127;
};

template <class Element> static double ulp(double y)
{
	using facts = type_facts<Element>;
	int exponent = y == 0.0 ? facts::smallest_exponent : ilogb(y);
	if (exponent < facts::smallest_exponent)
		exponent = facts::smallest_exponent;
	return ldexp(1.0, exponent - facts::precision + 1);
}

static double to_double(float x)
{
	return x;
}
static double to_double(half x)
{
	return __half2float(x);
}
static double to_double(__nv_bfloat16 x)
{
	return __bfloat162float(x);
}

/* All inputs worth trying: a stage gets f32 values, whatever it is stored as. */
template <class Element> static std::vector<float> inputs()
{
	std::vector<float> x;
	if constexpr (sizeof(Element) == 2) {
		for (uint32_t bits = 0; bits < 65536; bits++) {
			uint16_t low = (uint16_t)bits;
			Element value;
			memcpy(&value, &low, sizeof low);
			x.push_back((float)to_double(value));
		}
	}
	uint32_t word = 1, significands = sizeof(Element) == 2 ? SIGNIFICANDS / 64 : SIGNIFICANDS;
	for (uint32_t head = 0; head < 512; head++) // sign and exponent
		for (uint32_t i = 0; i < significands; i++) {
			word = word * 1664525u + 1013904223u;
			uint32_t bits = head << 23 | (i == 0 ? 0 : i == 1 ? 0x7FFFFFu : word >> 9);
			float value;
			memcpy(&value, &bits, sizeof value);
			x.push_back(value);
		}
	return x;
}

/* ---- running ---------------------------------------------------------------------- */

template <class Element, class Stage>
static __global__ void apply(const float *x, Element *y, int count, Stage stage)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		y[i] = epilogue_from_float<Element>(stage(x[i]));
}

static void check(cudaError_t status)
{
	if (status == cudaSuccess)
		return;
	fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
	exit(1);
}

/* In ulp; infinite where NaN or an infinity is wrong. */
template <class Element> static double error_of(double got, double want)
{
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got) ? 0.0 : INFINITY;
	if (got == want)
		return 0.0;
	double unit = ulp<Element>(want);
	if (isinf(got)) // may be where the largest number is within reach
		return !isinf(want) && fabs(want) + ULP_ALLOWED * unit >= type_facts<Element>::threshold &&
					   (got > 0) == (want > 0)
				   ? 0.0
				   : INFINITY;
	if (fabs(want) - ULP_ALLOWED * unit >= type_facts<Element>::threshold)
		return INFINITY;
	return fabs(got - want) / unit;
}

template <class Element, class Stage>
static void test(const char *name, Stage stage, double (*want)(double))
{
	std::vector<float> x = inputs<Element>();
	std::vector<Element> y(x.size());
	float *device_x;
	Element *device_y;
	int count = (int)x.size();
	check(cudaMalloc(&device_x, x.size() * sizeof(float)));
	check(cudaMalloc(&device_y, y.size() * sizeof(Element)));
	check(cudaMemcpy(device_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
	apply<<<(count + 255) / 256, 256>>>(device_x, device_y, count, stage);
	check(cudaMemcpy(y.data(), device_y, y.size() * sizeof(Element), cudaMemcpyDeviceToHost));
	check(cudaFree(device_x));
	check(cudaFree(device_y));

	double worst = 0.0;
	size_t where = 0;
	for (size_t i = 0; i < x.size(); i++) {
		double error = error_of<Element>(to_double(y[i]), want(x[i]));
		if (error > worst) {
			worst = error;
			where = i;
		}
	}
	bool good = worst <= ULP_ALLOWED;
	failures += !good;
	printf("%-12s %-4s %.3f ulp at %.9g (got %.9g, want %.9g)%s\n", name, type_facts<Element>::name,
		   worst, x[where], to_double(y[where]), want(x[where]), good ? "" : "  FAILED");
}

template <class Element> static void test_all(void)
{
	test<Element>("sigmoid", stage_sigmoid<Element>{}, want_sigmoid);
	test<Element>("silu", stage_silu<Element>{}, want_silu);
	test<Element>("gelu", stage_gelu<Element>{}, want_gelu);
	test<Element>("gelu_erf", stage_gelu_erf<Element>{}, want_gelu_erf);
	test<Element>("tanh", stage_tanh<Element>{}, want_tanh);
	test<Element>("relu", stage_relu<Element>{}, want_relu);
	test<Element>("leaky_relu", stage_leaky_relu<Element>{0.01f}, want_leaky_relu);
	test<Element>("hardswish", stage_hardswish<Element>{}, want_hardswish);
	test<Element>("clamp", stage_clamp<Element>{-1.5f, 6.0f}, want_clamp);
}

int main()
{
	test_all<half>();
	test_all<__nv_bfloat16>();
	test_all<float>();
	return failures != 0;
}
