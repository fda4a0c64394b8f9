/* links: process base */
/* Which variables a child finds, and that no other one does. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/child.h"
#include "process/environment.h"

/* By hand, beside the list: who adds a row, says so here. */
static const char *const of_programs[] = {"PATH=/bin",       "HOME=/home/a",
										  "TMPDIR=/tmp",     "LANG=C",
										  "LC_ALL=C",        "TZ=UTC",
										  "CUDA_HOME=/cuda", "CUDA_VISIBLE_DEVICES=1",
										  "LD_LIBRARY_PATH", "NVIDIA_TF32_OVERRIDE",
										  "LD_PRELOAD=",     "CUBLAS_WORKSPACE_CONFIG"};
static const char *const of_compilers[] = {"PATH=/bin", "NVCC_CCBIN=g++", "CPATH", "LIBRARY_PATH",
										   "CUDA_HOME=/cuda"};
static const char *const of_nobody[] = {"GITHUB_TOKEN=a",
										"CI_JOB_TOKEN=a",
										"ACTIONS_RUNTIME_TOKEN=a",
										"AWS_SECRET_ACCESS_KEY=a",
										"NVIDIA_API_KEY=a",
										"SSH_AUTH_SOCK=a",
										"GEMMJUDGE_STORE=a",
										"GEMMJUDGE_CACHE=a",
										"PATHS=a",
										"HOMEBREW_TOKEN=a",
										"PAT=a",
										"CUDA=a",
										"LANGUAGE_TOKEN=a",
										"MY_CUDA_TOKEN=a",
										"LC=a",
										"TZ_TOKEN=a",
										"=a",
										"",
										"path=a",
										"DBUS_SESSION_BUS_ADDRESS",
										"HTTP_PROXY=a",
										"GOOGLE_CREDENTIALS=a",
										"LD_AUDIT=a",
										"EMULATED_GPU_CHECK=race",
										"EMULATED_GPU=a100"};
static const char *const of_the_emulated_gpu[] = {"EMULATED_GPU=a100", "EMULATED_GPU_CHECK=race"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

Test(environment, a_short_list_is_handed_on)
{
	for (size_t i = 0; i < COUNT(of_programs); i++)
		cr_expect(environment_hands_on(ENVIRONMENT_PROGRAM, of_programs[i]), "%s", of_programs[i]);
	for (size_t i = 0; i < COUNT(of_compilers); i++)
		cr_expect(environment_hands_on(ENVIRONMENT_COMPILER, of_compilers[i]), "%s",
				  of_compilers[i]);
	for (size_t i = 0; i < COUNT(of_nobody); i++) {
		cr_expect_not(environment_hands_on(ENVIRONMENT_PROGRAM, of_nobody[i]), "%s", of_nobody[i]);
		cr_expect_not(environment_hands_on(ENVIRONMENT_COMPILER, of_nobody[i]), "%s", of_nobody[i]);
		cr_expect(environment_hands_on(ENVIRONMENT_WHOLE, of_nobody[i]));
	}
	for (size_t i = 0; i < COUNT(of_the_emulated_gpu); i++)
		cr_expect(environment_hands_on(ENVIRONMENT_EMULATED, of_the_emulated_gpu[i]));
	cr_expect_not(environment_hands_on(ENVIRONMENT_EMULATED, "PATH=/bin"));
	cr_expect_not(environment_hands_on(ENVIRONMENT_COMPILER, "HOME=/home/a"));
	cr_expect_not(environment_hands_on(ENVIRONMENT_PROGRAM, "NVCC_APPEND_FLAGS=-O0"));
	cr_expect_not(environment_hands_on(ENVIRONMENT_NOTHING, "PATH=/bin"));
}

/* What the compiler makes may depend on no variable that it finds and that is no part of the key.
 */
Test(environment, what_decides_is_found_by_the_compiler)
{
	size_t count = 0;
	for (; environment_of_compiler(count) != NULL; count++)
		cr_expect(environment_hands_on(ENVIRONMENT_COMPILER, environment_of_compiler(count)));
	cr_expect_eq(count, 6);
}

Test(environment, additions_take_the_place)
{
	const char *const additions[] = {"PATH=/new", "OTHER=1", NULL};
	bool seen[3] = {false};
	setenv("PATH", "/old", 1);
	setenv("HOME", "/home/a", 1);
	setenv("API_TOKEN", "secret", 1);
	char **made = environment_make(ENVIRONMENT_PROGRAM, additions);
	cr_assert_not_null(made);
	for (size_t i = 0; made[i] != NULL; i++) {
		seen[0] |= strcmp(made[i], "PATH=/new") == 0;
		seen[1] |= strcmp(made[i], "OTHER=1") == 0;
		seen[2] |= strcmp(made[i], "HOME=/home/a") == 0;
		cr_expect_null(strstr(made[i], "secret"));
		cr_expect_null(strstr(made[i], "/old"));
	}
	cr_expect(seen[0] && seen[1] && seen[2]);
	free(made);
}

/* What a program says that prints its environment. */
static void expect_said(enum environment kind, bool token)
{
	const char *const argv[] = {"/usr/bin/env", NULL};
	struct error err;
	struct child *child =
		child_start(&(struct child_options){.argv = argv, .environment = kind}, &err);
	cr_assert_not_null(child, "%s", err.message);
	cr_expect_eq(child_wait(child, 20.0).outcome, CHILD_EXITED);
	cr_expect_eq(strstr(child_output(child), "secret") != NULL, token, "%s", child_output(child));
	cr_expect_not_null(strstr(child_output(child), "PATH="));
	child_stop(child);
}

Test(environment, a_child_finds_no_token)
{
	setenv("API_TOKEN", "secret", 1);
	expect_said(ENVIRONMENT_PROGRAM, false);
	expect_said(ENVIRONMENT_COMPILER, false);
	expect_said(ENVIRONMENT_WHOLE, true);
}
