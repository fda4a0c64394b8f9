/* What gemmjudge tune finds, and how it is shown. */
#ifndef GEMMJUDGE_CLI_TUNE_H
#define GEMMJUDGE_CLI_TUNE_H

#include <stdio.h>

#include "cli/options.h"
#include "judge/plan.h"
#include "tune/rank.h"

#define TUNE_JSON_SCHEMA_VERSION 1

struct tuned_shape {
	const struct test_case *test; /* the plan's */
	bool fits;
	char why[1024]; /* no schedule does; else: */
	struct ranked ranking;
	size_t shown;    /* of the best ranked */
	uint32_t shared; /* bit i: constant i has one value in all of these, which are several */
};

/* What the judge said of a schedule. */
struct tuned_check {
	size_t place, schedule; /* in the ranking, and in its list */
	enum verdict verdict;
	char detail[1024];
	size_t accepted, count; /* cases */
};

struct tuned {
	const struct options *options;
	const char *file;
	struct plan plan;
	struct space space;
	struct tune_gpu gpu;
	size_t shape_count;
	struct tuned_shape *shapes; /* owned */
	bool checked;
	char device[128]; /* that judged; "" before the first verdict */
	size_t check_count;
	struct tuned_check *checks; /* of the first shape; owned */
};

/* The head, and the best ranked of each shape. */
void tune_show(const struct tuned *tuned, FILE *out);

/* The columns of the table of verdicts, and a line of it, or two. */
void tune_show_check_head(const struct tuned *tuned, FILE *out);
void tune_show_check(const struct tuned *tuned, const struct tuned_check *check, FILE *out);

/* All of a struct tuned as JSON; a report_any_writer. */
void tune_json(const void *tuned, FILE *out);

/* Judges the best ranked schedules of the first shape, one after the other, showing each; the exit
 * status of all. */
int tune_check(struct tuned *tuned, FILE *out);

#endif
