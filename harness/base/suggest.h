/* "Did you mean": the nearest of some names to a word that was mistyped, and what words of other
 * tools are called here (meanings.c). */
#ifndef GEMMJUDGE_BASE_SUGGEST_H
#define GEMMJUDGE_BASE_SUGGEST_H

#include <stddef.h>

/* The name with the fewest single-character edits (insert, delete, replace,
 * swap neighbours) from `word`, or NULL when none is near enough to be meant. */
const char *suggest_nearest(const char *word, const char *const *names, size_t count);

/* The suggestion as the end of an error line: "; did you mean 'judge'?", or ""
 * when there is none. Always returns `out`. */
const char *suggest_phrase(char out[160], const char *word, const char *const *names, size_t count);

/* What a word stands for: each has a table of words of other tools. */
enum suggest_kind {
	SUGGEST_NOTHING, /* no table */
	SUGGEST_OPTION,  /* without its dashes */
	SUGGEST_COMMAND,
	SUGGEST_PROBLEM,
	SUGGEST_STAGE,
	SUGGEST_GPU,      /* that a time is predicted of */
	SUGGEST_EMULATED, /* of the emulated GPU */
	SUGGEST_DEVICE,
};

/* The end of an error line about a word that other tools have: "; did you mean 'silu'?" or ": it is
 * called so here", or "" where the table does not have it. '_' and '-' are the same. Always returns
 * `out`. */
#define SUGGEST_TEXT 256
const char *suggest_meaning(char out[SUGGEST_TEXT], enum suggest_kind kind, const char *word);

/* As suggest_meaning(); where that gives "", as suggest_phrase(). */
const char *suggest_end(char out[SUGGEST_TEXT], enum suggest_kind kind, const char *word,
						const char *const *names, size_t count);

/* What the rows of a table call things here; NULL behind the last. For tests. */
const char *suggest_name(enum suggest_kind kind, size_t index);

#endif
