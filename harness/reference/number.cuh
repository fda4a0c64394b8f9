/* What references compute with. A reference is a template over its number type R: `double` is the
 * value alone, `bounded` is the value and how far from it an honest solution's f32 arithmetic may
 * end. README.md beside this file derives every error that stands here. Host and device code,
 * without allocations; for values that are finite. */
#ifndef GEMMJUDGE_REFERENCE_NUMBER_CUH
#define GEMMJUDGE_REFERENCE_NUMBER_CUH

#include <math.h>
#include <stddef.h>
#include <type_traits>

#ifdef __CUDACC__
#define REFERENCE_CODE __host__ __device__
#else
#define REFERENCE_CODE
#endif
#define REFERENCE_FUNCTION REFERENCE_CODE inline

/* Threads that compute an element together, each every lanes()-th term of its sums. A runner that
 * has more than one defines these before it includes this file. */
#ifndef REFERENCE_LANES
namespace reference
{
REFERENCE_FUNCTION size_t lane()
{
	return 0;
}
REFERENCE_FUNCTION size_t lanes()
{
	return 1;
}
REFERENCE_FUNCTION double sum_of_lanes(double x)
{
	return x;
}
REFERENCE_FUNCTION double most_of_lanes(double x)
{
	return x;
}
REFERENCE_FUNCTION void enter_sum(int)
{
}
} // namespace reference
#endif

namespace reference
{

constexpr double ROUNDOFF = 0x1p-24;  /* of f32, in which solutions compute */
constexpr double OF_DOUBLE = 0x1p-53; /* of the reference itself */
constexpr double SMALLEST = 0x1p-149; /* a unit among f32's subnormal numbers */
constexpr double FLUSHED = 0x1p-126;  /* functions may give 0 below it */
constexpr double INDEPENDENT = 2;     /* of the root of squares of errors that are independent */
constexpr double QUOTIENT = 4 * ROUNDOFF; /* of /, sqrt and rsqrt, also the approximate ones */

REFERENCE_FUNCTION double square(double a)
{
	return a * a;
}

/* The variance that errors have at most. What an element inherits of earlier steps it has in common
 * with others that read the same ones. */
struct variance {
	double own, inherited;
};
REFERENCE_FUNCTION variance operator+(variance a, variance b)
{
	return {a.own + b.own, a.inherited + b.inherited};
}
REFERENCE_FUNCTION variance operator*(double factor, variance a)
{
	return {factor * a.own, factor * a.inherited};
}
/* Of an error of its own that is no larger than this. */
REFERENCE_FUNCTION variance at_most(double error)
{
	return {square(error), 0};
}

/* Of two biases: each is anything from 0 to that. */
REFERENCE_FUNCTION double bias_of_both(double a, double b)
{
	return a * b > 0 ? a + b : fabs(a) > fabs(b) ? a : b;
}

/* `bias`: what tensor cores that cut off may have taken from f32 sums, with its sign: of all
 * elements together it is no chance. The error has room for it already. */
struct bounded {
	double x, error;
	variance spread;
	double bias;

