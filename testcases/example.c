#include "testcases/example.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "testcases/values.h"

#define SEED 5 /* any; with this one a shortest path has three edges */

/* ---- the case ---------------------------------------------------------------------------- */

static struct shape shape_of(const struct problem *problem)
{
	static const int32_t small[SIZE_COUNT] = {
		[SIZE_BATCH] = 2, [SIZE_M] = 2, [SIZE_N] = 3, [SIZE_K] = 4, [SIZE_GROUP] = 2};
	struct shape shape = SHAPE_OF_ONES;
	for (const struct problem_size *size = problem->sizes; size->name != NULL; size++) {
		int32_t most = 1;
		for (int i = 0; i < SIZE_COUNT; i++)
			if ((size->is & 1u << i) != 0 && small[i] > most)
				most = small[i];
		for (int i = 0; i < SIZE_COUNT; i++)
			if ((size->is & 1u << i) != 0)
				shape.size[i] = most;
	}
	return shape;
}

static float scalar_of(enum scalar scalar)
{
	static const float chosen[SCALAR_COUNT] = {
		[SCALAR_ALPHA] = 2,
		[SCALAR_BETA] = -1,
		[SCALAR_SCALE_LEFT] = 0.5f,
		[SCALAR_SCALE_RIGHT] = 2,
		[SCALAR_SCALE_RESULT] = 0.75f,
		[SCALAR_ZERO_LEFT] = 1,
		[SCALAR_ZERO_RIGHT] = -2,
		[SCALAR_ZERO_RESULT] = 3,
	};
	return chosen[scalar];
}

/* Small numbers of which every step is exact. */
static void values_choose(const struct problem *problem, struct test_case *test)
{
	if (case_make_exact(problem, test))
		return;
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		if (problem->operands[i].draw == DRAW_GRAPH)
			test->values[i] = (struct value_spec){VALUES_GRAPH_INTEGER, 9, 0, 0.5f};
		else if (problem->operands[i].draw == DRAW_CODES)
			test->values[i] = (struct value_spec){VALUES_INTEGER, 5, 0, 0};
}

/* ---- its numbers -------------------------------------------------------------------------- */

static size_t size_in(const struct example *example, enum size size)
{
	return (size_t)example->test.shape.size[size];
}

static double part_at(const struct example *example, enum part part, size_t index)
{
	return example->before[problem_part_index(example->problem, part)][index];
}

static double left_at(const struct example *example, size_t row, size_t k)
{
	return part_at(example, PART_LEFT, row * size_in(example, SIZE_K) + k) -
		   (double)example->test.scalar[SCALAR_ZERO_LEFT];
}

static double right_at(const struct example *example, size_t batch, size_t k, size_t column)
{
	const struct problem *problem = example->problem;
	const size_t depth = size_in(example, SIZE_K), n = size_in(example, SIZE_N);
	const size_t at =
		problem_part(problem, PART_RIGHT)->transposed ? column * depth + k : k * n + column;
	const double number = part_at(example, PART_RIGHT, batch * depth * n + at) -
						  (double)example->test.scalar[SCALAR_ZERO_RIGHT];
	if (problem_part(problem, PART_RIGHT_SCALES) == NULL)
		return number;
	const size_t group = size_in(example, SIZE_GROUP);
	return number * part_at(example, PART_RIGHT_SCALES, column * (depth / group) + k / group);
}

/* The sum of the products, or what takes its place. */
static double sum_of(const struct example *example, size_t row, size_t column)
{
	const bool least = example->problem->algebra == ALGEBRA_MIN_PLUS;
	const size_t batch = row / size_in(example, SIZE_M);
	double sum = least ? INFINITY : 0;
	for (size_t k = 0; k < size_in(example, SIZE_K); k++) {
		const double left = left_at(example, row, k), right = right_at(example, batch, k, column);
		sum = least ? fmin(sum, left + right) : sum + left * right;
	}
	return sum;
}

/* Before it is rounded to its type. */
static double value_of(const struct example *example, size_t row, size_t column)
{
	const float *scalar = example->test.scalar;
	const double value = sum_of(example, row, column) * (double)scalar[SCALAR_ALPHA] *
						 (double)scalar[SCALAR_SCALE_LEFT] * (double)scalar[SCALAR_SCALE_RIGHT] /
						 (double)scalar[SCALAR_SCALE_RESULT];
	if (problem_takes(example->problem, SCALAR_ZERO_RESULT))
		return rint(value) + (double)scalar[SCALAR_ZERO_RESULT];
	if (scalar[SCALAR_BETA] == 0)
		return value;
	return value + (double)scalar[SCALAR_BETA] *
					   part_at(example, PART_RESULT, row * size_in(example, SIZE_N) + column);
}

/* Floyd and Warshall's sweeps; next[i][j]: where the shortest path from i to j goes first. */
static void paths_make(struct example *example, size_t next[EXAMPLE_ELEMENTS])
{
	const size_t n = size_in(example, SIZE_N);
	double *length = example->want;
	for (size_t i = 0; i < n * n; i++) {
		length[i] = part_at(example, PART_LEFT, i);
		next[i] = i % n;
	}
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n; j++)
				if (length[i * n + k] + length[k * n + j] < length[i * n + j]) {
					length[i * n + j] = length[i * n + k] + length[k * n + j];
					next[i * n + j] = next[i * n + k];
				}
}

static void results_make(struct example *example)
{
	const struct number_format *format =
		&type_of(problem_part(example->problem, PART_RESULT)->type)->format;
	const size_t rows = (size_t)shape_rows(&example->test.shape),
				 columns = (size_t)shape_columns(&example->test.shape);
	for (size_t i = 0; i < rows * columns; i++)
		example->want[i] = values_to_double(
			format, values_from_double(format, value_of(example, i / columns, i % columns)));
}

