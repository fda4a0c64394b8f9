/* links: referee_core testcases base */
/* What was not written, what was made of the result's old values, and what only looks so: two calls
 * on different values tell. */
#include <criterion/criterion.h>
#include <math.h>

#include "referee_fixture.h"
#include "testcases/values.h"

#define SIDE 48
#define ROW 3 /* that is left out, where one is */

/* What a call makes of an element: what it held, its index, and the right sum for it. */
typedef double faulty(double was, uint64_t index, double sum);

struct call_of {
	const struct problem *problem;
	const struct test_case *test;
	faulty *compute;
	bool leaves_row;
};

/* A sum of f32 operands; other problems here have faults that do without. */
static double sum_of(const struct session *session, const struct call_of *made, uint64_t index)
{
	if (problem_part(made->problem, PART_LEFT)->type != DTYPE_F32)
		return 0;
	const float *a = (const float *)buffer_in(session, 0, 0);
	const float *b = (const float *)buffer_in(session, 1, 0);
	uint64_t k = (uint64_t)made->test->shape.size[SIZE_K];
	double sum = 0;
	for (uint64_t i = 0; i < k; i++)
		sum += (double)a[index / SIDE * k + i] * (double)b[i * SIDE + index % SIDE];
	return sum;
}

/* A NaN keeps its bits, as on some devices: then nothing seems to have been written. */
static void solve(const struct session *session, const struct call_of *made)
{
	size_t result = problem_part_index(made->problem, PART_RESULT);
	const struct number_format *format = &type_of(made->problem->operands[result].type)->format;
	uint8_t *out = buffer_in(session, (uint32_t)result, 0);
	for (uint64_t i = 0; i < SIDE * SIDE; i++) {
		double was = values_to_double(format, values_load(format, out, i));
		if (made->leaves_row && i / SIDE == ROW)
			continue;
		double x = made->compute(was, i, sum_of(session, made, i));
		if (format->is_integer) /* wraps around */
			x = (double)(int8_t)(uint8_t)(int)x;
		if (!isnan(x))
			values_store(format, out, i, values_from_double(format, x));
	}
}

static void ask(struct session *session, uint32_t type, void *reply, size_t capacity)
{
	struct referee_again request = {.head.type = type};
	int fd;
	cr_assert_eq(call(session, &request, sizeof request, reply, capacity, &fd), capacity);
	cr_assert(((struct message *)reply)->ok, "%s", ((struct message *)reply)->error);
}

struct both {
	struct check_summary first, again;
};

static struct both check_twice(struct session *session, const struct call_of *made)
{
	struct message refilled;
	struct referee_check_reply reply;
	struct both both;
	make_case(session, made->problem->name, made->test, 1);
	solve(session, made);
	both.first = check_set(session, 0);
	ask(session, MESSAGE_REFEREE_REFILL, &refilled, sizeof refilled);
	solve(session, made);
	ask(session, MESSAGE_REFEREE_RECHECK, &reply, sizeof reply);
	both.again = reply.found;
	cr_assert(both.again.wrong == both.first.wrong && both.again.elements == both.first.elements);
	return both;
}

static struct test_case case_for(const struct problem *problem, int k, const float *scalars)
{
	struct shape shape = {{1, SIDE, SIDE, k, 1}};
	return case_of_shape(problem, &shape, scalars, 5);
}

static double any_code(double was, uint64_t index, double sum)
{
	(void)was;
	(void)sum;
	return (double)(int8_t)(values_random(9, 9, index).word[0] >> 24);
}

static double added(double was, uint64_t index, double sum)
{
	(void)sum;
	return was + (double)(1 + index % 5);
}

static double sum_added(double was, uint64_t index, double sum)
{
	(void)index;
	return was + sum;
}

static double hundred(double was, uint64_t index, double sum)
{
	(void)was;
	(void)sum;
	return 100 + (double)index;
}

/* One wrong byte in 256 is the old one. */
Test(again, bytes_that_are_the_old_ones_are_not_unwritten)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct problem *problem = problem_find("gemm-s8");
	struct test_case test = case_for(problem, 20, NULL);
	struct both both =
		check_twice(&session, &(struct call_of){problem, &test, any_code, .leaves_row = false});
	cr_expect(both.first.untouched > 0 && both.first.suspect > 0);
	cr_expect(both.again.untouched == 0 && both.again.wrong > SIDE * SIDE / 2);
	both = check_twice(&session, &(struct call_of){problem, &test, any_code, .leaves_row = true});
	cr_expect(both.again.untouched < both.first.untouched);
	cr_expect(both.again.untouched > SIDE - 3 && both.again.untouched <= SIDE);
	session_stop(&session);
}

