/* links: judge compile process testcases base */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "judge/timing/libraries.h"
#include "judgement/library_cause.h"

enum { SOLUTION, LIBRARY, SUGGESTED, LIBRARY_RIGHT, SUGGESTED_RIGHT, COUNT };

/* A file, two libraries, and these in their accurate modes, which have not begun. */
struct timed {
	struct entrant entrants[COUNT];
	struct lane lanes[COUNT];
	struct timing_result result;
};

static void timed_begin(struct timed *timed)
{
	static const float scalars[] = {1, 0};
	static const struct shape shape = {{1, 32, 33, 34, 1}};
	static const char *const labels[] = {"x.cu", "cuBLAS", "cuBLASLt", "", ""};
	*timed = (struct timed){0};
	timed->result =
		(struct timing_result){.test = case_of_shape(problem_find("gemm-f16"), &shape, scalars, 1),
							   .count = COUNT,
							   .entries = calloc(COUNT, sizeof(struct timing_entry))};
	for (size_t i = 0; i < COUNT; i++) {
		struct timing_entry *entry = &timed->result.entries[i];
		timed->lanes[i].entrant = &timed->entrants[i];
		timed->lanes[i].has_modes = i != SOLUTION;
		strcpy(entry->label, labels[i]);
		entry->role = i == SOLUTION ? TIMING_FILE : TIMING_LIBRARY;
		entry->ran = labels[i][0] != '\0';
	}
	for (size_t i = LIBRARY_RIGHT; i < COUNT; i++) {
		timed->entrants[i].mode = LIBRARY_ACCURATE;
		timed->entrants[i].by_default = &timed->entrants[i - 2];
	}
}

static bool wanted(const struct timed *timed, size_t i)
{
	return libraries_wanted(timed->lanes, COUNT, timed->result.entries, i);
}

Test(libraries, accurate_modes_are_wanted_where_the_default_leaves_the_bound)
{
	struct timed timed;
	timed_begin(&timed);
	struct timing_entry *entries = timed.result.entries;
	for (size_t i = SOLUTION; i <= SUGGESTED; i++)
		cr_expect(wanted(&timed, i));
	cr_expect(!wanted(&timed, LIBRARY_RIGHT) && !wanted(&timed, SUGGESTED_RIGHT));
	entries[SOLUTION].wrong = 3;
	entries[SUGGESTED].wrong = 1;
	cr_expect(!wanted(&timed, LIBRARY_RIGHT) && wanted(&timed, SUGGESTED_RIGHT));
	timed.lanes[SUGGESTED].has_modes = false;
	cr_expect(!wanted(&timed, SUGGESTED_RIGHT), "it has no such mode");
	timed.lanes[SUGGESTED].has_modes = true;
	entries[SUGGESTED].ran = false;
	cr_expect(!wanted(&timed, SUGGESTED_RIGHT), "nothing is known of it");
	free(entries);
}

Test(libraries, what_never_began_is_no_entry)
{
	struct timed timed;
	timed_begin(&timed);
	struct timing_entry *entries = timed.result.entries;
	entries[SUGGESTED].wrong = 1;
	strcpy(entries[SUGGESTED_RIGHT].label, "cuBLASLt accurate");
	entries[SUGGESTED_RIGHT].ran = true;
	libraries_finish(timed.lanes, COUNT, problem_find("gemm-f16"), &timed.result);
	cr_assert_eq(timed.result.count, 4u);
	cr_expect_str_eq(entries[2].label, "cuBLASLt");
	cr_expect_str_eq(entries[2].cause, "partial sums are rounded to 16 bits");
	cr_expect_str_eq(entries[3].label, "cuBLASLt accurate");
	cr_expect(entries[3].has_modes && entries[3].mode == LIBRARY_ACCURATE);
	cr_expect(!entries[1].has_algorithm && entries[1].cause[0] == '\0');
	free(entries);
}

static const char *cause(const char *problem, float beta, struct library_algorithm algorithm,
						 bool mended)
{
	const float scalars[] = {1, beta};
	static const struct shape shape = {{1, 32, 33, 34, 1}};
	const struct test_case test = case_of_shape(problem_find(problem), &shape, scalars, 1);
	return library_cause(problem_find(problem), &test, &algorithm, mended);
}

Test(libraries, causes_are_told_apart)
{
	static const char split[] = "partial sums of split-K are rounded to 16 bits";
	const struct library_algorithm unknown = {.id = LIBRARY_UNKNOWN, .split_k = 4, .reduction = 1};
	const struct library_algorithm in_place = {.id = 24, .split_k = 4, .reduction = 1};
	const struct library_algorithm in_f32 = {.id = 24, .split_k = 4, .reduction = 2};
	const struct library_algorithm of_result = {.id = 23, .split_k = 3, .reduction = 4};
	cr_expect_str_eq(cause("gemm-f16", 0, in_place, true), split);
	cr_expect_str_eq(cause("gemm-bf16", 1, of_result, false), split);
	cr_expect_str_eq(cause("gemm-f16", 0, unknown, true), "partial sums are rounded to 16 bits");
	cr_expect_str_eq(cause("gemm-f16", 0, in_f32, false), "");
	cr_expect(strstr(cause("gemm-f16", 1, in_f32, true), "two roundings at beta = 1") != NULL);
	cr_expect_str_eq(cause("gemm-f16", 0.5f, in_f32, false), "");
	cr_expect_str_eq(cause("sgemm", 1, in_place, true), "", "f32 is not rounded to 16 bits");
}
