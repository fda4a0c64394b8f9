/* A case whose product goes through a chain, and a kernel of the test's own that computes it. */
#ifndef STAGES_FIXTURE_H
#define STAGES_FIXTURE_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "process/buffers.h"
#include "referee/check.h"
#include "referee/reduced.h"
#include "testcases/values.h"

#define M 21
#define N 37
#define K 96

static const char *const problem_names[] = {"gemm-f16", "gemm-bf16", "sgemm"};

/* A case with its product, and what a kernel makes of it. */
struct trial {
	struct chain chain;
	struct chain_files files;
	const struct problem *problem;
	struct test_case test;
	double product[M * N];
	float magnitude[M * N], sums[M * N];
	uint8_t out[M * N * 4], saved[M * N * 4];
	struct carried carried[M * N];
	struct reduced reduced[M * N];
};

enum { LEFT, RIGHT, RESULT }; /* operands of the problems above */

static inline const struct type *result_type(const struct trial *trial)
{
	return type_of(problem_part(trial->problem, PART_RESULT)->type);
}

/* Element i of a buffer of the case before the call. */
static inline double draw(const struct trial *trial, uint32_t buffer, uint64_t i)
{
	struct buffers buffers;
	buffers_of_case(trial->problem, &trial->test, &trial->chain, &buffers);
	struct values values = buffer_values(&buffers.at[buffer], trial->test.seed);
	return values_number_at(&values, i);
}

/* Element i of a buffer of the chain before the call. */
static inline double draw_extra(const struct trial *trial, uint32_t buffer, uint64_t i)
{
	return draw(trial, (uint32_t)problem_operands(trial->problem) + buffer, i);
}

static inline void begin(struct trial *trial, const char *problem, const char *text, float alpha,
						 float beta)
{
	char source[PATHS_MAX], folder[PATHS_MAX];
	struct error err = {{0}};
	cr_assert(paths_source(source, &err) && paths_join(folder, source, "epilogues", &err));
	cr_assert(chain_parse(text, folder, &trial->chain, &trial->files, &err), "%s", err.message);
	trial->problem = problem_find(problem);
	const float scalars[SCALARS_MAX] = {alpha, beta};
	trial->test = case_of_shape(trial->problem, &(struct shape){{1, M, N, K, 1}}, scalars, 77);
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0, magnitude = 0;
			float kept = 0;
			for (int k = 0; k < K; k++) {
				double a = draw(trial, LEFT, (uint64_t)(i * K + k));
				double b = draw(trial, RIGHT, (uint64_t)(k * N + j));
				sum += a * b;
				magnitude += fabs(a * b);
				kept += (float)a * (float)b;
			}
			trial->product[i * N + j] = sum;
			trial->magnitude[i * N + j] = (float)magnitude;
			trial->sums[i * N + j] = kept;
		}
}

static inline void store(const struct trial *trial, uint8_t *to, int i, float x)
{
	const struct number_format *format = &result_type(trial)->format;
	values_store(format, to, (uint64_t)i, values_from_double(format, x));
}

/* What a kernel computes: the sum at (i, j) in, the output out. */
typedef float kernel(struct trial *trial, float x, int i, int j);

static inline struct check_summary check(struct trial *trial, kernel *compute)
{
	for (int i = 0; i < M * N; i++)
		store(trial, trial->out, i, compute(trial, trial->sums[i], i / N, i % N));
	struct check_input input = {
		.problem = trial->problem,
		.test = &trial->test,
		.seed = trial->test.seed,
		.out = trial->out,
		.product = {.product_f64 = trial->product,
					.magnitude = trial->magnitude,
					.unit_roundoff = 0x1p-53},
		.threads = 2,
		.chain = &trial->chain,
		.to = trial->chain.count,
	};
	memset(trial->reduced, 0, sizeof trial->reduced);
	for (uint32_t i = 0; i < trial->chain.buffers; i++) {
		input.written[i] = trial->saved;
		input.reduced[i] = trial->reduced;
	}
	struct check_summary reply = {0};
	check_outputs(&input, &reply);
	cr_assert_eq(reply.elements, M * N);
	return reply;
}

static inline float logistic(float x)
{
	return 1.0f / (1.0f + expf(-x));
}

static inline float silu_alone(struct trial *trial, float x, int i, int j)
{
	(void)trial, (void)i, (void)j;
	return x * logistic(x);
}

#endif
