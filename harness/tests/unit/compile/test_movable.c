/* links: compile */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "compile/movable.h"
#include "compile/stand_in.h"

/* What lies in the folder is "own.cuh". */
static char folder[] = "/tmp/test_movable.XXXXXX";
static char header[64];

static void begin(void)
{
	cr_assert_not_null(mkdtemp(folder));
	snprintf(header, sizeof header, "%s/own.cuh", folder);
	FILE *file = fopen(header, "w");
	cr_assert_not_null(file);
	fclose(file);
	static const char *const cleared[] = {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "CPATH",
										  "CPLUS_INCLUDE_PATH"};
	for (size_t i = 0; i < sizeof cleared / sizeof *cleared; i++)
		unsetenv(cleared[i]);
}

static void end(void)
{
	unlink(header);
	rmdir(folder);
}

TestSuite(movable, .init = begin, .fini = end);

Test(movable, what_asks_for_nothing_of_its_folder)
{
	static const char *const texts[] = {
		"", "#include <own.cuh>\n", "#include \"epilogue.cuh\"\n#include EPILOGUE_CHAIN\n",
		" #  include\"cuda_fp16.h\"\n__device__ int line = sizeof __FILE__;\n"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect(movable(texts[i], folder, NULL), "%s", texts[i]);
}

Test(movable, not_what_looks_around)
{
	static const char *const texts[] = {"#include \"own.cuh\"\n",
										"int x;\n #\tinclude\t\"./own.cuh\"\n",
										"#include \"/etc/hostname\"\n",
										"#include HEADER\n",
										"#include __FILE__\n",
										"#if __has_include(\"own.cuh\")\n#endif\n",
										"const char *path = __BASE_FILE__;\n",
										"#include \"own.cuh"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect_not(movable(texts[i], folder, NULL), "%s", texts[i]);
}

Test(movable, flags_and_variables_may_name_a_place)
{
	static const char *const plain[] = {"-DTILE=64", "-I/usr/include", "-std=c++20", NULL};
	static const char *const others[] = {"-Iinclude", "-include", "-Xcompiler", "own.cuh"};
	cr_expect(movable("", folder, plain));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		const char *const flags[] = {plain[0], others[i], NULL};
		cr_expect_not(movable("", folder, flags), "%s", others[i]);
	}
	setenv("CPATH", ".", 1);
	cr_expect_not(movable("", folder, NULL));
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
	cr_expect_null(stand_in_tell(NULL, "/a/b.cu"));
}
