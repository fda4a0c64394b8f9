/* links: referee_core referee_orders testcases base; label: threads */
/* The bound: every honest order of summing passes, every fault fails. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "referee/check.h"
#include "referee/orders.h"
#include "testcases/values.h"

#define DEEPEST 600

static const char *const problem_names[] = {"gemm-f16",    "gemm-bf16",   "sgemm",     "linear-f16",
											"batched-f16", "linear-bf16", "gemm-e4m3", "gemm-w4"};
#define PROBLEMS (sizeof problem_names / sizeof problem_names[0])

static struct check_rule rule_for(const struct problem *problem, const struct test_case *test)
{
	struct check_input input = {
		.problem = problem,
		.test = test,
		.product.unit_roundoff = 0x1p-53,
	};
	return check_rule_of(&input);
}

static const struct type *type_in(const struct problem *problem, enum part part)
{
	return type_of(problem_part(problem, part)->type);
}

static double rounded(const struct type *type, double x)
{
	return values_to_double(&type->format, values_from_double(&type->format, x));
}

/* The worst ratio of a case computed in this order. */
static double worst_ratio(const struct problem *problem, const struct test_case *test,
						  const struct order *order, const struct operands *o, float *scratch)
{
	struct check_rule rule = rule_for(problem, test);
	double worst = 0;
	for (size_t i = 0; i < o->m; i++)
		for (size_t j = 0; j < o->n; j++) {
			float out = order_element(order, o, test, i, j, scratch);
			struct check_element element = {
				.out = rounded(type_in(problem, PART_RESULT), out),
				.product = o->product[i * o->n + j],
				.magnitude = o->magnitude[i * o->n + j],
				.c = o->c[i * o->n + j],
				.rest = o->rest[i * o->n + j],
			};
			double ratio = check_one(&rule, &element).ratio;
			worst = ratio > worst ? ratio : worst;
		}
	return worst;
}

/* A generated case of the problem, its M and N cut to something small. */
static struct test_case small_case(const struct problem *problem, size_t index)
{
	struct test_case test = case_generate(problem, 20, index, CASE_SIZES_MIXED, DEEPEST, 1);
	int32_t *size = test.shape.size;
	size[SIZE_BATCH] = 1;
	size[SIZE_M] = size[SIZE_M] < 24 ? size[SIZE_M] : 24;
	size[SIZE_N] = size[SIZE_N] < 24 ? size[SIZE_N] : 24;
	return test;
}

Test(check, honest_orders_pass_generated_cases)
{
	size_t count;
	const struct order *orders = orders_honest(&count);
	float scratch[2 * DEEPEST];
	for (size_t p = 0; p < PROBLEMS; p++) {
		const struct problem *problem = problem_find(problem_names[p]);
		for (size_t index = 0; index < 24; index++) {
			struct test_case test = small_case(problem, index);
			struct operands o;
			cr_assert(operands_draw(&o, problem, &test));
			for (size_t i = 0; i < count; i++) {
				if (!order_suits(&orders[i], type_in(problem, PART_LEFT)))
					continue;
				/* three TF32 products are exact only where the values fit two halves */
				double ratio = worst_ratio(problem, &test, &orders[i], &o, scratch);
				cr_assert(ratio <= 1, "%s %s %s: %g", problem->name, test.name, orders[i].name,
						  ratio);
			}
			operands_free(&o);
		}
	}
}

/* Small integers survive narrowing, a sum of one group is rounded as the result is, alpha = 0 hides
 * the product, and beta = 0 hides C: not cases for that fault. */
static bool hides(const struct order *order, const struct problem *problem,
				  const struct test_case *test)
{
	const float *scalar = test->scalar;
	if (order->without_c)
		return !problem_takes(problem, SCALAR_BETA) || scalar[SCALAR_BETA] == 0;
	return scalar[SCALAR_ALPHA] == 0 || test->exact || test->shape.size[SIZE_K] <= order->parts ||
		   test->shape.size[SIZE_K] < order->shows_from;
}

