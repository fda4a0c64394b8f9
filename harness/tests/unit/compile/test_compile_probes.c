/* links: compile; label: slow; timeout: 300 */
/* What a stranger's file finds out about the machine by being compiled. */
#define _GNU_SOURCE
#include "compile_fixture.h"

TestSuite(compile, .init = begin, .fini = end);

/* What is said of a path that a stranger's file names, behind the path; the caller's to free. */
static char *said_of(const char *before, const char *path, const char *after)
{
	struct error err = {{0}};
	struct compiled out;
	char source[PATHS_MAX], text[PATHS_MAX];
	snprintf(text, sizeof text, "%s%s%s\n#define ANSWER 7\n" SOLVE, before, path, after);
	write_file("a.cu", text);
	snprintf(source, sizeof source, "%s", path_of("a.cu"));
	const struct compile_options options = {
		.source = source, .architecture = "", .isolated = true, .seconds = 120};
	cr_expect_eq(compile_solution(&options, &out, &err), COMPILE_ERROR, "%s", path);
	const char *at = strstr(out.log, path);
	char *said = strdup(at != NULL ? at + strlen(path) : out.log);
	said[strcspn(said, "\n")] = '\0';
	compiled_free(&out);
	return said;
}

/* Whether there is a file, or a process, is not told by how the compiler fails. */
Test(compile, what_is_denied_is_missing_to_a_strangers_file)
{
	static const char *const paths[] = {"/etc/not-there", "/etc/passwd", "/proc/1/status"};
	static const char *const ways[][2] = {{"#include \"", "\""},
										  {"asm(\".include \\\"", "\\\"\");"}};
	need_jail();
	for (size_t way = 0; way < 2; way++) {
		char *missing = said_of(ways[way][0], paths[0], ways[way][1]);
		for (size_t i = 1; i < sizeof paths / sizeof *paths; i++) {
			char *denied = said_of(ways[way][0], paths[i], ways[way][1]);
			cr_expect_str_eq(denied, missing, "%s: %s", paths[i], denied);
			free(denied);
		}
		free(missing);
	}
}

/* Nor by the way to a file that may be read. */
Test(compile, a_folder_on_the_way_is_not_looked_for)
{
	static const char *const ways[] = {"/proc/1/..", "/proc/999999999/.."};
	need_jail();
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		struct error err = {{0}};
		struct compiled out;
		char source[PATHS_MAX], text[PATHS_MAX];
		snprintf(text, sizeof text,
				 "#include \"%s/../usr/include/stdio.h\"\n#define ANSWER 7\n" SOLVE, ways[i]);
		write_file("a.cu", text);
		snprintf(source, sizeof source, "%s", path_of("a.cu"));
		const struct compile_options options = {
			.source = source, .architecture = "", .isolated = true, .seconds = 120};
		cr_expect_eq(compile_solution(&options, &out, &err), COMPILE_OK, "%s", out.log);
		compiled_free(&out);
	}
}

/* Where the cache lies in the judge's tree, as in its build folder, so does the copy that is
 * compiled.
 */
Test(compile, a_cache_in_the_tree_opens_no_solution)
{
	struct error err = {{0}};
	struct compiled out;
	char tree[PATHS_MAX], cache[PATHS_MAX], source[PATHS_MAX], text[2 * PATHS_MAX];
	need_jail();
	cr_assert(paths_source(tree, &err) && paths_build(cache, &err), "%s", err.message);
	strncat(cache, "/test_compile.XXXXXX", sizeof cache - strlen(cache) - 1);
	cr_assert_not_null(mkdtemp(cache));
	setenv("GEMMJUDGE_CACHE", cache, 1);
	snprintf(
		text, sizeof text,
		"asm(\".section .rodata\\n.incbin \\\"%s/solutions/gemm_f16/02_tiled.cu\\\"\\n.previous\");"
		"\n#define ANSWER 7\n" SOLVE,
		tree);
	write_file("a.cu", text);
	snprintf(source, sizeof source, "%s", path_of("a.cu"));
	const struct compile_options options = {.source = source, .architecture = "", .seconds = 120};
	cr_expect_eq(compile_solution(&options, &out, &err), COMPILE_ERROR);
	cr_expect_not_null(strstr(out.log, "file not found"), "%s", out.log);
	compiled_free(&out);
	nftw(cache, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* The compilers' allocators read these, and take memory in small pieces where they cannot. */
Test(compile, compilers_know_how_to_take_memory)
{
	static const char huge[] = "/sys/kernel/mm/transparent_hugepage/enabled",
					  overcommit[] = "/proc/sys/vm/overcommit_memory";
	struct error err = {{0}};
	struct compiled out;
	char source[PATHS_MAX], text[PATHS_MAX];
	need_jail();
	if (access(huge, R_OK) != 0)
		cr_skip_test("a kernel without huge pages");
	snprintf(text, sizeof text,
			 "#if !__has_include(\"%s\") || !__has_include(\"%s\")\n#error it cannot be read\n"
			 "#endif\n#define ANSWER 7\n" SOLVE,
			 huge, overcommit);
	write_file("a.cu", text);
	snprintf(source, sizeof source, "%s", path_of("a.cu"));
	const struct compile_options options = {
		.source = source, .architecture = "", .isolated = true, .seconds = 120};
	cr_expect_eq(compile_solution(&options, &out, &err), COMPILE_OK, "%s", out.log);
	compiled_free(&out);
}
