/* links: chain base */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chain/chain.h"

static char path[] = "/tmp/test_refusal.XXXXXX";

/* What is said of the stage `mine` whose file holds the text, when nvcc said this. */
static char *refusal(const char *text, const char *log)
{
	static struct chain chain = {.count = 1, .stages = {{.name = "mine"}}};
	static struct chain_files files;
	strcpy(path, "/tmp/test_refusal.XXXXXX");
	int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	strcpy(files.paths[0], path);
	char *said = chain_refusal(&chain, &files, log);
	unlink(path);
	return said;
}

static void expect(const char *text, const char *log, const char *words)
{
	char line[512];
	char *said = refusal(text, log);
	snprintf(line, sizeof line, "%s%s", path, words);
	cr_assert_not_null(said);
	cr_expect_eq(strncmp(said, line, strlen(line)), 0, "%s", said);
	cr_expect_eq(strchr(said, '\n'), said + strlen(said) - 1, "one line: %s", said);
	free(said);
}

#define FORM                                                                                       \
	"h(1): error: static assertion failed with \"operator() should be 'this' (stage mine)\"\n"

Test(chain_refusal, shows_the_operator_that_is_there)
{
	expect("// float operator()(int) in a comment\ntemplate <class Element> struct stage_mine {\n"
		   "\t__device__ __forceinline__ float\n\toperator()(float x,  size_t i) const { return x; "
		   "}\n};",
		   FORM "epilogue.cuh(322): error: cannot be called\n",
		   "(4): error: 'float operator()(float x, size_t i) const' cannot be called with a value: "
		   "operator() should be 'this'");
	expect("template <class Element> struct stage_mine {\n\tfloat apply(float x) const;\n};", FORM,
		   "(1): error: the class has no operator(): operator() should be 'this'");
}

Test(chain_refusal, shows_the_class_that_is_there)
{
	const char *undefined = "x(1): error: stage_mine is not a template\n" FORM;
	const char *plain = "x(1): error: class \"stage_mine\" may not have a template argument list\n";
	expect("/* struct stage_mine */\ntemplate <class Element> struct stage_other : base {};",
		   undefined,
		   "(2): error: the file defines 'struct stage_other', and a stage of this file's name is "
		   "'template <class Element> struct stage_mine'");
	expect("struct helper {};\nstruct stage_mine {};", plain,
		   "(2): error: the file defines 'struct stage_mine', and");
	expect("__device__ float f(float x);", undefined, "(1): error: the file defines no class, and");
}

Test(chain_refusal, takes_the_first_assertion_and_functions_of_the_host)
{
	expect("",
		   "x(1): error: static assertion failed with \"another (stage other)\"\n"
		   "x(1): error: static assertion failed with \"too many members (stage mine)\"\n" FORM,
		   "(1): error: too many members\n");
	expect("struct stage_mine {\n float operator()(float x) const; };",
		   "e(3): error: calling a __host__ function(\"stage_mine<half>::operator ()\") from a\n",
		   "(2): error: operator() of stage_mine is a function of the host: it begins with "
		   "__device__\n");
}

Test(chain_refusal, names_the_kernel_whose_values_are_single)
{
	struct chain chain = {
		.count = 1,
		.stages = {{.name = "glu", .count = 1, .members = {{.kind = CHAIN_OUTPUT, .columns = 2}}}}};
	static struct chain_files files;
	char *said = chain_refusal(
		&chain, &files,
		"c(44): error: static assertion failed with \"a stage of this chain needs two neighbouring "
		"columns at once: or so\"\n  instantiation of \"store\" at line 127 of epilogue.cuh\n"
		"  instantiation of \"store\" at line 39 of /here/naive.cu\n\nat line 7 of other.cuh\n");
	cr_assert_not_null(said);
	cr_expect_str_eq(said,
					 "/here/naive.cu(39): error: the kernel hands over single values, and the "
					 "stage glu needs two neighbouring columns at once: where neighbouring "
					 "lanes have them, out.by_lanes().store() shares them\n");
	free(said);
}

Test(chain_refusal, leaves_other_errors_as_they_are)
{
	cr_expect_null(refusal("struct stage_mine {};", "mine.cuh(3): error: \"y\" is undefined\n"));
	cr_expect_null(refusal("struct stage_mine {};",
						   "x(1): error: static assertion failed with \"own words\"\n"));
	cr_expect_null(refusal("", "e(3): error: calling a __host__ function(\"helper\") from a\n"
							   "stage_mine<half>\n"));
}
