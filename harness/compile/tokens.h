/* What a source is apart from its comments and its white space. */
#ifndef GEMMJUDGE_COMPILE_TOKENS_H
#define GEMMJUDGE_COMPILE_TOKENS_H

#include <stdbool.h>

#include "base/content.h"
#include "base/error.h"

/* A source's tokens, without what lies between them: a blank stands between two words, and a line's
 * end around a directive. The caller's to free; NULL: memory is short. Two sources whose texts are
 * the same compile to the same, but for line numbers and `+ ++`. */
char *tokens_text(const char *source);

/* Hashes the tokens of the files that content_walk() visits. False with err where one cannot be
 * read. */
bool tokens_hash(const char *file, char out[CONTENT_TEXT], struct error *err);

/* Both hashes of a file; "" where it cannot be read, which the compiler says, too. */
void tokens_and_content(const char *file, char content[CONTENT_TEXT], char tokens[CONTENT_TEXT]);

#endif
