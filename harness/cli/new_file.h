/* The files that `gemmjudge new` writes. */
#ifndef GEMMJUDGE_CLI_NEW_FILE_H
#define GEMMJUDGE_CLI_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/paths.h"

/* Appends the ending where it is missing. */
bool new_file_ending(char path[PATHS_MAX], const char *ending, struct error *err);

/* Creates the file, never over another one; a file half-written is removed. */
bool new_file_save(const char *path, void (*write)(FILE *out, const void *what), const void *what,
				   struct error *err);

#endif
