/* Paragraphs for a terminal. */
#ifndef GEMMJUDGE_REPORT_WRAP_H
#define GEMMJUDGE_REPORT_WRAP_H

#include <stdio.h>

/* Prints the text (made clean) and a newline, broken at blanks where it would
 * pass `width` columns, every line but the first behind `indent` blanks. The
 * first line already holds `column` characters; 0 means that it is empty and is
 * indented too. A word longer than the line stays whole, so that paths and
 * commands can be copied. */
void wrap_print(FILE *out, int width, int column, int indent, const char *text);

/* Columns that clean UTF-8 text takes, characters counted as one column each. */
int wrap_columns(const char *text, size_t bytes);

#endif