Test(check, faults_fail_most_generated_cases)
{
	size_t count;
	const struct order *orders = orders_faulty(&count);
	float scratch[2 * DEEPEST];
	for (size_t p = 0; p < PROBLEMS; p++) {
		const struct problem *problem = problem_find(problem_names[p]);
		for (size_t i = 0; i < count; i++) {
			size_t failed = 0, tried = 0;
			for (size_t index = 0;
				 index < 24 && order_suits(&orders[i], type_in(problem, PART_LEFT)); index++) {
				struct test_case test = small_case(problem, index);
				struct operands o;
				if (hides(&orders[i], problem, &test))
					continue;
				cr_assert(operands_draw(&o, problem, &test));
				failed += worst_ratio(problem, &test, &orders[i], &o, scratch) > 1;
				tried++;
				operands_free(&o);
			}
			cr_assert(failed * 10 >= tried * 8, "%s %s: %zu of %zu cases show it", problem->name,
					  orders[i].name, failed, tried);
		}
	}
}

/* ---- weights of a type of their own ----------------------------------------------- */

/* Of twelve generated cases that are not exact, those that fail in this order. */
static size_t weights_fail(const struct order *order)
{
	const struct problem *problem = problem_find("gemm-w4");
	float scratch[2 * DEEPEST];
	size_t failed = 0;
	for (size_t index = 0, tried = 0; tried < 12; index++) {
		struct test_case test = small_case(problem, index);
		struct operands o;
		if (test.exact)
			continue;
		cr_assert(operands_draw(&o, problem, &test));
		failed += worst_ratio(problem, &test, order, &o, scratch) > 1;
		operands_free(&o);
		tried++;
	}
	return failed;
}

/* The page calls W a matrix of half, and its reference keeps it in float. */
Test(check, weights_may_be_rounded_to_half_and_no_further)
{
	static const struct order right[] = {
		{.name = "weights in half", .right = NARROW_F16},
		{.name = "weights in half, split", .kind = ORDER_SPLIT, .parts = 8, .right = NARROW_F16},
		{.name = "weights in half, tensor",
		 .kind = ORDER_TENSOR,
		 .parts = 16,
		 .extra = 2,
		 .right = NARROW_F16},
	};
	static const struct order wrong[] = {
		{.name = "weights in bf16", .right = NARROW_BF16},
		{.name = "weights in fp8", .right = NARROW_FP8},
		{.name = "x in bf16", .left = NARROW_BF16},
		{.name = "weights in half, x in bf16", .left = NARROW_BF16, .right = NARROW_F16},
		{.name = "in half, the last dropped", .right = NARROW_F16, .dropped = 1},
		{.name = "weights and sums in half",
		 .kind = ORDER_F16_TENSOR,
		 .parts = 16,
		 .right = NARROW_F16},
	};
	for (size_t i = 0; i < sizeof right / sizeof *right; i++)
		cr_expect(weights_fail(&right[i]) == 0, "%s", right[i].name);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		cr_expect(weights_fail(&wrong[i]) >= 10, "%s: %zu of 12", wrong[i].name,
				  weights_fail(&wrong[i]));
}

static struct test_case case_of(const struct problem *problem, int32_t k, float beta)
{
	struct shape shape = {{1, 16, 16, k, 1}};
	const float scalars[SCALARS_MAX] = {1, beta};
	return case_of_shape(problem, &shape, scalars, 1);
}

/* GEMM in this type. */
static const struct problem *gemm_in(enum dtype type)
{
	const char *const names[] = {[DTYPE_F16] = "gemm-f16", [DTYPE_F32] = "sgemm"};
	return problem_find(names[type]);
}

static double ratio_with(enum dtype type, const struct test_case *test, struct tolerance tolerance,
						 struct check_element element)
{
	struct check_input input = {.problem = gemm_in(type),
								.test = test,
								.tolerance = tolerance,
								.product.unit_roundoff = 0x1p-53};
	struct check_rule rule = check_rule_of(&input);
	return check_one(&rule, &element).ratio;
}

