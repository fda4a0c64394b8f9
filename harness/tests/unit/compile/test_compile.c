/* links: compile; label: slow; timeout: 300 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile/compile.h"
#include "compile/prune.h"
#include "process/child.h"
#include "process/landlock.h"

#define SOLVE "extern \"C\" int solve() { return ANSWER; }\n"

/* Each test has a folder of its own with a cache in it. */
static char folder[64];

static void begin(void)
{
	char cache[PATHS_MAX];
	strcpy(folder, "/tmp/test_compile.XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	snprintf(cache, sizeof cache, "%s/cache", folder);
	setenv("GEMMJUDGE_CACHE", cache, 1);
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

TestSuite(compile, .init = begin, .fini = end);

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

static struct compiled compile(const char *name, enum compile_status expected)
{
	struct compiled out;
	struct error err = {{0}};
	struct compile_options options = {.source = path_of(name), .architecture = "", .seconds = 120};
	enum compile_status status = compile_solution(&options, &out, &err);
	cr_assert_eq(status, expected, "%d: %s\n%s", status, err.message, out.log);
	cr_assert_eq(out.status, status);
	return out;
}

/* A compiled solution needs a libcudart.so.13, as the contestant knows; here the
 * one beside nvcc, wherever the dynamic linker does not look by itself. */
static void load_runtime(void)
{
	char nvcc[PATHS_MAX], version[64], runtime[PATHS_MAX];
	struct error err;
	cr_assert(compile_find_nvcc(nvcc, version, &err), "%s", err.message);
	char *real = realpath(nvcc, NULL);
	cr_assert_not_null(real);
	*strrchr(real, '/') = '\0';
	cr_assert(paths_join(runtime, real, "../lib64/libcudart.so.13", &err), "%s", err.message);
	free(real);
	dlopen(runtime, RTLD_NOW | RTLD_GLOBAL);
}

/* Loads the library and calls its solve(). */
static int answer(const char *library)
{
	load_runtime();
	void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
	cr_assert_not_null(handle, "%s", dlerror());
	int (*solve)(void) = (int (*)(void))dlsym(handle, "solve");
	cr_assert_not_null(solve);
	int value = solve();
	dlclose(handle);
	return value;
}

/* Another one in the process must not become its own. */
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

/* Entries of the cache whose names begin so. */
static int count_entries(const char *prefix)
{
	int count = 0;
	struct dirent *entry;
	DIR *all = opendir(path_of("cache"));
	while ((entry = readdir(all)) != NULL)
		count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
	closedir(all);
	return count;
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

/* The same text elsewhere, under another name or from stdin: with its own name in messages. */
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

/* By "##", so that its text names none: of each part (wants.h) something. */
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

/* ---- what a file may reach, and what the compiler may say -------------------- */

static void need_jail(void)
{
	if (landlock_abi() == 0)
		cr_skip_test("this kernel has no Landlock");
}

/* The end of compiling a file of the test's folder, with what was said in *err. */
static enum compile_status try(const char *name, bool unjailed, double seconds, char **log,
							   struct error *err)
{
	struct compiled out;
	struct compile_options options = {
		.source = path_of(name), .architecture = "", .unjailed = unjailed, .seconds = seconds};
	enum compile_status status = compile_solution(&options, &out, err);
	cr_assert_eq(out.jailed && unjailed, false);
	*log = strdup(out.log);
	compiled_free(&out);
	return status;
}

static void expect_end(const char *name, enum compile_status expected, const char *said)
{
	struct error err = {{0}};
	char *log;
	enum compile_status status = try(name, false, 60, &log, &err);
	cr_expect_eq(status, expected, "%d: %s\n%s", status, err.message, log);
	cr_expect(strstr(log, said) != NULL || strstr(err.message, said) != NULL, "%s\n%s", err.message,
			  log);
	cr_expect_eq(count_entries("tmp."), 0);
	free(log);
}

/* Refused in the jail, and for no other reason. */
static void expect_refused(const char *name, const char *said)
{
	struct error err = {{0}};
	char *log;
	expect_end(name, COMPILE_ERROR, said);
	enum compile_status status = try(name, true, 60, &log, &err);
	cr_expect_eq(status, COMPILE_OK, "without the jail: %s\n%s", err.message, log);
	free(log);
}

/* SOLVE behind a line that names a path. */
static void write_naming(const char *name, const char *before, const char *path, const char *after)
{
	char text[2 * PATHS_MAX];
	snprintf(text, sizeof text, "%s%s%s\n#define ANSWER 7\n" SOLVE, before, path, after);
	write_file(name, text);
}

Test(compile, a_strangers_file_reads_nothing_of_ours)
{
	need_jail();
	char tree[PATHS_MAX], path[PATHS_MAX + 64];
	struct error err;
	cr_assert(paths_source(tree, &err));
	snprintf(path, sizeof path, "%s/solutions/gemm_f16/tile.cuh", tree);
	write_naming("a.cu", "#include \"", path, "\"");
	expect_refused("a.cu", "Permission denied");
	write_naming("b.cu", "asm(\".section .rodata\\n.incbin \\\"", path, "\\\"\\n.previous\");");
	expect_refused("b.cu", "file not found");
	cr_assert_eq(symlink(path, path_of("tile.cuh")), 0);
	write_naming("c.cu", "#include \"", "tile.cuh", "\"");
	expect_refused("c.cu", "Permission denied");
	snprintf(path, sizeof path, "%s/harness/process/keeper.h", tree);
	write_naming("d.cu", "#include \"", path, "\"");
	expect_end("d.cu", COMPILE_ERROR, "Permission denied");
	write_naming("e.cu", "asm(\".section .rodata\\n.incbin \\\"", "/etc/passwd",
				 "\\\"\\n.previous\");");
	expect_end("e.cu", COMPILE_ERROR, "file not found");
	write_naming("f.cu", "#include \"", "/dev/urandom", "\"");
	expect_end("f.cu", COMPILE_ERROR, "Permission denied");
}

Test(compile, a_file_reads_what_lies_beside_it)
{
	need_jail();
	write_file("beside.cuh", "#define ANSWER 3\n");
	cr_assert_eq(mkdir(path_of("below"), 0700), 0);
	write_file("below/more.cuh", "#include \"../beside.cuh\"\n");
	write_file("a.cu", "#include \"below/more.cuh\"\n" SOLVE);
	struct compiled out = compile("a.cu", COMPILE_OK);
	cr_assert(out.jailed);
	cr_assert_eq(answer(out.library), 3);
	compiled_free(&out);
}

/* The file alone, whatever it may have read before: also where an entry is there already. */
Test(compile, a_file_that_stands_alone_reads_nothing_beside_it)
{
	need_jail();
	struct error err = {{0}};
	struct compiled out;
	char source[PATHS_MAX];
	write_file("beside.cuh", "#define ANSWER 3\n");
	write_file("a.cu", "#include \"beside.cuh\"\n" SOLVE);
	write_file("b.cu", "#define ANSWER 4\n" SOLVE);
	out = compile("a.cu", COMPILE_OK);
	compiled_free(&out);
	snprintf(source, sizeof source, "%s", path_of("a.cu"));
	struct compile_options options = {
		.source = source, .architecture = "", .isolated = true, .seconds = 60};
	cr_expect_eq(compile_solution(&options, &out, &err), COMPILE_ERROR);
	cr_expect_not_null(strstr(out.log, "beside.cuh: Permission denied"), "%s", out.log);
	compiled_free(&out);
	snprintf(source, sizeof source, "%s", path_of("b.cu"));
	cr_expect_eq(compile_solution(&options, &out, &err), COMPILE_OK, "%s", out.log);
	cr_expect(out.jailed);
	cr_expect_eq(answer(out.library), 4);
	compiled_free(&out);
}

/* Under whatever name, where flags and variables of the user lead, too. */
Test(compile, no_library_that_does_gemms_is_read)
{
	need_jail();
	cr_assert_eq(mkdir(path_of("lib"), 0700), 0);
	write_file("lib/libcublas.so.99", "ELF\n");
	write_file("lib/libother.a", "!<arch>\n");
	cr_assert_eq(symlink("libcublas.so.99", path_of("lib/libharmless.so")), 0);
	cr_assert_eq(mkdir(path_of("own"), 0700), 0);
	char library_path[PATHS_MAX];
	snprintf(library_path, sizeof library_path, "%s", path_of("lib"));
	setenv("LIBRARY_PATH", library_path, 1);
	static const char *const names[] = {"libcublas.so.99", "libharmless.so"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[PATHS_MAX + 32];
		snprintf(path, sizeof path, "%s/%s", library_path, names[i]);
		write_naming("own/a.cu", "asm(\".section .rodata\\n.incbin \\\"", path,
					 "\\\"\\n.previous\");");
		expect_refused("own/a.cu", "file not found");
	}
	write_file("own/b.cu", "#define ANSWER 2\n" SOLVE);
	snprintf(library_path, sizeof library_path, "%s", path_of("own/b.cu"));
	const char *flags[] = {"-lother", NULL};
	struct compile_options options = {
		.source = library_path, .architecture = "", .flags = flags, .seconds = 60};
	struct compiled out;
	struct error err = {{0}};
	cr_expect_eq(compile_solution(&options, &out, &err), COMPILE_OK, "%s", out.log);
	compiled_free(&out);
	setenv("NVCC_APPEND_FLAGS", "-lcublas", 1);
	write_file("own/c.cu", "#define ANSWER 1\n" SOLVE);
	expect_end("own/c.cu", COMPILE_FORBIDDEN, "cublas");
}

/* In a home, or where everybody writes: the source files, and nothing below. */
Test(compile, a_file_in_a_home_reads_source_files_alone)
{
	need_jail();
	setenv("HOME", folder, 1);
	write_file("beside.cuh", "#define ANSWER 3\n");
	write_file("a.cu", "#include \"beside.cuh\"\n" SOLVE);
	struct compiled out = compile("a.cu", COMPILE_OK);
	cr_assert_eq(answer(out.library), 3);
	compiled_free(&out);
	cr_assert_eq(mkdir(path_of(".ssh"), 0700), 0);
	write_file(".ssh/key.h", "\n");
	write_naming("b.cu", "#include \"", ".ssh/key.h", "\"");
	expect_refused("b.cu", "Permission denied");
	write_file("secret", "\n");
	write_naming("c.cu", "#include \"", "secret", "\"");
	expect_refused("c.cu", "Permission denied");
}

Test(compile, what_a_flag_names_may_be_read)
{
	need_jail();
	struct compiled out;
	struct error err = {{0}};
	char other[] = "/tmp/test_compile_other.XXXXXX", path[128], flag[128], source[PATHS_MAX];
	cr_assert_not_null(mkdtemp(other));
	snprintf(path, sizeof path, "%s/other.cuh", other);
	FILE *file = fopen(path, "w");
	fputs("#define ANSWER 5\n", file);
	fclose(file);
	write_file("a.cu", "#include \"other.cuh\"\n" SOLVE);
	snprintf(flag, sizeof flag, "-I%s", other);
	snprintf(source, sizeof source, "%s", path_of("a.cu"));
	const char *flags[] = {flag, "-std=c++20", NULL};
	struct compile_options options = {
		.source = source, .architecture = "", .flags = flags, .seconds = 120};
	cr_expect_eq(compile_solution(&options, &out, &err), COMPILE_OK, "%s\n%s", err.message,
				 out.log);
	cr_expect_str_empty(out.log, "the judge's own -std makes room: %s", out.log);
	compiled_free(&out);
	unlink(path);
	rmdir(other);
}

Test(compile, believes_nothing_that_is_said_about_the_machine)
{
	write_file("a.cu", "#error No space left on device, undefined reference to `cublasGemmEx'\n");
	expect_end("a.cu", COMPILE_ERROR, "No space left on device");
}

Test(compile, what_is_nowhere_defined_is_an_error)
{
	/* only the linker is believed */
	write_file("a.cu", "#pragma message(\"undefined reference to `cublasGemmEx'\")\n"
					   "int helper(int);\n#define ANSWER helper(1)\n" SOLVE);
	expect_end("a.cu", COMPILE_ERROR, "undefined reference to `helper(int)'");
	write_file("b.cu", "extern \"C\" int cublasCreate_v2(void *);\n"
					   "#define ANSWER cublasCreate_v2(0)\n" SOLVE);
	expect_end("b.cu", COMPILE_FORBIDDEN, "it calls cublasCreate_v2, of a GEMM library");
}

Test(compile, what_cannot_be_read_again_is_compiled_again)
{
	write_naming("a.cu", "#include \"", "/dev/null", "\"");
	struct compiled first = compile("a.cu", COMPILE_OK), second = compile("a.cu", COMPILE_OK);
	cr_assert_not(second.cached);
	compiled_free(&first);
	compiled_free(&second);
}

Test(compile, ends_what_does_not_end)
{
	struct error err = {{0}};
	char *log;
	write_file("a.cu", "#include __FILE__\n#include __FILE__\n");
	cr_expect_eq(try("a.cu", false, 3, &log, &err), COMPILE_STOPPED);
	cr_expect_str_eq(err.message, "nvcc took more than 3 s (--compile-timeout S allows more)");
	free(log);
	write_file("b.cu", "#pragma message(\"" /* hundreds of MB of messages */
					   "----------------------------------------------------------------"
					   "----------------------------------------------------------------\")\n"
					   "#include __FILE__\n#include __FILE__\n");
	cr_expect_eq(try("b.cu", false, 3, &log, &err), COMPILE_STOPPED);
	cr_expect_leq(strlen(log), 70000);
	free(log);
	cr_expect_eq(truncate(path_of("b.cu"), 100 << 20), 0);
	cr_expect_eq(try("b.cu", false, 3, &log, &err), COMPILE_STOPPED);
	cr_expect_str_eq(err.message, "the file has more than 64 MiB");
	free(log);
	cr_expect_eq(count_entries("tmp."), 0);
}

/* ---- a compiler that the file has taken over ---------------------------------- */

/* A shell script in place of nvcc. $out is where it puts the library. */
static void take_over(const char *script)
{
	char text[4096];
	snprintf(text, sizeof text,
			 "#!/bin/sh\n"
			 "test \"$1\" = --version && echo 'release 13.0, V13.0.88' && exit\n"
			 "for out; do :; done\n"
			 "there=%s\n%s\n",
			 folder, script);
	write_file("nvcc", text);
	cr_assert_eq(chmod(path_of("nvcc"), 0755), 0);
	setenv("GEMMJUDGE_NVCC", path_of("nvcc"), 1);
	write_file("a.cu", "any\n");
}

Test(compile, a_compiler_writes_in_its_folder_alone)
{
	need_jail();
	take_over("echo x >$there/a.cu || echo no source\n"
			  "echo x >$there/cache/entry || echo no entry\n"
			  "echo x >/tmp/entry.$$ || echo no file\n"
			  "mkdir $there/cache/folder || echo no folder\n"
			  "ln -s /etc/passwd $out || echo no link\n"
			  "cat $there/cache/*/log /proc/self/environ /etc/passwd | grep . || echo no text\n"
			  "touch $TMPDIR/file && echo but a file\n"
			  "exit 1");
	struct error err = {{0}};
	char *log;
	cr_assert_eq(try("a.cu", false, 60, &log, &err), COMPILE_ERROR);
	const char *const said[] = {"no source", "no entry", "no file",   "no folder",
								"no link",   "no text",  "but a file"};
	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		cr_expect_not_null(strstr(log, said[i]), "%s: %s", said[i], log);
	cr_expect_eq(count_entries("tmp."), 0);
	free(log);
}

Test(compile, a_compiler_sees_a_short_environment)
{
	setenv("API_TOKEN", "secret", 1);
	setenv("LD_PRELOAD_OF_SOMEBODY", "secret", 1);
	setenv("NVCC_APPEND_FLAGS", "-DANSWER=1", 1);
	take_over("env; cat; exit 1");
	struct error err = {{0}};
	char *log, home[PATHS_MAX];
	cr_assert_eq(try("a.cu", false, 60, &log, &err), COMPILE_ERROR);
	snprintf(home, sizeof home, "HOME=%s/cache/tmp.", folder);
	cr_expect_not_null(strstr(log, home), "%s", log);
	cr_expect_not_null(strstr(log, "NVCC_APPEND_FLAGS=-DANSWER=1\n"), "%s", log);
	cr_expect_not_null(strstr(log, "GLIBC_TUNABLES=glibc.malloc.hugetlb=1\n"), "%s", log);
	cr_expect_null(strstr(log, "secret"), "%s", log);
	free(log);
}

Test(compile, every_end_of_the_compiler_is_the_files)
{
	take_over("kill -SEGV $$");
	expect_end("a.cu", COMPILE_STOPPED, "nvcc was ended by signal 11");
	take_over("exit 0");
	expect_end("a.cu", COMPILE_STOPPED, "nvcc left no solution.so");
	take_over("echo x >$out; mkdir -p ${out%/*}/dependencies");
	expect_end("a.cu", COMPILE_STOPPED, "nvcc left no dependencies");
	take_over("for i in $(seq 300); do sleep 30 & done; wait");
	expect_end("a.cu", COMPILE_STOPPED, "nvcc started more than 256 processes");
	take_over("dd if=/dev/null of=$out bs=1M seek=1025; exit 1"); /* sparse */
	expect_end("a.cu", COMPILE_ERROR, "File size limit exceeded");
	/* more than its share of the cache, where it would push out what others compiled */
	take_over(
		"echo solution: x >${out%/*}/dependencies; dd if=/dev/null of=$out bs=1 seek=67108865");
	expect_end("a.cu", COMPILE_STOPPED, "the library has 65 MiB; at most 64");
	cr_expect_eq(count_entries("x"), 0);
}

/* What it left is taken only where it is a file. */
Test(compile, follows_no_link_that_a_compiler_left)
{
	struct error err = {{0}};
	char *log;
	take_over("ln -s /etc/passwd $out; echo 'solution: x' >${out%/*}/dependencies");
	cr_expect_eq(try("a.cu", true, 60, &log, &err), COMPILE_STOPPED, "%s", err.message);
	cr_expect_not_null(strstr(err.message, "left no solution.so"), "%s", err.message);
	free(log);
	take_over("mkfifo $out; echo 'solution: x' >${out%/*}/dependencies");
	cr_expect_eq(try("a.cu", true, 60, &log, &err), COMPILE_STOPPED, "%s", err.message);
	free(log);
}

/* ---- a full disk ------------------------------------------------------------------ */

static bool write_line(const char *path, const char *format, unsigned id)
{
	char line[32];
	int length = snprintf(line, sizeof line, format, id), fd = open(path, O_WRONLY);
	bool written = fd >= 0 && write(fd, line, (size_t)length) == length;
	if (fd >= 0)
		close(fd);
	return written;
}

/* A cache on a disk of its own, for a process without threads; false where none can be made. */
static bool small_disk(const char *options)
{
	unsigned user = getuid(), group = getgid();
	return (mkdir(path_of("cache"), 0700) == 0 || errno == EEXIST) &&
		   unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
		   write_line("/proc/self/setgroups", "deny", 0) &&
		   write_line("/proc/self/uid_map", "0 %u 1", user) &&
		   write_line("/proc/self/gid_map", "0 %u 1", group) &&
		   mount("none", path_of("cache"), "tmpfs", 0, options) == 0;
}

enum { AS_EXPECTED, NOT_AS_EXPECTED, NO_DISK };

/* Compiles on such a disk, in a process of its own. */
static void expect_end_on(const char *disk, enum compile_status expected, const char *said)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		struct error err = {{0}};
		char *log;
		if (!small_disk(disk))
			_exit(NO_DISK);
		if (try("a.cu", false, 60, &log, &err) == expected &&
			(strstr(log, said) != NULL || strstr(err.message, said) != NULL))
			_exit(AS_EXPECTED);
		fprintf(stderr, "%s\n%s\n", err.message, log);
		_exit(NOT_AS_EXPECTED);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_DISK)
		cr_skip_test("no file system of one's own can be mounted here");
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == AS_EXPECTED);
}

