/* Lines of a file or pipe, read as they come. */
#ifndef GEMMJUDGE_BATCH_LINES_H
#define GEMMJUDGE_BATCH_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct lines {
	int fd; /* for poll() */
	const char *path;
	char *text;
	size_t begin, used, capacity;
	bool ended; /* nothing comes any more */
};

/* "-" is stdin; `path` is borrowed. False with err. */
bool lines_open(struct lines *lines, const char *path, struct error *err);
void lines_close(struct lines *lines);

/* Takes what has come, without waiting for it. False with err where nothing can be read. */
bool lines_fill(struct lines *lines, struct error *err);

/* Whether a line is there: with its end, or the last one. */
bool lines_has(const struct lines *lines);

/* That line without its end, for the caller to free; *whole: it had one. NULL: there is none, or
 * memory is short. */
char *lines_take(struct lines *lines, bool *whole);

#endif
