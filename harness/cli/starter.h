/* The starter file of a problem. */
#ifndef GEMMJUDGE_CLI_STARTER_H
#define GEMMJUDGE_CLI_STARTER_H

#include <stdio.h>

#include "testcases/problem.h"

/* Writes a solution that is correct and slow, made from the problem's row in
 * the table; `judge` is the command that the file's header gives to judge it. */
void starter_write(const struct problem *problem, const char *judge, FILE *out);

#endif
