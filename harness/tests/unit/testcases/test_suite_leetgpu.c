/* links: testcases base */
/* The suites leetgpu-* beside a table of LeetGPU's cases, as its challenges publish them (August
 * 2026): sizes, scalars, and the ranges of values. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/paths.h"
#include "testcases/suite.h"

/* One published case, in this program's names: C is m x n, k is summed over. */
struct published {
	int32_t batch, m, n, k, group;
	struct value_spec left, right;
	float scalars[SCALARS_MAX]; /* in the order of the problem's table */
};

#define CASES_MAX 17
static const struct challenge {
	const char *suite, *problem;
	double tolerance;    /* both atol and rtol */
	int32_t most, batch; /* the largest size and batch of the page; 0: it has no batch */
	struct value_spec
		more; /* of scales or of the result, which is read; all zero: there are none */
	struct published cases[CASES_MAX];
} challenges[];

/* Shared by test functions: the bounds of one uniform range, small written-out integers, codes. */
#define PLUS_MINUS(bound)                                                                          \
	{                                                                                              \
		VALUES_UNIFORM, bound, 0, 1                                                                \
	}
#define INTEGERS(bound)                                                                            \
	{                                                                                              \
		VALUES_INTEGER, bound, 0, 1                                                                \
	}
#define ZERO                                                                                       \
	{                                                                                              \
		VALUES_ZERO, 1, 0, 1                                                                       \
	}
#define NORMAL                                                                                     \
	{                                                                                              \
		VALUES_NORMAL, 1, 0, 1                                                                     \
	}
#define CODES                                                                                      \
	{                                                                                              \
		VALUES_CODES, 1, 0, 1                                                                      \
	}
#define GRAPH(low, high, share)                                                                    \
	{                                                                                              \
		VALUES_GRAPH, high - low, low, share                                                       \
	}
#define BOTH(values) values, values

