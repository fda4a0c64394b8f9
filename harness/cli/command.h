/* From options to judge_run() and back: what judge and bench have in common. */
#ifndef GEMMJUDGE_CLI_COMMAND_H
#define GEMMJUDGE_CLI_COMMAND_H

#include "cli/options.h"
#include "judge/judge.h"

/* Fills in what was left open: a fresh seed, the number and size of generated
 * cases that suit the device. */
bool command_complete(enum command command, struct options *options, struct error *err);

/* Finds what is wrong with files and suites before anything starts. */
bool command_check(const struct options *options, struct error *err);

/* Finds what contradicts itself in what is to be timed. */
bool command_timed_shapes(const struct options *options, struct error *err);

/* The command line that does the same again, quoted for a shell; "..." ends it
 * where it does not fit. */
void command_line(char *out, size_t capacity, const char *program, enum command command,
				  const struct options *options, enum device_kind device);

/* Runs, shows and saves; the exit status. */
int command_run(const char *program, enum command command, struct options *options);

#endif
