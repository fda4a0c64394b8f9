/* Baselines that the user names (--baseline): somebody's fused kernel as a file, which is judged
 * before it is timed beside the others; or a command that measures itself (program.h). Internal to
 * judge/. */
#ifndef GEMMJUDGE_JUDGE_GIVEN_BASELINES_H
#define GEMMJUDGE_JUDGE_GIVEN_BASELINES_H

#include "judge/submission/submission.h"

struct given_baselines; /* opaque */

/* Whether they are files or commands that can be run, before anything is. */
bool given_baselines_hold(const struct judge_options *options, struct error *err);

/* Compiles the files and judges them on cases of the problem, with the run's chain. One that is not
 * accepted is said why, and not timed. NULL where none is named; false with err when nothing can be
 * judged at all. */
bool given_baselines_open(struct run *run, const struct problem *problem,
						  struct given_baselines **out, struct error *err);

/* The files as entrants, which are borrowed; NULL has none. */
size_t given_baselines_entrants(const struct given_baselines *given, struct entrant *out);

/* Adds an entry for each command, which runs for the shape of `out`, or where `untimed` is not
 * NULL has that reason for no time. */
bool given_baselines_run(const struct run *run, const struct given_baselines *given,
						 const char *untimed, struct timing_result *out, struct error *err);

void given_baselines_close(struct given_baselines *given);

#endif
