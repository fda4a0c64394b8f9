/* Files to begin with: a solution of a problem, and a stage of an epilogue. */
#ifndef GEMMJUDGE_STARTER_STARTER_H
#define GEMMJUDGE_STARTER_STARTER_H

#include <stdio.h>

#include "base/paths.h"
#include "testcases/problem.h"

/* The file that a name means: with its ending (".cu"), in the reader's own folder unless the name
 * says another. */
bool starter_path(const char *name, const char *ending, char out[PATHS_MAX], struct error *err);

/* Writes a solution that is correct and slow, made from the problem's row in the table; `judge` is
 * the command that the file's header gives to judge it. */
void starter_solution(FILE *out, const struct problem *problem, const char *judge);

/* Writes a stage of this name. */
void starter_stage(FILE *out, const char *name);

/* Creates the file, never over another one; NULL with err. Closing it, whatever was written, says
 * whether it is whole; else it is removed. */
FILE *starter_create(const char *path, struct error *err);
bool starter_close(FILE *file, const char *path, struct error *err);

#endif
