/* What history, diff and leaderboard show of the store, as text in 80 columns and as JSON. */
#ifndef GEMMJUDGE_STORE_SHOW_SHOW_H
#define GEMMJUDGE_STORE_SHOW_SHOW_H

#include <jansson.h>
#include <stdio.h>

#include "store/leaderboard.h"
#include "store/pairs.h"
#include "store/query.h"

#define SHOW_JSON_SCHEMA_VERSION 1 /* harness/store/README.md has the schema */

/* All of these are report_any_writers, of a pointer to the struct above them. */
struct shown_pairs {
	size_t count;
	struct pair *items;
};
void show_pairs(const void *pairs, FILE *out);
void show_pairs_json(const void *pairs, FILE *out);

struct shown_history {
	struct measured_list list;
	bool by_file;        /* they are of one file, or of one content */
	const char *content; /* what that file holds now; NULL: not known */
};
void show_history(const void *history, FILE *out);
void show_history_json(const void *history, FILE *out);

struct shown_leaderboard {
	struct leaderboard all;
	/* Boards of these shapes are shown; of none: the main ones, and in JSON all. */
	size_t shape_count;
	const struct shape_text *shapes;
};
void show_leaderboard(const void *leaderboard, FILE *out);
void show_leaderboard_json(const void *leaderboard, FILE *out);

/* ---- parts of these ---------------------------------------------------------------------------
 */

/* "216.1", "6.02": microseconds in four digits or so. */
#define SHOW_NUMBER 32
const char *show_microseconds(double microseconds, char out[SHOW_NUMBER]);

/* "2026-11-23 05:19" */
#define SHOW_DATE 17
const char *show_date(const struct measured *run, char out[SHOW_DATE]);

/* The last part of the file's name, made clean and cut to so many columns. */
#define SHOW_NAME 128
const char *show_name(const struct measured *run, int columns, char out[SHOW_NAME]);

/* As show_name() with blanks behind it, up to so many columns. */
const char *show_cell(const struct measured *run, int columns, char out[SHOW_NAME]);

/* A judgement with its times. */
json_t *show_run_json(const struct measured *run);
json_t *show_time_json(const struct measured_time *time);

#endif
