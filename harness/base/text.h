/* Text that grows, and that files hold. */
#ifndef GEMMJUDGE_BASE_TEXT_H
#define GEMMJUDGE_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Appends to *text, which is NULL or from malloc(), and the caller's to free. False
 * when memory runs out; *text is then as before. */
bool text_append(char **text, const char *more);

/* As snprintf(). What does not fit ends in "...", behind a whole character of UTF-8; then false. */
bool text_format(char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool text_vformat(char *out, size_t size, const char *format, va_list values);

/* Takes each line that is this one out of the text, with its end. */
void text_drop_line(char *text, const char *line);

/* The first line that has the word in it, and its length without its end; NULL: none has. */
const char *text_line_with(const char *text, const char *word, size_t *length);

/* The last line that is not empty, and its length without its end; 0: there is none. */
const char *text_last_line(const char *text, size_t *length);

/* What a regular file of at most `most` bytes holds, up to its first NUL: the caller's to free.
 * NULL with err, which begins with the path. */
char *text_read(const char *path, size_t most, struct error *err);

/* Writes all of it to a descriptor; false with errno. */
bool text_write(int fd, const char *text, size_t length);

/* What a noun ends with behind this number: "s", behind 1 nothing. */
const char *text_plural(size_t count);

/* Which of the names it is; `count`: none. */
size_t text_index(const char *word, const char *const *names, size_t count);

/* The names as in a sentence, `last` between the last two: "h200, a100 or t4" with " or ". What
 * does not fit is left out. Returns `out`. */
const char *text_names(char *out, size_t size, const char *const *names, size_t count,
					   const char *last);

#endif
