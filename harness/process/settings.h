/* What the emulated GPU of a child program is set to. Not the environment, where a solution could
 * read that races are looked for and be right only then, but a file without a name: its text is
 * what the environment would have, "NAME=VALUE", each with a 0 behind it, and one more 0 at the
 * end. The child takes it away before it loads a solution, and what the emulated GPU counts takes
 * its place, so that no file need be left open for it. */
#ifndef GEMMJUDGE_PROCESS_SETTINGS_H
#define GEMMJUDGE_PROCESS_SETTINGS_H

#include <stdbool.h>

#include "base/error.h"

#define SETTINGS_COUNTERS_BYTES ((size_t)8 << 20) /* of a child's counters */

/* The file, of a size that nobody can change, with the caller's own variables of the emulated GPU
 * and these, which take the place of those of the same name (NULL-ended, or NULL). `counts`: with
 * room for counters. -1 and err on failure. */
int settings_make(const char *const *variables, bool counts, struct error *err);

/* The counters that were put into it, as text; the caller's to free. NULL: there are none. */
char *settings_counters(int fd);

#endif
