/* JSON documents that are no report of a run: what their heads have in common. */
#ifndef GEMMJUDGE_REPORT_DOCUMENT_H
#define GEMMJUDGE_REPORT_DOCUMENT_H

#include <jansson.h>
#include <stdio.h>

/* Text in JSON: clean_text(). */
json_t *document_text(const char *text);

/* JSON has no NaN and no infinities: they become strings. */
json_t *document_real(double value);

/* A number that is above 0; others, which are not known, are null. */
json_t *document_positive(double value);

/* An object with schema_version, program and `what`. */
json_t *document_make(const char *what, int schema_version);

/* As document_make(), with the file that it is about: version (of the program), file, content,
 * problem. */
json_t *document_of_file(const char *what, int schema_version, const char *file,
						 const char *content, const char *problem);

/* Writes a value, each line but the first behind so many blanks, and lets go of it. What would be
 * a command of a CI runner, and characters that are not seen (base/utf8.h), are written as escapes
 * of JSON, so that readers of JSON get them as they are. */
void document_put(json_t *json, int blanks, FILE *out);

/* As document_put() in one line, with its newline, for the caller to free; NULL when memory is
 * short. */
char *document_line(json_t *json);

/* Writes a document with its newline, and lets go of it. */
void document_print(json_t *json, FILE *out);

#endif
