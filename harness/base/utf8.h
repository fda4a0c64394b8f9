/* Characters of UTF-8, and which of them a reader does not see. */
#ifndef GEMMJUDGE_BASE_UTF8_H
#define GEMMJUDGE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character at `text` and how many bytes it has; 0 where they are not valid (Unicode 15, table
 * 3-7). A NUL is a character of one byte. */
size_t utf8_decode(const char *text, uint32_t *character);

/* Whether a character has no picture of its own, though it may change how others are shown or read:
 * controls but for newline and tab, marks of direction, ends of lines, what has no width, tags,
 * variation selectors and noncharacters. */
bool utf8_is_unseen(uint32_t character);

/* How such a character is written, "\u202e" or "\U000e0041". Returns the length. */
#define UTF8_ESCAPE_BYTES 11
size_t utf8_escape(char out[UTF8_ESCAPE_BYTES], uint32_t character);

#endif
