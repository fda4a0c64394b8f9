/* Folders for as long as a process needs them, in $TMPDIR or /tmp: gemmjudge-KIND-XXXXXX. What a
 * killed process left there is removed by the next one that makes a folder of the same kind. */
#ifndef GEMMJUDGE_BASE_SCRATCH_H
#define GEMMJUDGE_BASE_SCRATCH_H

#include <stdbool.h>

#include "base/error.h"
#include "base/paths.h"

/* False with err, and "" in `path`. *lock: a descriptor, which says as long as this process lives
 * that the folder is in use; 0: the file system has no locks. */
bool scratch_make(char path[PATHS_MAX], int *lock, const char *kind, struct error *err);

/* Removes it with all that is in it; "" is nothing to remove. Both become nothing. */
void scratch_remove(char path[PATHS_MAX], int *lock);

#endif
