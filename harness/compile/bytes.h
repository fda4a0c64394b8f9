/* What files hold, to the byte. */
#ifndef GEMMJUDGE_COMPILE_BYTES_H
#define GEMMJUDGE_COMPILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/hash.h"

/* A whole file, which the caller frees, with a 0 behind it; or NULL with errno. */
char *bytes_read_file(const char *path, size_t *size);

/* Adds a file's content to a hash. False with err where it cannot be read, or is no regular file.
 */
bool bytes_hash_file(struct hash *hash, const char *path, struct error *err);

/* Writes a file of that text; of what is left of an open file, or of all of a file, into one that
 * is not there yet. */
bool bytes_write_file(const char *path, const char *text, struct error *err);
bool bytes_copy(int from, const char *path, struct error *err);
bool bytes_copy_file(const char *from, const char *path, struct error *err);

#endif
