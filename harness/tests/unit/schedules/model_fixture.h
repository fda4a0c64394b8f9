/* GPUs and cases for tests of what predicts times, and a measured time to come near to. */
#ifndef GEMMJUDGE_TESTS_MODEL_FIXTURE_H
#define GEMMJUDGE_TESTS_MODEL_FIXTURE_H

#include <criterion/criterion.h>

#include "schedules/gpu.h"
#include "testcases/case.h"

static inline struct tune_gpu gpu_named(const char *id)
{
	struct tune_gpu gpu;
	struct error err;
	cr_assert(gpu_find(id, &gpu, &err), "%s", err.message);
	return gpu;
}

static inline struct test_case case_of(const char *problem, int m, int n, int k)
{
	struct shape shape = {.size = {1, m, n, k, 1}};
	const float scalars[SCALARS_MAX] = {1, 0};
	return case_of_shape(problem_find(problem), &shape, scalars, 0);
}

static inline void expect_within(double seconds, double measured_us, double factor)
{
	double us = seconds * 1e6;
	cr_assert(us < measured_us * factor && us > measured_us / factor, "%g us, measured %g", us,
			  measured_us);
}

#endif
