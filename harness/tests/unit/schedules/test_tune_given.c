/* links: schedules compile testcases base */
#include <criterion/criterion.h>
#include <string.h>

#include "schedules/given.h"

static struct error err;
static struct space space;
static struct tune_gpu gpu;
static struct schedule_list list;
static struct test_case test;

static void end(void)
{
	schedules_free(&list);
	space_free(&space);
}

TestSuite(tune_given, .fini = end);

static void at(const char *text)
{
	const struct shape shape = {{1, 256, 128, 64, 1}};
	const float scalars[] = {1, 0};
	cr_assert(gpu_find("h200", &gpu, &err));
	cr_assert(space_parse("x.cu", text, problem_find("sgemm"), &space, &err), "%s", err.message);
	test = case_of_shape(space.problem, &shape, scalars, 1);
}

#define TEXT                                                                                       \
	"// tune A = 1 : 1..8\n// tune B = 2 : 1 2 4\n// tune let Q = A * B\n"                         \
	"// tune where Q <= 8 && M % A == 0\n// tune where 8 / (A - 3) != 2\n"                         \
	"// tune role block_m = B - 1 + (A == 2)\n"

Test(tune_given, those_hold_that_are_enumerated)
{
	size_t held = 0;
	at(TEXT);
	cr_assert(schedules_enumerate(&space, &gpu, &test, &list, &err), "%s", err.message);
	for (int64_t a = 0; a <= 9; a++)
		for (int64_t b = 0; b <= 5; b++) {
			const int64_t values[] = {a, b};
			bool listed = false;
			for (size_t i = 0; i < list.count; i++)
				listed = listed || memcmp(list.items[i].values, values, sizeof values) == 0;
			bool holds = given_holds(&space, &gpu, &test, values, &err);
			cr_expect(holds == listed, "%d %d: %s", (int)a, (int)b, err.message);
			held += holds;
		}
	cr_expect(held == list.count && held > 3);
}

Test(tune_given, what_refuses_it_is_said)
{
	at(TEXT);
	cr_expect(!given_holds(&space, &gpu, &test, (int64_t[]){1, 3}, &err));
	cr_expect_str_eq(err.message, "B=3 is no candidate (line 2)");
	cr_expect(!given_holds(&space, &gpu, &test, (int64_t[]){8, 4}, &err));
	cr_expect_str_eq(err.message, "line 4 refuses it: Q <= 8 && M % A == 0");
	cr_expect(!given_holds(&space, &gpu, &test, (int64_t[]){1, 1}, &err));
	cr_expect_str_eq(err.message, "line 6 refuses it: B - 1 + (A == 2)");
}

Test(tune_given, texts)
{
	int64_t values[SPACE_CONSTANTS_MAX];
	char text[SCHEDULE_TEXT];
	static const char *const bad[][2] = {
		{"A=1", "it says nothing of B"},
		{"", "it says nothing of A"},
		{"A=1 B", "'B' is no NAME=VALUE"},
		{"A=1 C=2", "there is no constant C"},
		{"A=x B=2", "'A=x B=2' does not give A a whole number, once"},
		{"A=1x B=2", "'A=1x B=2' does not give A a whole number, once"},
		{"A=1 B=2 A=3", "'A=3' does not give A a whole number, once"},
		{"=1", "there is no constant "},
	};
	at(TEXT);
	cr_assert(given_parse(&space, "  B=4   A=-7 ", values, &err), "%s", err.message);
	cr_expect(values[0] == -7 && values[1] == 4);
	schedule_print(&space, values, text);
	cr_expect(given_parse(&space, text, values, &err) && values[0] == -7 && values[1] == 4);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		cr_expect(!given_parse(&space, bad[i][0], values, &err), "%s", bad[i][0]);
		cr_expect_str_eq(err.message, bad[i][1]);
	}
}
