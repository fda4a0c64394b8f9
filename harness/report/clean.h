/* Makes text from outside (a solution's output, a compiler's message, a file
 * name) safe to show. A solution must not be able to forge a verdict with
 * escape sequences or to make a report unreadable with stray bytes. */
#ifndef GEMMJUDGE_REPORT_CLEAN_H
#define GEMMJUDGE_REPORT_CLEAN_H

#include <stddef.h>
#include <stdio.h>

/* A copy of `text` in valid UTF-8 that has no control characters but newline
 * and tab: invalid bytes and controls become U+FFFD, the two bytes "\r\n" one
 * newline. The caller frees it. NULL only when memory is out. */
char *clean_text(const char *text);

/* Writes clean text. */
void clean_print(FILE *out, const char *text);

/* The same where it must stay in its line, as a file's name: '?' for tabs and ends of lines. */
void clean_print_line(FILE *out, const char *text);

/* Writes clean text with the characters that XML gives a meaning escaped, for
 * element content and attribute values alike. */
void clean_print_xml(FILE *out, const char *text);

/* Writes clean text as one cell of a markdown table. */
void clean_print_cell(FILE *out, const char *text);

#endif