static double ratio_of(enum dtype type, double out, double product, double magnitude)
{
	struct test_case test = case_of(gemm_in(type), 16, 0);
	return ratio_with(
		type, &test, (struct tolerance){.kind = TOLERANCE_BOUND},
		(struct check_element){.out = out, .product = product, .magnitude = magnitude});
}

Test(check, nan_never_passes_for_a_number)
{
	struct test_case test = case_of(problem_find("gemm-f16"), 16, 0);
	struct tolerance flat = {.kind = TOLERANCE_FLAT, .atol = 1e30, .rtol = 1e30};
	cr_assert(isinf(ratio_of(DTYPE_F16, NAN, 1, 1)));
	cr_assert(isinf(ratio_of(DTYPE_F32, NAN, 0, 0)));
	cr_assert(isinf(ratio_with(DTYPE_F16, &test, flat,
							   (struct check_element){.out = NAN, .product = 1, .magnitude = 1})));
	test.exact = true;
	cr_assert(isinf(ratio_with(DTYPE_F16, &test, flat,
							   (struct check_element){.out = NAN, .product = 1, .magnitude = 1})));
}

Test(check, special_values_are_demanded)
{
	cr_assert(ratio_of(DTYPE_F16, NAN, NAN, NAN) == 0);
	cr_assert(isinf(ratio_of(DTYPE_F16, 1, NAN, NAN)));
	cr_assert(isinf(ratio_of(DTYPE_F16, INFINITY, NAN, NAN)));
	cr_assert(ratio_of(DTYPE_F32, -INFINITY, -INFINITY, INFINITY) == 0);
	cr_assert(isinf(ratio_of(DTYPE_F32, INFINITY, -INFINITY, INFINITY)));
	cr_assert(isinf(ratio_of(DTYPE_F32, NAN, INFINITY, INFINITY)));
	cr_assert(isinf(ratio_of(DTYPE_F32, 3e38, INFINITY, INFINITY)));
}

Test(check, overflow_is_infinite_from_half_a_unit_above_the_largest)
{
	cr_assert(ratio_of(DTYPE_F16, 65504, 65504, 65504) <= 1);
	cr_assert(isinf(ratio_of(DTYPE_F16, INFINITY, 65504, 65504)));
	cr_assert(ratio_of(DTYPE_F16, INFINITY, 65520, 65520) == 0);
	cr_assert(ratio_of(DTYPE_F16, 65504, 65519.99, 65520) <= 1);
	cr_assert(ratio_of(DTYPE_F16, INFINITY, 65519.99, 65520) == 0, "f32 sums may lie either side");
	cr_assert(isinf(ratio_of(DTYPE_F16, 65504, 70000, 70000)));
	cr_assert(isinf(ratio_of(DTYPE_F16, -INFINITY, 70000, 70000)));
	cr_assert(ratio_of(DTYPE_F16, -INFINITY, -70000, 70000) == 0);
}

Test(check, exact_cases_match_bit_for_bit)
{
	struct test_case test = case_of(problem_find("gemm-f16"), 64, 0);
	test.exact = true;
	struct tolerance bound = {.kind = TOLERANCE_BOUND};
	cr_assert(ratio_with(DTYPE_F16, &test, bound,
						 (struct check_element){.out = -0.0, .magnitude = 10}) == 0);
	cr_assert(ratio_with(DTYPE_F16, &test, bound,
						 (struct check_element){.out = 5, .product = 5, .magnitude = 10}) == 0);
	cr_assert(isinf(ratio_with(DTYPE_F16, &test, bound,
							   (struct check_element){.out = 6, .product = 5, .magnitude = 10})));
	/* 2049 is no f16: its neighbours within the bound pass */
	cr_assert(ratio_with(DTYPE_F16, &test, bound,
						 (struct check_element){.out = 2048, .product = 2049, .magnitude = 2049}) <=
			  1);
	cr_assert(ratio_with(DTYPE_F16, &test, bound,
						 (struct check_element){.out = 2052, .product = 2049, .magnitude = 2049}) >
			  1);
}