static const struct challenge challenges[] = {
	{"leetgpu-matmul",
	 "matmul-f32",
	 1e-4,
	 8192,
	 0,
	 {0},
	 {{1, 2, 2, 2, 1, BOTH(INTEGERS(8)), {0}},
	  {1, 1, 1, 3, 1, BOTH(INTEGERS(6)), {0}},
	  {1, 3, 3, 3, 1, BOTH(INTEGERS(1)), {0}},
	  {1, 2, 2, 2, 1, BOTH(ZERO), {0}},
	  {1, 2, 1, 3, 1, BOTH(INTEGERS(6)), {0}},
	  {1, 4, 4, 4, 1, BOTH(PLUS_MINUS(10)), {0}},
	  {1, 8, 10, 6, 1, BOTH(PLUS_MINUS(10)), {0}},
	  {1, 16, 20, 12, 1, BOTH(PLUS_MINUS(10)), {0}},
	  {1, 32, 16, 8, 1, BOTH(PLUS_MINUS(10)), {0}},
	  {1, 8, 32, 16, 1, BOTH(PLUS_MINUS(10)), {0}},
	  {1, 1, 1, 1, 1, BOTH(PLUS_MINUS(1)), {0}},
	  {1, 1, 3, 5, 1, BOTH(PLUS_MINUS(1)), {0}},
	  {1, 5, 1, 3, 1, BOTH(PLUS_MINUS(1)), {0}},
	  {1, 8192, 4096, 6144, 1, BOTH(PLUS_MINUS(1)), {0}},
	  {1, 8192, 4096, 6144, 1, BOTH(PLUS_MINUS(10)), {0}}}},
	{"leetgpu-gemm",
	 "gemm-f16",
	 0.05,
	 4096,
	 0,
	 {0},
	 {{1, 16, 16, 16, 1, BOTH(PLUS_MINUS(1)), {1, 0}},
	  {1, 16, 16, 16, 1, BOTH(PLUS_MINUS(0.5)), {1, 1}},
	  {1, 32, 16, 16, 1, BOTH(PLUS_MINUS(1)), {0.5, 0.5}},
	  {1, 16, 32, 16, 1, BOTH(PLUS_MINUS(1)), {1, 1}},
	  {1, 16, 16, 32, 1, BOTH(PLUS_MINUS(1)), {0, 1}},
	  {1, 1024, 1024, 1024, 1, BOTH(PLUS_MINUS(1)), {1, 1}}}},
	{"leetgpu-batched-f32",
	 "batched-f32",
	 1e-5,
	 1024,
	 128,
	 {0},
	 {{2, 2, 2, 3, 1, BOTH(INTEGERS(12)), {0}},
	  {1, 3, 3, 3, 1, BOTH(INTEGERS(2)), {0}},
	  {4, 2, 2, 2, 1, BOTH(PLUS_MINUS(1)), {0}},
	  {8, 4, 3, 2, 1, BOTH(PLUS_MINUS(10)), {0}},
	  {16, 16, 16, 16, 1, BOTH(PLUS_MINUS(1)), {0}},
	  {2, 8, 6, 4, 1, BOTH(PLUS_MINUS(5)), {0}},
	  {32, 256, 256, 256, 1, BOTH(PLUS_MINUS(10)), {0}}}},
	{"leetgpu-batched-f16",
	 "batched-f16",
	 0.05,
	 1024,
	 128,
	 {0},
	 {{2, 2, 2, 3, 1, BOTH(INTEGERS(12)), {0}},
	  {1, 3, 3, 3, 1, BOTH(INTEGERS(2)), {0}},
	  {4, 2, 2, 2, 1, BOTH(PLUS_MINUS(1)), {0}},
	  {8, 4, 3, 2, 1, BOTH(PLUS_MINUS(5)), {0}},
	  {16, 16, 16, 16, 1, BOTH(PLUS_MINUS(1)), {0}},
	  {2, 8, 6, 4, 1, BOTH(PLUS_MINUS(5)), {0}},
	  {32, 256, 256, 256, 1, BOTH(PLUS_MINUS(5)), {0}}}},
	{"leetgpu-s8",
	 "gemm-s8",
	 0,
	 8192,
	 0,
	 {0},
	 {{1, 4, 4, 4, 1, BOTH(CODES), {0.1f, 0.2f, 0.05f, 0, 0, 0}},
	  {1, 2, 3, 5, 1, BOTH(CODES), {0.5f, 0.25f, 0.125f, 1, -2, 3}},
	  {1, 1, 1, 3, 1, BOTH(CODES), {1, 1, 1, 1, 3, 5}},
	  {1, 3, 5, 2, 1, BOTH(INTEGERS(50)), {0.05f, 0.1f, 0.01f, 0, 0, 0}},
	  {1, 32, 32, 16, 1, BOTH(CODES), {0.2f, 0.3f, 0.1f, 0, 0, 0}},
	  {1, 8192, 4096, 2048, 1, BOTH(CODES), {0.1f, 0.1f, 0.01f, 0, 0, 0}}}},
	{"leetgpu-w4",
	 "gemm-w4",
	 0.01,
	 8192,
	 0,
	 {VALUES_POSITIVE, 0.1f, 0.01f, 1},
	 {{1, 1, 2, 4, 2, ZERO, CODES, {0}},
	  {1, 2, 4, 4, 2, NORMAL, CODES, {0}},
	  {1, 3, 5, 8, 4, NORMAL, CODES, {0}},
	  {1, 16, 16, 32, 16, NORMAL, CODES, {0}},
	  {1, 32, 64, 64, 32, NORMAL, CODES, {0}},
	  {1, 64, 128, 128, 64, NORMAL, CODES, {0}},
	  {1, 30, 50, 64, 32, NORMAL, CODES, {0}},
	  {1, 100, 200, 128, 64, NORMAL, CODES, {0}},
	  {1, 255, 100, 128, 64, NORMAL, CODES, {0}},
	  {1, 128, 256, 512, 128, NORMAL, CODES, {0}},
	  {1, 4096, 4096, 4096, 128, NORMAL, CODES, {0}}}},
	{"leetgpu-apsp",
	 "apsp-f32",
	 0.01,
	 4096,
	 0,
	 {0},
	 {{1, 1, 1, 1, 1, GRAPH(0.1f, 10.1f, 0.5f), {0}, {0}},
	  {1, 2, 2, 2, 1, GRAPH(0.1f, 10.1f, 0), {0}, {0}},
	  {1, 2, 2, 2, 1, GRAPH(3, 7, 1), {0}, {0}},
	  {1, 3, 3, 3, 1, GRAPH(2, 3, 0.5f), {0}, {0}},
	  {1, 4, 4, 4, 1, GRAPH(1, 10, 0.5f), {0}, {0}},
	  {1, 4, 4, 4, 1, {VALUES_GRAPH_SIGNED, 10, 0.1f, 0.5f}, {0}, {0}},
	  {1, 16, 16, 16, 1, GRAPH(0.1f, 10.1f, 0.5f), {0}, {0}},
	  {1, 32, 32, 32, 1, GRAPH(0.1f, 10.1f, 0.5f), {0}, {0}},
	  {1, 64, 64, 64, 1, GRAPH(0.1f, 10.1f, 0.5f), {0}, {0}},
	  {1, 128, 128, 128, 1, GRAPH(0.1f, 10.1f, 0.5f), {0}, {0}},
	  {1, 30, 30, 30, 1, GRAPH(0.1f, 10.1f, 0.4f), {0}, {0}},
	  {1, 100, 100, 100, 1, GRAPH(0.1f, 10.1f, 0.4f), {0}, {0}},
	  {1, 255, 255, 255, 1, GRAPH(0.1f, 10.1f, 0.4f), {0}, {0}},
	  {1, 512, 512, 512, 1, GRAPH(0.1f, 10.1f, 0.3f), {0}, {0}},
	  {1, 8, 8, 8, 1, ZERO, {0}, {0}},
	  {1, 2048, 2048, 2048, 1, GRAPH(0.1f, 10.1f, 0.3f), {0}, {0}}}},
};
#define CHALLENGES (sizeof challenges / sizeof *challenges)

