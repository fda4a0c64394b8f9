/* A case whose result is spoiled by a function, as plain loops over what the operands hold, and
 * what the referee makes of it: for tests of explain.h. */
#ifndef GEMMJUDGE_TESTS_EXPLAIN_FIXTURE_H
#define GEMMJUDGE_TESTS_EXPLAIN_FIXTURE_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "referee/diagnosis.h"
#include "referee/reference.h"

/* A case, its operands as numbers in the order in which they are stored, and a result to spoil. */
struct play {
	const struct problem *problem;
	struct test_case test;
	const struct referee_device *device;
	void *state;
	double *left, *right;
	struct values before;
	uint8_t *out;
	int m, n, k, batch;
};

static inline double *numbers(const struct device_matrix *matrix)
{
	double *out = malloc(matrix->values.elements * sizeof *out);
	for (uint64_t i = 0; i < matrix->values.elements; i++)
		out[i] = device_matrix_number(matrix, i, values_at(&matrix->values, i));
	return out;
}

static inline struct play play_of(const char *name, struct shape shape, float alpha, float beta)
{
	struct play play = {.problem = problem_find(name), .device = referee_device_emulated()};
	struct device_properties facts;
	struct error err;
	float seconds[PART_COUNT];
	cr_assert(play.device->open(NULL, &play.state, &facts, seconds, &err), "%s", err.message);
	play.test = case_of_shape(play.problem, &shape, NULL, 7);
	play.test.scalar[SCALAR_ALPHA] = alpha;
	play.test.scalar[SCALAR_BETA] = beta;
	size_t result = problem_part_index(play.problem, PART_RESULT);
	play.test.values[result] = case_plain_values(play.problem, result, &play.test);
	struct device_request request = reference_request(play.problem, &play.test, play.test.seed);
	play.left = numbers(&request.left);
	play.right = numbers(&request.right);
	play.before = values_of_operand(play.problem, &play.test, play.test.seed, result);
	play.out = calloc(play.before.elements, 8);
	play.batch = shape.size[SIZE_BATCH];
	play.m = shape.size[SIZE_M];
	play.n = shape.size[SIZE_N];
	play.k = shape.size[SIZE_K];
	return play;
}

static inline void play_end(struct play *play)
{
	play->device->close(play->state);
	free(play->left);
	free(play->right);
	free(play->out);
}

static inline void store(struct play *play, uint64_t at, double x)
{
	const struct number_format *format = &play->before.format;
	values_store(format, play->out, at, values_from_double(format, x));
}

/* As the problem has it, k from `from` to `to`. */
static inline double product(const struct play *play, int b, int i, int j, int from, int to)
{
	const struct operand *right = problem_part(play->problem, PART_RIGHT);
	double sum = 0;
	for (int k = from; k < to; k++) {
		int at = right->transposed ? j * play->k + k : k * play->n + j;
		sum +=
			play->left[(b * play->m + i) * play->k + k] * play->right[b * play->k * play->n + at];
	}
	return sum;
}

/* What is added where beta is not 0. */
static inline double before(const struct play *play, uint64_t at)
{
	return play->test.scalar[SCALAR_BETA] == 0.0f ? 0 : values_number_at(&play->before, at);
}

typedef double faulty(const struct play *play, int b, int i, int j, double c);

/* The whole result by this function. */
static inline void fill(struct play *play, faulty *compute)
{
	uint64_t at = 0;
	for (int b = 0; b < play->batch; b++)
		for (int i = 0; i < play->m; i++)
			for (int j = 0; j < play->n; j++, at++)
				store(play, at, compute(play, b, i, j, before(play, at)));
}

static inline struct wrong_pattern explained(struct play *play)
{
	static struct wrong_pattern facts;
	struct error err;
	struct check_input input = {.problem = play->problem,
								.test = &play->test,
								.seed = play->test.seed,
								.out = play->out,
								.threads = 2};
	struct device_request request = reference_request(play->problem, &play->test, play->test.seed);
	cr_assert(play->device->product(play->state, &request, &input.product, &err), "%s",
			  err.message);
	diagnosis_result(&input, &facts);
	return facts;
}

static inline double alpha_of(const struct play *play)
{
	return (double)play->test.scalar[SCALAR_ALPHA];
}

static inline double beta_of(const struct play *play)
{
	return (double)play->test.scalar[SCALAR_BETA];
}

static inline double through(enum dtype type, double x)
{
	const struct number_format *format = &type_of(type)->format;
	return values_to_double(format, values_from_double(format, x));
}

static inline double no_last(const struct play *play, int b, int i, int j, double c)
{
	return alpha_of(play) * product(play, b, i, j, 0, play->k - 1) + beta_of(play) * c;
}

#endif
