#include "judge/cases/bits_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Longest sums, and elements of the largest left operand. */
#define K_MOST 4096
#define LEFT_MOST (4 << 20)
/* Products that a plain kernel has on a GPU in a second, where launches are most of short calls. */
#define GPU_RATE 1e11
#define GPU_SECONDS 0.05
/* What all sets of buffers may take, in bytes. */
#define SETS_BYTES (64 << 20)
/* Seconds of calls that nobody minds; and of those for rows, which have that K then: what they say
 * should not depend on how fast a machine is. */
#define SHORT 0.05
#define ROWS_SHORT 0.02
#define K_SPLIT 512.0
#define SLOW "all of its cases take too long"
/* Of the time, for calls on the same input; the others are for rows. */
#define REPEATED_SHARE 0.3

/* ---- sizes --------------------------------------------------------------------------- */

/* What a size may be. */
struct range {
	int32_t low, high, step;
};

static int32_t divisor(int32_t a, int32_t b)
{
	while (b != 0) {
		const int32_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* The one next to `wanted`, not above it unless it is below all. */
static int32_t fit(const struct range *range, double wanted)
{
	const double most = fmin(wanted, (double)range->high);
	const int32_t steps = (int32_t)(most / range->step);
	const int32_t size = steps * range->step;
	return size < range->low ? range->low : size;
}

/* Of the cases that were run. */
static struct range judged_range(const struct judgement *judgement, enum size size)
{
	struct range range = {0, 0, 0};
	for (size_t i = 0; i < judgement->count; i++) {
		const int32_t value = judgement->cases[i].test.shape.size[size];
		if (!judgement->cases[i].checked)
			continue;
		range.low = range.low == 0 || value < range.low ? value : range.low;
		range.high = value > range.high ? value : range.high;
		range.step = divisor(value, range.step);
	}
	return range;
}

static bool is_generated(const struct judge_options *options)
{
	return options->cases.suite_count == 0 && options->shapes.count == 0;
}

static struct range range_of(const struct bits_asked *asked, enum size size)
{
	const struct problem_size *row = problem_size_of(asked->problem, size);
	struct range range = judged_range(asked->judgement, size);
	const int32_t multiple = asked->options->cases.multiple;
	if (row == NULL || !is_generated(asked->options))
		return range;
	range.step = multiple > row->multiple ? multiple : row->multiple;
	range.step = range.step > 1 ? range.step : 1;
	range.low = (row->min + range.step - 1) / range.step * range.step;
	range.high = row->max < K_MOST ? row->max : K_MOST;
	return range;
}

/* Of M, N and K, a group and a batch as the first case has them. */
static struct test_case case_of(const struct bits_asked *asked, int32_t m, int32_t n, double k)
{
	const struct judgement *judgement = asked->judgement;
	struct shape shape = judgement->cases[0].test.shape;
	struct range of_k = range_of(asked, SIZE_K);
	for (size_t i = 1; i < judgement->count; i++)
		if (judgement->cases[i].checked &&
			shape_terms(&judgement->cases[i].test.shape) < shape_terms(&shape))
			shape = judgement->cases[i].test.shape;
	const int32_t group = shape.size[SIZE_GROUP];
	of_k.step = of_k.step > 1 ? of_k.step : 1;
	if (group > 1)
		of_k.step *= group / divisor(group, of_k.step);
	of_k.low = (of_k.low + of_k.step - 1) / of_k.step * of_k.step;
	shape.size[SIZE_M] = m;
	shape.size[SIZE_N] = n;
	shape.size[SIZE_K] = fit(&of_k, k);
	return case_of_shape(asked->problem, &shape, NULL, asked->options->cases.seed);
}

/* ---- the plan --------------------------------------------------------------------------- */

/* Products a second, of the cases that were run, but for the one that took longest: most often the
 * first, in which a library makes what it keeps. */
static double rate_of(const struct bits_asked *asked)
{
	const struct case_result *longest = NULL;
	double terms = 0.0, seconds = 0.0;
	for (size_t i = 0; i < asked->judgement->count; i++) {
		const struct case_result *result = &asked->judgement->cases[i];
		if (!result->checked)
			continue;
		terms += shape_terms(&result->test.shape);
		seconds += result->seconds;
		if (longest == NULL || result->seconds > longest->seconds)
			longest = result;
	}
	if (longest != NULL && seconds > longest->seconds) {
		terms -= shape_terms(&longest->test.shape);
		seconds -= longest->seconds;
	}
	const double rate = seconds > 0.0 ? terms / seconds : 0.0;
	return asked->device == DEVICE_CUDA ? fmax(rate, GPU_RATE) : rate;
}

/* Of the case that had most of them: what a machine's other work disturbs least. */
static double best_rate_of(const struct bits_asked *asked)
{
	double best = rate_of(asked);
	for (size_t i = 0; i < asked->judgement->count; i++) {
		const struct case_result *result = &asked->judgement->cases[i];
		if (result->checked && result->seconds > 0.0)
			best = fmax(best, shape_terms(&result->test.shape) / result->seconds);
	}
	return best;
}

static double seconds_of(const struct bits_asked *asked)
{
	return asked->device == DEVICE_CUDA ? fmax(asked->seconds, GPU_SECONDS) : asked->seconds;
}

/* Whether all three sizes of a product are the problem's own, so that one can change by itself. */
static bool has_own_sizes(const struct problem *problem)
{
	for (enum size size = SIZE_M; size <= SIZE_K; size++) {
		const struct problem_size *row = problem_size_of(problem, size);
		if (row == NULL || row->is != 1u << size)
			return false;
	}
	return true;
}

/* Of the cases that were run, with other values: the largest that has no more products than that,
 * else the smallest. */
static struct test_case judged_case(const struct bits_asked *asked, double products)
{
	const struct case_result *found = NULL;
	for (size_t i = 0; i < asked->judgement->count; i++) {
		const struct case_result *result = &asked->judgement->cases[i];
		const double terms = shape_terms(&result->test.shape);
		const double best = found != NULL ? shape_terms(&found->test.shape) : 0.0;
		if (result->checked &&
			(found == NULL || (terms <= products ? terms > best || best > products : terms < best)))
			found = result;
	}
	return case_of_shape(asked->problem, &found->test.shape, NULL, asked->options->cases.seed);
}

/* Several blocks, and K as long as the time allows. Where blocks may add to one element by atomics,
 * K is what makes them many: then it is longer than that. */
static struct test_case repeated_case(const struct bits_asked *asked)
{
	static const int32_t sides[][2] = {{17, 16}, {33, 24}, {129, 72}, {257, 136}};
	const double products = rate_of(asked) * seconds_of(asked) * REPEATED_SHARE / BITS_CALLS;
	const double least = asked->atomics ? 256 : 32;
	const struct range m = range_of(asked, SIZE_M), n = range_of(asked, SIZE_N);
	size_t chosen = 0;
	if (!is_generated(asked->options) || !has_own_sizes(asked->problem))
		return judged_case(asked, products);
	for (size_t i = 1; i < sizeof sides / sizeof *sides; i++)
		if (products >= least * sides[i][0] * sides[i][1])
			chosen = i;
	const int32_t rows = fit(&m, sides[chosen][0]), columns = fit(&n, sides[chosen][1]);
	const double k = floor(products / ((double)rows * columns) / 16) * 16;
	return case_of(asked, rows, columns, fmin(fmax(k, least), K_MOST / 2.0));
}

/* Why rows cannot be asked about; NULL: they can. */
static const char *rows_refused(const struct bits_asked *asked)
{
	const struct operand *left = problem_part(asked->problem, PART_LEFT);
	const struct chain_stage *stage;
	if (!has_own_sizes(asked->problem) || left == NULL)
		return BITS_NO_ROWS;
	if (left->transposed)
		return "rows not dense";
	for (uint32_t i = 0; asked->chain != NULL && i < asked->chain->buffers; i++) {
		const struct chain_member *member = chain_buffer(asked->chain, i, &stage);
		if ((member->kind == CHAIN_INPUT && member->rows != 0) || member->finish != 0)
			return "epilogue by rows";
	}
	return NULL;
}

/* Whether calls of these cases, one of each, would take longer than all calls may. Those of
 * generated cases are small for each file, and a rate that follows from few of these says little.
 */
static bool is_slow(const struct bits_asked *asked, const struct test_case *tests, uint32_t count)
{
	double terms = 0.0;
	for (uint32_t i = 0; i < count; i++)
		terms += shape_terms(&tests[i].shape);
	return !is_generated(asked->options) && terms > rate_of(asked) * fmax(seconds_of(asked), SHORT);
}

/* Adds M where it is none of those before, which are smaller. */
static void add_rows(int32_t rows[BITS_ROWS_MAX], uint32_t *count, int32_t m)
{
	if (*count < BITS_ROWS_MAX && (*count == 0 || rows[*count - 1] < m))
		rows[(*count)++] = m;
}

/* Lengths of sums at which heuristics most often tell numbers of rows apart: where splitting K
 * begins to pay, and where it pays as long as there are few tiles. The longest that there is time
 * for. */
static double summed(double most)
{
	static const double lengths[] = {128, 256, 512, 2048, 4096};
	double longest = 64;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		longest = lengths[i] <= most ? lengths[i] : longest;
	return longest;
}

static void plan_rows(const struct bits_asked *asked, struct bits_plan *out)
{
	const struct range m = range_of(asked, SIZE_M), n = range_of(asked, SIZE_N);
	int32_t rows[BITS_ROWS_MAX], columns = fit(&n, asked->device == DEVICE_CUDA ? 512 : 16);
	uint32_t count = 0;
	double sum = 0.0;
	add_rows(rows, &count, m.low);
	add_rows(rows, &count, fit(&m, 33));
	add_rows(rows, &count, fit(&m, 128));
	if (asked->device == DEVICE_CUDA)
		add_rows(rows, &count, fit(&m, LEFT_MOST / (double)K_MOST));
	for (uint32_t i = 0; i < count; i++)
		sum += rows[i];
	if (count < 2) {
		snprintf(out->why, sizeof out->why, "one M alone");
		return;
	}
	double k = rate_of(asked) * seconds_of(asked) * (1 - REPEATED_SHARE) / (sum * columns);
	if (best_rate_of(asked) * ROWS_SHORT >= sum * columns * K_SPLIT)
		k = fmax(k, K_SPLIT);
	for (uint32_t i = 0; i < count; i++)
		out->rows[i] = case_of(asked, rows[i], columns, summed(k));
	if (is_slow(asked, out->rows, count)) {
		snprintf(out->why, sizeof out->why, SLOW);
		return;
	}
	out->row_count = count;
	const int32_t last = rows[count - 1];
	for (uint32_t i = 1; i < count; i++)
		if (2 * rows[i] < last)
			out->base = i;
	const int32_t base = rows[out->base];
	out->to = 2 * base < last ? last - base - 1 : 0;
}

/* Sets of buffers of a case, one for each call. */
static uint32_t sets_of(const struct problem *problem, const struct test_case *test)
{
	uint64_t bytes = 1;
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		bytes += operand_bytes(&problem->operands[i], &test->shape);
	const uint64_t sets = SETS_BYTES / bytes;
	return sets > RUN_CALLS_MAX ? RUN_CALLS_MAX : (uint32_t)sets;
}

void bits_plan_make(const struct bits_asked *asked, struct bits_plan *out)
{
	*out = (struct bits_plan){.repeated = repeated_case(asked)};
	if (!is_slow(asked, &out->repeated, 1))
		out->sets = sets_of(asked->problem, &out->repeated);
	if (out->sets == 0) {
		snprintf(out->why, sizeof out->why, SLOW);
		return;
	}
	const char *refused = rows_refused(asked);
	if (refused != NULL)
		snprintf(out->why, sizeof out->why, "%s", refused);
	else
		plan_rows(asked, out);
}
