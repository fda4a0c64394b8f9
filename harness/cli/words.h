/* Words that other tools have for our options and subcommands. Most are in the rows of these
 * themselves (`also`). */
#ifndef GEMMJUDGE_CLI_WORDS_H
#define GEMMJUDGE_CLI_WORDS_H

#include "base/suggest.h"

/* The end of an error line about the word, an option's without its dashes (base/suggest.h); ""
 * where nobody knows it. Both return `out`. */
const char *words_option(char out[SUGGEST_TEXT], const char *word);
const char *words_command(char out[SUGGEST_TEXT], const char *word);

/* Those that are in no row; the last one's words are NULL. */
extern const struct meaning words_without_option[], words_without_command[];

#endif
