/* Files that are compiled in a folder of the test: of test_compile*.c. */
#ifndef GEMMJUDGE_TESTS_COMPILE_FIXTURE_H
#define GEMMJUDGE_TESTS_COMPILE_FIXTURE_H

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

static inline void begin(void)
{
	char cache[PATHS_MAX];
	strcpy(folder, "/tmp/test_compile.XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	snprintf(cache, sizeof cache, "%s/cache", folder);
	setenv("GEMMJUDGE_CACHE", cache, 1);
}

static inline int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *walk)
{
	(void)facts, (void)kind, (void)walk;
	return remove(path);
}

static inline void end(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static const char *path_of(const char *name)
{
	static char path[512];
	cr_assert_lt(snprintf(path, sizeof path, "%s/%s", folder, name), (int)sizeof path);
	return path;
}

static inline void write_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
	usleep(20000); /* older than the compilation, also by a coarse clock */
}

static inline struct compiled compile(const char *name, enum compile_status expected)
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
static inline void load_runtime(void)
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
static inline int answer(const char *library)
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

/* Entries of the cache whose names begin so. */
static inline int count_entries(const char *prefix)
{
	int count = 0;
	struct dirent *entry;
	DIR *all = opendir(path_of("cache"));
	while ((entry = readdir(all)) != NULL)
		count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
	closedir(all);
	return count;
}

static inline void need_jail(void)
{
	if (landlock_abi() == 0)
		cr_skip_test("this kernel has no Landlock");
}

/* The end of compiling a file of the test's folder, with what was said in *err. */
static inline enum compile_status try(const char *name, bool unjailed, double seconds, char **log,
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

/* A shell script in place of nvcc. $out is where it puts the library. */
static inline void take_over(const char *script)
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

#endif
