/* Measures what the constants of the error bound have to be, and what they let
 * through. Six tables, by type, kind of values and K:
 *   - the constant c that each honest order needs: the largest
 *     |before rounding - reference| / (sqrt(K) * 2^-24 * (|alpha||A||B| + |beta C|));
 *   - the cut that each honest order needs, of inputs whose type has one: the largest
 *     |before rounding - reference| / (|A B| / 2 + |A||B| / sqrt(K));
 *   - error / bound of the worst element for each honest order: has to stay below 1;
 *   - the same for each fault, in that of the kinds and cases where it shows least:
 *     below 1 the fault would pass that case;
 *   - for each honest order, and for each fault, the root of the mean square of all errors over
 *     what honest sums have at most (README.md, "All errors together").
 * The bound is that of check.h with a reference in f32 where f32
 * holds the products, in f64 elsewhere.
 *
 * usage: calibrate [SIZE [SEEDS [TABLE]]]    M = N = SIZE (32), cases a cell (2); one of six */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "referee/check.h"
#include "referee/orders.h"
#include "referee/reference.h"
#include "testcases/values.h"

static const int depths[] = {16, 64, 256, 1024, 4096};
#define DEPTHS (sizeof depths / sizeof depths[0])

/* Kinds of values whose sums behave alike. */
#define KINDS_MAX 6
#define WIDE_MOST 10 /* or what the type allows of it */
struct group {
	char name[16];
	size_t count;
	struct value_spec specs[KINDS_MAX];
};
static const struct group groups[] = {
	{"both signs",
	 6,
	 {{VALUES_UNIFORM, 1, 0, 0},
	  {VALUES_NORMAL, 1, 0, 0},
	  {VALUES_WIDE, WIDE_MOST, 0, 0},
	  {VALUES_WIDE_LATE, WIDE_MOST, 0, 0},
	  {VALUES_WIDE_ROWS, WIDE_MOST, 0, 0},
	  {VALUES_BLOCKS, 1, 0, 0}}},
	{"positive", 1, {{VALUES_POSITIVE, 1, 0, 0}}},
};

enum table {
	TABLE_CONSTANT,
	TABLE_CUT,
	TABLE_HONEST,
	TABLE_FAULTY,
	TABLE_HONEST_SPREAD,
	TABLE_FAULTY_SPREAD,
	TABLES
};

static bool is_of_faults(enum table table)
{
	return table == TABLE_FAULTY || table == TABLE_FAULTY_SPREAD;
}

struct setup {
	int size, seeds;
	const struct type *inputs, *result;
	const struct problem *problem;
	enum table table;
	float *scratch;
};

static struct test_case make_case(const struct setup *setup, struct value_spec spec, int k,
								  uint64_t seed)
{
	struct shape shape = {{[SIZE_BATCH] = 1,
						   [SIZE_M] = setup->size,
						   [SIZE_N] = setup->size,
						   [SIZE_K] = k,
						   [SIZE_GROUP] = 1}};
	if (spec.scale > 1)
		spec.scale = fminf(spec.scale, setup->inputs->wide_most);
	float ones[SCALARS_MAX];
	for (size_t i = 0; i < SCALARS_MAX; i++)
		ones[i] = 1;
	struct test_case test = case_of_shape(setup->problem, &shape, ones, seed);
	for (size_t i = 0; i < problem_operands(setup->problem); i++)
		test.values[i] = spec;
	return test;
}

/* The largest constant, or cut, that an element of this case needs. */
static double constant_needed(const struct setup *setup, const struct order *order,
							  const struct operands *o, const struct test_case *test)
{
	double alpha = (double)test->scalar[SCALAR_ALPHA], beta = (double)test->scalar[SCALAR_BETA];
	double worst = 0;
	for (size_t i = 0; i < o->m; i++)
		for (size_t j = 0; j < o->n; j++) {
			size_t at = i * o->n + j;
			double want = alpha * o->product[at] + beta * o->c[at];
			double got = order_element(order, o, test, i, j, setup->scratch);
			double magnitude = fabs(alpha) * o->magnitude[at] + fabs(beta * o->c[at]);
			double scale = setup->table == TABLE_CUT
							   ? fabs(want) / 2 + magnitude / sqrt((double)o->k)
							   : sqrt((double)o->k) * 0x1p-24 * magnitude;
			if (scale > 0 && fabs(got - want) / scale > worst)
				worst = fabs(got - want) / scale;
		}
	return worst;
}