/* NaN, a large marker and bytes, plus something: written, and nothing but C is in them. */
Test(again, what_is_added_to_the_result_was_written)
{
	static const char *const names[] = {"matmul-f32", "batched-f16", "gemm-f16", "gemm-bf16",
										"sgemm",      "gemm-e4m3",   "gemm-s8"};
	struct session session = session_start();
	open_emulated(&session);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct problem *problem = problem_find(names[i]);
		struct test_case test = case_for(problem, 20, NULL);
		struct both both =
			check_twice(&session, &(struct call_of){problem, &test, added, .leaves_row = false});
		cr_expect(both.first.suspect > 0);
		cr_expect(both.again.untouched == 0 && both.again.read == both.again.wrong,
				  "%s: %llu unwritten, %llu read", names[i],
				  (unsigned long long)both.again.untouched, (unsigned long long)both.again.read);
		for (uint32_t shown = 0; shown < both.again.shown; shown++)
			cr_expect(!both.again.first[shown].unwritten);
		both = check_twice(&session, &(struct call_of){problem, &test, added, .leaves_row = true});
		cr_expect(both.again.untouched > SIDE - 3 && both.again.untouched <= SIDE &&
					  both.again.read == both.again.wrong - both.again.untouched,
				  "%s: %llu unwritten", names[i], (unsigned long long)both.again.untouched);
	}
	session_stop(&session);
}

/* Sums of small integers that are 0 leave what was there, and were added all the same. */
Test(again, nothing_added_is_not_nothing_written)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct problem *problem = problem_find("matmul-f32");
	struct test_case test = case_for(problem, 6, NULL);
	test.values[0] = test.values[1] = (struct value_spec){VALUES_INTEGER, 1, 0, 0};
	struct both both =
		check_twice(&session, &(struct call_of){problem, &test, sum_added, .leaves_row = false});
	cr_expect(both.first.untouched == SIDE * SIDE);
	cr_expect(both.again.untouched == 0 && both.again.read == SIDE * SIDE);
	cr_expect(both.again.mended == SIDE * SIDE);
	session_stop(&session);
}

static double sum_or_nan(double was, uint64_t index, double sum)
{
	(void)index;
	return isnan(was) ? was : sum / 2;
}

/* What is read for an operand is in the result, too, and is no sum that is added to it. */
Test(again, a_result_that_is_read_for_something_else)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct problem *problem = problem_find("matmul-f32");
	struct test_case test = case_for(problem, 20, NULL);
	struct both both =
		check_twice(&session, &(struct call_of){problem, &test, sum_or_nan, .leaves_row = false});
	cr_expect(both.again.read == SIDE * SIDE && both.again.mended == 0);
	both = check_twice(&session, &(struct call_of){problem, &test, sum_added, .leaves_row = false});
	cr_expect(both.again.read == SIDE * SIDE && both.again.mended == SIDE * SIDE);
	session_stop(&session);
}

/* Where C is read, as beta is not 0, nobody is told that he reads it. */
Test(again, a_result_that_may_be_read_is_only_looked_at_for_what_is_unwritten)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct problem *problem = problem_find("gemm-bf16");
	struct test_case test = case_for(problem, 20, (const float[]){1, 0.5f});
	struct both both =
		check_twice(&session, &(struct call_of){problem, &test, added, .leaves_row = false});
	cr_expect(both.again.untouched == 0 && both.again.read == 0);
	both = check_twice(&session, &(struct call_of){problem, &test, hundred, .leaves_row = true});
	cr_expect(both.again.untouched == SIDE && both.again.read == 0);
	session_stop(&session);
}

/* A sum that is off, and 0 at few places, where beta * C is left. */
static double seldom_nothing(double was, uint64_t index, double sum)
{
	return was + (index == 77 ? 0 : sum + 3);
}

/* With beta 1 that is what C held, after each call. */
Test(again, a_sum_of_nothing_at_few_places_was_written)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct problem *problem = problem_find("gemm-f16");
	struct test_case test = case_for(problem, 20, (const float[]){1, 1});
	struct both both = check_twice(
		&session, &(struct call_of){problem, &test, seldom_nothing, .leaves_row = false});
	cr_expect(both.first.untouched == 1 && both.again.untouched == 0);
	both = check_twice(&session,
					   &(struct call_of){problem, &test, seldom_nothing, .leaves_row = true});
	cr_expect(both.again.untouched >= SIDE, "%llu", (unsigned long long)both.again.untouched);
	session_stop(&session);
}

Test(again, only_what_was_checked_is_looked_at_again)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct problem *problem = problem_find("sgemm");
	struct test_case test = case_for(problem, 20, NULL);
	struct referee_again request = {.head.type = MESSAGE_REFEREE_RECHECK};
	struct message reply;
	int fd;
	make_case(&session, problem->name, &test, 1);
	call(&session, &request, sizeof request, &reply, sizeof reply, &fd);
	cr_expect(!reply.ok && strstr(reply.error, "before any check") != NULL, "%s", reply.error);
	session_stop(&session);
}
