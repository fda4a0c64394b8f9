/* links: compile; timeout: 120 */
/* Files as people have them: with LeetGPU's old header, headers of their repository, a main(). */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/compile.h"
#include "compile/jail_rules.h"
#include "process/landlock.h"

/* Each test has a folder of its own with a cache and a repository in it. */
static char folder[64];

static const char *path_of(const char *name)
{
	static char path[PATHS_MAX];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
	usleep(20000); /* older than the compilation, also by a coarse clock */
}

static void begin(void)
{
	static const char *const folders[] = {"repo",         "repo/.git", "repo/inc",
										  "repo/include", "repo/sub",  "repo/sub/own"};
	strcpy(folder, "/tmp/test_people.XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	setenv("GEMMJUDGE_CACHE", path_of("the cache"), 1);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		cr_assert_eq(mkdir(path_of(folders[i]), 0700), 0);
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *walk)
{
	(void)facts, (void)kind, (void)walk;
	return remove(path);
}

static void end(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TestSuite(people, .init = begin, .fini = end);

/* With a solve.h of ours. */
static struct compiled compile(const char *name, enum compile_status expected)
{
	struct compiled out;
	struct error err = {{0}};
	struct compile_options options = {.source = path_of(name),
									  .architecture = "",
									  .solve_header = "extern \"C\" int solve();\n",
									  .seconds = 60};
	enum compile_status status = compile_solution(&options, &out, &err);
	cr_assert_eq(status, expected, "%d: %s\n%s", status, err.message, out.log);
	return out;
}

#define CUBLAS "extern \"C\" int cublasCreate_v2(void **);\n"

/* solve.h, headers above and of the repository, C++20, and a main() that does what solve() may not.
 */
Test(people, takes_a_file_as_people_have_it)
{
	write_file("repo/common.h", "#define SEVEN 7\n");
	write_file("repo/inc/one.h", "#define ONE 1\n");
	write_file("repo/include/two.h", "#define TWO 2\n");
	write_file("repo/sub/a.cu",
			   "#include \"solve.h\"\n#include \"../common.h\"\n#include \"inc/one.h\"\n"
			   "#include \"two.h\"\n#include <concepts>\n" CUBLAS
			   "template <std::integral T> T add(T a, T b) { return a + b; }\n"
			   "static int library() { void *h; return cublasCreate_v2(&h); }\n"
			   "int solve() { return add(SEVEN, ONE) * TWO; }\n"
			   "static_assert(SEVEN + ONE + TWO == 10);\n"
			   "int main() { return library() + solve(); }\n");
	struct compiled out = compile("repo/sub/a.cu", COMPILE_OK);
	cr_expect(out.cxx20 && !out.cached);
	compiled_free(&out);
	out = compile("repo/sub/a.cu", COMPILE_OK);
	cr_expect(out.cxx20 && out.cached, "it is not found again");
	compiled_free(&out);
}

/* What solve() reaches is there still; and a solve.h beside the file is the file's. */
Test(people, a_main_hides_nothing_that_solve_reaches)
{
	write_file("repo/sub/own/solve.h", "#define OWN\n");
	write_file("repo/sub/own/a.cu",
			   "#include \"solve.h\"\n#ifndef OWN\n#error not the file's\n#endif\n" CUBLAS
			   "static int library() { void *h; return cublasCreate_v2(&h); }\n"
			   "extern \"C\" int solve(int x) { return x > 0 ? library() : 0; }\n"
			   "int main() { return library(); }\n");
	struct compiled out = compile("repo/sub/own/a.cu", COMPILE_FORBIDDEN);
	compiled_free(&out);
}

/* It comes with epilogue.cuh, unless nothing seems to need it; here only a macro's result does. */
Test(people, an_epilogue_of_bf16_needs_no_header_before_it)
{
	write_file("repo/sub/b.cu", "#include \"epilogue.cuh\"\n#define P(a, b) a##b\n"
								"__global__ void k(epilogue<P(__nv_bf, loat16)> out) {"
								" out.store(0, 0, 1.0f); }\n"
								"extern \"C\" int solve() { return 7; }\n");
	struct compiled out = compile("repo/sub/b.cu", COMPILE_OK);
	compiled_free(&out);
}

Test(people, a_repository_is_read_but_for_what_is_hidden)
{
	char root[PATHS_MAX], sub[PATHS_MAX];
	snprintf(sub, sizeof sub, "%s", path_of("repo/sub"));
	cr_assert(jail_rules_repository(sub, root));
	cr_expect_str_eq(root, path_of("repo"));
	setenv("HOME", root, 1);
	cr_expect_not(jail_rules_repository(sub, root), "a home");
	setenv("HOME", "/nowhere", 1);
	cr_assert_eq(rmdir(path_of("repo/.git")), 0);
	cr_expect_not(jail_rules_repository(sub, root), "no repository");
	cr_assert_eq(mkdir(path_of("repo/.git"), 0700), 0);
	if (landlock_abi() <= 0)
		cr_skip_test("no jail here");
	write_file("repo/.git/config", "\n");
	write_file("repo/sub/b.cu", "#include \"../.git/config\"\n");
	struct compiled out = compile("repo/sub/b.cu", COMPILE_ERROR);
	cr_expect_not_null(strstr(out.log, "Permission denied"), "%s", out.log);
	compiled_free(&out);
}
