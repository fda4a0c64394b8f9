/* Errors as values: a function that can fail takes a `struct error *`, returns
 * false (or NULL, or -1) on failure, and leaves one line for the user in it:
 * what went wrong, where, and what to do. Errors travel up; only cli/ prints
 * them and only cli/ chooses an exit status. */
#ifndef GEMMJUDGE_BASE_ERROR_H
#define GEMMJUDGE_BASE_ERROR_H

#include <stdbool.h>

struct error {
	char message[1024]; /* no trailing newline; empty when nothing failed */
};

/* Formats the message (truncated to fit). Always returns false, so that a
 * failing function can end with `return error_set(err, ...)`. */
bool error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "context: " before the message that is there. Returns false. */
bool error_prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
