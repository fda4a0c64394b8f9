/* What a solution is, apart from its name: a hash of its content. */
#ifndef GEMMJUDGE_COMPILE_CONTENT_H
#define GEMMJUDGE_COMPILE_CONTENT_H

#include <stdbool.h>

#include "base/content.h"
#include "base/error.h"

/* Visits the file and the files that it and they name in `#include "..."` and that lie where that
 * looks first, beside the including file: also where a condition leaves the line out. Headers found
 * elsewhere (epilogues/, the toolkit) are not of the file. Each is visited once, by its real path;
 * `name`, unless NULL, is given the name by which each was included. False with err where the file
 * cannot be read, or where `file` returns false. */
struct content_visitor {
	bool (*file)(void *context, const char *path, struct error *err);
	void (*name)(void *context, const char *name);
	void *context;
};
bool content_walk(const char *file, const struct content_visitor *visitor, struct error *err);

/* Hashes what content_walk() visits, with the names: nobody can make another solution of the same
 * hash (base/hash.h). False with err where the file, or one of those, cannot be read. */
bool content_hash(const char *file, char out[CONTENT_TEXT], struct error *err);

#endif
