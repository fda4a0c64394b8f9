/* Sources from the store, written as files. */
#ifndef GEMMJUDGE_CLI_SOURCE_FILES_H
#define GEMMJUDGE_CLI_SOURCE_FILES_H

#include "base/paths.h"
#include "store/sources.h"

/* Writes them below a folder, which is made, and says so on stdout. False with err: a file is there
 * already, or would lie outside of the folder; nothing is overwritten. */
bool source_files_tell(const char *folder, const struct sources *sources, struct error *err);

/* Writes them for a compiler, in silence; *path is the file itself. Headers above its folder are
 * found, too: it then lies so much deeper below the given one. */
bool source_files_write(const char *folder, const struct sources *sources, char path[PATHS_MAX],
						struct error *err);

#endif
