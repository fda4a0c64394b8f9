/* --tuned: judge, bench and compare compile files with the schedules that tune chose. */
#ifndef GEMMJUDGE_CLI_SCHEDULES_H
#define GEMMJUDGE_CLI_SCHEDULES_H

#include "base/paths.h"
#include "cli/options.h"

struct schedules {
	char path[PATHS_MAX]; /* of the store; "": there is none */
	char flags[4096];     /* that the user gave to nvcc, with blanks between them */
	struct judge_schedules source;
};

/* Where the options ask for them, they find schedules from now on; `schedules` stays until the run
 * is over. False with err where there is no store to ask. */
bool schedules_open(struct schedules *schedules, struct options *options, struct error *err);

/* The user's flags as schedules are remembered with them. */
void schedules_join_flags(const struct judge_options *options, char *out, size_t capacity);

#endif