static bool is_near(float a, float b)
{
	return a - b < 1e-5f && b - a < 1e-5f;
}

static bool same_values(const struct value_spec *own, const struct value_spec *published)
{
	bool graph = own->distribution == VALUES_GRAPH || own->distribution == VALUES_GRAPH_SIGNED;
	return own->distribution == published->distribution && is_near(own->scale, published->scale) &&
		   is_near(own->low, published->low) && (!graph || is_near(own->share, published->share));
}

static void load(const struct challenge *challenge, struct suite *out)
{
	char source[PATHS_MAX], folder[PATHS_MAX];
	struct error err;
	cr_assert(paths_source(source, &err), "%s", err.message);
	cr_assert(paths_join(folder, source, "testcases/suites", &err));
	cr_assert(
		suite_load(challenge->suite, folder, problem_find(challenge->problem), 1, 0, out, &err),
		"%s", err.message);
}

static void expect_values(const struct problem *problem, const struct test_case *own,
						  const struct published *published, const struct value_spec *more)
{
	size_t left = problem_part_index(problem, PART_LEFT);
	cr_expect(same_values(&own->values[left], &published->left), "%s: the left operand", own->name);
	if (problem_part(problem, PART_RIGHT) != NULL)
		cr_expect(
			same_values(&own->values[problem_part_index(problem, PART_RIGHT)], &published->right),
			"%s: the right operand", own->name);
	if (problem_part(problem, PART_RIGHT_SCALES) != NULL)
		cr_expect(same_values(&own->values[problem_part_index(problem, PART_RIGHT_SCALES)], more),
				  "%s: the scales", own->name);
	/* C has the range of A and B, or is not read */
	if (own->scalar[SCALAR_BETA] != 0.0f)
		cr_expect(
			same_values(&own->values[problem_part_index(problem, PART_RESULT)], &published->left),
			"%s: the result", own->name);
}

Test(suite_leetgpu, has_the_published_cases)
{
	for (size_t i = 0; i < CHALLENGES; i++) {
		const struct challenge *challenge = &challenges[i];
		const struct problem *problem = problem_find(challenge->problem);
		struct suite suite;
		size_t count = 0;
		while (count < CASES_MAX && challenge->cases[count].m > 0)
			count++;
		load(challenge, &suite);
		cr_assert(suite.count == count, "%s has %zu cases, %zu are published", challenge->suite,
				  suite.count, count);
		for (size_t c = 0; c < count; c++) {
			const struct test_case *own = &suite.cases[c];
			const struct published *published = &challenge->cases[c];
			const int32_t sizes[] = {[SIZE_BATCH] = published->batch,
									 [SIZE_M] = published->m,
									 [SIZE_N] = published->n,
									 [SIZE_K] = published->k,
									 [SIZE_GROUP] = published->group};
			cr_expect(memcmp(own->shape.size, sizes, sizeof sizes) == 0, "%s %s", challenge->suite,
					  own->name);
			for (size_t s = 0; s < problem_scalars(problem); s++)
				cr_expect(own->scalar[problem->scalars[s].is] == published->scalars[s], "%s %s",
						  challenge->suite, own->name);
			expect_values(problem, own, published, &challenge->more);
		}
		suite_free(&suite);
	}
}

/* What the page allows: the limits of generated cases are inside it and reach as far, but for the
 * sums of matmul-f32, which generated cases keep to 4096; the timed case is the page's. */
Test(suite_leetgpu, problems_have_the_pages_limits_and_tolerances)
{
	for (size_t i = 0; i < CHALLENGES; i++) {
		const struct challenge *challenge = &challenges[i];
		const struct problem *problem = problem_find(challenge->problem);
		const struct problem_size *batch = problem_size_of(problem, SIZE_BATCH);
		int32_t most = strcmp(problem->name, "matmul-f32") == 0 ? 4096 : challenge->most;
		cr_expect(case_largest(problem) == most, "%s", problem->name);
		cr_expect((batch != NULL ? batch->max : 0) == challenge->batch, "%s", problem->name);
		cr_expect(problem->leetgpu_atol == challenge->tolerance &&
					  problem->leetgpu_rtol == challenge->tolerance,
				  "%s", problem->name);
	}
}

/* gemm-w4's groups are powers of two from 2 to 128. */
Test(suite_leetgpu, groups_are_the_pages)
{
	const struct problem *problem = problem_find("gemm-w4");
	bool seen[8] = {false};
	for (uint64_t seed = 0; seed < 8; seed++)
		for (size_t index = 0; index < 48; index++) {
			struct test_case test = case_generate(problem, seed, index, CASE_SIZES_MIXED, 8192, 1);
			int group = test.shape.size[SIZE_GROUP], order = __builtin_ctz((unsigned)group);
			cr_assert(group == 1 << order && group >= 2 && group <= 128, "%d", group);
			cr_assert(test.shape.size[SIZE_K] % group == 0);
			seen[order] = true;
		}
	for (int order = 1; order < 8; order++)
		cr_expect(seen[order], "no group of %d", 1 << order);
}
