/* A source comes to its judge through stdin, and is called so; people know it by the name that it
 * was submitted under. */
#ifndef GEMMJUDGE_SERVE_NAMING_H
#define GEMMJUDGE_SERVE_NAMING_H

#include <jansson.h>

/* The text with `name` in the place of each "/some/folder/stdin" or "stdin" before a line's number
 * or a closing quote, as compilers write them; the caller's to free. NULL: memory is short. */
char *naming_text(const char *text, const char *name);

/* Applies naming_text() to what an event or a result says of its file: file, detail, reason, hints,
 * details of cases, labels of times and the compiler's log. */
void naming_apply(json_t *json, const char *name);

#endif
