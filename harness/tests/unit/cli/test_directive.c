/* links: starter */
/* What `flatten` takes of a source's lines. */
#include <criterion/criterion.h>
#include <string.h>

#include "starter/directive.h"

static enum directive first_of(const char *text)
{
	struct line_cursor cursor = {.next = text};
	struct source_line_text line;
	cr_assert(directive_next(&cursor, &line));
	return line.is;
}

Test(directive, lines_are_told_apart)
{
	cr_assert_eq(first_of("  #  include <a.h>\n"), DIRECTIVE_INCLUDE);
	cr_assert_eq(first_of("/* x */ #ifndef A\n"), DIRECTIVE_IFNDEF);
	cr_assert_eq(first_of("#pragma once\n"), DIRECTIVE_ONCE);
	cr_assert_eq(first_of("#pragma unroll\n"), DIRECTIVE_OTHER);
	cr_assert_eq(first_of("// #if 0\n"), DIRECTIVE_NONE);
	cr_assert_eq(first_of("char c = '#';"), DIRECTIVE_NONE);
}

Test(directive, what_a_comment_holds_is_text)
{
	static const char text[] = "/* a\n#include \"x\"\n*/\n\"/*\";\n#else\n#define X \\\n 2\n#endif";
	static const enum directive wanted[] = {DIRECTIVE_NONE, DIRECTIVE_NONE, DIRECTIVE_NONE,
											DIRECTIVE_NONE, DIRECTIVE_ELSE, DIRECTIVE_DEFINE,
											DIRECTIVE_ENDIF};
	static const size_t numbers[] = {1, 2, 3, 4, 5, 6, 8};
	struct line_cursor cursor = {.next = text};
	struct source_line_text line;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		cr_assert(directive_next(&cursor, &line));
		cr_expect_eq(line.is, wanted[i], "line %zu", i);
		cr_expect_eq(line.number, numbers[i], "line %zu", i);
	}
	cr_assert_not(directive_next(&cursor, &line));
}

/* YES is defined, NO is not. */
static int known(void *context, const char *name, size_t length)
{
	(void)context;
	if (length == 3 && memcmp(name, "YES", 3) == 0)
		return 1;
	return length == 2 && memcmp(name, "NO", 2) == 0 ? 0 : -1;
}

static int holds(const char *text)
{
	struct line_cursor cursor = {.next = text};
	struct source_line_text line;
	cr_assert(directive_next(&cursor, &line));
	return directive_holds(&line, known, NULL);
}

Test(directive, conditions_have_three_values)
{
	cr_expect_eq(holds("#ifdef YES // why\n"), 1);
	cr_expect_eq(holds("#ifndef YES\n"), 0);
	cr_expect_eq(holds("#ifndef OTHER\n"), -1);
	cr_expect_eq(holds("#if defined(YES) && !defined(NO)\n"), 1);
	cr_expect_eq(holds("#if defined OTHER && defined NO\n"), 0);
	cr_expect_eq(holds("#if defined OTHER || defined YES\n"), 1);
	cr_expect_eq(holds("#if !(defined(YES) || defined(OTHER)) /* why */\n"), 0);
	cr_expect_eq(holds("#if defined(OTHER) && defined(YES)\n"), -1);
	cr_expect_eq(holds("#if YES\n"), -1, "its value is not known");
	cr_expect_eq(holds("#if defined(YES) + 1\n"), -1);
	cr_expect_eq(holds("#if __CUDA_ARCH__ >= 900\n"), -1);
}

Test(directive, guards)
{
	size_t lines[3];
	cr_assert(directive_guard("/* x */\n#ifndef A_H\n#define A_H\n#if 1\n#endif\nint a;\n#endif\n",
							  lines));
	cr_expect_eq(lines[0], 2);
	cr_expect_eq(lines[1], 3);
	cr_expect_eq(lines[2], 7);
	cr_expect_not(directive_guard("#ifndef A\n#define A 1\n#endif\nint a;\n", lines), "a default");
	cr_expect_not(directive_guard("int a;\n#ifndef A\n#define A\n#endif\n", lines));
	cr_expect_not(directive_guard("#ifndef A\n#define B\n#endif\n", lines));
	cr_expect_not(directive_guard("#ifndef A\n#define A\n#else\n#endif\n", lines));
	cr_expect_not(directive_guard("#ifndef A\n#define A\n", lines), "without an end");
	cr_expect_not(directive_guard("#include <a>\n#ifndef A\n#define A\n#endif\n", lines));
}
