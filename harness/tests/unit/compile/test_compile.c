/* links: compile; label: slow; timeout: 300 */
/* What is compiled, and what is found again. */
#define _GNU_SOURCE
#include "compile_fixture.h"

TestSuite(compile, .init = begin, .fini = end);

Test(compile, a_library_keeps_its_c_plus_plus_library_to_itself)
{
	write_file("prints.cu",
			   "#include <iostream>\n"
			   "extern \"C\" int solve() { std::cout << 7 << std::endl; return 7; }\n");
	struct compiled compiled = compile("prints.cu", COMPILE_OK);
	load_runtime();
	/* stays: what its C++ library has allocated for ever would be a leak without it */
	void *handle = dlopen(compiled.library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	cr_assert_not_null(handle, "%s", dlerror());
	cr_expect_not_null(dlsym(handle, "solve"));
	/* the runtime may bring one along: that of CUDA 13.5 needs libstdc++, that of 13.0 does not */
	Dl_info from;
	void *out = dlsym(handle, "_ZSt4cout");
	cr_expect(out == NULL || (dladdr(out, &from) && strcmp(from.dli_fname, compiled.library) != 0),
			  "std::cout is exported");
	dlclose(handle);
	compiled_free(&compiled);
}

/* Of the cache, the files whose names end so get another text; how many there are. */
static int rewrite_entries(const char *ending, const char *text)
{
	int count = 0;
	struct dirent *entry;
	DIR *all = opendir(path_of("cache"));
	while ((entry = readdir(all)) != NULL) {
		const char *at = strstr(entry->d_name, ending);
		char name[300];
		if (at == NULL || strcmp(at, ending) != 0)
			continue;
		snprintf(name, sizeof name, "cache/%s", entry->d_name);
		write_file(name, text);
		count++;
	}
	closedir(all);
	return count;
}

Test(compile, finds_again_what_it_compiled)
{
	write_file("a.cu", "#define ANSWER 7\n" SOLVE);
	struct compiled first = compile("a.cu", COMPILE_OK), second = compile("a.cu", COMPILE_OK);
	cr_assert_not(first.cached);
	cr_assert(second.cached);
	cr_assert_str_eq(first.library, second.library);
	cr_assert_eq(answer(first.library), 7);
	cr_assert_eq(count_entries("tmp."), 0);
	compiled_free(&first);
	compiled_free(&second);
	/* a cache that was moved is the same cache */
	char before[PATHS_MAX];
	snprintf(before, sizeof before, "%s", path_of("cache"));
	cr_assert_eq(rename(before, path_of("moved")), 0);
	setenv("GEMMJUDGE_CACHE", path_of("moved"), 1);
	struct compiled third = compile("a.cu", COMPILE_OK);
	cr_assert(third.cached);
	compiled_free(&third);
}

Test(compile, notices_changes_of_the_file_and_of_its_includes)
{
	write_file("a b.cuh", "#define ANSWER 1\n");
	write_file("a.cu", "#include \"a b.cuh\"\n" SOLVE);
	struct compiled first = compile("a.cu", COMPILE_OK);
	write_file("a b.cuh", "#define ANSWER 2\n");
	struct compiled second = compile("a.cu", COMPILE_OK);
	cr_assert_not(second.cached);
	cr_assert_eq(answer(first.library), 1);
	cr_assert_eq(answer(second.library), 2);
	write_file("a b.cuh", "#define ANSWER 1\n");
	struct compiled third = compile("a.cu", COMPILE_OK);
	cr_assert_eq(answer(third.library), 1);
	compiled_free(&first);
	compiled_free(&second);
	compiled_free(&third);
}

Test(compile, rebuilds_a_damaged_entry)
{
	write_file("a.cu", "#define ANSWER 7\n" SOLVE);
	struct compiled first = compile("a.cu", COMPILE_OK);
	cr_assert_eq(truncate(first.library, 100), 0);
	struct compiled second = compile("a.cu", COMPILE_OK);
	cr_assert_not(second.cached);
	cr_assert_eq(answer(second.library), 7);
	cr_assert_eq(count_entries("tmp."), 0);
	compiled_free(&first);
	compiled_free(&second);
}

Test(compile, passes_the_compilers_messages_on)
{
	write_file("a.cu", "extern \"C\" void solve() { undeclared = 1; }\n");
	struct compiled out = compile("a.cu", COMPILE_ERROR);
	cr_assert_not_null(strstr(out.log, "a.cu(1): error: identifier \"undeclared\" is undefined"),
					   "%s", out.log);
	cr_assert_str_empty(out.library);
	cr_assert_eq(count_entries("tmp."), 0);
	compiled_free(&out);
}

/* nvcc hands names to a shell; what these would run leaves a file. */
static void expect_name(const char *place, const char *file)
{
	char name[PATHS_MAX];
	snprintf(name, sizeof name, "%s%s", place, file);
	write_file(name, "#include \"beside.cuh\"\n#include \"below/more.cuh\"\n" SOLVE);
	struct compiled out = compile(name, COMPILE_OK);
	cr_assert_eq(answer(out.library), 3, "%s", name);
	cr_assert_str_empty(out.log, "%s: %s", name, out.log);
	compiled_free(&out);
}

static int no_file_ran(const char *path, const struct stat *facts, int kind, struct FTW *walk)
{
	(void)facts, (void)kind;
	cr_assert_str_neq(path + walk->base, "ran", "%s", path);
	return 0;
}

Test(compile, takes_files_of_any_name_in_folders_of_any_name)
{
	write_file("beside.cuh", "#define ANSWER 3\n");
	cr_assert_eq(mkdir(path_of("below"), 0700), 0);
	write_file("below/more.cuh", "#include \"../beside.cuh\"\n");
	write_file("version", "not the header <version>\n");
	static const char *const names[] = {"a`touch ran`b\"; touch ran; \"'.cu", "$(touch ran),b.cu",
										"-o.cu", "line\nback\\slash.cu"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		expect_name("", names[i]);
	char name[256] = "";
	memset(name, 'a', 250);
	expect_name("", name);
	static const char place[] = "`touch ran`, \"$x/";
	cr_assert_eq(mkdir(path_of(place), 0700), 0);
	write_file("`touch ran`, \"$x/beside.cuh", "#include <version>\n#define ANSWER 3\n");
	cr_assert_eq(mkdir(path_of("`touch ran`, \"$x/below"), 0700), 0);
	write_file("`touch ran`, \"$x/below/more.cuh", "#include \"../beside.cuh\"\n");
	expect_name(place, names[0]);
	expect_name(place, "plain.cu");
	nftw(folder, no_file_ran, 8, FTW_PHYS);
}

Test(compile, messages_have_the_users_name)
{
	write_file("a,`b`.cu", "\xef\xbb\xbf"
						   "extern \"C\" void solve() {\n\tundeclared = 1; }\n");
	struct compiled out = compile("a,`b`.cu", COMPILE_ERROR);
	cr_assert_not_null(strstr(out.log, "/a,`b`.cu(2): error: identifier \"undeclared\""), "%s",
					   out.log);
	cr_assert_not_null(strstr(out.log, "in the compilation of \"/tmp/"), "%s", out.log);
	cr_assert_null(strstr(out.log, "judged-solution"), "%s", out.log);
	compiled_free(&out);
}

/* A text that was compiled is found elsewhere, under another name or from stdin: with its own name
 * in messages. */
static void expect_found(const char *source, const char *stands_for, const char *library)
{
	char content[PATHS_MAX], shown[PATHS_MAX], line[PATHS_MAX + 8];
	snprintf(content, sizeof content, "%s", path_of(source));
	snprintf(shown, sizeof shown, "%s", path_of(stands_for != NULL ? stands_for : source));
	snprintf(line, sizeof line, "%s:2:", shown);
	struct compile_options options = {.source = content,
									  .stands_for = stands_for != NULL ? shown : NULL,
									  .architecture = "",
									  .seconds = 120};
	struct compiled out;
	struct error err = {{0}};
	cr_assert_eq(compile_solution(&options, &out, &err), COMPILE_OK, "%s %s", err.message, out.log);
	cr_expect(out.cached, "%s is compiled again", shown);
	cr_expect_str_eq(out.library, library);
	cr_expect_str_eq(out.source, shown);
	cr_expect_not_null(strstr(out.log, line), "%s", out.log);
	cr_expect_null(strstr(out.log, "judged-solution"), "%s", out.log);
	compiled_free(&out);
}

Test(compile, finds_a_text_again_whatever_it_is_called)
{
#define TEXT "#define ANSWER 7\n#warning careful\n" SOLVE "#line 1 \"generated\"\n"
	write_file("a.cu", TEXT);
	struct compiled out = compile("a.cu", COMPILE_OK);
	char library[PATHS_MAX], before[PATHS_MAX];
	snprintf(library, sizeof library, "%s", out.library);
	compiled_free(&out);
	cr_assert_eq(mkdir(path_of("other"), 0700), 0);
	write_file("other/b,`c`.cu", TEXT);
	expect_found("other/b,`c`.cu", NULL, library);
	expect_found("a.cu", "other/stdin", library);
	snprintf(before, sizeof before, "%s", path_of("a.cu"));
	cr_assert_eq(rename(before, path_of("c.cu")), 0);
	expect_found("c.cu", NULL, library);

	/* who reads the library itself finds the file's own name in it */
	char source[PATHS_MAX];
	struct error err = {{0}};
	snprintf(source, sizeof source, "%s", path_of("c.cu"));
	struct compile_options options = {
		.source = source, .architecture = "", .in_place = true, .seconds = 120};
	cr_assert_eq(compile_solution(&options, &out, &err), COMPILE_OK, "%s", err.message);
	cr_expect_not(out.cached);
	cr_expect_str_empty(out.source);
	compiled_free(&out);

	/* the compiler's version is known by what the file is, and not asked again */
	cr_assert_eq(rewrite_entries(".version", "13.9.9"), 1);
	out = compile("c.cu", COMPILE_OK);
	cr_expect_not(out.cached, "nvcc was asked for its version");
	compiled_free(&out);
}

/* As that of stdin: the headers are those of the folder where it seems to lie. */
Test(compile, a_file_can_stand_for_another)
{
	cr_assert_eq(mkdir(path_of("work"), 0700), 0);
	write_file("work/beside.cuh", "#define ANSWER 5\n#warning careful, too\n");
	write_file("text", "#include \"beside.cuh\"\n" SOLVE "#warning careful\n");
	char source[PATHS_MAX], stands_for[PATHS_MAX];
	strcpy(source, path_of("text"));
	strcpy(stands_for, path_of("work/stdin"));
	struct compile_options options = {
		.source = source, .stands_for = stands_for, .architecture = "", .seconds = 120};
	struct compiled out;
	struct error err = {{0}};
	cr_assert_eq(compile_solution(&options, &out, &err), COMPILE_OK, "%s %s", err.message, out.log);
	cr_assert_eq(answer(out.library), 5);
	cr_assert_not_null(strstr(out.log, "/work/stdin:3:"), "%s", out.log);
	cr_assert_not_null(strstr(out.log, "/work/beside.cuh:2:"), "%s", out.log);
	compiled_free(&out);
	/* a copy, with a copy of the header beside it, in a folder of a strange name */
	cr_assert_eq(mkdir(path_of("o,ther"), 0700), 0);
	write_file("o,ther/beside.cuh", "#define ANSWER 5\n#warning careful, too\n");
	write_file("o,ther/a.cu", "#include \"beside.cuh\"\n" SOLVE "#warning careful\n");
	out = compile("o,ther/a.cu", COMPILE_OK);
	cr_expect(out.cached);
	cr_expect_not_null(strstr(out.log, "/o,ther/beside.cuh:2:"), "%s", out.log);
	compiled_free(&out);
}

Test(compile, keeps_warnings_with_the_entry)
{
	write_file("a.cu", "#warning be careful\n#define ANSWER 7\n" SOLVE);
	struct compiled first = compile("a.cu", COMPILE_OK), second = compile("a.cu", COMPILE_OK);
	cr_assert_not_null(strstr(first.log, "be careful"), "%s", first.log);
	cr_assert(second.cached);
	cr_assert_str_eq(first.log, second.log);
	compiled_free(&first);
	compiled_free(&second);
}

/* By "##", so that its text names none: of each part (source_needs.h) something. */
static const char uses_all_parts[] =
	"#define NAME(a, b) a##b\n"
	"#include <cmath>\n"
	"__global__ void k(const float *p, float *o, NAME(cudaTex, tureObject_t) t)\n"
	"{ *o = NAME(__l, dg)(p) + NAME(te, x2D)<float>(t, 0, 0); }\n"
	"static NAME(_Flo, at64x) wide = 1;\n"
	"extern \"C\" int solve() { auto d = NAME(cudaCreateChannel, Desc)<float>();\n"
	"k<<<1, 1>>>(nullptr, nullptr, 0); return d.x + (int)(wide + std::beta(1.0, 1.0)); }\n";

Test(compile, a_part_that_no_text_names_is_found_all_the_same)
{
	write_file("a.cu", uses_all_parts);
	struct compiled out = compile("a.cu", COMPILE_OK);
	cr_expect_str_empty(out.log, "%s", out.log);
	compiled_free(&out);
	out = compile("a.cu", COMPILE_OK);
	cr_expect(out.cached);
	compiled_free(&out);
}

Test(compile, stops_at_its_time_limit)
{
	struct compiled out;
	struct error err = {{0}};
	write_file("a.cu", "#define ANSWER 7\n" SOLVE);
	struct compile_options options = {
		.source = path_of("a.cu"), .architecture = "", .seconds = 0.05};
	cr_assert_eq(compile_solution(&options, &out, &err), COMPILE_STOPPED);
	cr_assert_str_eq(err.message, "nvcc took more than 0.05 s (--compile-timeout S allows more)");
	cr_assert_eq(count_entries("tmp."), 0);
	compiled_free(&out);
}

Test(compile, names_a_compiler_that_is_not_there)
{
	struct compiled out;
	struct error err = {{0}};
	write_file("a.cu", "#define ANSWER 7\n" SOLVE);
	struct compile_options options = {.source = path_of("a.cu"), .architecture = ""};
	setenv("GEMMJUDGE_NVCC", "/no/such/nvcc", 1);
	cr_assert_eq(compile_solution(&options, &out, &err), COMPILE_NO_COMPILER);
	cr_assert_str_eq(err.message, "GEMMJUDGE_NVCC=/no/such/nvcc: no such program");
	compiled_free(&out);

	write_file("nvcc", "#!/bin/sh\necho 'Cuda compilation tools, release 12.4, V12.4.131'\n");
	chmod(path_of("nvcc"), 0755);
	setenv("GEMMJUDGE_NVCC", path_of("nvcc"), 1);
	options.source = path_of("a.cu");
	cr_assert_eq(compile_solution(&options, &out, &err), COMPILE_NO_COMPILER);
	cr_assert_not_null(strstr(err.message, "is of CUDA 12.4.131, and CUDA 13 is needed"), "%s",
					   err.message);
	compiled_free(&out);
}

Test(compile, says_when_the_host_compiler_is_missing)
{
	struct compiled out;
	struct error err = {{0}};
	char nvcc[PATHS_MAX], version[64];
	cr_assert(compile_find_nvcc(nvcc, version, &err), "%s", err.message);
	cr_assert_eq(strncmp(version, "13.", 3), 0);
	setenv("GEMMJUDGE_NVCC", nvcc, 1);
	setenv("PATH", "/nowhere", 1);
	unsetenv("NVCC_CCBIN");
	write_file("a.cu", "#define ANSWER 7\n" SOLVE);
	struct compile_options options = {.source = path_of("a.cu"), .architecture = "", .seconds = 60};
	cr_assert_eq(compile_solution(&options, &out, &err), COMPILE_NO_COMPILER);
	cr_assert_not_null(strstr(err.message, "there is no g++"), "%s", err.message);
	compiled_free(&out);
}

Test(compile, names_a_file_that_cannot_be_read)
{
	struct compiled out;
	struct error err = {{0}};
	struct compile_options options = {.source = path_of("missing.cu"), .architecture = ""};
	cr_assert_eq(compile_solution(&options, &out, &err), COMPILE_FAILED);
	cr_assert_not_null(strstr(err.message, "missing.cu: No such file or directory"), "%s",
					   err.message);
	compiled_free(&out);
	options.source = folder;
	cr_assert_eq(compile_solution(&options, &out, &err), COMPILE_FAILED);
	cr_assert_not_null(strstr(err.message, "is no regular file"), "%s", err.message);
	compiled_free(&out);
}

Test(compile, names_a_cache_that_cannot_be_written)
{
	struct compiled out;
	struct error err = {{0}};
	write_file("a.cu", "#define ANSWER 7\n" SOLVE);
	write_file("file", "");
	struct compile_options options = {.source = path_of("a.cu"), .architecture = ""};
	char source[PATHS_MAX];
	strcpy(source, options.source);
	options.source = source;
	setenv("GEMMJUDGE_CACHE", path_of("file/cache"), 1);
	cr_assert_eq(compile_solution(&options, &out, &err), COMPILE_FAILED);
	cr_assert_not_null(strstr(err.message, "cannot be written"), "%s", err.message);
	compiled_free(&out);
}

Test(compile, takes_a_cache_named_relative_to_here)
{
	write_file("a.cu", "#define ANSWER 7\n" SOLVE);
	cr_assert_eq(chdir(folder), 0);
	setenv("GEMMJUDGE_CACHE", "cache", 1);
	struct compiled out = compile("a.cu", COMPILE_OK);
	cr_assert_eq(out.library[0], '/');
	cr_assert_eq(answer(out.library), 7);
	compiled_free(&out);
}

Test(compile, keeps_in_the_cache_what_is_in_use)
{
	const struct prune_limits nothing = {.bytes = 0, .seconds = 1e9};
	write_file("one.cu", "#define ANSWER 1\n" SOLVE);
	struct compiled first = compile("one.cu", COMPILE_OK);
	struct compiled second = compile("one.cu", COMPILE_OK);
	cr_assert(second.cached);
	compiled_free(&first);
	prune_cache(path_of("cache"), &nothing);
	cr_expect_eq(access(second.library, R_OK), 0, "the second one still uses it");
	compiled_free(&second);
	prune_cache(path_of("cache"), &nothing);
	cr_expect_neq(access(second.library, R_OK), 0);
	struct compiled third = compile("one.cu", COMPILE_OK);
	cr_expect_not(third.cached);
	compiled_free(&third);
}

/* Several judges at once, on the same file and an empty cache. */
Test(compile, shares_its_cache)
{
	enum { JUDGES = 4 };
	write_file("a.cu", "#define ANSWER 7\n" SOLVE);
	pid_t judges[JUDGES];
	for (int i = 0; i < JUDGES; i++) {
		judges[i] = fork();
		if (judges[i] == 0) {
			struct compiled out;
			struct error err = {{0}};
			struct compile_options options = {
				.source = path_of("a.cu"), .architecture = "", .seconds = 120};
			bool good = compile_solution(&options, &out, &err) == COMPILE_OK;
			_exit(good && access(out.library, R_OK) == 0 ? 0 : 1);
		}
	}
	for (int i = 0; i < JUDGES; i++) {
		int status;
		cr_assert_eq(waitpid(judges[i], &status, 0), judges[i]);
		cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	struct compiled out = compile("a.cu", COMPILE_OK);
	cr_assert(out.cached);
	cr_assert_eq(count_entries("tmp."), 0);
	compiled_free(&out);
}

/* The header that EPILOGUE_CHAIN names is generated; the stages that it includes
 * count as the solution's own text. */
Test(compile, a_changed_stage_is_compiled_again)
{
	struct compiled out;
	struct error err = {{0}};
	char source[PATHS_MAX], header[PATHS_MAX + 16];
	write_file("a.cu", "#include EPILOGUE_CHAIN\n" SOLVE);
	write_file("stage.cuh", "#define ANSWER 11\n");
	snprintf(header, sizeof header, "#include \"%s\"\n", path_of("stage.cuh"));
	snprintf(source, sizeof source, "%s", path_of("a.cu"));
	struct compile_options options = {
		.source = source, .architecture = "", .epilogue = header, .seconds = 120};
	cr_assert_eq(compile_solution(&options, &out, &err), COMPILE_OK, "%s", err.message);
	cr_assert_eq(answer(out.library), 11);
	compiled_free(&out);
	cr_assert_eq(compile_solution(&options, &out, &err), COMPILE_OK);
	cr_assert(out.cached);
	compiled_free(&out);

	write_file("stage.cuh", "#define ANSWER 12\n");
	cr_assert_eq(compile_solution(&options, &out, &err), COMPILE_OK);
	cr_assert_not(out.cached);
	cr_assert_eq(answer(out.library), 12);
	compiled_free(&out);
}
