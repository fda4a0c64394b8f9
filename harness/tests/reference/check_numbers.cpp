/* The errors of single operations and functions: what f32 code makes of any operand within its
 * error lies within the result's, and some of it reaches a twentieth of that. Exit status 1 where
 * not.
 */
#include <stdio.h>

#include "single.h"

namespace reference /* as references are */
{

struct function {
	const char *name;
	bounded (*of)(bounded);
	single (*in_f32)(single);
	double (*exact)(double);
	double low, high;
};

#define FUNCTION(name, low, high)                                                                  \
	{                                                                                              \
#name, [](bounded a) { return name(a); }, [](single a) { return name(a); },                \
			[](double a) { return (double)name(a); }, low, high       \
	}
static double reciprocal(double a)
{
	return 1 / a;
}
static bounded reciprocal(bounded a)
{
	return bounded(1) / a;
}
static single reciprocal(single a)
{
	return single(1) / a;
}
template <class R> static R cubed(R a)
{
	return a * a * a + a;
}

static const struct function functions[] = {
	FUNCTION(exp, -80, 20),     FUNCTION(log, 0.001, 1000),      FUNCTION(sqrt, 0, 100),
	FUNCTION(rsqrt, 0.01, 100), FUNCTION(tanh, -9, 9),           FUNCTION(sigmoid, -20, 20),
	FUNCTION(silu, -20, 20),    FUNCTION(reciprocal, -10, -0.1), FUNCTION(reciprocal, 0.1, 9),
	FUNCTION(cubed, -3, 3),
};

#define POINTS 400
#define WITHIN 40

/* The largest error over its bound of operands within `error` of `at`. */
static double reached(const struct function &function, double at, double error)
{
	bounded bound = function.of(bounded(at, error, at_most(error)));
	double worst = fabs(bound.x - function.exact(at)) > 1e-12 * fabs(bound.x) ? INFINITY : 0;
	for (int i = 0; i <= WITHIN; i++) {
		float x = (float)(at + error * (2.0 * i / WITHIN - 1));
		if (fabs((double)x - at) > error || x < fmin(function.low, 0))
			continue;
		worst = fmax(worst, fabs((double)function.in_f32(x).x - bound.x) / bound.error);
	}
	return worst;
}

static int check_function(const struct function &function, double error)
{
	double worst = 0;
	for (int i = 0; i < POINTS; i++) {
		double at = function.low + (function.high - function.low) * i / (POINTS - 1);
		at = (double)(float)at;
		worst = fmax(worst, reached(function, at, error * fmax(fabs(at), 0x1p-20)));
	}
	if (worst <= 1 && worst >= 0.05)
		return 0;
	fprintf(stderr, "%s with operands off by %g: reaches %.3g of its bound\n", function.name, error,
			worst);
	return 1;
}

static int expect(bool holds, const char *what)
{
	if (!holds)
		fprintf(stderr, "not so: %s\n", what);
	return holds ? 0 : 1;
}
#define EXPECT(what) wrong |= expect(what, #what)

/* Of two numbers and of many. */
static int check_rest()
{
	int wrong = 0;
	bounded a(3, 0.5, {1, 0}), b(2, 0.25, {4, 0}), zero(0.125, 0.25, {0, 0});
	EXPECT(max(a, b).x == 3 && max(a, b).error == 0.5);
	EXPECT(min(a, b).x == 2 && min(a, b).error == 0.5);
	EXPECT(either(a, b).x == 3 && either(a, b).error == 1.25);
	EXPECT(abs(-a).x == 3 && abs(-a).error == 0.5);
	EXPECT(shift(a).x == 3 && shift(a).error == 0);
	EXPECT((a / zero).error == INFINITY);
	EXPECT(bounded(0.1).error > 0 && bounded(0.5).error == 0);
	EXPECT((a - b).x == 1 && (a - b).error >= 0.75 && (a - b).error < 0.7501);
	EXPECT(keep(a, {0x1p-11, 0}).error > 0.5 + 3 * 0x1p-11);
	EXPECT(inherited(a, {0, 0}).spread.inherited == 25 && inherited(a, {0, 0}).spread.own == 0);
	EXPECT(!(keep(bounded(1, NAN, {0, 0}), {0, 0}).error < INFINITY));
	/* independent errors: twice the root of 100 squares, and of two no more than their sum */
	bounded sum_of_many = sum<bounded>(100, [](size_t) { return bounded(0, 1, {1, 0}); });
	bounded sum_of_two = sum<bounded>(2, [](size_t) { return bounded(0, 1, {1, 0}); });
	EXPECT(fabs(sum_of_many.error - 20) < 1e-6 && fabs(sum_of_many.spread.own - 100) < 1e-6);
	EXPECT(fabs(sum_of_two.error - 2) < 1e-6);
	/* a bias goes through as it is, and of both signs cancels */
	bounded of_one_sign = sum<bounded>(100, [](size_t) { return bounded(0, 1, {1, 0}, 0.5); });
	bounded of_both = sum<bounded>(100, [](size_t k) {
		return bounded(0, 1, {1, 0}, k % 2 == 0 ? 0.5 : -0.5);
	});
	EXPECT(fabs(of_one_sign.error - 70) < 1e-6 && fabs(of_one_sign.bias - 50) < 1e-6);
	EXPECT(fabs(of_both.error - 20) < 1e-6 && fabs(of_both.bias) < 1e-6);
	/* a mean lies between its values, and where they are equal no weight moves it */
	auto wild = [](size_t) { return bounded(1, 100, {100, 0}); };
	EXPECT(mean<bounded>(2, wild, [](size_t k) { return bounded((double)k); }).error < 0.51);
	EXPECT(mean<bounded>(2, wild, [](size_t) { return bounded(7); }).error < 1e-5);
	return wrong;
}

static int check_all()
{
	int wrong = check_rest();
	for (const struct function &function : functions)
		for (double error : {0.0, 1e-6, 1e-3})
			wrong |= check_function(function, error);
	return wrong;
}

} // namespace reference

int main()
{
	return reference::check_all();
}
