/* gemmjudge new --stage. */
#ifndef GEMMJUDGE_CLI_NEW_STAGE_H
#define GEMMJUDGE_CLI_NEW_STAGE_H

#include "cli/options.h"

/* Writes the starter of a stage; the exit status. */
int new_stage(const char *program, const struct options *options);

#endif