	bounded() = default;
	REFERENCE_CODE bounded(double value, double error, variance spread, double bias = 0)
		: x(value), error(error), spread(spread), bias(bias)
	{
	}
	/* A constant, which solutions have in f32. */
	REFERENCE_CODE bounded(double value)
		: bounded(value, fabs(value - (double)(float)value),
				  at_most(fabs(value - (double)(float)value)))
	{
	}
};

REFERENCE_FUNCTION bool operator<(bounded a, bounded b)
{
	return a.x < b.x;
}
REFERENCE_FUNCTION bool operator>(bounded a, bounded b)
{
	return a.x > b.x;
}

REFERENCE_FUNCTION bool is_exact(bounded a)
{
	return a.error == 0 && a.spread.own == 0 && a.spread.inherited == 0 && a.bias == 0;
}

/* What the judge is told of an element of the output (process/protocol.h, struct reference_bound).
 */
struct bound {
	double value, error, deviation;
};

/* ---- one operation --------------------------------------------------------------- */

/* x with the errors that it gets from operands, and an error of its own. */
REFERENCE_FUNCTION bounded with_error(bounded x, double own)
{
	return bounded(x.x, x.error + own, x.spread + at_most(own), x.bias);
}
/* What an operation rounds of its result. */
REFERENCE_FUNCTION double rounding(double x)
{
	return ROUNDOFF * fabs(x);
}

REFERENCE_FUNCTION bounded operator-(bounded a)
{
	return bounded(-a.x, a.error, a.spread, -a.bias);
}
REFERENCE_FUNCTION bounded operator+(bounded a, bounded b)
{
	bounded sum(a.x + b.x, a.error + b.error, a.spread + b.spread, bias_of_both(a.bias, b.bias));
	return with_error(sum, rounding(sum.x));
}
REFERENCE_FUNCTION bounded operator-(bounded a, bounded b)
{
	return a + -b;
}
/* A product of numbers that is not rounded. */
REFERENCE_FUNCTION bounded exact_product(bounded a, bounded b)
{
	return bounded(a.x * b.x, fabs(a.x) * b.error + a.error * (fabs(b.x) + b.error),
				   square(a.x) * b.spread + square(b.x) * a.spread,
				   bias_of_both(a.x * b.bias, b.x * a.bias));
}
REFERENCE_FUNCTION bounded operator*(bounded a, bounded b)
{
	return with_error(exact_product(a, b), rounding(a.x * b.x) + SMALLEST);
}
/* A divisor that may be 0 leaves the quotient open. */
REFERENCE_FUNCTION bounded operator/(bounded a, bounded b)
{
	double x = a.x / b.x, least = fabs(b.x) - b.error;
	double slope = least > 0 ? 1 / least : INFINITY;
	bounded quotient(x, slope * (a.error + fabs(x) * b.error),
					 square(slope) * (a.spread + square(x) * b.spread),
					 bias_of_both(a.bias / b.x, -x * b.bias / b.x));
	return with_error(quotient, QUOTIENT * fabs(x) + SMALLEST);
}

/* ---- functions ------------------------------------------------------------------- */

using ::exp;
using ::log;
using ::sqrt;
using ::tanh;

REFERENCE_FUNCTION double abs(double a)
{
	return fabs(a);
}
REFERENCE_FUNCTION double max(double a, double b)
{
	return a > b ? a : b;
}
REFERENCE_FUNCTION double min(double a, double b)
{
	return a < b ? a : b;
}
REFERENCE_FUNCTION double rsqrt(double a)
{
	return 1 / sqrt(a);
}
REFERENCE_FUNCTION double sigmoid(double a)
{
	return 1 / (1 + exp(-a));
}
REFERENCE_FUNCTION double silu(double a)
{
	return a / (1 + exp(-a));
}

REFERENCE_FUNCTION variance larger(variance a, variance b)
{
	return {max(a.own, b.own), max(a.inherited, b.inherited)};
}
REFERENCE_FUNCTION bounded abs(bounded a)
{
	return bounded(fabs(a.x), a.error, a.spread, a.x < 0 ? -a.bias : a.bias);
}
REFERENCE_FUNCTION bounded max(bounded a, bounded b)
{
	return bounded(max(a.x, b.x), max(a.error, b.error), larger(a.spread, b.spread),
				   a.x > b.x ? a.bias : b.bias);
}
REFERENCE_FUNCTION bounded min(bounded a, bounded b)
{
	return bounded(min(a.x, b.x), max(a.error, b.error), larger(a.spread, b.spread),
				   a.x < b.x ? a.bias : b.bias);
}

/* The value x of a function with this slope at a, whose error moves it by `moved`, and the error
 * `own` of its usual forms. */
struct function_value {
	double x, slope, moved, own;
};
REFERENCE_FUNCTION bounded function_of(bounded a, function_value f)
{
	double steepest = a.error > 0 ? f.moved / a.error : 0;
	bounded value(f.x, f.moved, square(steepest) * a.spread, f.slope * a.bias);
	return with_error(value, f.own);
}
/* The slope grows towards 0, where the root of the error is the most that can come of it. */
REFERENCE_FUNCTION bounded sqrt(bounded a)
{
	double x = sqrt(a.x), most = sqrt(a.error);
	double moved = x > 0 ? min(a.error / x, most) : most;
	return function_of(a, {x, x > 0 ? 0.5 / x : 0, moved, QUOTIENT * (x + moved)});
}
REFERENCE_FUNCTION bounded rsqrt(bounded a)
{
	double x = rsqrt(a.x), least = a.x - a.error;
	double moved = least > 0 ? rsqrt(least) - x : INFINITY;
	return function_of(a, {x, -0.5 * x / a.x, moved, QUOTIENT * x});
}
REFERENCE_FUNCTION bounded exp(bounded a)
{
	double x = exp(a.x), own = (4 + 2.4 * fabs(a.x)) * ROUNDOFF;
	return function_of(a, {x, x, x * expm1(a.error), x * exp(a.error) * own + FLUSHED});
}
REFERENCE_FUNCTION bounded log(bounded a)
{
	double x = log(a.x), least = a.x - a.error;
	return function_of(a, {x, 1 / a.x, least > 0 ? x - log(least) : INFINITY, 2 * rounding(x)});
}

/* A function whose second derivative is at most `bend`, and whose own error is so many u. */
REFERENCE_FUNCTION bounded curved(bounded a, function_value f, double bend)
{
	f.moved = fabs(f.slope) * a.error + bend / 2 * square(a.error);
	f.own = f.own * ROUNDOFF + FLUSHED;
	return function_of(a, f);
}
REFERENCE_FUNCTION bounded tanh(bounded a)
{
	double x = tanh(a.x);
	return curved(a, {x, 1 - x * x, 0, 4 * fabs(x) + 16}, 0.8);
}
REFERENCE_FUNCTION bounded sigmoid(bounded a)
{
	double x = sigmoid(a.x);
	return curved(a, {x, x * (1 - x), 0, 10 * x + 3}, 0.1);
}
REFERENCE_FUNCTION bounded silu(bounded a)
{
	double s = sigmoid(a.x), x = a.x * s;
	return curved(a, {x, s + x * (1 - s), 0, 12 * fabs(x) + 3 * fabs(a.x)}, 0.5);
}

/* ---- what a reference says of a step ------------------------------------------------- */

/* A number whose error has no say: the result is the same for every other one in its place, as a
 * softmax's for every shift. */
REFERENCE_FUNCTION double shift(double a)
{
	return a;
}
REFERENCE_FUNCTION bounded shift(bounded a)
{
	return bounded(a.x, 0, {0, 0});
}

/* Two forms of the same number, both honest: the error is the larger one. */
REFERENCE_FUNCTION double either(double a, double)
{
	return a;
}
REFERENCE_FUNCTION bounded either(bounded a, bounded b)
{
	return bounded(a.x, max(a.error, b.error + fabs(a.x - b.x)), larger(a.spread, b.spread),
				   fabs(a.bias) > fabs(b.bias) ? a.bias : b.bias);
}

/* ---- sums ---------------------------------------------------------------------------- */

/* What n terms bring into their sum. Their errors are independent of each other, so that squares
 * add up; they are never more than their sum. Their biases are not. */
struct term_errors {
	double linear, squares, bias;
	variance spread;

