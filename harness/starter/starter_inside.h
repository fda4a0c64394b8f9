/* What the files that write starters share. Internal to starter/. */
#ifndef GEMMJUDGE_STARTER_STARTER_INSIDE_H
#define GEMMJUDGE_STARTER_STARTER_INSIDE_H

#include "starter/starter.h"

#define CODE_COLUMNS 100

/* A function's first line or a call, of which what goes on stands below its first argument. */
void starter_code(FILE *out, const char *text);

/* Of a problem of a file, behind the head: a kernel that computes an element a thread, and lacks
 * what that is. */
void starter_elements(const struct problem *problem, FILE *out);

#endif
