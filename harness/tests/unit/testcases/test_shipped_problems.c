/* links: testcases base */
/* The problems of testcases/problems: what follows from their shapes, and what is drawn. */
#include "case_fixture.h"

#include "testcases/derive.h"
#include "testcases/draw.h"
#include "testcases/problem_file.h"

static const char *const names[] = {
	"attention",
	"causal-attention",
	"conv1d",
	"conv2d",
	"conv3d",
	"dot-f16",
	"dot-f32",
	"lora",
	"grouped-query-attention",
	"matrix-power",
	"linear-attention",
	"spmm",
	"spmv",
	"swiglu",
};
#define NAMES (sizeof names / sizeof *names)
#define CASES 200
#define MAX_DIM 192

static const struct problem *shipped(size_t index)
{
	const struct problem *problem = problem_find(names[index]);
	cr_assert_not_null(problem, "%s", names[index]);
	return problem;
}

Test(shipped_problems, are_all_that_there_are)
{
	size_t count, files = 0;
	const struct problem *table = problem_table(&count);
	for (size_t i = 0; i < count; i++)
		files += table[i].file != NULL;
	cr_expect_eq(files, NAMES);
	for (size_t i = 0; i < NAMES; i++)
		cr_expect_not_null(shipped(i)->file);
}

/* ---- what follows from a shape ----------------------------------------------------------- */

/* M N K of the large case, by hand: rows and columns of the output (a vector is one row), and
 * `work` over its elements, rounded up. */
static const struct {
	const char *name;
	int m, n, k;
} derived[] = {
	{"attention", 512, 128, 2 * 256},              /* two products over N */
	{"causal-attention", 5000, 128, 5000},         /* half of two products over M */
	{"conv1d", 1, 1497954, 2050},                  /* 3070500000 / 1497954 = 2049.8 */
	{"conv2d", 3058, 3058, 228},                   /* 3072^2 15^2 / 3058^2 = 227.06 */
	{"conv3d", 252 * 124, 124, 136},               /* 256 128^2 5^3 / 252 / 124^2 = 135.3 */
	{"dot-f16", 1, 1, 100000000},                  /* one element, N terms */
	{"dot-f32", 1, 1, 100000000},                  /* one element, N terms */
	{"grouped-query-attention", 32768, 128, 2048}, /* 32 heads of 1024 rows */
	{"linear-attention", 10000, 128, 2 * 128},     /* K^T V, and Q times that */
	{"lora", 256, 4096, 4096 + 64},                /* x W^T and x A^T share d_in */
	{"matrix-power", 512, 512, 3 * 512},           /* P products */
	{"spmm", 4096, 512, 2048},                     /* K is the problem's N */
	{"spmv", 1, 1000, 10000},                      /* N terms, zeros too */
	{"swiglu", 512, 4096, 3 * 14336},              /* three products */
};

Test(shipped_problems, large_cases_have_sizes_worked_out_by_hand)
{
	for (size_t i = 0; i < sizeof derived / sizeof *derived; i++) {
		const struct problem *problem = problem_find(derived[i].name);
		struct shape shape = {{0}};
		for (int s = SIZE_NAMED; s < SIZE_COUNT; s++)
			shape.size[s] = problem->large.size[s];
		shape_derive(problem, &shape);
		cr_expect_eq(shape.size[SIZE_BATCH], 1);
		cr_expect_eq(shape.size[SIZE_GROUP], 1);
		cr_expect_eq(shape.size[SIZE_M], derived[i].m, "%s: M %d", problem->name,
					 shape.size[SIZE_M]);
		cr_expect_eq(shape.size[SIZE_N], derived[i].n, "%s: N %d", problem->name,
					 shape.size[SIZE_N]);
		cr_expect_eq(shape.size[SIZE_K], derived[i].k, "%s: K %d", problem->name,
					 shape.size[SIZE_K]);
		cr_expect_arr_eq(&shape, &problem->large, sizeof shape, "%s", problem->name);
	}
}

/* ---- sizes that are drawn ------------------------------------------------------------------- */

static const struct size_rules *rules_of(const struct problem *problem, size_t size)
{
	return &problem->rules->sizes[size];
}

static void check_limits(const struct problem *problem, const struct test_case *test)
{
	int most = limits_most(problem, MAX_DIM);
	for (size_t i = 0; problem->sizes[i].name != NULL; i++) {
		const struct problem_size *row = &problem->sizes[i];
		int size = test->shape.size[SIZE_NAMED + i];
		bool extent = !rules_of(problem, i)->uniform && rules_of(problem, i)->nonzeros_of < 0;
		cr_assert(size >= row->min && size <= row->max, "%s: %s %d", problem->name, row->name,
				  size);
		cr_assert(!extent || size <= most || size == row->min, "%s: %s %d", problem->name,
				  row->name, size);
	}
}

Test(shipped_problems, drawn_sizes_hold_and_keep_to_the_work_of_a_run)
{
	for (size_t p = 0; p < NAMES; p++)
		for (size_t i = 0; i < 2 * CASES; i++) {
			enum case_sizes kind = i % 2 == 0 ? CASE_SIZES_MIXED : CASE_SIZES_UNIFORM;
			const struct problem *problem = shipped(p);
			struct test_case test = case_generate(problem, 5, i / 2, kind, MAX_DIM, 1);
			struct error err;
			cr_assert(shape_holds(problem, &test.shape, &err), "%s", err.message);
			cr_assert(case_holds(problem, &test, &err), "%s", err.message);
			check_limits(problem, &test);
			cr_assert(shape_terms(&test.shape) <= (double)MAX_DIM * MAX_DIM * MAX_DIM,
					  "%s %s: %g terms", problem->name, test.name, shape_terms(&test.shape));
			struct shape derived_again = test.shape;
			shape_derive(problem, &derived_again);
			cr_assert_arr_eq(&derived_again, &test.shape, sizeof derived_again);
		}
}

