/* A tool that a solution's process runs under: compute-sanitizer, a profiler, a
 * debugger. It stands in front of the contestant's command and nowhere else; the
 * judge's own processes are none of its business. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_TOOL_H
#define GEMMJUDGE_JUDGE_RUN_TOOL_H

#include "base/error.h"
#include "base/paths.h"
#include "judge/options/options.h"

#define TOOL_WORDS 32

struct tool {
	const char *words[TOOL_WORDS + 1]; /* of its command, NULL-ended; none: no tool */
	char program[PATHS_MAX];           /* words[0] */
	char given[1024];                  /* holds the other words of --under */
	const char *check;                 /* of compute-sanitizer: "memcheck"; NULL: another tool */
	char folder[PATHS_MAX];            /* where compute-sanitizer reports; "": nowhere */
	int lock;                          /* of that (base/scratch.h) */
	char log[PATHS_MAX];               /* what it is told of that */
};

/* False when such a tool has been started around the judge itself: what it injects
 * into every process does not survive how children are started. */
bool tool_none_around(struct error *err);

/* Finds the tool that the options name, if any. False with err when there is none,
 * in words that say where it was looked for. */
bool tool_find(struct tool *tool, const struct judge_options *options, struct error *err);

/* Whether the options suit the device that was opened. */
bool tool_device(const struct judge_options *options, enum device_kind kind, struct error *err);

/* What child processes are to be started with, or NULL. */
const char *const *tool_words(const struct tool *tool);

/* Before the processes of one solution, and after their end. `said` is what they
 * printed in ending, or NULL; the report, and findings as the verdict where all
 * else was well, go to *out. */
bool tool_open(struct tool *tool, struct error *err);
void tool_close(struct tool *tool, const char *said, struct judgement *out);

/* What a report of compute-sanitizer comes to: how many errors its summary counts
 * (-1: there is no summary), and the first one in a line. */
int tool_report_errors(const char *report, char first[256]);

#endif