Test(check, subnormal_results_keep_their_last_bit_of_slack)
{
	cr_assert(ratio_of(DTYPE_F16, 0x1p-24, 0x1.8p-25, 0x1.8p-25) <= 1);
	cr_assert(ratio_of(DTYPE_F16, 0x1.8p-23, 0x1p-24, 0x1p-24) > 1);
}

Test(check, beta_zero_never_looks_at_c)
{
	struct test_case test = case_of(problem_find("sgemm"), 16, 0);
	struct tolerance bound = {.kind = TOLERANCE_BOUND};
	cr_assert(
		ratio_with(DTYPE_F32, &test, bound,
				   (struct check_element){.out = 2, .product = 2, .magnitude = 2, .c = NAN}) == 0);
	test.scalar[SCALAR_BETA] = 1;
	cr_assert(isinf(
		ratio_with(DTYPE_F32, &test, bound,
				   (struct check_element){.out = 2, .product = 2, .magnitude = 2, .c = NAN})));
}

Test(check, many_elements_are_shared_out_and_reported_in_order)
{
	const struct problem *problem = problem_find("sgemm");
	struct shape shape = {{1, 1000, 700, 16, 1}};
	struct test_case test = case_of_shape(problem, &shape, (const float[]){1, 0}, 1);
	size_t count = 700000;
	float *out = calloc(count, sizeof *out), *magnitude = calloc(count, sizeof *magnitude);
	double *product = calloc(count, sizeof *product);
	cr_assert(out != NULL && magnitude != NULL && product != NULL);
	struct check_input input = {
		.problem = problem,
		.test = &test,
		.out = out,
		.product = {.product_f64 = product, .magnitude = magnitude, .unit_roundoff = 0x1p-53},
		.threads = 5,
	};
	struct check_summary reply = {0};
	check_outputs(&input, &reply);
	cr_assert(reply.elements == count && reply.wrong == 0 && reply.worst_ratio == 0);

	const size_t places[] = {5, 699, 350000, 420007, 699999};
	for (size_t i = 0; i < 5; i++)
		out[places[i]] = (float)(i == 3 ? 10 : 1);
	check_outputs(&input, &reply);
	cr_assert(reply.wrong == 5 && reply.shown == CHECK_SHOWN && reply.untouched == 0);
	for (size_t i = 0; i < CHECK_SHOWN; i++)
		cr_assert(reply.first[i].row * 700 + reply.first[i].column == (int)places[i]);
	cr_assert(reply.worst_row == 420007 / 700 && reply.worst_column == 420007 % 700);
	cr_assert(reply.worst_error == 10);
	free(out);
	free(magnitude);
	free(product);
}

/* ---- products below f32's normal numbers -------------------------------------------- */

/* What -ftz=true makes of a sum. */
static double flushed_sum(const float *a, const float *b, size_t count)
{
	float sum = 0;
	for (size_t i = 0; i < count; i++) {
		float next = fmaf(a[i], b[i], sum);
		sum = fabsf(next) < FLT_MIN ? 0 : next;
	}
	return (double)sum;
}

static struct test_case tiny_case(int32_t k, float scale)
{
	struct test_case test = case_of(problem_find("sgemm"), k, 0);
	test.values[0] = test.values[1] =
		(struct value_spec){.distribution = VALUES_UNIFORM, .scale = scale};
	return test;
}

/* Each product is rounded to a multiple of 2^-149, however small it is; flushing them is another
 * matter, and so is one that is missing. */
