/* links: referee_core testcases base */
/* Operands whose sums show their order, and outputs that are compared with earlier ones. */
#include <criterion/criterion.h>
#include <string.h>

#include "referee_fixture.h"
#include "testcases/values.h"

#define M 12
#define N 8
#define K 20

static struct test_case case_of(const char *problem, int32_t m)
{
	struct shape shape = {{1, m, N, K, 1}};
	if (strcmp(problem, "gemm-w4") == 0)
		shape.size[SIZE_GROUP] = 2;
	return case_of_shape(problem_find(problem), &shape, NULL, 3);
}

static bool arrange(struct session *session, uint32_t cancels, uint32_t rows, uint32_t to)
{
	struct referee_arrange request = {
		.head.type = MESSAGE_REFEREE_ARRANGE, .cancels = cancels, .rows = rows, .to = to};
	struct message reply;
	int fd;
	cr_assert_eq(call(session, &request, sizeof request, &reply, sizeof reply, &fd), sizeof reply);
	return reply.ok != 0;
}

/* False where the referee refuses. */
static bool compare(struct session *session, struct referee_bits request,
					struct bits_compared *found)
{
	struct referee_bits_reply reply;
	int fd;
	request.head.type = MESSAGE_REFEREE_BITS;
	cr_assert_eq(call(session, &request, sizeof request, &reply, sizeof reply, &fd), sizeof reply);
	*found = reply.found;
	return reply.head.ok != 0;
}

static double value(const struct session *session, const struct problem *problem, size_t operand,
					uint64_t index)
{
	const struct number_format *format = &type_of(problem->operands[operand].type)->format;
	return values_to_double(format,
							values_load(format, buffer_in(session, (uint32_t)operand, 0), index));
}

static double right_value(const struct session *session, const struct problem *problem, uint64_t k,
						  uint64_t column)
{
	const size_t right = problem_part_index(problem, PART_RIGHT);
	const bool transposed = problem->operands[right].transposed;
	double factor = 1;
	if (problem_part(problem, PART_RIGHT_SCALES) != NULL)
		factor = value(session, problem, problem_part_index(problem, PART_RIGHT_SCALES),
					   column * (K / 2) + k / 2);
	return factor * value(session, problem, right, transposed ? column * K + k : k * N + column);
}

static void expect_cancelled(const char *name)
{
	const struct problem *problem = problem_find(name);
	struct session session = session_start();
	open_emulated(&session);
	const struct test_case test = case_of(name, M);
	make_case(&session, name, &test, 2);
	cr_assert(arrange(&session, 1, 0, 0));
	double largest = 0;
	for (uint64_t row = 0; row < M; row++)
		for (uint64_t column = 0; column < N; column++) {
			double sum = 0;
			for (uint64_t k = 0; k < K / 2; k++) { /* pairs, so that nothing is rounded */
				const double first = value(&session, problem, 0, row * K + k) *
									 right_value(&session, problem, k, column);
				const double second = value(&session, problem, 0, row * K + k + K / 2) *
									  right_value(&session, problem, k + K / 2, column);
				largest = first > largest ? first : largest;
				sum += first + second;
			}
			cr_assert_eq(sum, 0, "%s: element %d, %d", name, (int)row, (int)column);
		}
	cr_expect(largest > 0.01, "%s: all products are 0", name);
	for (uint32_t i = 0; i < session.arena.count; i++)
		cr_expect(memcmp(buffer_in(&session, i, 0), buffer_in(&session, i, 1),
						 session.arena.buffers[i].bytes) == 0,
				  "%s: buffer %u of the second set is another one", name, i);
	session_stop(&session);
}

Test(referee_bits, halves_of_sums_cancel)
{
	expect_cancelled("gemm-f16");
	expect_cancelled("linear-bf16");
	expect_cancelled("sgemm");
	expect_cancelled("gemm-e4m3");
	expect_cancelled("gemm-w4");
}

