/* links: judge compile process testcases base */
/* Machine code as text, by a stand-in for the disassembler that lies in a toolkit's folder. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/submission/sass.h"
#include "process/landlock.h"

static char folder[] = "/tmp/test_sass-XXXXXX";

static void file_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	cr_assert_not_null(file, "%s", path);
	fputs(text, file);
	fclose(file);
}

static void file_holds(const char *path, const char *want)
{
	char got[256] = "";
	FILE *file = fopen(path, "r");
	cr_assert_not_null(file, "%s", path);
	got[fread(got, 1, sizeof got - 1, file)] = '\0';
	fclose(file);
	cr_expect_str_eq(got, want);
}

/* In a folder with a toolkit that has no programs, the only one that is looked at. */
static void enter(void)
{
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	mkdir("cuda", 0777);
	mkdir("cuda/bin", 0777);
	char nvcc[64];
	snprintf(nvcc, sizeof nvcc, "%s/cuda/bin/nvcc", folder);
	setenv("GEMMJUDGE_NVCC", nvcc, 1);
	setenv("PATH", "/nowhere", 1);
	file_write(nvcc, "");
	file_write("it.cubin", "ELF\n");
	file_write("secret", "secret\n");
}

static void leave(void)
{
	static const char *const names[] = {"cuda/bin/nvdisasm",
										"cuda/bin/cuobjdump",
										"cuda/bin/nvcc",
										"it.cubin",
										"it.sass",
										"secret",
										"made"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unlink(names[i]);
	rmdir("cuda/bin");
	rmdir("cuda");
	cr_expect_eq(rmdir(folder), 0);
}

static struct sass_tool tool_of(const char *path, const char *script)
{
	struct sass_tool tool;
	struct error err;
	file_write(path, script);
	chmod(path, 0755);
	cr_assert(sass_find(&tool, &err), "%s", err.message);
	return tool;
}

TestSuite(sass, .init = enter, .fini = leave);

Test(sass, where_there_is_no_disassembler_it_says_what_to_install)
{
	struct sass_tool tool;
	struct error err;
	cr_assert_not(sass_find(&tool, &err));
	cr_expect_not_null(strstr(err.message, "nvidia-cuda-nvdisasm (pip)"), "%s", err.message);
}

Test(sass, the_tools_output_is_the_file)
{
	struct error err;
	struct sass_tool tool =
		tool_of("cuda/bin/cuobjdump", "#!/bin/sh\necho \"$1\"\nread -r line <\"$2\"\necho $line\n");
	cr_expect_str_eq(tool.name, "cuobjdump");
	cr_assert(sass_write(&tool, "it.cubin", "it.sass", &err), "%s", err.message);
	file_holds("it.sass", "-sass\nELF\n");
	tool = tool_of("cuda/bin/nvdisasm", "#!/bin/sh\necho \"$1\"\n");
	cr_expect_str_eq(tool.name, "nvdisasm");
	cr_expect_not(sass_write(&tool, "it.cubin", "it.sass", &err));
	cr_expect_str_eq(err.message, "--code: it.sass is there already, and is not replaced");
	file_holds("it.sass", "-sass\nELF\n");
	unlink("it.sass");
	cr_assert(sass_write(&tool, "it.cubin", "it.sass", &err), "%s", err.message);
	file_holds("it.sass", "-c\n");
}

Test(sass, a_tool_that_fails_leaves_no_file)
{
	struct error err;
	struct sass_tool tool =
		tool_of("cuda/bin/nvdisasm", "#!/bin/sh\necho half\n"
									 "echo no cubin >&2\necho more >&2\nexit 1\n");
	cr_expect_not(sass_write(&tool, "it.cubin", "it.sass", &err));
	cr_expect_str_eq(err.message, "--code: no it.sass: nvdisasm fails on it.cubin: no cubin");
	cr_expect_neq(access("it.sass", F_OK), 0);
	cr_expect_not(sass_write(&tool, "it.cubin", "nowhere/it.sass", &err));
	cr_expect_not_null(strstr(err.message, "cannot write nowhere/it.sass"), "%s", err.message);
}

/* The cubin is a stranger's, and may do what it likes with the tool. */
Test(sass, the_tool_reads_and_writes_nothing_else)
{
	struct error err;
	struct sass_tool tool = tool_of(
		"cuda/bin/nvdisasm", "#!/bin/sh\nread -r line <secret\necho \"$line\"\necho >made\ntrue\n");
	if (landlock_abi() == 0)
		cr_skip_test("no Landlock here");
	cr_assert(sass_write(&tool, "it.cubin", "it.sass", &err), "%s", err.message);
	file_holds("it.sass", "\n");
	cr_expect_neq(access("made", F_OK), 0);
}
