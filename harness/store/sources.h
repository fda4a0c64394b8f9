/* The sources of what was judged: a file and the headers beside it, by the hash of their content.
 */
#ifndef GEMMJUDGE_STORE_SOURCES_H
#define GEMMJUDGE_STORE_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/content.h"
#include "base/error.h"

#define SOURCES_BYTES ((size_t)2 << 20) /* of a content's files; what has more is not kept */
#define SOURCES_FILES 256

struct source_file {
	char *name; /* from the file's folder: "mine.cu", "parts/tile.cuh", "../tile.cuh"; owned */
	char *text; /* owned, with a 0 behind it */
	size_t length;
};

struct sources {
	char content[CONTENT_TEXT];
	size_t count;
	struct source_file files[SOURCES_FILES]; /* the file itself first */
};

/* Keeps them in the store at `path`, all or none, unless it has them. False with err. */
bool sources_keep(const char *path, const struct sources *sources, struct error *err);

/* Those of the one content whose hash begins so. False with err: it cannot be read, there is none,
 * there are several, or it is not what the store's own hand wrote. */
bool sources_find(const char *path, const char *hash, struct sources *out, struct error *err);

/* As sources_find() for each of these whole hashes, in one reading of the store: tells `take` of
 * those that are kept, with their index; it may take over strings, and ends the search by false
 * with err. */
bool sources_each(const char *path, const char *const *hashes, size_t count,
				  bool (*take)(void *context, size_t i, struct sources *sources, struct error *err),
				  void *context, struct error *err);

/* Adds a file, whose strings it takes over. False where there is no room; they are freed then. */
bool sources_add(struct sources *sources, char *name, char *text, size_t length);
void sources_free(struct sources *sources);

#endif