	REFERENCE_CODE void add(bounded term)
	{
		linear += term.error;
		squares += square(term.error);
		spread = spread + term.spread;
		bias += term.bias;
	}
	REFERENCE_CODE double error() const
	{
		double root = INDEPENDENT * sqrt(sum_of_lanes(squares));
		return min(sum_of_lanes(linear), root + fabs(all_bias()));
	}
	REFERENCE_CODE double all_bias() const
	{
		return sum_of_lanes(bias);
	}
	REFERENCE_CODE variance all() const
	{
		return {sum_of_lanes(spread.own), sum_of_lanes(spread.inherited)};
	}
};

/* What sums of n terms in f32 may lose, in any order and by any unit (harness/referee/README.md,
 * "The bound"): of an element `loss` times the sum of magnitudes; of all errors together the
 * variance, of the terms' squares and of the square of the sum, and the bias, of the sum. */
struct sum_rule {
	double loss, of_squares, of_result, bias;
};
REFERENCE_FUNCTION sum_rule sum_rule_of(size_t count)
{
	const double constant = 4, deviation = 0.75, drift = 0.09, bias = 0.16, halves = 4;
	double n = (double)count, u = ROUNDOFF, rounds = square(deviation) * n * square(u);
	return {constant * sqrt(n) * (u + OF_DOUBLE),
			rounds + square(drift * min(n, 1024) * u) + square(halves * u), rounds,
			bias * min(n, 256) * u};
}

/* A sum that is being made; calibration has other ones. */
template <class R> struct sums;

template <> struct sums<double> {
	double x;

	REFERENCE_CODE void add(double a)
	{
		x += a;
	}
	REFERENCE_CODE void add(double a, double b)
	{
		x += a * b;
	}
	REFERENCE_CODE double total(size_t) const
	{
		return sum_of_lanes(x);
	}
};

template <> struct sums<bounded> {
	double x, magnitude, squares;
	term_errors errors;

	REFERENCE_CODE void add(bounded a)
	{
		x += a.x;
		magnitude += fabs(a.x);
		squares += square(a.x);
		errors.add(a);
	}
	/* Inputs are exact, which compilers see: their errors are constants. */
	REFERENCE_CODE void add(bounded a, bounded b)
	{
		if (!is_exact(a) || !is_exact(b)) {
			add(exact_product(a, b));
			return;
		}
		double product = a.x * b.x;
		x += product;
		magnitude += fabs(product);
		squares += square(product);
	}
	REFERENCE_CODE bounded total(size_t n) const
	{
		sum_rule rule = sum_rule_of(n);
		double sum = sum_of_lanes(x), underflow = 2 * (double)n * SMALLEST;
		double own = rule.loss * sum_of_lanes(magnitude) + underflow;
		double spread = rule.of_squares * sum_of_lanes(squares) + rule.of_result * square(sum) +
						square(underflow);
		return bounded(sum, own + errors.error(), variance{spread, 0} + errors.all(),
					   bias_of_both(rule.bias * sum, errors.all_bias()));
	}
};

/* The terms of a sum of n: all, unless a number says otherwise. */
template <class R> REFERENCE_FUNCTION size_t first_term()
{
	return 0;
}
template <class R> REFERENCE_FUNCTION size_t term_end(size_t n)
{
	return n;
}

/* Which terms a lane has. Sums that stand inside have one lane, as each is of another term. */
struct lane_terms {
	size_t first, step;

