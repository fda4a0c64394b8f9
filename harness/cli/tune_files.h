/* tune --export: the table of chosen schedules for a solution to include. */
#ifndef GEMMJUDGE_CLI_TUNE_FILES_H
#define GEMMJUDGE_CLI_TUNE_FILES_H

#include "cli/tune.h"

/* What the table begins with. */
#define TUNE_TABLE_MARK "/* Schedules that gemmjudge tune chose"

/* Finds what contradicts itself, before anything is done. */
bool tune_files_hold(const struct options *options, struct error *err);

/* Writes the table where --export asks for it, and says on `out` that it did. */
bool tune_files_write(const struct tuned *tuned, FILE *out, struct error *err);

#endif
