/* What history, diff and leaderboard share: finding judgements, and showing them. And the JSON
 * documents of all subcommands that have one of their own. */
#ifndef GEMMJUDGE_CLI_STORED_H
#define GEMMJUDGE_CLI_STORED_H

#include <jansson.h>

#include "cli/options.h"
#include "judge/plan.h"
#include "report/report.h"
#include "store/query.h"

#define STORED_JSON_SCHEMA_VERSION 1 /* harness/store/README.md has the schema */

/* Asks the store that the options name. */
bool stored_find(const struct options *options, const struct store_filter *filter,
				 struct measured_list *out, struct error *err);

/* Shows what was found: as text, on stdout, or on stderr where --json - takes that; and as JSON
 * where the options ask for it. Both writers are given `found`. EXIT_ACCEPTED, or after a line on
 * stderr the exit status of a file that cannot be written. */
int stored_show(const struct options *options, report_any_writer text, report_any_writer json,
				const void *found);

/* "216.1", "6.02": microseconds in four digits or so. */
#define STORED_NUMBER 32
const char *stored_microseconds(double microseconds, char out[STORED_NUMBER]);

/* "2026-11-23 05:19" */
#define STORED_DATE 17
const char *stored_date(const struct measured *run, char out[STORED_DATE]);

/* The last part of the file's name, made clean and cut to so many columns. */
#define STORED_NAME 128
const char *stored_name(const struct measured *run, int columns, char out[STORED_NAME]);

/* The same with blanks behind it, up to so many columns. */
const char *stored_cell(const struct measured *run, int columns, char out[STORED_NAME]);

/* Text in JSON, made clean. */
json_t *stored_text(const char *text);
/* A judgement with its times. */
json_t *stored_run(const struct measured *run);
json_t *stored_time(const struct measured_time *time);
/* An object with schema_version, program and `what`. */
json_t *stored_document(const char *what, int schema_version);
/* The same, and which file it is about: version, file, content, problem. */
json_t *stored_document_of(const char *what, int schema_version, const char *file,
						   const struct plan *plan);
/* Prints it and lets go of it. */
void stored_print(json_t *json, FILE *out);

#endif
