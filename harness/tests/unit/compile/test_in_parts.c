/* links: compile; label: slow threads; timeout: 300 */
/* Solutions in parts: which objects are compiled, linked, and found again. */
#define _GNU_SOURCE
#include "compile/in_parts.h"

#include <glob.h>

#include "compile_fixture.h"

TestSuite(in_parts, .init = begin, .fini = end);

/* solve() says 100 times the number of parts that are linked, and the sum of what they say. */
#define SOURCE                                                                                     \
	"#include \"said.h\"\n"                                                                        \
	"#ifndef SOLUTION_PART\n#error whole\n#endif\n"                                                \
	"#if SOLUTION_PART < 0\n"                                                                      \
	"int count, sum;\n"                                                                            \
	"extern \"C\" int solve() { return 100 * count + sum; }\n"                                     \
	"extern \"C\" int solution_part(int M) { return M; }\n"                                        \
	"#else\n"                                                                                      \
	"extern int count, sum;\n"                                                                     \
	"static int entered = (count++, sum += SAID + SOLUTION_PART);\n"                               \
	"#endif\n"                                                                                     \
	"#if SOLUTION_PART == 9\n#error nine\n#endif\n"

static struct compiled compile_parts(const int *numbers, enum compile_status expected)
{
	struct parts parts = {{false}};
	struct compiled compiled;
	struct error err = {{0}};
	char source[PATHS_MAX];
	snprintf(source, sizeof source, "%s", path_of("a.cu"));
	for (; *numbers >= 0; numbers++)
		parts.has[*numbers] = true;
	const struct compile_options options = {
		.source = source, .architecture = "", .seconds = COMPILE_SECONDS};
	cr_assert_eq(in_parts_compile(&options, &parts, 2, &compiled, &err), expected, "%s: %s",
				 err.message, compiled.log);
	return compiled;
}

#define PARTS(...) ((const int[]){__VA_ARGS__, -1})
#define NO_PARTS ((const int[]){-1})

Test(in_parts, has_those_that_are_asked_for)
{
	write_file("said.h", "#define SAID 10\n");
	write_file("a.cu", SOURCE);
	cr_expect(in_parts_is(path_of("a.cu")));
	struct compiled none = compile_parts(NO_PARTS, COMPILE_OK);
	struct compiled one = compile_parts(PARTS(3), COMPILE_OK);
	struct compiled two = compile_parts(PARTS(3, 5), COMPILE_OK);
	cr_expect_eq(answer(none.library), 0);
	cr_expect_eq(answer(one.library), 100 + 13);
	cr_expect_eq(answer(two.library), 200 + 13 + 15);
	compiled_free(&none);
	compiled_free(&one);
	compiled_free(&two);
}

Test(in_parts, finds_each_object_again)
{
	write_file("said.h", "#define SAID 10\n");
	write_file("a.cu", SOURCE);
	struct compiled first = compile_parts(PARTS(3), COMPILE_OK);
	cr_expect_not(first.cached);
	compiled_free(&first);
	struct compiled two = compile_parts(PARTS(3, 5), COMPILE_OK);
	glob_t lists; /* of inputs: of three objects and two libraries */
	cr_assert_eq(glob(path_of("cache/*.inputs"), 0, NULL, &lists), 0);
	cr_expect_eq(lists.gl_pathc, 5);
	globfree(&lists);
	cr_expect_not(two.cached);
	compiled_free(&two);
	struct compiled again = compile_parts(PARTS(3, 5), COMPILE_OK);
	cr_expect(again.cached);
	cr_expect_eq(count_entries("tmp."), 0);
	compiled_free(&again);
}

Test(in_parts, notices_a_changed_header)
{
	write_file("said.h", "#define SAID 10\n");
	write_file("a.cu", SOURCE);
	struct compiled before = compile_parts(PARTS(3), COMPILE_OK);
	write_file("said.h", "#define SAID 20\n");
	struct compiled after = compile_parts(PARTS(3), COMPILE_OK);
	cr_expect_not(after.cached);
	cr_expect_eq(answer(after.library), 100 + 23);
	compiled_free(&before);
	compiled_free(&after);
}

Test(in_parts, tells_of_the_part_that_does_not_compile)
{
	write_file("said.h", "#define SAID 10\n");
	write_file("a.cu", SOURCE);
	struct compiled compiled = compile_parts(PARTS(3, 9), COMPILE_ERROR);
	cr_expect_not_null(strstr(compiled.log, "nine"), "%s", compiled.log);
	cr_expect_str_eq(compiled.library, "");
	compiled_free(&compiled);
}

Test(in_parts, begins_no_object_for_nothing)
{
	write_file("a.cu", "#if SOLUTION_PART == 1\n#error one\n#endif\n"
					   "extern \"C\" int solution_part(int M);\n");
	char source[PATHS_MAX];
	snprintf(source, sizeof source, "%s", path_of("a.cu"));
	const struct compile_options options = {
		.source = source, .architecture = "", .seconds = COMPILE_SECONDS};
	const struct parts parts = {.has = {[1] = true, [2] = true}};
	struct compiled compiled;
	struct error err = {{0}};
	cr_assert_eq(in_parts_compile(&options, &parts, 1, &compiled, &err), COMPILE_ERROR);
	glob_t lists; /* of inputs: the object that has solve() was compiled before the part 1 */
	cr_assert_eq(glob(path_of("cache/*.inputs"), 0, NULL, &lists), 0);
	cr_expect_eq(lists.gl_pathc, 1, "%zu objects", lists.gl_pathc);
	globfree(&lists);
	compiled_free(&compiled);
}

Test(in_parts, is_told_by_the_text)
{
	write_file("a.cu", "/* int solution_part( */ extern \"C\" void solve() {}\n");
	cr_expect_not(in_parts_is(path_of("a.cu")));
	write_file("a.cu", "extern \"C\" int\n  solution_part (int M);\n");
	cr_expect(in_parts_is(path_of("a.cu")));
	cr_expect_not(in_parts_is(path_of("b.cu")));
}
