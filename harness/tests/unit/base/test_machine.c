/* links: base */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/paths.h"

static char root[] = "/tmp/test-machine-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[PATHS_MAX];
	snprintf(path, sizeof path, "%s/%s", root, name);
	FILE *file = fopen(path, "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

static void make_root(void)
{
	char path[PATHS_MAX];
	cr_assert_not_null(mkdtemp(root));
	snprintf(path, sizeof path, "%s/job", root);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/job/step", root);
	mkdir(path, 0700);
}

static void remove_root(void)
{
	char command[PATHS_MAX];
	snprintf(command, sizeof command, "rm -r %s", root);
	cr_assert_eq(system(command), 0);
}

TestSuite(machine, .init = make_root, .fini = remove_root);

Test(machine, a_group_has_no_more_than_those_above_it)
{
	write_file("job/cpu.max", "250000 100000\n");
	write_file("job/step/cpu.max", "max 100000\n");
	write_file("job/memory.max", "8589934592\n");
	write_file("job/step/memory.max", "4294967296\n");
	cr_assert_eq(machine_group_cores(root, "/job/step"), 250);
	cr_assert_eq(machine_group_cores(root, "/job"), 250);
	cr_assert_eq(machine_group_cores(root, "/"), UINT64_MAX);
	cr_assert_eq(machine_group_memory(root, "/job/step"), (uint64_t)4 << 30);
	cr_assert_eq(machine_group_memory(root, "/job"), (uint64_t)8 << 30);
}

Test(machine, what_says_nothing_limits_nothing)
{
	write_file("cpu.max", "max 100000\n");
	write_file("memory.max", "max\n");
	cr_assert_eq(machine_group_cores(root, "/job"), UINT64_MAX);
	cr_assert_eq(machine_group_memory(root, "/not/there"), UINT64_MAX);
	write_file("cpu.max", "100000 0\n");
	write_file("memory.max", "");
	cr_assert_eq(machine_group_cores(root, "/job"), UINT64_MAX);
	cr_assert_eq(machine_group_memory(root, "/job"), UINT64_MAX);
}

Test(machine, this_one_has_a_core_and_memory)
{
	cr_assert_geq(machine_cores(), 1);
	cr_assert_leq(machine_cores(), (size_t)sysconf(_SC_NPROCESSORS_ONLN));
	cr_assert_gt(machine_memory(), (uint64_t)1 << 20);
}