struct example example_make(const struct problem *problem)
{
	const struct shape shape = shape_of(problem);
	float scalars[SCALARS_MAX] = {0};
	size_t next[EXAMPLE_ELEMENTS];
	for (size_t i = 0; problem->scalars[i].name != NULL; i++)
		scalars[i] = scalar_of(problem->scalars[i].is);
	struct example out = {.problem = problem,
						  .test = case_of_shape(problem, &shape, scalars, SEED)};
	values_choose(problem, &out.test);
	for (size_t i = 0; problem->operands[i].name != NULL; i++) {
		const struct values values = values_of_operand(problem, &out.test, SEED, i);
		for (uint64_t k = 0; k < values.elements && k < EXAMPLE_ELEMENTS; k++) {
			out.bits[i][k] = values_at(&values, k);
			out.before[i][k] = values_to_double(&values.format, out.bits[i][k]);
		}
	}
	if (problem->algebra == ALGEBRA_SHORTEST_PATHS)
		paths_make(&out, next);
	else
		results_make(&out);
	return out;
}

/* ---- in words ------------------------------------------------------------------------------ */

struct line {
	char *text;
	size_t used;
};

static void say(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct line *line, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	const int length =
		vsnprintf(line->text + line->used, EXAMPLE_TEXT - line->used, format, arguments);
	va_end(arguments);
	line->used += length > 0 ? (size_t)length : 0;
	if (line->used >= EXAMPLE_TEXT)
		line->used = EXAMPLE_TEXT - 1;
}

/* A number behind an operator. */
static void say_number(struct line *line, double number)
{
	say(line, number < 0 ? "(%g)" : "%g", number);
}

/* "C[0][0]", "y[0]": the first element, by the extents that the problem has. */
static void say_first(struct line *line, const struct example *example)
{
	const struct operand *result = problem_part(example->problem, PART_RESULT);
	say(line, "%s", result->name);
	for (int i = 0; i < EXTENTS_MAX; i++)
		if (problem_size_of(example->problem, result->extent[i]) != NULL)
			say(line, "[0]");
}

/* The path with the most edges, edge by edge. */
static void say_path(struct line *line, const struct example *example)
{
	struct example again = *example;
	size_t next[EXAMPLE_ELEMENTS], longest = 0, most = 0;
	const size_t n = size_in(example, SIZE_N);
	paths_make(&again, next);
	for (size_t i = 0; i < n * n; i++) {
		size_t edges = 0;
		for (size_t at = i / n; at != i % n && isfinite(again.want[i]); edges++)
			at = next[at * n + i % n];
		longest = edges > most ? i : longest;
		most = edges > most ? edges : most;
	}
	const size_t end = longest % n;
	const char *between = " = ";
	say(line, "%s[%zu][%zu]: ", problem_part(example->problem, PART_RESULT)->name, longest / n,
		end);
	for (size_t at = longest / n; at != end; at = next[at * n + end])
		say(line, "%zu to ", at);
	say(line, "%zu", end);
	for (size_t at = longest / n; at != end; at = next[at * n + end]) {
		say(line, "%s", between);
		say_number(line, part_at(example, PART_LEFT, at * n + next[at * n + end]));
		between = " + ";
	}
	say(line, " = %g; the edge itself: %g", again.want[longest],
		part_at(example, PART_LEFT, longest));
}

static void say_terms(struct line *line, const struct example *example, const char *between,
					  char sign)
{
	for (size_t k = 0; k < size_in(example, SIZE_K); k++) {
		say(line, "%s", k > 0 ? between : "");
		say_number(line, left_at(example, 0, k));
		say(line, "%c", sign);
		say_number(line, right_at(example, 0, k, 0));
	}
}

/* A factor that the problem has. */
static void say_factor(struct line *line, const struct example *example, enum scalar scalar,
					   const char *sign)
{
	if (!problem_takes(example->problem, scalar))
		return;
	say(line, "%s", sign);
	say_number(line, (double)example->test.scalar[scalar]);
}

static void say_product(struct line *line, const struct example *example)
{
	const bool rounds = problem_takes(example->problem, SCALAR_ZERO_RESULT);
	const bool scaled = problem_scalars(example->problem) > 0;
	say(line, " = %s%s", rounds ? "round(" : "", scaled ? "(" : "");
	say_terms(line, example, " + ", '*');
	say(line, "%s", scaled ? ")" : "");
	say_factor(line, example, SCALAR_ALPHA, " * ");
	say_factor(line, example, SCALAR_SCALE_LEFT, " * ");
	say_factor(line, example, SCALAR_SCALE_RIGHT, " * ");
	say_factor(line, example, SCALAR_SCALE_RESULT, " / ");
	say(line, "%s", rounds ? ")" : "");
	say_factor(line, example, SCALAR_ZERO_RESULT, " + ");
	if (problem_takes(example->problem, SCALAR_BETA)) {
		say_factor(line, example, SCALAR_BETA, " + ");
		say(line, "*");
		say_number(line, part_at(example, PART_RESULT, 0));
	}
}

void example_explain(const struct example *example, char out[EXAMPLE_TEXT])
{
	struct line line = {.text = out};
	out[0] = '\0';
	if (example->problem->algebra == ALGEBRA_SHORTEST_PATHS) {
		say_path(&line, example);
		return;
	}
	say_first(&line, example);
	if (example->problem->algebra == ALGEBRA_MIN_PLUS) {
		say(&line, " = the least of ");
		say_terms(&line, example, ", ", '+');
	} else {
		say_product(&line, example);
	}
	say(&line, " = %g", example->want[0]);
}
