/* A copy of a source under a name of ours. nvcc hands its command lines to a shell, with the names
 * in double quotes: in a name of a stranger's file that shell would see `commands`, $variables and
 * the end of the quotes; commas and long names it takes apart or cuts by itself. */
#ifndef GEMMJUDGE_COMPILE_STAND_IN_H
#define GEMMJUDGE_COMPILE_STAND_IN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/paths.h"

/* The path that a movable file (movable.h) has in messages, lines and __FILE__, whatever it is
 * called, and the folder of what lies beside it: the user's take their places where these are read.
 */
#define STAND_IN_FOLDER "/judged-solution/"
#define STAND_IN_NAME                                                                              \
	"judged-solution.cu" /* not what a header beside the user's file is called                     \
						  */
#define STAND_IN_PATH STAND_IN_FOLDER STAND_IN_NAME

/* Whether nvcc does not take the absolute path as it is. */
bool stand_in_is_needed(const char *path);

/* A source's text; its name does not matter. */
struct stand_in_text {
	char *at;
	size_t size;
};

/* A file that lies beside it. */
struct stand_in_file {
	char *name;
	struct stand_in_text text;
};

/* Writes the text, and then what is `appended`, unless that is NULL, into a folder below `folder`,
 * which has to be there; `shown` is the path that
 * messages, lines of the source and __FILE__ shall tell. The copy's path goes to `out`.
 *
 * It lies so deep that "../x.cuh" finds nothing beside it: what the source includes is to be looked
 * for in the user's folder, with -iquote. */
bool stand_in_make(const struct stand_in_text *text, const char *appended, const char *shown,
				   const char *folder, char out[PATHS_MAX], struct error *err);

/* Writes a file of STAND_IN_FOLDER beside the copy of stand_in_make(). */
bool stand_in_add(const char *copy, const struct stand_in_file *file, struct error *err);

/* The compiler's messages with `shown` where they name the copy; takes over `log`, which may be
 * NULL. */
char *stand_in_unname(char *log, const char *copy, const char *shown);

/* A copy of the text with the user's path for STAND_IN_PATH, the name in it for STAND_IN_NAME
 * alone, and its folder for STAND_IN_FOLDER; the caller frees it. `text` may be NULL. NULL when
 * memory is short. */
char *stand_in_tell(const char *text, const char *shown);

#endif
