/* What the store knows, in words and in JSON: parts of what history, diff and leaderboard show. */
#ifndef GEMMJUDGE_STORE_SHOW_SHOW_H
#define GEMMJUDGE_STORE_SHOW_SHOW_H

#include <jansson.h>

#include "store/query.h"

#define SHOW_JSON_SCHEMA_VERSION 1 /* harness/store/README.md has the schema */

/* "216.1", "6.02": microseconds in four digits or so. */
#define SHOW_NUMBER 32
const char *show_microseconds(double microseconds, char out[SHOW_NUMBER]);

/* "2026-11-23 05:19" */
#define SHOW_DATE 17
const char *show_date(const struct measured *run, char out[SHOW_DATE]);

/* The last part of the file's name, made clean and cut to so many columns. */
#define SHOW_NAME 128
const char *show_name(const struct measured *run, int columns, char out[SHOW_NAME]);

/* The same with blanks behind it, up to so many columns. */
const char *show_cell(const struct measured *run, int columns, char out[SHOW_NAME]);

/* A judgement with its times. */
json_t *show_run_json(const struct measured *run);
json_t *show_time_json(const struct measured_time *time);

#endif
