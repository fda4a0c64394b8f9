/* What gemmjudge tune does: ranks the schedules of a file at some shapes, then measures the best
 * ranked on the device, or judges them; and how it is shown. */
#ifndef GEMMJUDGE_TUNING_TUNING_H
#define GEMMJUDGE_TUNING_TUNING_H

#include <jansson.h>
#include <stdio.h>

#include "judge/plan.h"
#include "judge/trials.h"
#include "schedules/rank.h"
#include "schedules/search.h"
#include "store/tuned.h"
#include "tuning/chosen.h"

/* A request to tune. All texts are borrowed. */
struct tuning_request {
	const struct judge_options *judge; /* of one file, with its seed */
	enum tuning_mode { TUNING_RANKS, TUNING_MEASURES, TUNING_CHECKS } mode;
	size_t top; /* of the best ranked are shown at each shape; 0: as many as suit their number */
	double time_limit; /* seconds for all of it; 0: as many as suit */
	bool exhaustive, verbose;
};

/* Who looks on. */
struct tuning_watch {
	struct judge_progress steps; /* its step, note and stop; the context is of all of these */
	/* A line that stands in the place of the one before. */
	void (*line)(void *context, const char *text);
	/* So many of all are done, and something is printed next. */
	void (*done)(void *context, size_t done, size_t all);
};

/* The schedules that measuring found for a shape. Microseconds. */
struct tuning_found {
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
};

/* What the winner takes; where they were compared, it was measured longest there. */
double tuning_best_time(const struct tuning_found *found);

/* How much faster the winner is than the file's defaults, and the interval from both intervals.
 * False where it is not known. */
bool tuning_gain(const struct tuning_found *found, double *gain, double *low, double *high);

struct tuning_shape {
	const struct test_case *test; /* the plan's */
	bool fits;
	char why[1024]; /* no schedule does; else: */
	struct ranked ranking;
	size_t shown;    /* of the best ranked */
	uint32_t shared; /* bit i: constant i has one value in all of these, which are several */
	struct tuning_found found;
};

/* What the judge said of a schedule. */
struct tuning_check {
	size_t place, schedule; /* in the ranking, and in its list */
	enum verdict verdict;
	char detail[1024];
	size_t accepted, count; /* cases */
};

/* One schedule for all shapes, of the winners of each. */
struct tuning_common {
	const int64_t *values; /* of its constants; NULL: there is none. The list's of some shape */
	double gain;           /* geometric mean of the defaults' times over its own; 0: unknown */
	double loss;           /* of its times over those of each shape's own winner */
};

struct tuning {
	double begun; /* clock_seconds() */
	struct tuning_request request;
	struct tuning_watch watch;
	const char *file;
	char flags[CHOSEN_FLAGS]; /* that the user gave to nvcc, with blanks between them */
	struct plan plan;
	struct space space;
	struct tune_gpu gpu;
	size_t shape_count;
	struct tuning_shape *shapes; /* owned */
	char device[128];            /* that judged; "" before the first verdict */
	size_t check_count;
	struct tuning_check *checks; /* of the first shape; owned */
	struct trials *trials;       /* owned */
	struct tuning_common common;
};

/* Reads the declaration of the file, and what is asked of it; `begun` counts against the budget.
 * False with err. To be freed in any case. */
bool tuning_open(struct tuning *tuning, const struct tuning_request *request,
				 const struct tuning_watch *watch, struct error *err);
void tuning_free(struct tuning *tuning);

#define TUNING_NO_TIME                                                                             \
	"the emulated GPU has no time to tune by: --model-only ranks the schedules, --judge judges "   \
	"the first ones"

/* Opens the device to measure on, which tuning->gpu then is; who does not measure sets that one
 * himself. JUDGE_DONE, or why the judge cannot go on. */
enum judge_status tuning_open_device(struct tuning *tuning, struct error *err);

/* Ranks the schedules of every shape; false with err where no shape has any. */
bool tuning_rank(struct tuning *tuning, struct error *err);

/* The next two show what they find as soon as they do. *right: all that was found is right.
 * JUDGE_DONE, also where somebody stopped it, or why it cannot go on. */

/* Judges the best ranked schedules of the first shape, one after the other. */
enum judge_status tuning_check(struct tuning *tuning, FILE *out, bool *right, struct error *err);

/* Measures within the budget, and remembers what it measured and chose in this store, unless it is
 * "". */
enum judge_status tuning_measure(struct tuning *tuning, const char *store, FILE *out, bool *right,
								 struct error *err);

/* The head, and the best ranked of each shape. */
void tuning_show(const struct tuning *tuning, FILE *out);

/* All of a struct tuning as JSON; a report_any_writer. */
void tuning_json(const void *tuning, FILE *out);

/* What the table of chosen schedules begins with. */
#define TUNING_TABLE_MARK "/* Schedules that gemmjudge tune chose"

/* Writes the schedules that a store has for the file on the GPU as a table for a solution to
 * include, and says on `out` that it did. */
bool tuning_export(const struct tuning *tuning, const char *store, const char *file, FILE *out,
				   struct error *err);

/* ---- parts of these ---------------------------------------------------------------------------
 */

/* What a schedule at the shape is remembered under; it borrows from `tuning`. */
struct tuned_key tuning_key(const struct tuning *tuning, const struct test_case *test);

/* Whether whoever looks on wants an end. */
bool tuning_stopped(const struct tuning *tuning);

/* Measures the winners of all shapes at all of them, until then (of clock_seconds(); 0: as long as
 * it takes), into tuning->common. False with err when the device cannot go on. */
bool tuning_find_common(struct tuning *tuning, double until, struct error *err);

/* The columns of the table of verdicts, and a line of it, or two. */
void tuning_show_check_head(const struct tuning *tuning, FILE *out);
void tuning_show_check(const struct tuning *tuning, const struct tuning_check *check, FILE *out);

/* What was found for a shape, and the rankings' worth over all of them. */
void tuning_show_found(const struct tuning *tuning, const struct tuning_shape *shape, FILE *out);
void tuning_show_worth(const struct tuning *tuning, FILE *out);
json_t *tuning_found_json(const struct tuning *tuning, const struct tuning_shape *shape);
json_t *tuning_worth_json(const struct tuning *tuning); /* NULL: it is not known */

/* Of both (parts.c). A number with a suffix: "12.3k". */
const char *tuning_short_number(double number, char out[16]);
void tuning_show_head(const struct tuning *tuning, const struct tuning_shape *shape, FILE *out);
json_t *tuning_constants_json(const struct space *space, const int64_t *values);

#endif
