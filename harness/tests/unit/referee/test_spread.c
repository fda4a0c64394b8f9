/* links: referee_core referee_orders testcases base */
/* All errors together: honest sums stay within what README.md of referee/ derives, whatever their
 * values, and faults leave it that no single element shows. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "referee/check.h"
#include "referee/orders.h"
#include "testcases/values.h"

#define LINES 32
#define DEEPEST 65536

struct tried {
	const char *problem;
	int32_t k;
	struct value_spec values;
	uint64_t seed;
	float alpha, beta; /* 0: 1 and 0 */
};

static struct test_case case_of(const struct tried *tried)
{
	const struct problem *problem = problem_find(tried->problem);
	struct shape shape = {{1, LINES, LINES, tried->k, tried->k}};
	struct test_case test = case_of_shape(problem, &shape, NULL, tried->seed);
	for (size_t i = 0; i < 2; i++)
		if (!type_of(problem->operands[i].type)->format.is_integer)
			test.values[i] = tried->values;
	if (tried->alpha != 0) {
		test.scalar[SCALAR_ALPHA] = tried->alpha;
		test.scalar[SCALAR_BETA] = tried->beta;
		test.values[2] = (struct value_spec){VALUES_WIDE, 10, 0, 0};
	}
	return test;
}

/* The largest error over its bound, and all together. */
struct ratios {
	double worst, together;
};

static struct ratios ratios_of(const struct tried *tried, const struct order *order)
{
	const struct problem *problem = problem_find(tried->problem);
	const struct type *type = type_of(problem_part(problem, PART_RESULT)->type);
	struct test_case test = case_of(tried);
	struct check_input input = {
		.problem = problem, .test = &test, .product.unit_roundoff = 0x1p-53};
	struct check_rule rule = check_rule_of(&input);
	struct check_spread spread = {0};
	struct ratios ratios = {0};
	struct operands o;
	float *scratch = malloc(2 * sizeof *scratch * (size_t)tried->k);
	cr_assert(scratch != NULL && operands_draw(&o, problem, &test));
	for (size_t at = 0; at < o.m * o.n; at++) {
		float out = order_element(order, &o, &test, at / o.n, at % o.n, scratch);
		struct check_element element = {
			.out = values_to_double(&type->format, values_from_double(&type->format, (double)out)),
			.product = o.product[at],
			.magnitude = o.magnitude[at],
			.squares = o.squares[at],
			.rest = o.rest[at],
			.c = o.c[at],
		};
		struct check_finding finding = check_one(&rule, &element);
		ratios.worst = fmax(ratios.worst, finding.ratio);
		check_spread_add(&spread, type, &finding);
	}
	ratios.together = check_spread_ratio(&spread);
	operands_free(&o);
	free(scratch);
	return ratios;
}

