/* links: judge testcases base */
/* Commands that measure themselves. The programs are the system's. */
#include <criterion/criterion.h>
#include <string.h>

#include "judge/program.h"

static const struct shape shape = {.size = {1, 4096, 2048, 64, 1}};
static struct error err;
static double time_us;

Test(program, number_is_the_last_one)
{
	static const struct {
		const char *text;
		double number; /* 0: none */
	} cases[] = {
		{"12.5", 12.5},
		{"H100 4096x2048\ntime: 12.5us\n", 12.5},
		{"12.5 us on an H100", 12.5},
		{"min 3 median=4.25e1", 42.5},
		{"1 -2", 0},
		{"3 us, 0 errors", 0}, /* nobody knows which is meant: the last */
		{"nan inf", 0},
		{"", 0},
		{"v2 sm_90", 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double number = 0;
		bool found = program_number(cases[i].text, &number);
		cr_expect_eq(found, cases[i].number > 0, "%s", cases[i].text);
		if (found)
			cr_expect_eq(number, cases[i].number, "%s: %g", cases[i].text, number);
	}
}

Test(program, is_told_by_its_placeholders)
{
	cr_assert(program_is("./bench --m={m}"));
	cr_assert(!program_is("theirs.cu"));
	cr_assert(program_holds("echo {m} {n} x{k}y", &err), "%s", err.message);
	cr_assert(!program_holds("echo {m} {n}", &err));
	cr_assert(strstr(err.message, "{k} is missing") != NULL, "%s", err.message);
	cr_assert(!program_holds("echo {m} {n} {k} {batch}", &err));
	cr_assert(strstr(err.message, "only {m}, {n} and {k}") != NULL, "%s", err.message);
	cr_assert(!program_holds("/no/such/thing {m} {n} {k}", &err));
	cr_assert(strstr(err.message, "no such program: /no/such/thing") != NULL, "%s", err.message);
	char name[PROGRAM_NAME];
	program_name(" /usr/bin/their-bench {m}", name);
	cr_assert_str_eq(name, "their-bench");
}

Test(program, gets_the_sizes)
{
	cr_assert(program_time("echo {n} {k}.{m}", &shape, 10, &time_us, &err), "%s", err.message);
	cr_assert_eq(time_us, 64.4096);
}

Test(program, without_a_time_says_why)
{
	cr_assert(!program_time("false {m} {n} {k}", &shape, 10, &time_us, &err));
	cr_assert_str_eq(err.message, "the program ended with status 1");
	cr_assert(!program_time("echo {m} {n} {k} none 0", &shape, 10, &time_us, &err));
	cr_assert(strstr(err.message, "printed no time") != NULL, "%s", err.message);
	cr_assert(!program_time("sleep {m} {n} {k}", &shape, 0.1, &time_us, &err));
	cr_assert_str_eq(err.message, "the program did not end in 0.1 s");
}
