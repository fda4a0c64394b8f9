/* What gemmjudge tune finds, and how it is shown. */
#ifndef GEMMJUDGE_CLI_TUNE_H
#define GEMMJUDGE_CLI_TUNE_H

#include <jansson.h>
#include <stdio.h>

#include "cli/options.h"
#include "judge/plan.h"
#include "judge/trials.h"
#include "tune/rank.h"
#include "tune/search.h"

#define TUNE_JSON_SCHEMA_VERSION 1

/* What was found by measuring. Microseconds. */
struct tuned_found {
	bool begun;
	size_t count;
	size_t *candidates; /* schedules, in the order in which they are tried; owned */
	struct search search;
	double seconds;
	size_t accepted, cases; /* in judging the winner */
	/* in alternation, after the search; `compared` is false where there was no time left */
	bool compared;
	struct timing_stats winner, standard; /* the file's defaults; without samples: not measured */
	char library[64];                     /* the fastest; "": none */
	double library_median;
	char failed[1024]; /* why the search ended early; "": it did not */
};

/* How much faster the winner is than the file's defaults, and the interval from both intervals.
 * False where it is not known. */
bool tune_gain(const struct tuned_found *found, double *gain, double *low, double *high);

struct tuned_shape {
	const struct test_case *test; /* the plan's */
	bool fits;
	char why[1024]; /* no schedule does; else: */
	struct ranked ranking;
	size_t shown;    /* of the best ranked */
	uint32_t shared; /* bit i: constant i has one value in all of these, which are several */
	struct tuned_found found;
};

/* What the judge said of a schedule. */
struct tuned_check {
	size_t place, schedule; /* in the ranking, and in its list */
	enum verdict verdict;
	char detail[1024];
	size_t accepted, count; /* cases */
};

/* One schedule for all shapes, of the winners of each. */
struct tuned_common {
	const int64_t *values; /* of its constants; NULL: there is none. The list's of some shape */
	double gain;           /* geometric mean of the defaults' times over its own; 0: unknown */
	double loss;           /* of its times over those of each shape's own winner */
};

struct tuned {
	double begun; /* clock_seconds() */
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
	bool measures;
	struct trials *trials; /* owned */
	struct tuned_common common;
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

#define TUNE_NO_TIME                                                                               \
	"the emulated GPU has no time to tune by: --model-only ranks the schedules, --judge judges "   \
	"the first ones"

/* Opens the device to measure on, which tuned->gpu then is. The exit status; it has told why. */
int tune_open_device(struct tuned *tuned);

/* Measures, within the budget, and shows what it finds for each shape; the exit status. */
int tune_measure(struct tuned *tuned, FILE *out);

/* Measures the winners of all shapes at all of them, until then (of clock_seconds(); 0: as long as
 * it takes), into tuned->common. False with err when the device cannot go on. */
bool tune_find_common(struct tuned *tuned, double until, struct error *err);

/* What was found for a shape, and the rankings' worth over all of them. */
void tune_show_found(const struct tuned *tuned, const struct tuned_shape *shape, FILE *out);
void tune_show_worth(const struct tuned *tuned, FILE *out);
json_t *tune_found_json(const struct tuned *tuned, const struct tuned_shape *shape);
json_t *tune_worth_json(const struct tuned *tuned); /* NULL: it is not known */

/* Parts of several of these. */
const char *tune_short_number(double number, char out[16]); /* "17.83M" */
void tune_show_head(const struct tuned *tuned, const struct tuned_shape *shape, FILE *out);
json_t *tune_constants_json(const struct space *space, const int64_t *values);

#endif
