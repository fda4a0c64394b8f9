/* links: base */
/* Where a CUDA toolkit is looked for, in which order, and what is taken from it. */
#define _GNU_SOURCE /* dlinfo */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/toolkit.h"

static char folder[] = "/tmp/gemmjudge-toolkit-XXXXXX";
static struct error err;

/* FOLDER/name; five at a time. */
static const char *in(const char *name)
{
	static char paths[5][128];
	static int next;
	char *out = paths[next = (next + 1) % 5];
	snprintf(out, sizeof paths[0], "%s/%s", folder, name);
	return out;
}

static void make(const char *name)
{
	char path[128];
	snprintf(path, sizeof path, "%s", in(name));
	*strrchr(path, '/') = '\0';
	cr_assert(paths_make_folders(path));
	FILE *file = fopen(in(name), "w");
	cr_assert_not_null(file);
	fclose(file);
	cr_assert_eq(chmod(in(name), 0755), 0);
}

static void clear(void)
{
	static const char *const names[] = {"GEMMJUDGE_NVCC", "CUDA_HOME", "CUDA_PATH",
										"LD_LIBRARY_PATH", "GEMMJUDGE_TOOLKIT"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv(names[i]);
	setenv("PATH", "/usr/bin:/bin", 1);
}

static void begin(void)
{
	cr_assert_not_null(mkdtemp(folder));
	clear();
}

static void end(void)
{
	char command[64];
	clear();
	snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_expect_eq(system(command), 0);
}

TestSuite(toolkit, .init = begin, .fini = end, .timeout = 60);

Test(toolkit, has_the_documented_order)
{
	struct toolkit toolkit;
	char text[TOOLKIT_TEXT];
	make("real/bin/nvcc");
	make("links/x");
	cr_assert_eq(symlink(in("real/bin/nvcc"), in("links/nvcc")), 0);
	setenv("GEMMJUDGE_NVCC", in("own/bin/nvcc"), 1);
	setenv("CUDA_HOME", in("home"), 1);
	setenv("CUDA_PATH", in("path"), 1);
	setenv("PATH", in("links"), 1);
	const char *const roots[] = {in("own"),         in("home"),           in("path"), in("real"),
								 "/usr/local/cuda", "/usr/local/cuda-13", "/opt/cuda"};
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
		cr_expect(toolkit_at(i, &toolkit) && strcmp(toolkit.root, roots[i]) == 0, "%s: %s",
				  toolkit.place, toolkit.root);
	cr_assert(toolkit_at(7, &toolkit));
	cr_expect_not_null(strstr(toolkit.root, "/.toolchain/cuda"));
	cr_assert(toolkit_at(8, &toolkit));
	cr_expect(access(toolkit.nvcc, X_OK) == 0, "the tests were built with %s", toolkit.nvcc);
	cr_assert_eq(TOOLKIT_PLACES, 9);
	toolkit_at(3, &toolkit);
	cr_expect_str_eq(toolkit.nvcc, in("links/nvcc"), "nvcc finds its parts by its own path");
	cr_expect_str_eq(
		toolkit_places(text),
		"$GEMMJUDGE_NVCC, $CUDA_HOME, $CUDA_PATH, the PATH, /usr/local/cuda, "
		"/usr/local/cuda-13, /opt/cuda, .toolchain/cuda and the one that gemmjudge was "
		"built with");

	clear();
	setenv("PATH", in("empty"), 1);
	setenv("CUDA_HOME", "", 1);
	for (size_t i = 0; i < 4; i++)
		cr_expect_not(toolkit_at(i, &toolkit), "%s", toolkit.place);
}

/* A copy that the build needs before there is this program, which no toolkit has built yet. */
Test(toolkit, scripts_look_in_the_same_places)
{
	struct toolkit toolkit;
	char source[PATHS_MAX], command[PATHS_MAX + 128], line[PATHS_MAX];
	make("real/bin/nvcc");
	setenv("CUDA_HOME", in("home"), 1);
	setenv("CUDA_PATH", in("path"), 1);
	snprintf(line, sizeof line, "%s:/usr/bin:/bin", in("real/bin"));
	setenv("PATH", line, 1);
	cr_assert(paths_source(source, &err), "%s", err.message);
	snprintf(command, sizeof command, "bash -c '. %s/tools/common.sh; cuda_places'", source);
	FILE *said = popen(command, "r");
	cr_assert_not_null(said);
	for (size_t i = 1; i < TOOLKIT_PLACES - 1; i++) {
		cr_assert(toolkit_at(i, &toolkit), "%s", toolkit.place);
		cr_assert_not_null(fgets(line, sizeof line, said), "%s", toolkit.place);
		line[strcspn(line, "\n")] = '\0';
		cr_expect_str_eq(line, toolkit.root);
	}
	cr_expect_null(fgets(line, sizeof line, said));
	cr_expect_eq(pclose(said), 0);
}

Test(toolkit, the_tried_ones_are_those_of_the_pinned_wheels)
{
	char source[PATHS_MAX], command[PATHS_MAX + 128], line[64] = "", oldest[64] = "";
	cr_assert(paths_source(source, &err), "%s", err.message);
	snprintf(command, sizeof command, "bash -c '. %s/tools/common.sh; pinned_toolkits'", source);
	FILE *said = popen(command, "r");
	cr_assert_not_null(said);
	while (fgets(line, sizeof line, said) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (oldest[0] == '\0')
			memcpy(oldest, line, sizeof oldest);
	}
	cr_expect_eq(pclose(said), 0);
	cr_expect_str_eq(oldest, TOOLKIT_OLDEST_TRIED);
	cr_expect_str_eq(line, TOOLKIT_NEWEST_TRIED);
	cr_expect_not(toolkit_is_untried(TOOLKIT_OLDEST_TRIED ".88"));
	cr_expect_not(toolkit_is_untried(TOOLKIT_NEWEST_TRIED ".99"));
	cr_expect_not(toolkit_is_untried("13.1.80"));
	cr_expect(toolkit_is_untried("13.10.2"), "10 is more than 5");
	cr_expect(toolkit_is_untried("14.0.1"));
}

Test(toolkit, finds_programs)
{
	char out[PATHS_MAX];
	setenv("CUDA_HOME", in("home"), 1);
	cr_expect_not(toolkit_find_program("my-tool", out));
	make("home/my-tool/my-tool");
	cr_expect(toolkit_find_program("my-tool", out) && strcmp(out, in("home/my-tool/my-tool")) == 0);
	make("home/bin/my-tool");
	cr_expect(toolkit_find_program("my-tool", out) && strcmp(out, in("home/bin/my-tool")) == 0);
	setenv("GEMMJUDGE_NVCC", in("own/bin/nvcc"), 1);
	cr_expect_not(toolkit_find_program("my-tool", out), "another toolkit is wanted");
	make("own/bin/my-tool");
	cr_expect(toolkit_find_program("my-tool", out) && strcmp(out, in("own/bin/my-tool")) == 0);
	make("wrappers/my-tool");
	setenv("PATH", in("wrappers"), 1);
	cr_expect(toolkit_find_program("my-tool", out) && strcmp(out, in("wrappers/my-tool")) == 0);
}

static void expect_library(const char *where)
{
	char out[PATHS_MAX] = "";
	cr_expect(toolkit_find_library("libmine.so.1", out) && strcmp(out, in(where)) == 0, "%s: %s",
			  where, out);
}

Test(toolkit, finds_libraries)
{
	char out[PATHS_MAX], list[128];
	setenv("CUDA_PATH", in("path"), 1);
	cr_expect_not(toolkit_find_library("libmine.so.1", out));
	make("path/extras/CUPTI/lib64/libmine.so.1");
	expect_library("path/extras/CUPTI/lib64/libmine.so.1");
	make("path/" TOOLKIT_LIBRARIES "/libmine.so.1");
	expect_library("path/" TOOLKIT_LIBRARIES "/libmine.so.1");
	make("path/lib/libmine.so.1");
	expect_library("path/lib/libmine.so.1");
	make("path/lib64/libmine.so.1");
	expect_library("path/lib64/libmine.so.1");
	setenv("CUDA_HOME", in("home"), 1);
	make("home/lib/libmine.so.1");
	expect_library("home/lib/libmine.so.1");
	snprintf(list, sizeof list, "/nowhere::%s", in("listed"));
	setenv("LD_LIBRARY_PATH", list, 1);
	make("listed/libmine.so.1");
	expect_library("listed/libmine.so.1");
}

/* A copy of a small library stands for one of a toolkit. */
Test(toolkit, opens_the_first_library_that_loads)
{
	char command[PATHS_MAX + 128];
	struct link_map *map = NULL;
	void *library = dlopen("librt.so.1", RTLD_NOW);
	cr_assert(library != NULL && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0);
	setenv("CUDA_HOME", in("home"), 1);
	setenv("CUDA_PATH", in("path"), 1);
	cr_expect_null(toolkit_open_library("libmine.so.1", RTLD_NOW, &err));
	cr_expect_not_null(strstr(err.message, "libmine.so.1: cannot open shared object file"), "%s",
					   err.message);
	make("home/lib64/libmine.so.1"); /* empty: no library */
	make("path/lib64/libmine.so.1");
	snprintf(command, sizeof command, "cp %s %s", map->l_name, in("path/lib64/libmine.so.1"));
	cr_assert_eq(system(command), 0);
	library = toolkit_open_library("libmine.so.1", RTLD_NOW, &err);
	cr_assert_not_null(library, "%s", err.message);
	cr_assert_eq(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
	cr_expect_str_eq(map->l_name, in("path/lib64/libmine.so.1"));
	library = toolkit_open_library("libc.so.6", RTLD_NOW, &err);
	cr_assert_not_null(library, "%s", err.message);
}
