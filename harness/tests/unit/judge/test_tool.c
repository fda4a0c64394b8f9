/* links: judge compile process testcases base */
/* Tools that a solution runs under: reports of compute-sanitizer are understood,
 * and become verdicts. The tool is a script here, which reports what it is told to. */
#define _GNU_SOURCE /* nftw */
#include <criterion/criterion.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/run/tool.h"
#include "process/child.h"

static const char memcheck_two[] = "========= COMPUTE-SANITIZER\n"
								   "========= Invalid __global__ write of size 2 bytes\n"
								   "=========     at faulty(const __half *, __half *, int)+0x3a0\n"
								   "=========     by thread (0,0,0) in block (0,0,0)\n"
								   "========= Invalid __global__ write of size 2 bytes\n"
								   "=========     at faulty(const __half *, __half *, int)+0x3a0\n"
								   "========= ERROR SUMMARY: 2 errors\n";
static const char memcheck_none[] = "========= COMPUTE-SANITIZER\n"
									"========= ERROR SUMMARY: 0 errors\n";
static const char racecheck_one[] =
	"========= COMPUTE-SANITIZER\n"
	"========= Error: Race reported between Write access at kernel(float *)+0x70\n"
	"=========     and Read access at kernel(float *)+0xa0 [12 hazards]\n"
	"========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n";
static const char initcheck_many[] =
	"========= COMPUTE-SANITIZER\n"
	"========= Uninitialized __global__ memory read of size 2 bytes\n"
	"=========     at kernel(float *)+0x70\n"
	"========= ERROR SUMMARY: 30 errors\n"
	"========= ERROR SUMMARY: 10 errors were not printed. Use --print-limit option to adjust "
	"the number of printed errors\n";
static const char cut_off[] = "========= COMPUTE-SANITIZER\n"
							  "========= Internal Sanitizer Error\n";

Test(tool, reports_are_counted_and_the_first_error_is_quoted)
{
	char first[256];
	cr_expect_eq(tool_report_errors(memcheck_none, first), 0);
	cr_expect_str_empty(first);
	cr_expect_eq(tool_report_errors(memcheck_two, first), 2);
	cr_expect_str_eq(first, "Invalid __global__ write of size 2 bytes at faulty(const __half *, "
							"__half *, int)+0x3a0");
	cr_expect_eq(tool_report_errors(racecheck_one, first), 1);
	cr_expect_not_null(strstr(first, "Write access at kernel(float *)+0x70 and Read access"));
	cr_expect_eq(tool_report_errors(initcheck_many, first), 30, "an error counts once");
	cr_expect_eq(tool_report_errors(cut_off, first), -1);
	cr_expect_eq(tool_report_errors("", first), -1);
	/* numbers that no tool would print */
	cr_expect_eq(tool_report_errors("========= ERROR SUMMARY: -7 errors\n", first), -1);
	cr_expect_eq(tool_report_errors("========= ERROR SUMMARY: 99999999999999999999 errors\n"
									"========= ERROR SUMMARY: 5 errors\n",
									first),
				 INT_MAX);
	/* what only looks like a summary is none */
	cr_expect_eq(tool_report_errors("ERROR SUMMARY: 0 errors\n", first), -1);
}

/* ---- with a script as the tool ------------------------------------------------- */

static char folder[] = "/tmp/test_tool.XXXXXX";

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *walk)
{
	(void)facts, (void)kind, (void)walk;
	return remove(path);
}

static void begin(void)
{
	char path[128], search[256];
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/compute-sanitizer", folder);
	FILE *script = fopen(path, "w");
	/* [--OPTION VALUE]... PROGRAM: one report a process, as the real one. What it finds in
	 * the API's accesses an initcheck tells, unless it is told not to look at them. */
	fputs("#!/bin/sh\n"
		  "api=yes\n"
		  "while true; do\n"
		  "	case \"$1\" in\n"
		  "	--tool) tool=$2 ;;\n"
		  "	--log-file) log=$2 ;;\n"
		  "	--print-limit) [ \"$2\" -gt 0 ] || exit 9 ;;\n"
		  "	--check-api-memory-access) api=$2 ;;\n"
		  "	-*) exit 9 ;;\n"
		  "	*) break ;;\n"
		  "	esac\n"
		  "	shift 2\n"
		  "done\n"
		  "case \"$tool $api\" in\n"
		  "'initcheck yes') GEMMJUDGE_TEST_REPORT=$GEMMJUDGE_TEST_API_REPORT ;;\n"
		  "'memcheck no') exit 9 ;;\n"
		  "esac\n"
		  "[ -z \"$GEMMJUDGE_TEST_REPORT\" ] || printf '%s' \"$GEMMJUDGE_TEST_REPORT\" "
		  ">\"${log%\\%p*}$$${log#*\\%p}\"\n"
		  "exec \"$1\"\n",
		  script);
	fclose(script);
	chmod(path, 0755);
	snprintf(search, sizeof search, "%s:/usr/bin:/bin", folder);
	setenv("PATH", search, 1);
	setenv("TMPDIR", folder, 1);
}

