/* Whether a file compiles to the same wherever it lies: then it is compiled under a fixed name
 * (stand_in.h), and what comes of it serves all of its copies. */
#ifndef GEMMJUDGE_COMPILE_MOVABLE_H
#define GEMMJUDGE_COMPILE_MOVABLE_H

#include <stdbool.h>

/* `folder` is where the file seems to lie; `flags` are the user's, NULL-ended, or NULL. False where
 * the text includes something that lies beside it, or may; where it asks for its
 * own name on the disk or for files in other ways; where a flag or the environment may name a place
 * relative to the file; and where any of this cannot be told. */
bool movable(const char *text, const char *folder, const char *const *flags);

/* Whether nvcc's messages may be about a file that lies elsewhere. */
bool movable_misses_file(const char *log);

#endif
