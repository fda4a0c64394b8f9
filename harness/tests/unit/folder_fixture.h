/* Each test of a suite in an empty folder of its own, which goes with what was written there:
 * TestSuite(NAME, .init = folder_begin, .fini = folder_end). */
#ifndef GEMMJUDGE_TESTS_FOLDER_FIXTURE_H
#define GEMMJUDGE_TESTS_FOLDER_FIXTURE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/unit-test-XXXXXX";

static void folder_begin(void)
{
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
}

static void folder_end(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	cr_expect_eq(system(command), 0);
}

#endif