Test(check, honest_orders_may_underflow_and_flushing_fails)
{
	static const float scales[] = {1e-19f, 1e-20f, 3e-22f, 1e-30f};
	static const int32_t depths[] = {16, 40, 600};
	const struct problem *problem = problem_find("sgemm");
	const struct order dropped = {.name = "the last dropped", .dropped = 1};
	float scratch[2 * DEEPEST];
	size_t count;
	const struct order *orders = orders_honest(&count);
	for (size_t s = 0; s < 4; s++)
		for (size_t d = 0; d < 3; d++) {
			struct test_case test = tiny_case(depths[d], scales[s]);
			struct check_rule rule = rule_for(problem, &test);
			struct operands o;
			cr_assert(operands_draw(&o, problem, &test));
			for (size_t i = 0; i < count; i++) {
				/* low halves of TF32 are a matter of the inputs, not of sums */
				bool suits =
					order_suits(&orders[i], type_of(DTYPE_F32)) && orders[i].kind != ORDER_TF32X3;
				double ratio = suits ? worst_ratio(problem, &test, &orders[i], &o, scratch) : 0;
				cr_expect(ratio <= 1, "%s, K %d, values to %g: %g", orders[i].name, depths[d],
						  (double)scales[s], ratio);
			}
			struct check_element flushed = {.out = flushed_sum(o.a, o.b, o.k),
											.product = o.product[0],
											.magnitude = o.magnitude[0]};
			if (scales[s] == 1e-20f) {
				cr_expect(check_one(&rule, &flushed).ratio > 1, "flushed, K %d", depths[d]);
				cr_expect(worst_ratio(problem, &test, &dropped, &o, scratch) > 1);
			}
			operands_free(&o);
		}
}

/* Where nothing underflows the term is out of sight: of results of 1 it is 10^-41. */
Test(check, underflow_is_no_excuse_elsewhere)
{
	struct test_case test = tiny_case(16, 1);
	struct check_rule rule = rule_for(problem_find("sgemm"), &test);
	struct check_element element = {.product = 1e-35, .magnitude = 1e-35, .out = 1e-35};
	cr_assert(check_one(&rule, &element).ratio == 0);
	element.out = 1.0001e-35;
	cr_assert(check_one(&rule, &element).ratio > 1);
}

/* ---- sums of fp8 ------------------------------------------------------------------ */

static double fp8_ratio(const struct order *order, enum distribution distribution, int32_t k,
						int32_t side, uint64_t seed)
{
	const struct problem *problem = problem_find("gemm-e4m3");
	struct shape shape = {{1, side, side, k, 1}};
	struct test_case test = case_of_shape(problem, &shape, (const float[]){1, 1}, seed);
	float *scratch = malloc(2 * sizeof *scratch * (size_t)k);
	struct operands o;
	test.values[0] = test.values[1] = (struct value_spec){.distribution = distribution, .scale = 1};
	cr_assert(scratch != NULL && operands_draw(&o, problem, &test));
	double ratio = worst_ratio(problem, &test, order, &o, scratch);
	operands_free(&o);
	free(scratch);
	return ratio;
}

Test(check, fp8_sums_are_promoted_every_128_products)
{
	static const enum distribution kinds[] = {VALUES_UNIFORM, VALUES_NORMAL, VALUES_POSITIVE};
	static const int32_t depths[] = {16, 100, 128, 129, 512, 4096};
	const struct order promoted = {.kind = ORDER_FP8, .parts = 32, .promoted = 128};
	const struct order never = {.kind = ORDER_FP8, .parts = 32};
	for (size_t i = 0; i < 3; i++) {
		for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
			double ratio = fp8_ratio(&promoted, kinds[i], depths[d], 64, 3);
			cr_assert(ratio <= 0.9, "%s, K %d: %g", distribution_name(kinds[i]), depths[d], ratio);
		}
		/* among values of both signs a few elements show it */
		double ratio = fp8_ratio(&never, kinds[i], 4096, 192, 3);
		cr_assert(ratio > 1, "%s: %g", distribution_name(kinds[i]), ratio);
	}
	cr_assert(fp8_ratio(&never, VALUES_POSITIVE, 4096, 8, 3) > 8);
}

/* ---- results of integers ------------------------------------------------------------ */

