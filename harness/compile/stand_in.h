/* A copy of a source under a name of ours. nvcc hands its command lines to a shell, with the names
 * in double quotes: in a name of a stranger's file that shell would see `commands`, $variables and
 * the end of the quotes; commas and long names it takes apart or cuts by itself. */
#ifndef GEMMJUDGE_COMPILE_STAND_IN_H
#define GEMMJUDGE_COMPILE_STAND_IN_H

#include <stdbool.h>

#include "base/error.h"
#include "base/paths.h"

/* Whether nvcc does not take the absolute path as it is. */
bool stand_in_is_needed(const char *path);

/* Copies `content`, and then what is `appended`, unless that is NULL, into a folder below `folder`,
 * which has to be there; `shown` is the path that
 * messages, lines of the source and __FILE__ shall tell. The copy's path goes to `out`.
 *
 * It lies so deep that "../x.cuh" finds nothing beside it: what the source includes is to be looked
 * for in the user's folder, with -iquote. */
bool stand_in_make(const char *content, const char *appended, const char *shown, const char *folder,
				   char out[PATHS_MAX], struct error *err);

/* The compiler's messages with `shown` where they name the copy; takes over `log`, which may be
 * NULL. */
char *stand_in_unname(char *log, const char *copy, const char *shown);

#endif
