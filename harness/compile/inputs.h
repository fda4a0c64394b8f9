/* The files that a compilation read: one absolute path a line, as nvcc lists them. Left out are a
 * copy of the source and what lay beside it (stand_in.h), whose content is part of the key, and of
 * such a copy, which includes nothing by a relative path, the names that #line gave to lines.
 * Headers of our epilogues are "//epilogues/...", so that a list serves all copies of the source
 * tree. */
#ifndef GEMMJUDGE_COMPILE_INPUTS_H
#define GEMMJUDGE_COMPILE_INPUTS_H

#include <stdbool.h>

#include "base/hash.h"

/* The list of a compilation in FOLDER/dependencies (make's notation), which the caller frees, or
 * NULL. */
char *inputs_read(const char *folder);

/* Adds the files' paths and present content to a hash; takes the list apart. False when one is no
 * longer there, or has a path that says nothing here. */
bool inputs_hash(char *inputs, struct hash *hash);

/* Whether one was changed since this time (seconds of the real-time clock), so that nobody knows
 * which content was compiled. */
bool inputs_changed(const char *folder, double since);

#endif