/* A rule of gemm-s8 with these scales and this zero point of C. */
static struct check_rule integer_rule(float a, float b, float c, float zero)
{
	const struct problem *problem = problem_find("gemm-s8");
	struct shape shape = {{1, 16, 16, 16, 1}};
	const float scalars[SCALARS_MAX] = {a, b, c, 0, 0, zero};
	struct test_case test = case_of_shape(problem, &shape, scalars, 1);
	struct check_input input = {.problem = problem, .test = &test};
	return check_rule_of(&input);
}

/* Which results the rule accepts for this sum: the least and the most; all between them too. */
struct accepted {
	int low, high;
};
static struct accepted accepted_of(const struct check_rule *rule, double sum)
{
	struct accepted accepted = {1000, -1000};
	int count = 0;
	for (int code = -128; code <= 127; code++) {
		struct check_element element = {.out = code, .product = sum};
		double ratio = check_one(rule, &element).ratio;
		cr_assert(ratio == 0 || isinf(ratio));
		if (ratio != 0)
			continue;
		accepted.low = code < accepted.low ? code : accepted.low;
		accepted.high = code;
		count++;
	}
	cr_assert(count == accepted.high - accepted.low + 1);
	return accepted;
}

static void accepts(const struct check_rule *rule, double sum, int low, int high)
{
	struct accepted accepted = accepted_of(rule, sum);
	cr_assert(accepted.low == low && accepted.high == high, "%g: %d to %d, not %d to %d", sum,
			  accepted.low, accepted.high, low, high);
}

Test(check, half_to_even_is_demanded_where_f32_is_exact)
{
	struct check_rule halves = integer_rule(0.5f, 1, 1, 0), ones = integer_rule(1, 1, 1, 0);
	struct check_rule shifted = integer_rule(0.5f, 1, 1, 3), eighths = integer_rule(0.25f, 1, 2, 0);
	static const int ties[][2] = {{1, 0}, {3, 2}, {5, 2}, {7, 4}, {-1, 0}, {-3, -2}, {-5, -2}};
	for (size_t i = 0; i < sizeof ties / sizeof *ties; i++) {
		accepts(&halves, ties[i][0], ties[i][1], ties[i][1]);
		/* the zero point is added to the rounded number, not rounded with it */
		accepts(&shifted, ties[i][0], ties[i][1] + 3, ties[i][1] + 3);
		accepts(&eighths, 4 * ties[i][0], ties[i][1], ties[i][1]);
	}
	for (int sum = -128; sum <= 127; sum++)
		accepts(&ones, sum, sum, sum);
	/* f32 rounds a sum beyond 2^24 before it is scaled: a tie of the exact number need not be one
	 */
	struct check_rule tiny = integer_rule(0x1p-20f, 1, 1, 0);
	accepts(&tiny, 33 * 0x1p19, 16, 16);
	accepts(&tiny, 33 * 0x1p19 + 1, 16, 17);
}

Test(check, either_neighbour_is_right_next_to_a_tie_of_inexact_scales)
{
	/* 0.1f * 5 / 1 is 0.5 in f32 and a little more in truth; 0.3f * 5 a little more than 1.5 */
	struct check_rule tenths = integer_rule(0.1f, 1, 1, 0);
	accepts(&tenths, 5, 0, 1);
	accepts(&tenths, 15, 1, 2);
	accepts(&tenths, -25, -3, -2);
	accepts(&tenths, 4, 0, 0);
	accepts(&tenths, 6, 1, 1);
	accepts(&tenths, 1204, 120, 120);
	accepts(&tenths, 1206, 121, 121);
	struct check_rule quotient = integer_rule(0.1f, 0.1f, 0.01f, 0);
	accepts(&quotient, 3, 3, 3);
	accepts(&quotient, -77, -77, -77);
}

