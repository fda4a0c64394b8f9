/* The files of a run: those that were named, and the .cu files of folders. */
#ifndef GEMMJUDGE_CLI_FILES_H
#define GEMMJUDGE_CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct files {
	size_t count;
	char **paths; /* owned, as each of them */
};

/* In the place of a folder come all files below it whose names end in .cu, sorted by name within
 * each folder. What is hidden (.git, ._x.cu) is left out; links are followed, but no folder is
 * entered twice for one name. What looks like a solution and is none (a folder without any, or one
 * that cannot be read, a broken link) is in the list, so that somebody tells of it. False with err
 * where the search itself cannot go on. */
bool files_find(const char *const *names, size_t count, struct files *out, struct error *err);
void files_free(struct files *files);

#endif
