/* links: compile; timeout: 300 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile/compile.h"
#include "compile/prune.h"

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

Test(compile, stops_at_its_time_limit)
{
	struct compiled out;
	struct error err = {{0}};
	write_file("a.cu", "#define ANSWER 7\n" SOLVE);
	struct compile_options options = {
		.source = path_of("a.cu"), .architecture = "", .seconds = 0.05};
	cr_assert_eq(compile_solution(&options, &out, &err), COMPILE_STOPPED);
	cr_assert_str_eq(err.message, "nvcc took more than 0.05 s");
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
