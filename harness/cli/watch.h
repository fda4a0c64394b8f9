/* judge --watch: judges again when a file was saved. */
#ifndef GEMMJUDGE_CLI_WATCH_H
#define GEMMJUDGE_CLI_WATCH_H

#include "cli/options.h"

/* Runs command_run() in a process of its own, again and again, until it is interrupted; the exit
 * status is that of the last run. */
int watch_run(const char *program, struct options *options);

#endif
