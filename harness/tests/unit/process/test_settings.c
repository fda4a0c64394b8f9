/* links: process base */
/* The file that goes to a child of the emulated GPU, and comes back. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/settings.h"

static const char *const variables[] = {"EMULATED_GPU=l4", "EMULATED_GPU_CHECK=race", NULL};

Test(settings, are_the_callers_and_the_judges)
{
	static const char wanted[] = "EMULATED_GPU_SIMD=3\0EMULATED_GPU=l4\0EMULATED_GPU_CHECK=race\0";
	char text[sizeof wanted + 1] = "";
	struct error err;
	struct stat facts;
	clearenv();
	setenv("EMULATED_GPU_SIMD", "3", 1);
	setenv("EMULATED_GPU_CHECK", "none", 1);
	setenv("TOKEN", "secret", 1);
	int fd = settings_make(variables, false, &err);
	cr_assert_geq(fd, 0, "%s", err.message);
	cr_expect_eq(pread(fd, text, sizeof text, 0), (ssize_t)sizeof wanted, "and one 0 at the end");
	cr_expect_eq(memcmp(text, wanted, sizeof wanted), 0);
	cr_expect(fstat(fd, &facts) == 0 && facts.st_size == (off_t)sizeof wanted);
	cr_expect_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(fd);
}

Test(settings, counters_take_their_place)
{
	struct error err;
	int fd = settings_make(NULL, true, &err);
	cr_assert_geq(fd, 0, "%s", err.message);
	cr_expect_neq(ftruncate(fd, 1), 0, "the child makes nobody's read fail");
	cr_expect_null(settings_counters(fd), "there are none yet");
	cr_assert_eq(pwrite(fd, "{}", 3, 0), 3);
	char *text = settings_counters(fd);
	cr_assert_not_null(text);
	cr_expect_str_eq(text, "{}");
	free(text);
	close(fd);
}

Test(settings, counters_without_an_end_have_one)
{
	struct error err;
	int fd = settings_make(NULL, true, &err);
	char *many = malloc(SETTINGS_COUNTERS_BYTES);
	memset(many, 'x', SETTINGS_COUNTERS_BYTES);
	cr_assert_eq(pwrite(fd, many, SETTINGS_COUNTERS_BYTES, 0), (ssize_t)SETTINGS_COUNTERS_BYTES);
	char *text = settings_counters(fd);
	cr_assert_not_null(text);
	cr_expect_eq(strlen(text), SETTINGS_COUNTERS_BYTES);
	free(text);
	free(many);
	close(fd);
}
