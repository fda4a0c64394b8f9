/* What test_case.c and test_case_values.c begin with. */
#ifndef GEMMJUDGE_TESTS_CASE_FIXTURE_H
#define GEMMJUDGE_TESTS_CASE_FIXTURE_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testcases/case.h"
#include "testcases/values.h"

static inline const struct problem *problem_at(size_t index)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	return index < count ? &table[index] : NULL;
}

/* Its sizes are M, N and K; test_shipped_problems.c has the others. */
static inline bool is_row(const struct problem *problem)
{
	return problem->file == NULL;
}

static inline bool same_spec(struct value_spec a, struct value_spec b)
{
	return a.distribution == b.distribution && a.scale == b.scale && a.low == b.low &&
		   a.share == b.share;
}

static inline int size_of(const struct test_case *test, enum size size)
{
	return test->shape.size[size];
}

static inline struct shape product(int m, int n, int k)
{
	return (struct shape){{1, m, n, k, 1}};
}

/* M, N and K. */
static const enum size dimensions[] = {SIZE_M, SIZE_N, SIZE_K};

#endif
