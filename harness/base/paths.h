/* Where the program finds its own parts. Everything is found relative to the
 * running executable, so that a built tree works after being copied to another
 * machine or folder. */
#ifndef GEMMJUDGE_BASE_PATHS_H
#define GEMMJUDGE_BASE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define PATHS_MAX 4096

/* The build folder: the one that holds the `gemmjudge` executable. Works from
 * the children too (they live in BUILD/libexec). */
bool paths_build(char out[PATHS_MAX], struct error *err);

/* In the build folder: a libcuda.so to link with, for toolkits that have none. */
#define PATHS_STUBS "libexec/stubs"
#define PATHS_MISSING_FILES "libexec/missing_files.so" /* compile/missing_files.c, huge_pages.c */

/* Whether that is a folder of `cmake --install`, and the source tree nobody's to write to. */
bool paths_installed(void);

/* The source tree that holds solutions/, epilogues/, testcases/. */
bool paths_source(char out[PATHS_MAX], struct error *err);

/* The user's cache folder for compiled solutions: $GEMMJUDGE_CACHE, or
 * $XDG_CACHE_HOME/gemmjudge, or ~/.cache/gemmjudge; without a HOME $TMPDIR/gemmjudge-UID;
 * where none of these can be written, BUILD/cache, and then /tmp/gemmjudge-UID. Created when
 * missing. */
bool paths_cache(char out[PATHS_MAX], struct error *err);

/* Makes the folder and those above it; whether it can be written in the end. */
bool paths_make_folders(char *path);

/* Joins two parts with one '/'. Fails when the result does not fit. */
bool paths_join(char out[PATHS_MAX], const char *a, const char *b, struct error *err);

/* The absolute path of a file, links followed; also of one that is not there, where its folder is.
 * Else the path as it was given. */
void paths_absolute(const char *file, char out[PATHS_MAX]);

/* An executable file, not a folder. */
bool paths_is_program(const char *path);

/* The first program of this name on the PATH. */
bool paths_program(const char *name, char out[PATHS_MAX]);

#endif