Test(compile, a_full_disk_is_the_machines)
{
	take_over("head -c 3M /dev/null; exit 1");
	expect_end_on("size=2100k", COMPILE_FAILED,
				  "no room to compile: No space left on device, 2 MiB");
}

/* It was full while nvcc wrote, and is not now. */
Test(compile, a_disk_that_was_full_is_the_machines)
{
	take_over("yes | head -c 150M >$out; rm $out; exit 1");
	expect_end_on("size=100m", COMPILE_FAILED, "no room to compile: No space left on device");
}

/* Little is left, and less was written: the disk had no part in it. */
Test(compile, a_failure_on_a_small_disk_is_the_files)
{
	take_over("yes | head -c 20M >$out; echo 'No space left on device'; exit 1");
	expect_end_on("size=100m", COMPILE_ERROR, "No space left on device");
	write_file("zeroes", "");
	cr_assert_eq(truncate(path_of("zeroes"), 200 << 20), 0);
	take_over("dd if=$there/zeroes bs=1M; exit 1"); /* messages are written to no disk */
	expect_end_on("size=100m", COMPILE_ERROR, "");
}

Test(compile, a_disk_that_a_file_filled_is_the_files)
{
	take_over("yes | head -c 400M >$out; exit 1");
	expect_end_on("size=300m", COMPILE_ERROR, "No space left on device");
}

