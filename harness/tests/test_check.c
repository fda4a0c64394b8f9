/* links: referee_core referee_orders testcases base */
/* The bound: every honest order of summing passes, every fault fails. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "referee/check.h"
#include "referee/orders.h"
#include "testcases/values.h"

static const char *const problem_names[] = {"gemm-f16", "gemm-bf16", "sgemm"};

static struct check_rule rule_for(const struct problem *problem, const struct test_case *test)
{
	struct check_input input = {
		.type = problem->dtype,
		.test = test,
		.product.unit_roundoff = 0x1p-53,
	};
	return check_rule_of(&input);
}

static double rounded(enum dtype type, double x)
{
	return values_to_double(type, values_from_double(type, x));
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
				.out = rounded(problem->dtype, out),
				.product = o->product[i * o->n + j],
				.magnitude = o->magnitude[i * o->n + j],
				.c = o->c[i * o->n + j],
			};
			double ratio = check_one(&rule, &element).ratio;
			worst = ratio > worst ? ratio : worst;
		}
	return worst;
}

/* A generated case of the problem, its M and N cut to something small. */
static struct test_case small_case(const struct problem *problem, size_t index)
{
	struct test_case test = case_generate(problem, 20, index, CASE_SIZES_MIXED, 600, 1);
	test.shape.m = test.shape.m < 24 ? test.shape.m : 24;
	test.shape.n = test.shape.n < 24 ? test.shape.n : 24;
	return test;
}

Test(check, honest_orders_pass_generated_cases)
{
	size_t count;
	const struct order *orders = orders_honest(&count);
	float scratch[2 * 600];
	for (size_t p = 0; p < 3; p++) {
		const struct problem *problem = problem_find(problem_names[p]);
		for (size_t index = 0; index < 24; index++) {
			struct test_case test = small_case(problem, index);
			struct operands o;
			cr_assert(operands_draw(&o, &test, problem->dtype));
			for (size_t i = 0; i < count; i++) {
				if (!order_suits(&orders[i], problem->dtype))
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

Test(check, faults_fail_most_generated_cases)
{
	size_t count;
	const struct order *orders = orders_faulty(&count);
	float scratch[2 * 600];
	for (size_t p = 0; p < 3; p++) {
		const struct problem *problem = problem_find(problem_names[p]);
		for (size_t i = 0; i < count; i++) {
			size_t failed = 0, tried = 0;
			for (size_t index = 0; index < 24 && order_suits(&orders[i], problem->dtype); index++) {
				struct test_case test = small_case(problem, index);
				struct operands o;
				/* Small integers survive narrowing, alpha = 0 hides the product, and
				 * beta = 0 hides C: not cases for that fault. */
				if (orders[i].without_c ? test.beta == 0 : test.alpha == 0 || test.exact)
					continue;
				cr_assert(operands_draw(&o, &test, problem->dtype));
				failed += worst_ratio(problem, &test, &orders[i], &o, scratch) > 1;
				tried++;
				operands_free(&o);
			}
			cr_assert(failed * 10 >= tried * 8, "%s %s: %zu of %zu cases show it", problem->name,
					  orders[i].name, failed, tried);
		}
	}
}

static double ratio_with(enum dtype type, const struct test_case *test, struct tolerance tolerance,
						 struct check_element element)
{
	struct check_input input = {
		.type = type, .test = test, .tolerance = tolerance, .product.unit_roundoff = 0x1p-53};
	struct check_rule rule = check_rule_of(&input);
	return check_one(&rule, &element).ratio;
}

static double ratio_of(enum dtype type, double out, double product, double magnitude)
{
	struct test_case test = {.alpha = 1, .shape = {16, 16, 16}};
	return ratio_with(
		type, &test, (struct tolerance){.kind = TOLERANCE_BOUND},
		(struct check_element){.out = out, .product = product, .magnitude = magnitude});
}

Test(check, nan_never_passes_for_a_number)
{
	struct test_case test = {.alpha = 1, .shape = {16, 16, 16}};
	struct tolerance flat = {TOLERANCE_FLAT, 1e30, 1e30};
	cr_assert(isinf(ratio_of(DTYPE_F16, NAN, 1, 1)));
	cr_assert(isinf(ratio_of(DTYPE_F32, NAN, 0, 0)));
	cr_assert(isinf(ratio_with(DTYPE_F16, &test, flat, (struct check_element){NAN, 1, 1, 0})));
	test.exact = true;
	cr_assert(isinf(ratio_with(DTYPE_F16, &test, flat, (struct check_element){NAN, 1, 1, 0})));
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
	struct test_case test = {.alpha = 1, .shape = {16, 16, 64}, .exact = true};
	struct tolerance bound = {.kind = TOLERANCE_BOUND};
	cr_assert(ratio_with(DTYPE_F16, &test, bound, (struct check_element){-0.0, 0, 10, 0}) == 0);
	cr_assert(ratio_with(DTYPE_F16, &test, bound, (struct check_element){5, 5, 10, 0}) == 0);
	cr_assert(isinf(ratio_with(DTYPE_F16, &test, bound, (struct check_element){6, 5, 10, 0})));
	/* 2049 is no f16: its neighbours within the bound pass */
	cr_assert(ratio_with(DTYPE_F16, &test, bound, (struct check_element){2048, 2049, 2049, 0}) <=
			  1);
	cr_assert(ratio_with(DTYPE_F16, &test, bound, (struct check_element){2052, 2049, 2049, 0}) > 1);
}

Test(check, subnormal_results_keep_their_last_bit_of_slack)
{
	cr_assert(ratio_of(DTYPE_F16, 0x1p-24, 0x1.8p-25, 0x1.8p-25) <= 1);
	cr_assert(ratio_of(DTYPE_F16, 0x1.8p-23, 0x1p-24, 0x1p-24) > 1);
}

Test(check, beta_zero_never_looks_at_c)
{
	struct test_case test = {.alpha = 1, .beta = 0, .shape = {16, 16, 16}};
	struct tolerance bound = {.kind = TOLERANCE_BOUND};
	cr_assert(ratio_with(DTYPE_F32, &test, bound, (struct check_element){2, 2, 2, NAN}) == 0);
	test.beta = 1;
	cr_assert(isinf(ratio_with(DTYPE_F32, &test, bound, (struct check_element){2, 2, 2, NAN})));
}

Test(check, many_elements_are_shared_out_and_reported_in_order)
{
	struct test_case test = {.alpha = 1, .shape = {1000, 700, 16}};
	size_t count = 700000;
	float *out = calloc(count, sizeof *out), *magnitude = calloc(count, sizeof *magnitude);
	double *product = calloc(count, sizeof *product);
	cr_assert(out != NULL && magnitude != NULL && product != NULL);
	struct check_input input = {
		.type = DTYPE_F32,
		.test = &test,
		.poisoned = true,
		.out = out,
		.product = {.product_f64 = product, .magnitude = magnitude, .unit_roundoff = 0x1p-53},
		.threads = 5,
	};
	struct referee_check_reply reply = {0};
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
