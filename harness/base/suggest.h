/* "Did you mean": the nearest of some names to a word that was mistyped, and words of other tools.
 */
#ifndef GEMMJUDGE_BASE_SUGGEST_H
#define GEMMJUDGE_BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/* The name with the fewest single-character edits (insert, delete, replace,
 * swap neighbours) from `word`, or NULL when none is near enough to be meant. */
const char *suggest_nearest(const char *word, const char *const *names, size_t count);

/* The suggestion as the end of an error line: "; did you mean 'judge'?", or ""
 * when there is none. Always returns `out`. */
const char *suggest_phrase(char out[160], const char *word, const char *const *names, size_t count);

/* The longest end of an error line. */
#define SUGGEST_TEXT 256

/* Whether a word that somebody typed is one of `words`, which other tools (LeetGPU, Tensara, GPU
 * MODE's kernelbot, KernelBench, CUTLASS' profiler, nvbench, nvcc) have for a thing that has
 * another name here. Blanks are between them; what begins as one that ends in '*' is meant, too;
 * '_' and '-' are the same; capitals count only where `words` has some. NULL has none. */
bool suggest_means(const char *words, const char *word);

/* The end of an error line about such a word: "; did you mean 'silu'? (what it says)", or, where
 * the thing has no name here (NULL), ": what it says". `says` may be NULL where there is a name.
 * Always returns `out`. */
const char *suggest_meant(char out[SUGGEST_TEXT], const char *name, const char *says);

/* Words whose thing is no row of any table. */
struct meaning {
	const char *words; /* as above; NULL behind the last row */
	const char *name, *says;
};

/* What the first row says that means the word; "" where none does. Always returns `out`. */
const char *suggest_meaning(char out[SUGGEST_TEXT], const struct meaning *rows, const char *word);

#endif