/* ---- of another thread -------------------------------------------------------- */

struct beside {
	char source[PATHS_MAX];
	struct child_control control;
	struct compiled out;
	atomic_bool ended;
};

static void *compile_beside(void *context)
{
	struct beside *beside = context;
	struct error err = {{0}};
	struct compile_options options = {
		.source = beside->source, .architecture = "", .seconds = 120, .control = &beside->control};
	compile_solution(&options, &beside->out, &err);
	beside->ended = true;
	return NULL;
}

/* Until nvcc has its folder. */
static void await_compiler(void)
{
	while (access(path_of("cache"), F_OK) != 0 || count_entries("tmp.") == 0)
		usleep(10000);
	usleep(200000);
}

Test(compile, stands_still_as_long_as_it_is_paused, .timeout = 120)
{
	struct beside beside = {.control = {.paused = 1}};
	pthread_t thread;
	write_file("a.cu", "#define ANSWER 7\n" SOLVE);
	strcpy(beside.source, path_of("a.cu"));
	cr_assert_eq(pthread_create(&thread, NULL, compile_beside, &beside), 0);
	await_compiler();
	usleep(3000000); /* for which it takes one second */
	cr_assert_not(beside.ended);
	atomic_store(&beside.control.paused, 0);
	pthread_join(thread, NULL);
	cr_assert_eq(beside.out.status, COMPILE_OK);
	cr_assert_eq(answer(beside.out.library), 7);
	compiled_free(&beside.out);
}

