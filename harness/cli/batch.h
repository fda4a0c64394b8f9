/* gemmjudge judge --batch. */
#ifndef GEMMJUDGE_CLI_BATCH_H
#define GEMMJUDGE_CLI_BATCH_H

#include "cli/options.h"

/* The exit status: that all requests got a verdict, whatever it is, is success. */
int batch_command(struct options *options);

#endif