/* No two sizes are the same, so that two that are exchanged show. */
static bool differs_in_every_size(const struct problem *problem, const struct test_case *test)
{
	const int32_t *size = &test->shape.size[SIZE_NAMED];
	for (size_t i = 0; problem->sizes[i].name != NULL; i++)
		for (size_t j = 0; j < i; j++)
			if (size[i] == size[j])
				return false;
	return true;
}

Test(shipped_problems, every_run_has_a_case_whose_sizes_all_differ)
{
	for (size_t p = 0; p < NAMES; p++)
		for (uint64_t seed = 1; seed <= 40; seed++) {
			size_t differ = 0;
			for (size_t i = 0; i < 24; i++) {
				struct test_case test =
					case_generate(shipped(p), seed, i, CASE_SIZES_MIXED, MAX_DIM, 1);
				differ += differs_in_every_size(shipped(p), &test);
			}
			cr_expect(differ > 0, "%s with seed %d", names[p], (int)seed);
		}
}

/* Where a group has one head, or all heads share one, most mistakes about groups do nothing. */
Test(shipped_problems, query_heads_share_key_heads)
{
	const struct problem *problem = problem_find("grouped-query-attention");
	for (uint64_t seed = 1; seed <= 40; seed++) {
		size_t shared = 0, groups = 0;
		for (size_t i = 0; i < 24; i++) {
			struct test_case test = case_generate(problem, seed, i, CASE_SIZES_MIXED, MAX_DIM, 1);
			int heads = test.shape.size[SIZE_NAMED], key_heads = test.shape.size[SIZE_NAMED + 1];
			cr_assert_eq(heads % key_heads, 0);
			shared += heads > key_heads;
			groups += heads > key_heads && key_heads > 1;
		}
		cr_expect(shared >= 4, "seed %d: %zu", (int)seed, shared);
		cr_expect(groups >= 1, "seed %d: %zu", (int)seed, groups);
	}
}

Test(shipped_problems, powers_are_of_every_kind)
{
	const struct problem *problem = problem_find("matrix-power");
	size_t found[21] = {0};
	for (size_t i = 0; i < CASES; i++)
		found[case_generate(problem, 5, i, CASE_SIZES_MIXED, MAX_DIM, 1)
				  .shape.size[SIZE_NAMED + 1]]++;
	for (int p = 1; p <= 20; p++)
		cr_expect(found[p] > 0, "P = %d is never drawn", p);
}

/* ---- values --------------------------------------------------------------------------------- */

static uint64_t count_not_zero(const struct problem *problem, const struct test_case *test,
							   uint64_t seed, uint64_t *places)
{
	struct values values = values_of_operand(problem, test, seed, 0);
	uint64_t count = 0;
	*places = 0;
	for (uint64_t i = 0; i < values.elements; i++)
		if (values_number_at(&values, i) != 0) {
			*places = *places * 31 + i;
			count++;
		}
	return count;
}

Test(shipped_problems, nonzeros_are_counted_and_lie_where_no_seed_moves_them)
{
	static const char *const sparse[] = {"spmm", "spmv"};
	for (size_t p = 0; p < 2; p++) {
		const struct problem *problem = problem_find(sparse[p]);
		size_t counted = problem_sizes(problem) - 1;
		for (size_t i = 0; i < 40; i++) {
			struct test_case test = case_generate(problem, 9, i, CASE_SIZES_MIXED, MAX_DIM, 1);
			uint64_t nnz = (uint64_t)test.shape.size[SIZE_NAMED + counted], first, other;
			cr_assert_eq(count_not_zero(problem, &test, test.seed, &first), nnz, "%s %s", sparse[p],
						 test.name);
			cr_assert_eq(count_not_zero(problem, &test, test.seed + 77, &other), nnz);
			cr_assert_eq(first, other);
		}
		double share = (double)problem->large.size[SIZE_NAMED + counted] /
					   (double)operand_elements(&problem->operands[0], &problem->large);
		cr_expect(fabs(share - 0.35) < 0.002, "%s: %g", sparse[p], share);
	}
}

/* Weights are divided by the root of what is summed, so that powers and layers stay near 1. */
Test(shipped_problems, weights_are_scaled)
{
	static const struct {
		const char *problem;
		int operand, size;
	} scaled[] = {{"matrix-power", 0, 0}, {"swiglu", 1, 1}, {"swiglu", 2, 1}};
	for (size_t s = 0; s < sizeof scaled / sizeof *scaled; s++)
		for (size_t i = 0; i < CASES; i++) {
			const struct problem *problem = problem_find(scaled[s].problem);
			struct test_case test = case_generate(problem, 6, i, CASE_SIZES_MIXED, MAX_DIM, 1);
			const struct value_spec *spec = &test.values[scaled[s].operand];
			float root = sqrtf((float)test.shape.size[SIZE_NAMED + scaled[s].size]);
			cr_assert(spec->scale * root <= 1.0001f * type_of(DTYPE_F32)->uniform_most, "%s %s: %g",
					  problem->name, test.name, (double)(spec->scale * root));
		}
}
