/* Whether a file compiles to the same wherever it lies: then it is compiled under a fixed name
 * (stand_in.h), and what comes of it serves all of its copies. */
#ifndef GEMMJUDGE_COMPILE_MOVABLE_H
#define GEMMJUDGE_COMPILE_MOVABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "compile/stand_in.h"

#define MOVABLE_FILES 32

/* The files beside a source that it includes: they are part of what is compiled. */
struct movable {
	size_t count;
	struct stand_in_file beside[MOVABLE_FILES];
};

/* `folder` is where the file seems to lie; `flags` are the user's, NULL-ended, or NULL. Takes what
 * the text includes of the folder, and what that does: source files, no links. False where it asks
 * for other folders relative to it, for its own name on the disk or for files in other ways; where
 * a flag or the environment may name a place relative to it; and where any of this cannot be told.
 */
bool movable_find(const char *text, const char *folder, const char *const *flags,
				  struct movable *out);
void movable_free(struct movable *movable);

/* Whether nvcc's messages may be about a file that lies elsewhere. */
bool movable_misses_file(const char *log);

#endif