static void end(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TestSuite(tool_run, .init = begin, .fini = end);

static void run_program(const struct tool *tool, const char *report)
{
	const char *argv[TOOL_WORDS + 2];
	size_t count = 0;
	struct error err = {{0}};
	for (const char *const *word = tool_words(tool); *word != NULL; word++)
		argv[count++] = *word;
	argv[count++] = "/bin/true";
	argv[count] = NULL;
	setenv("GEMMJUDGE_TEST_REPORT", report, 1);
	struct child *child = child_start(&(struct child_options){.argv = argv}, &err);
	cr_assert_not_null(child, "%s", err.message);
	struct child_result result = child_wait(child, 20);
	cr_assert(result.outcome == CHILD_EXITED && result.exit_status == 0);
	child_stop(child);
}

/* The verdict of a file after one process for each report of the check. */
static struct judgement judged_by(const char *check, const char *first, const char *second,
								  enum verdict before)
{
	struct judge_options options = {.tool.sanitize = check};
	struct judgement judgement = {.verdict = before};
	struct error err = {{0}};
	struct tool tool;
	cr_assert(tool_find(&tool, &options, &err), "%s", err.message);
	cr_assert(tool_open(&tool, &err), "%s", err.message);
	run_program(&tool, first);
	if (second != NULL)
		run_program(&tool, second);
	char reports[PATHS_MAX];
	strcpy(reports, tool.folder);
	tool_close(&tool, NULL, &judgement);
	cr_expect(access(reports, F_OK) != 0, "%s is left behind", reports);
	return judgement;
}

static struct judgement judged(const char *first, const char *second, enum verdict before)
{
	return judged_by("memcheck", first, second, before);
}

/* The contestant copies from memory of the referee, which its own process never wrote. */
Test(tool_run, copies_of_the_harness_are_no_findings)
{
	setenv("GEMMJUDGE_TEST_API_REPORT",
		   "========= COMPUTE-SANITIZER\n"
		   "========= Host API memory access error at host access to 0x7f00 of size 4,318 bytes\n"
		   "=========     Uninitialized access at 0x7f00 on access by cudaMemcpy source\n"
		   "========= ERROR SUMMARY: 1 error\n",
		   1);
	struct judgement one = judged_by("initcheck", memcheck_none, NULL, VERDICT_ACCEPTED);
	cr_expect_eq(one.verdict, VERDICT_ACCEPTED, "%s", one.detail);
	judgement_free(&one);
	one = judged_by("initcheck", initcheck_many, NULL, VERDICT_ACCEPTED);
	cr_expect_eq(one.verdict, VERDICT_RUNTIME_ERROR, "what a kernel reads counts");
	cr_expect_not_null(strstr(one.detail, "initcheck found 30 errors; the first: Uninitialized"),
					   "%s", one.detail);
	judgement_free(&one);
}

Test(tool_run, errors_are_a_verdict)
{
	struct judgement one = judged(memcheck_two, NULL, VERDICT_ACCEPTED);
	cr_expect_eq(one.verdict, VERDICT_RUNTIME_ERROR);
	cr_expect_not_null(strstr(one.detail, "memcheck found 2 errors; the first: Invalid __global__"),
					   "%s", one.detail);
	cr_expect_str_eq(one.tool_report, memcheck_two);
	judgement_free(&one);
}

Test(tool_run, every_process_counts)
{
	struct judgement one = judged(memcheck_none, memcheck_none, VERDICT_ACCEPTED);
	cr_expect_eq(one.verdict, VERDICT_ACCEPTED);
	judgement_free(&one);
	one = judged(memcheck_two, memcheck_none, VERDICT_ACCEPTED);
	cr_expect_eq(one.verdict, VERDICT_RUNTIME_ERROR);
	judgement_free(&one);
	one = judged(memcheck_none, cut_off, VERDICT_ACCEPTED);
	cr_expect_eq(one.verdict, VERDICT_NOT_RUN, "a process without a summary");
	judgement_free(&one);
	one = judged("", NULL, VERDICT_ACCEPTED);
	cr_expect_eq(one.verdict, VERDICT_NOT_RUN, "no report at all");
	judgement_free(&one);
	one = judged(memcheck_two, NULL, VERDICT_WRONG_ANSWER);
	cr_expect_eq(one.verdict, VERDICT_WRONG_ANSWER, "what the referee saw goes first");
	judgement_free(&one);
}

/* In the place of a report, by the solution's process. */
Test(tool_run, reads_no_pipe_and_no_link)
{
	struct judge_options options = {.tool.sanitize = "memcheck"};
	struct judgement judgement = {.verdict = VERDICT_ACCEPTED};
	struct error err = {{0}};
	struct tool tool;
	char path[PATHS_MAX + 8];
	cr_assert(tool_find(&tool, &options, &err), "%s", err.message);
	cr_assert(tool_open(&tool, &err), "%s", err.message);
	snprintf(path, sizeof path, "%s/1.txt", tool.folder);
	cr_assert_eq(mkfifo(path, 0600), 0);
	snprintf(path, sizeof path, "%s/2.txt", tool.folder);
	cr_assert_eq(symlink("/etc/passwd", path), 0);
	tool_close(&tool, NULL, &judgement);
	cr_expect_eq(judgement.verdict, VERDICT_NOT_RUN);
	cr_expect_null(judgement.tool_report);
}

Test(tool_run, its_absence_is_told)
{
	struct judge_options options = {.tool.sanitize = "memcheck"};
	struct error err = {{0}};
	struct tool tool;
	setenv("PATH", "/nowhere", 1);
	setenv("GEMMJUDGE_NVCC", "/nowhere/nvcc", 1);
	cr_expect(!tool_find(&tool, &options, &err));
	cr_expect_not_null(strstr(err.message, "--sanitize needs compute-sanitizer"));
}
