/* Makes text from outside (a solution's output, a compiler's message, a file
 * name) safe to show. A solution must not be able to forge a verdict with
 * escape sequences, to make a report unreadable with stray bytes, or to give
 * orders to a CI runner that reads the log. */
#ifndef GEMMJUDGE_REPORT_CLEAN_H
#define GEMMJUDGE_REPORT_CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A copy of `text` in valid UTF-8 that has no ASCII controls but newline and tab: invalid bytes and
 * such controls become U+FFFD, the two bytes "\r\n" one newline. For data, which keeps its other
 * characters: JSON, which escapes those that are not seen (document.h), and the store. The caller
 * frees it. NULL only when memory is out. */
char *clean_text(const char *text);

/* As clean_text() for readers: characters that are not seen (base/utf8.h) become "\u202e" or
 * "\U000e0041". */
char *clean_visible(const char *text);

/* As clean_visible() for a terminal or a log, where runners of CI services look for commands:
 *   GitHub            "::" at the start of a line, behind blanks; "##[" anywhere
 *   Azure Pipelines   "##vso[" anywhere
 *   TeamCity          "##teamcity["
 * A backslash is put before such a "::" and such a "[". Characters outside of ASCII do not count,
 * as some comparisons of .NET pass over those that are not seen. */
char *clean_shown(const char *text);

/* As clean_shown() in one line, as a file's name: "\n" and "\t" are two characters each. */
char *clean_line(const char *text);

/* Whether a line that begins with this clean text would be a command by its "::". For who makes
 * lines of a text in his own way. */
bool clean_begins_command(const char *text);

/* Whether the '[' at `bracket`, within clean `text`, ends a "##[" or its like. */
bool clean_ends_mark(const char *text, const char *bracket);

/* Writes clean_shown(), or clean_line(). */
void clean_print(FILE *out, const char *text);
void clean_print_line(FILE *out, const char *text);

/* Writes what `print` prints, made clean as a whole: for pages with words of others in many
 * places. Colours do not get through. */
void clean_print_page(FILE *out, void (*print)(const void *what, FILE *out), const void *what);

/* Writes clean_visible() with the characters that XML gives a meaning escaped, for element content
 * and attribute values alike; so are those of commands. */
void clean_print_xml(FILE *out, const char *text);

/* As clean_print_xml() for a text field of HTML, whose text is edited and comes back: characters
 * that are not seen are references, and stay what they are. */
void clean_print_field(FILE *out, const char *text);

/* Writes clean text as one cell of a markdown table. */
void clean_print_cell(FILE *out, const char *text);

/* Writes clean text as one cell of comma-separated values (RFC 4180), which no spreadsheet takes
 * for a formula: an apostrophe stands before the signs that begin one. */
void clean_print_csv(FILE *out, const char *text);

#endif