Test(compile, leaves_nothing_when_it_is_cancelled, .timeout = 120)
{
	struct beside beside = {.control = {.paused = 1}};
	pthread_t thread;
	write_file("a.cu", "#define ANSWER 7\n" SOLVE);
	strcpy(beside.source, path_of("a.cu"));
	cr_assert_eq(pthread_create(&thread, NULL, compile_beside, &beside), 0);
	await_compiler();
	atomic_store(&beside.control.cancelled, true);
	pthread_join(thread, NULL);
	cr_assert_eq(beside.out.status, COMPILE_STOPPED);
	cr_assert_eq(count_entries("tmp."), 0);
	compiled_free(&beside.out);
}

Test(compile, threads_compile_side_by_side, .timeout = 120)
{
	static struct beside all[4];
	pthread_t threads[4];
	char name[8] = "?.cu", text[64];
	for (size_t i = 0; i < 4; i++) { /* two of each file */
		name[0] = (char)('a' + i % 2);
		snprintf(text, sizeof text, "#define ANSWER %zu\n" SOLVE, i % 2);
		if (i < 2)
			write_file(name, text);
		strcpy(all[i].source, path_of(name));
	}
	for (size_t i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, compile_beside, &all[i]), 0);
	for (size_t i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		cr_assert_eq(all[i].out.status, COMPILE_OK, "%s", all[i].out.log);
		cr_assert_eq(answer(all[i].out.library), (int)(i % 2));
	}
	for (size_t i = 0; i < 4; i++)
		compiled_free(&all[i].out);
	cr_assert_eq(count_entries("tmp."), 0);
}
