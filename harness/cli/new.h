/* What the parts of `gemmjudge new` share. */
#ifndef GEMMJUDGE_CLI_NEW_H
#define GEMMJUDGE_CLI_NEW_H

#include <stdio.h>

#include "base/paths.h"
#include "cli/options.h"

/* Appends the ending where it is missing. */
bool new_append_ending(char path[PATHS_MAX], const char *ending, struct error *err);

/* Creates the file, never over another one; a file half-written is removed. */
bool new_save(const char *path, void (*write)(FILE *out, const void *what), const void *what,
			  struct error *err);

/* gemmjudge new --epilogue NAME; the exit status. */
int new_stage(const char *program, const struct options *options);

#endif