/* The largest ratio of error to bound in this case's output, or that of all errors together. */
static double ratio_seen(const struct setup *setup, const struct order *order,
						 const struct operands *o, const struct test_case *test)
{
	struct check_input input = {
		.problem = setup->problem,
		.test = test,
		.product.unit_roundoff =
			reference_request(setup->problem, test, 0).wide ? 0x1p-53 : 0x1p-24,
	};
	struct check_rule rule = check_rule_of(&input);
	const struct number_format *format = &setup->result->format;
	struct check_spread spread = {0};
	double worst = 0;
	for (size_t i = 0; i < o->m; i++)
		for (size_t j = 0; j < o->n; j++) {
			size_t at = i * o->n + j;
			float out = order_element(order, o, test, i, j, setup->scratch);
			struct check_element element = {
				.out = values_to_double(format, values_from_double(format, out)),
				.product = o->product[at],
				.magnitude = o->magnitude[at],
				.rest = o->rest[at],
				.squares = o->squares[at],
				.c = o->c[at],
			};
			struct check_finding finding = check_one(&rule, &element);
			worst = fmax(worst, finding.ratio);
			check_spread_add(&spread, setup->result, &finding);
		}
	return setup->table >= TABLE_HONEST_SPREAD ? check_spread_ratio(&spread) : worst;
}

/* The worst honest case of a cell, or the best hidden faulty one. NAN: no memory. */
static double measure(const struct setup *setup, const struct order *order,
					  const struct group *group, int k)
{
	bool faults = is_of_faults(setup->table);
	double result = faults ? INFINITY : 0;
	for (size_t i = 0; i < group->count; i++)
		for (int seed = 0; seed < setup->seeds; seed++) {
			struct operands o;
			struct test_case test = make_case(setup, group->specs[i], k, 1000u + (unsigned)seed);
			if (!operands_draw(&o, setup->problem, &test))
				return NAN;
			double value = setup->table == TABLE_CONSTANT || setup->table == TABLE_CUT
							   ? constant_needed(setup, order, &o, &test)
							   : ratio_seen(setup, order, &o, &test);
			result = faults ? fmin(result, value) : fmax(result, value);
			operands_free(&o);
		}
	return result;
}

static bool print_rows(const struct setup *setup, const struct group *group)
{
	size_t count;
	const struct order *orders =
		is_of_faults(setup->table) ? orders_faulty(&count) : orders_honest(&count);
	for (size_t i = 0; i < count; i++) {
		if (!order_suits(&orders[i], setup->inputs))
			continue;
		printf("| %s | %s | %s |", setup->inputs->name, group->name, orders[i].name);
		for (size_t d = 0; d < DEPTHS; d++) {
			double value = measure(setup, &orders[i], group, depths[d]);
			if (isnan(value))
				return false;
			bool fixed = !is_of_faults(setup->table) && setup->table != TABLE_CUT;
			printf(fixed ? " %.2f |" : " %.3g |", value);
		}
		printf("\n");
	}
	return fflush(stdout) == 0;
}

static bool print_table(struct setup *setup)
{
	static const char *const titles[] = {"Honest orders: constant needed",
										 "Honest orders: cut needed",
										 "Honest orders: error / bound",
										 "Faults: error / bound",
										 "Honest orders: all errors / what they may be",
										 "Faults: all errors / what they may be"};
	static const char *const problems[] = {"gemm-f16", "gemm-bf16", "sgemm", "gemm-e4m3"};
	printf("\n%s\n\n| type | values | order |", titles[setup->table]);
	for (size_t d = 0; d < DEPTHS; d++)
		printf(" K=%d |", depths[d]);
	printf("\n|---|---|---|---|---|---|---|---|\n");
	for (size_t p = 0; p < sizeof problems / sizeof problems[0]; p++) {
		setup->problem = problem_find(problems[p]);
		setup->inputs = type_of(problem_part(setup->problem, PART_LEFT)->type);
		setup->result = type_of(problem_part(setup->problem, PART_RESULT)->type);
		if (setup->table == TABLE_CUT && setup->inputs->cut == 0)
			continue;
		for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
			if (!print_rows(setup, &groups[g]))
				return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct setup setup = {.size = argc > 1 ? atoi(argv[1]) : 32,
						  .seeds = argc > 2 ? atoi(argv[2]) : 2};
	int only = argc > 3 ? atoi(argv[3]) : 0;
	if (argc > 4 || setup.size < 1 || setup.size > 4096 || setup.seeds < 1 || only < 0 ||
		only > TABLES) {
		fprintf(stderr, "usage: calibrate [SIZE [SEEDS [TABLE]]]\n");
		return 2;
	}
	setup.scratch = malloc(2 * sizeof *setup.scratch * (size_t)depths[DEPTHS - 1]);
	bool good = setup.scratch != NULL;
	for (setup.table = 0; setup.table < TABLES && good; setup.table++)
		good = (only > 0 && (int)setup.table + 1 != only) || print_table(&setup);
	free(setup.scratch);
	if (!good)
		fprintf(stderr, "calibrate: out of memory, or the output cannot be written\n");
	return good ? 0 : 1;
}