Test(check, integers_saturate_after_the_zero_point)
{
	struct check_rule plain = integer_rule(1, 1, 1, 0), up = integer_rule(1, 1, 1, 100);
	struct check_rule down = integer_rule(1, 1, 1, -100);
	accepts(&plain, 128, 127, 127);
	accepts(&plain, 1e6, 127, 127);
	accepts(&plain, -129, -128, -128);
	accepts(&plain, -1e6, -128, -128);
	accepts(&up, 27, 127, 127);
	accepts(&up, 28, 127, 127);
	accepts(&up, -228, -128, -128);
	accepts(&up, -227, -127, -127);
	accepts(&down, 227, 127, 127);
	accepts(&down, 226, 126, 126);
	accepts(&down, -28, -128, -128);
	accepts(&down, 1e9, 127, 127);
}

Test(check, a_flat_tolerance_holds_for_integers_too)
{
	struct check_rule rule = integer_rule(1, 1, 1, 0);
	rule.tolerance = (struct tolerance){.kind = TOLERANCE_FLAT, .atol = 1, .rtol = 0};
	accepts(&rule, 5, 4, 6);
}

/* ---- shortest paths ------------------------------------------------------------------- */

/* f32 sums of a path's edges, associated at random: each half is summed apart. */
static float path_sum(const float *edges, size_t count, uint64_t seed, uint64_t *draw)
{
	if (count == 1)
		return edges[0];
	size_t cut = 1 + values_random(seed, 9, (*draw)++).word[0] % (count - 1);
	float first = path_sum(edges, cut, seed, draw);
	return first + path_sum(edges + cut, count - cut, seed, draw);
}

/* What the referee's device knows of a path: its length, and the most edges times it. */
static double path_ratio(const struct check_rule *rule, double out, double length, double edges)
{
	struct check_element element = {
		.out = out, .product = length, .magnitude = edges * fabs(length)};
	return check_one(rule, &element).ratio;
}

static struct check_rule path_rule(void)
{
	const struct problem *problem = problem_find("apsp-f32");
	struct shape shape = {{1, 512, 512, 512, 1}};
	struct test_case test = case_of_shape(problem, &shape, NULL, 1);
	return rule_for(problem, &test);
}

Test(check, every_association_of_a_path_is_right)
{
	enum { EDGES = 500 };
	float edges[EDGES];
	struct check_rule rule = path_rule();
	for (uint64_t seed = 0; seed < 200; seed++) {
		size_t count = 2 + values_random(seed, 8, 0).word[0] % (EDGES - 1);
		double length = 0, worst = 0;
		uint64_t draw = 0;
		for (size_t i = 0; i < count; i++) {
			edges[i] = 0.1f + 10 * (float)(values_random(seed, 8, 1 + i).word[0] >> 8) * 0x1p-24f;
			length += (double)edges[i];
		}
		for (int i = 0; i < 20; i++) {
			float sum = path_sum(edges, count, seed, &draw);
			worst = fmax(worst, path_ratio(&rule, (double)sum, length, (double)count));
		}
		cr_assert(worst <= 1, "%zu edges: %g", count, worst);
		double least = length;
		for (size_t i = 0; i < count; i++)
			least = fmin(least, (double)edges[i]);
		/* one edge too many, or one left out */
		cr_assert(path_ratio(&rule, length + least, length, (double)count) > 1);
		cr_assert(path_ratio(&rule, length - least, length, (double)count) > 1);
	}
}

Test(check, paths_that_are_not_there_are_infinite)
{
	struct check_rule rule = path_rule();
	cr_assert(path_ratio(&rule, INFINITY, INFINITY, 0) == 0);
	cr_assert(isinf(path_ratio(&rule, 3e38, INFINITY, 0)));
	cr_assert(isinf(path_ratio(&rule, -INFINITY, INFINITY, 0)));
	cr_assert(isinf(path_ratio(&rule, NAN, INFINITY, 0)));
	cr_assert(isinf(path_ratio(&rule, INFINITY, 12, 7)));
	cr_assert(path_ratio(&rule, 0, 0, 7) == 0, "the diagonal");
}
