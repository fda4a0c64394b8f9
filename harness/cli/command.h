/* A run of the judge: what judge, bench and compare have in common. */
#ifndef GEMMJUDGE_CLI_COMMAND_H
#define GEMMJUDGE_CLI_COMMAND_H

#include "cli/options.h"

/* Fills in what was left open: a fresh seed, the number and size of generated
 * cases that suit the device. */
bool command_complete(struct options *options, struct error *err);

/* The number and size of generated cases, where they were left open. */
void command_usual_cases(struct judge_options *judge, bool emulated);

/* From now on the first SIGINT or SIGTERM is only noted, and the second one ends the program. What
 * is ignored, as in the background of a script, stays so. */
void command_watch_interrupts(void);
/* Whether there was one; suits judge_progress.stop. */
bool command_interrupted(void *context);
/* After one, ends the program by that signal: whoever waits for it sees how it ended. */
void command_end_interrupted(void);

/* Runs, shows and saves; the exit status. */
int command_run(const char *program, struct options *options);

#endif
