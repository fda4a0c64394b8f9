/* Candidates as they are written: lists and tables of whole numbers. Internal to schedules/. */
#ifndef GEMMJUDGE_SCHEDULES_CANDIDATES_H
#define GEMMJUDGE_SCHEDULES_CANDIDATES_H

#include "schedules/space.h"

/* A whole number, decimal or 0x and hexadecimal; nothing before or after. */
bool candidates_number(const char *text, int64_t *out);

/* "16 32 64..256*2 300": numbers and ranges, blanks or commas between them, none twice. *values is
 * owned by the caller; false with err (no file, no line), and then NULL. */
bool candidates_parse(const char *text, int64_t **values, size_t *count, struct error *err);

/* Names in the first line, in each further one a number for each; '#' begins a comment. */
struct candidates_table {
	size_t columns, rows;
	char names[SPACE_CONSTANTS_MAX][SPACE_NAME_MAX];
	int64_t *values; /* rows times columns; owned */
};
/* False with err, which has the path and the line, and then *out is empty. */
bool candidates_read_table(const char *path, struct candidates_table *out, struct error *err);

#endif