static const struct value_spec kinds[] = {
	{VALUES_UNIFORM, 1, 0, 0},  {VALUES_NORMAL, 1, 0, 0},    {VALUES_WIDE, 5, 0, 0},
	{VALUES_POSITIVE, 1, 0, 0}, {VALUES_WIDE_LATE, 5, 0, 0}, {VALUES_WIDE_ROWS, 5, 0, 0},
	{VALUES_BLOCKS, 1, 0, 0},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* The most of any honest order, at these depths. */
static double honest_most(const char *problem)
{
	static const int32_t depths[] = {16, 100, 2048};
	const struct type *inputs = type_of(problem_part(problem_find(problem), PART_LEFT)->type);
	size_t count;
	const struct order *orders = orders_honest(&count);
	double most = 0;
	for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
		for (size_t kind = 0; kind < KINDS; kind++)
			for (size_t i = 0; i < count; i++) {
				struct tried tried = {problem, depths[d], kinds[kind], 7 * d + kind, 0, 0};
				if (!order_suits(&orders[i], inputs))
					continue;
				double ratio = ratios_of(&tried, &orders[i]).together;
				cr_expect(ratio <= 0.95, "%s %s K=%d %s: %g", problem,
						  distribution_name(kinds[kind].distribution), depths[d], orders[i].name,
						  ratio);
				most = fmax(most, ratio);
			}
	return most;
}

/* Twice the deviation would hide what half of it shows. */
Test(spread, honest_sums_stay_within_it_and_come_near)
{
	static const struct {
		const char *problem;
		double least; /* of so few of bf16's coarse outputs none shows anything of the sums */
	} rows[] = {{"gemm-f16", 0.1}, {"gemm-bf16", 0}, {"sgemm", 0.1}, {"gemm-e4m3", 0.3}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double most = honest_most(rows[i].problem);
		cr_expect(most >= rows[i].least, "%s: %g", rows[i].problem, most);
	}
}

/* In the order that is worst for what was derived: the large products first. */
Test(spread, large_products_first_are_honest)
{
	static const struct order orders[] = {
		{.name = "reversed", .kind = ORDER_REVERSED},
		{.name = "three TF32 products, reversed", .kind = ORDER_TF32X3_REVERSED},
	};
	struct tried tried = {"sgemm", 2048, {VALUES_WIDE_LATE, 10, 0, 0}, 3, 0, 0};
	for (size_t i = 0; i < 2; i++) {
		double ratio = ratios_of(&tried, &orders[i]).together;
		cr_expect(ratio <= 0.95, "%s: %g", orders[i].name, ratio);
	}
}

/* A product with alpha, one with beta, and their sum: beside a large C the sum's own errors are
 * nothing. */
Test(spread, a_large_c_is_rounded_too)
{
	static const enum order_kind kinds_of_order[] = {ORDER_SEQUENTIAL, ORDER_AFTER_C};
	static const char *const problems[] = {"gemm-f16", "sgemm"};
	for (size_t p = 0; p < 2; p++)
		for (uint64_t seed = 0; seed < 40; seed++) {
			const struct order order = {.kind = kinds_of_order[seed % 2]};
			struct tried tried = {problems[p], 32 << seed / 10, {VALUES_UNIFORM, 1, 0, 0},
								  seed,        0.001f,          1.9f};
			double ratio = ratios_of(&tried, &order).together;
			cr_expect(ratio <= 0.95, "%s, K=%d: %g", problems[p], tried.k, ratio);
		}
}

/* A tensor core cuts its total off at each step; up to 1024 products of both signs, or 256 of one,
 * may stay there, and far more may not. */
Test(spread, three_tf32_products_stay_in_a_tensor_core_for_a_while)
{
	static const struct order order = {.kind = ORDER_TF32X3_TENSOR, .extra = 2};
	static const struct {
		int32_t k;
		enum distribution values;
		double least, most;
	} rows[] = {{1024, VALUES_UNIFORM, 0.3, 0.95},
				{1024, VALUES_NORMAL, 0.3, 0.95},
				{256, VALUES_POSITIVE, 0, 0.95},
				{16384, VALUES_UNIFORM, 1.5, 100}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct tried tried = {"sgemm", rows[i].k, {rows[i].values, 1, 0, 0}, 5, 0, 0};
		double ratio = ratios_of(&tried, &order).together;
		cr_expect(ratio >= rows[i].least && ratio <= rows[i].most, "K=%d: %g", rows[i].k, ratio);
	}
}

/* What rounding the weights moves may take a result into the next binade, where units are twice as
 * large. */
Test(spread, weights_in_half_are_honest)
{
	static const struct order order = {.right = NARROW_F16};
	for (int32_t k = 2; k <= 512; k *= 4)
		for (uint64_t seed = 0; seed < 20; seed++) {
			struct tried tried = {"gemm-w4", k, {VALUES_NORMAL, 1, 0, 0}, seed, 0, 0};
			double ratio = ratios_of(&tried, &order).together;
			cr_expect(ratio <= 0.95, "K=%d: %g", k, ratio);
		}
}

Test(spread, three_percent_of_the_products_in_tf32_show)
{
	static const int32_t depths[] = {4096, 16384, DEEPEST};
	static const struct order narrowed = {.inputs = NARROW_TF32, .share = 0.03};
	for (size_t d = 0; d < 3; d++)
		for (size_t kind = 0; kind < 2; kind++) {
			struct tried tried = {"sgemm", depths[d], kinds[kind], 11, 0, 0};
			struct ratios ratios = ratios_of(&tried, &narrowed);
			cr_expect(ratios.worst < 1, "an element shows it: %g", ratios.worst);
			cr_expect(ratios.together > 1.5, "K=%d: %g", depths[d], ratios.together);
		}
}

Test(spread, fp8_sums_that_are_promoted_rarely_show)
{
	static const struct order rarely = {.kind = ORDER_FP8, .parts = 32, .promoted = 768};
	static const struct order often = {.kind = ORDER_FP8, .parts = 32, .promoted = 128};
	struct tried tried = {"gemm-e4m3", 4096, {VALUES_UNIFORM, 1, 0, 0}, 5, 0, 0};
	struct ratios ratios = ratios_of(&tried, &rarely);
	cr_expect(ratios.worst < 1 && ratios.together > 1.2, "%g, %g", ratios.worst, ratios.together);
	cr_expect(ratios_of(&tried, &often).together < 0.7);
}

/* ---- the distribution of what a rounding leaves ---------------------------------------- */

static double uniform(uint64_t seed, uint64_t at)
{
	struct values_words words = values_random(seed, VALUES_STREAM_SPOT, at);
	return ((double)words.word[0] + 0.5) * 0x1p-32;
}

static double normal(uint64_t seed, uint64_t at)
{
	return sqrt(-2 * log(uniform(seed, 2 * at))) * cos(2 * M_PI * uniform(seed, 2 * at + 1));
}

/* Of sums whose errors have just the deviation, rounded to f16: their square is as large as
 * expected at both ends, and no larger between. */
static double seen_of_expected(double deviation)
{
	const struct type *type = type_of(DTYPE_F16);
	struct check_spread spread = {0};
	for (uint64_t i = 0; i < 400000; i++) {
		double want = 1 + 0.999 * uniform(1, i), sum = want + deviation * normal(2, i);
		double out = values_to_double(&type->format, values_from_double(&type->format, sum));
		struct check_finding finding = {
			.want = want,
			.excess = fdim(fabs(out - want), 0x1p-11),
			.deviation = deviation,
		};
		check_spread_add(&spread, type, &finding);
	}
	return spread.squares / spread.expected;
}

Test(spread, expects_what_rounding_leaves_of_normal_errors)
{
	for (int e = -7; e <= 5; e++) {
		double seen = seen_of_expected(ldexp(0x1p-11, e));
		cr_expect(seen <= 1.05 && seen > 0.3, "2^%d units: %g", e, seen);
	}
	cr_expect(fabs(seen_of_expected(0x1p-17) - 1) < 0.1);
	cr_expect(fabs(seen_of_expected(0x1p-6) - 1) < 0.1, "%g", seen_of_expected(0x1p-6));
}

Test(spread, nothing_known_says_nothing)
{
	struct check_spread spread = {0};
	check_spread_add(&spread, type_of(DTYPE_F32), &(struct check_finding){.excess = 1});
	check_spread_add(&spread, type_of(DTYPE_F32),
					 &(struct check_finding){.excess = NAN, .deviation = 1});
	cr_expect(check_spread_ratio(&spread) == 0);
}