Test(referee_bits, rows_stand_a_second_time)
{
	struct session session = session_start();
	open_emulated(&session);
	const struct test_case test = case_of("sgemm", M);
	make_case(&session, "sgemm", &test, 1);
	cr_expect(!arrange(&session, 0, 5, 8), "there is no room behind row 8");
	cr_expect(!arrange(&session, 0, 5, 3), "they would overlap");
	cr_assert(arrange(&session, 0, 5, 7));
	const uint8_t *a = buffer_in(&session, 0, 0);
	const size_t row = K * sizeof(float);
	cr_expect(memcmp(a, a + 7 * row, 5 * row) == 0);
	cr_expect(memcmp(a, a + 6 * row, 5 * row) != 0);
	struct referee_check check = {.head.type = MESSAGE_REFEREE_CHECK};
	struct referee_check_reply reply;
	int fd;
	call(&session, &check, sizeof check, &reply, sizeof reply, &fd);
	cr_expect(!reply.head.ok, "the reference knows nothing of these operands");
	session_stop(&session);
}

static float *result_of(const struct session *session, uint32_t set)
{
	return (float *)buffer_in(session, 2, set);
}

static void fill(const struct session *session, uint32_t set, int32_t rows)
{
	for (int32_t i = 0; i < rows * N; i++)
		result_of(session, set)[i] = (float)i;
}

Test(referee_bits, results_that_differ)
{
	struct session session = session_start();
	open_emulated(&session);
	struct bits_compared found;
	const struct test_case test = case_of("sgemm", M);
	make_case(&session, "sgemm", &test, 3);
	for (uint32_t set = 0; set < 3; set++)
		fill(&session, set, M);
	cr_expect(!compare(&session, (struct referee_bits){.sets = 3}, &found), "nothing was kept");
	cr_assert(compare(&session, (struct referee_bits){.sets = 1, .keep = 1}, &found));
	cr_assert(compare(&session, (struct referee_bits){.sets = 3}, &found));
	cr_expect(found.results == 0 && found.differing == 0);
	cr_expect(!compare(&session, (struct referee_bits){.sets = 4}, &found), "there are 3");
	cr_expect(!compare(&session, (struct referee_bits){.sets = 1, .slot = BITS_SLOTS}, &found));
	result_of(&session, 2)[3 * N + 5] = -1;
	result_of(&session, 2)[4 * N] = -2;
	cr_assert(compare(&session, (struct referee_bits){.sets = 3}, &found));
	cr_expect(found.results == 1 && found.differing == 2 && found.buffer == 2);
	cr_expect(found.row == 3 && found.column == 5 && found.before == 3 * N + 5 && found.now == -1);
	session_stop(&session);
}

/* The sign of a zero is a bit, too. */
Test(referee_bits, rows_of_another_case)
{
	struct session session = session_start();
	open_emulated(&session);
	struct bits_compared found;
	const struct test_case few = case_of("sgemm", M), many = case_of("sgemm", 3 * M);
	make_case(&session, "sgemm", &few, 1);
	fill(&session, 0, M);
	cr_assert(compare(&session, (struct referee_bits){.sets = 1, .slot = 1, .keep = 1}, &found));
	make_case(&session, "sgemm", &many, 1);
	fill(&session, 0, 3 * M);
	memcpy(result_of(&session, 0) + 20 * N, result_of(&session, 0), M * N * sizeof(float));
	struct referee_bits rows = {.sets = 1, .slot = 1, .rows = M};
	cr_assert(compare(&session, rows, &found));
	cr_expect_eq(found.results, 0);
	rows.first = 20;
	cr_assert(compare(&session, rows, &found));
	cr_expect_eq(found.results, 0);
	result_of(&session, 0)[20 * N] = -0.0f;
	cr_assert(compare(&session, rows, &found));
	cr_expect(found.results == 1 && found.row == 20 && found.column == 0);
	rows.first = 2 * M + 1;
	cr_expect(!compare(&session, rows, &found), "the case has no such rows");
	rows.first = 0;
	rows.rows = M + 1;
	cr_expect(!compare(&session, rows, &found), "so many were not kept");
	session_stop(&session);
}
