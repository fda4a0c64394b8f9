/* "Did you mean": the nearest of some names to a word that was mistyped. */
#ifndef GEMMJUDGE_BASE_SUGGEST_H
#define GEMMJUDGE_BASE_SUGGEST_H

#include <stddef.h>

/* The name with the fewest single-character edits (insert, delete, replace,
 * swap neighbours) from `word`, or NULL when none is near enough to be meant. */
const char *suggest_nearest(const char *word, const char *const *names, size_t count);

/* The suggestion as the end of an error line: "; did you mean 'judge'?", or ""
 * when there is none. Always returns `out`. */
const char *suggest_phrase(char out[160], const char *word, const char *const *names, size_t count);

#endif
