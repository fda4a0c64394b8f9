/* links: compile */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/movable.h"
#include "compile/stand_in.h"

/* In the folder lie own.cuh, second.cuh, which it includes, link.cuh, and below/more.cuh. */
static char folder[] = "/tmp/test_movable.XXXXXX";
static struct movable found;

static const char *path_of(const char *name)
{
	static char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

static void begin(void)
{
	cr_assert_not_null(mkdtemp(folder));
	write_file("own.cuh", "#pragma once\n#include \"second.cuh\"\n");
	write_file("second.cuh", "#include \"own.cuh\"\n");
	cr_assert_eq(symlink("/etc/hostname", path_of("link.cuh")), 0);
	cr_assert_eq(mkdir(path_of("below"), 0700), 0);
	write_file("below/more.cuh", "");
	write_file("outside.cuh", "#include \"below/more.cuh\"\n");
	write_file("secret", "");
	static const char *const cleared[] = {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "CPATH",
										  "CPLUS_INCLUDE_PATH"};
	for (size_t i = 0; i < sizeof cleared / sizeof *cleared; i++)
		unsetenv(cleared[i]);
}

static void end(void)
{
	static const char *const names[] = {"own.cuh", "second.cuh",  "link.cuh", "below/more.cuh",
										"below",   "outside.cuh", "secret",   ""};
	movable_free(&found);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		cr_expect_eq(remove(path_of(names[i])), 0, "%s", names[i]);
}

TestSuite(movable, .init = begin, .fini = end);

Test(movable, what_asks_for_nothing_of_its_folder)
{
	static const char *const texts[] = {
		"", "#include <link.cuh>\n", "#include \"epilogue.cuh\"\n#include EPILOGUE_CHAIN\n",
		" #  include\"cuda_fp16.h\"\n__device__ int line = sizeof __FILE__;\n"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect(movable_find(texts[i], folder, NULL, &found) && found.count == 0, "%s", texts[i]);
}

Test(movable, what_lies_beside_it_goes_with_it)
{
	cr_assert(movable_find(" #\tinclude\t\"own.cuh\"\n", folder, NULL, &found));
	cr_assert_eq(found.count, 2);
	cr_expect_str_eq(found.beside[0].name, "own.cuh");
	cr_expect_str_eq(found.beside[1].name, "second.cuh");
	cr_expect_str_eq(found.beside[1].text.at, "#include \"own.cuh\"\n");
}

Test(movable, not_what_looks_around)
{
	static const char *const texts[] = {"#include \"./own.cuh\"\n",
										"#include \"link.cuh\"\n",
										"#include \"below/more.cuh\"\n",
										"#include \"outside.cuh\"\n",
										"#include \"secret\"\n",
										"#include \"/etc/hostname\"\n",
										"#include HEADER\n",
										"#include __FILE__\n",
										"#if __has_include(\"own.cuh\")\n#endif\n",
										"const char *path = __BASE_FILE__;\n",
										"#include own.cuh\n"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		cr_expect_not(movable_find(texts[i], folder, NULL, &found), "%s", texts[i]);
		movable_free(&found);
	}
}

Test(movable, flags_and_variables_may_name_a_place)
{
	static const char *const plain[] = {"-DTILE=64", "-I/usr/include", "-std=c++20", NULL};
	static const char *const others[] = {"-Iinclude", "-include", "-Xcompiler", "own.cuh"};
	cr_expect(movable_find("", folder, plain, &found));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		const char *const flags[] = {plain[0], others[i], NULL};
		cr_expect_not(movable_find("", folder, flags, &found), "%s", others[i]);
	}
	setenv("CPATH", ".", 1);
	cr_expect_not(movable_find("", folder, NULL, &found));
}

static void expect_told(const char *text, const char *shown, const char *wanted)
{
	char *told = stand_in_tell(text, shown);
	cr_expect_str_eq(told, wanted);
	free(told);
}

Test(movable, the_users_name_is_told)
{
	expect_told("nothing", "/a/b.cu", "nothing");
	expect_told(STAND_IN_PATH "(3): x " STAND_IN_NAME ":4", "/a/b.cu", "/a/b.cu(3): x b.cu:4");
	expect_told(STAND_IN_NAME STAND_IN_PATH, "b.cu", "b.cub.cu");
	expect_told("from " STAND_IN_FOLDER "own.cuh:1", "/a/b.cu", "from /a/own.cuh:1");
	cr_expect_null(stand_in_tell(NULL, "/a/b.cu"));
}