	REFERENCE_CODE lane_terms() : first(lane()), step(lanes())
	{
		enter_sum(1);
	}
	REFERENCE_CODE ~lane_terms()
	{
		enter_sum(-1);
	}
};

/* Calls each(k) for a lane's share of the terms of a sum of n. */
template <class R, class Each> REFERENCE_FUNCTION void each_term(size_t n, const Each &each)
{
	const lane_terms terms;
	for (size_t k = first_term<R>() + terms.first; k < term_end<R>(n); k += terms.step)
		each(k);
}

/* The sum over k < n of a(k) b(k), and that of a(k). */
template <class R, class A, class B> REFERENCE_FUNCTION R dot(size_t n, const A &a, const B &b)
{
	sums<R> sum = {};
	each_term<R>(n, [&](size_t k) { sum.add(a(k), b(k)); });
	return sum.total(n);
}
template <class R, class A> REFERENCE_FUNCTION R sum(size_t n, const A &a)
{
	sums<R> sum = {};
	each_term<R>(n, [&](size_t k) { sum.add(a(k)); });
	return sum.total(n);
}

/* a(0), which all lanes compute. */
template <class R, class A> REFERENCE_FUNCTION R first_of(const A &a)
{
	const lane_terms terms;
	return a(0);
}

/* The largest a(k), n > 0, with the largest of their errors. */
template <class R, class A> REFERENCE_FUNCTION R largest(size_t n, const A &a)
{
	bool any = false;
	R most;
	each_term<R>(n, [&](size_t k) {
		R one = a(k);
		most = any ? max(most, one) : one;
		any = true;
	});
	if (!any) /* there are more lanes than terms, or the fault leaves none */
		most = first_of<R>(a);
	if constexpr (std::is_same_v<R, bounded>)
		return bounded(most_of_lanes(most.x), most_of_lanes(most.error),
					   {most_of_lanes(most.spread.own), most_of_lanes(most.spread.inherited)},
					   most_of_lanes(fabs(most.bias)));
	else if constexpr (std::is_same_v<R, double>)
		return most_of_lanes(most);
	else
		return most;
}

/* The mean of v(k) with weights w(k) that are not negative. An error of a weight moves the mean by
 * its share of v(k) less the mean, and no weights bring it beyond the values. */
template <class W, class V>
REFERENCE_FUNCTION bounded bounded_mean(size_t n, const W &w, const V &v)
{
	sums<bounded> above = {}, below = {}; /* of values alone: their errors come apart */
	each_term<bounded>(n, [&](size_t k) {
		double weight = w(k).x;
		above.add(bounded(weight * v(k).x, 0, {0, 0}));
		below.add(bounded(weight, 0, {0, 0}));
	});
	bounded sum = above.total(n), total = below.total(n);
	double x = sum.x / total.x, share = 1 / total.x, farthest = 0;
	term_errors weights = {}, values = {};
	each_term<bounded>(n, [&](size_t k) {
		bounded weight = w(k), value = v(k);
		double off = (value.x - x) * share, part = weight.x * share;
		farthest = max(farthest, fabs(value.x - x));
		weights.add(
			bounded(0, weight.error * fabs(off), square(off) * weight.spread, off * weight.bias));
		values.add(bounded(0, part * value.error, square(part) * value.spread, part * value.bias));
	});
	farthest = most_of_lanes(farthest);
	variance moved = weights.all(), most = {square(farthest), square(farthest)};
	moved = {min(moved.own, most.own), min(moved.inherited, most.inherited)};
	double own = sqrt(square(share * sum.error) + square(share * x * total.error));
	bounded mean(
		x, own + min(weights.error(), farthest) + values.error(),
		square(share) * (sum.spread + square(x) * total.spread) + moved + values.all(),
		bias_of_both(share * sum.bias, bias_of_both(weights.all_bias(), values.all_bias())));
	return with_error(mean, QUOTIENT * fabs(x));
}
template <class R, class W, class V> REFERENCE_FUNCTION R mean(size_t n, const W &w, const V &v)
{
	if constexpr (std::is_same_v<R, bounded>)
		return bounded_mean(n, w, v);
	else
		return dot<R>(n, w, v) / sum<R>(n, w);
}

/* x as it is where n terms of this magnitude are summed in all, in the order of another honest
 * form: for either(). The squares of the terms are taken as twice those of equal ones. */
REFERENCE_FUNCTION double summed_as(double x, size_t, double)
{
	return x;
}
REFERENCE_FUNCTION bounded summed_as(bounded x, size_t n, bounded magnitude)
{
	sum_rule rule = sum_rule_of(n);
	double squares = 2 * square(magnitude.x) / (double)n;
	double spread = rule.of_squares * squares + rule.of_result * square(x.x);
	return bounded(x.x, rule.loss * magnitude.x, {spread, 0}, rule.bias * x.x);
}

/* ---- what is kept ----------------------------------------------------------------------- */

/* The type in which a solution may keep a step, and in which it stores the result. */
struct kept_type {
	double roundoff, smallest; /* smallest: its smallest subnormal number */
};
REFERENCE_FUNCTION double kept_rounding(double x, kept_type type)
{
	return type.roundoff * fabs(x) + type.smallest;
}

/* A number that is rounded to a type once: of an output, this error is its bound. */
REFERENCE_FUNCTION bounded keep(bounded a, kept_type type)
{
	double error = (1 + type.roundoff) * a.error + kept_rounding(a.x, type);
	return bounded(a.x, error <= INFINITY ? error : INFINITY, a.spread, a.bias);
}
REFERENCE_FUNCTION double keep(double a, kept_type)
{
	return a;
}

/* What earlier steps brought in is no larger than so many of its deviations, whoever shares it. */
constexpr double SHARED = 5;

/* A step that is read: what is its own is now in common. */
REFERENCE_FUNCTION bounded inherited(bounded a, kept_type type)
{
	double own = a.spread.own + square(kept_rounding(a.x, type));
	return bounded(a.x, a.error, {0, a.spread.inherited + square(SHARED) * own}, a.bias);
}
REFERENCE_FUNCTION double inherited(double a, kept_type)
{
	return a;
}

/* All errors of an output together: what its own rounding leaves of each, over its deviation
 * (harness/referee/README.md, "All errors together"). Above 1 they are too large: by more than six
 * deviations of such a sum of squares, and an element of four. */
struct errors_together {
	double squares, expected, fourth;

	REFERENCE_CODE void add(double error, bounded want, kept_type type)
	{
		double deviation = sqrt(want.spread.own + want.spread.inherited + square(want.bias));
		double unit = want.x != 0 ? exp2(floor(log2(fabs(want.x)))) : 0;
		double half = max(type.roundoff * unit, type.smallest / 2);
		double step = deviation / half, over = max(error - half, 0) / deviation;
		if (!(deviation > FLUSHED && deviation < INFINITY))
			return;
		squares += square(over);
		expected += min(0.266 * step, 1);
		fourth += min(0.64 * step, 3);
	}
	REFERENCE_CODE double ratio() const
	{
		return sqrt(squares / (expected + 6 * sqrt(fourth) + 16));
	}
};

} // namespace reference

#endif
