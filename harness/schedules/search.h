/* Which of many schedules is the fastest, found out within a time.
 *
 * Successive halving (Jamieson and Talwalkar, AISTATS 2016; the inner loop of Hyperband): all that
 * time allows get a few passes; the fastest go on, half as many from rung to rung with twice the
 * passes, measured in alternation. Who is slower than the best beyond both 95% intervals drops out
 * before. Then results are judged, the fastest first, until one is right.
 *
 * Where times come from is the caller's: judge/trials.h on a GPU, made-up ones in a test. */
#ifndef GEMMJUDGE_SCHEDULES_SEARCH_H
#define GEMMJUDGE_SCHEDULES_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SEARCH_TOGETHER 8 /* measured in alternation, at most: each is a process with a context */
#define SEARCH_NONE SIZE_MAX

enum search_outcome {
	SEARCH_NOT_TRIED,
	SEARCH_MEASURED,
	SEARCH_NOT_COMPILED,
	SEARCH_NOT_RUN, /* does not launch, crashes, takes too long */
	SEARCH_WRONG,   /* computes something else */
	SEARCH_OUTCOMES
};
extern const char *const search_outcome_names[SEARCH_OUTCOMES]; /* "measured", ... */

/* What is known of a candidate. Microseconds; `low` and `high` are the 95% interval. */
struct search_result {
	enum search_outcome outcome;
	double median, low, high;
	uint32_t samples;
	char detail[256]; /* why it was not measured */
	bool known;       /* from an earlier run */
	size_t rung;      /* that it came to: 0 is the first */
};

/* Candidates that are measured in alternation. */
struct search_round {
	const size_t *candidates;
	size_t count;
	size_t passes; /* of each, unless the deadline is over before */
	double deadline;
};

/* Candidates are numbers, 0 the one that is measured in any case, and then the best ranked first.
 * Deadlines are by clock(). */
struct search_source {
	/* How many candidates from `first` on can be measured by now, at most `most`. Waits for the
	 * first of them; 0: the deadline passed, or it was stopped. They are compiled in this order.
	 * False with err when nothing can be compiled at all. */
	bool (*ready)(void *context, size_t first, size_t most, double deadline, size_t *ready,
				  struct error *err);
	/* Fills results[i] of round->candidates[i]; one that fails says so there, and one that there
	 * was no time for is SEARCH_NOT_TRIED. False with err when nothing can be measured any more. */
	bool (*measure)(void *context, const struct search_round *round, struct search_result *results,
					struct error *err);
	/* Whether its results are right: leaves the outcome, or changes it. */
	bool (*judge)(void *context, size_t candidate, double deadline, struct search_result *result,
				  struct error *err);
	/* What an earlier run found of a candidate, whatever keep() is told meanwhile; NULL: there was
	 * none. */
	bool (*known)(void *context, size_t candidate, struct search_result *out);
	/* To be remembered; may be NULL. */
	void (*keep)(void *context, size_t candidate, const struct search_result *result);
	void (*progress)(void *context); /* something changed; may be NULL */
	bool (*stopped)(void *context);  /* by the user; may be NULL */
	double (*clock)(void *context);  /* seconds */
	void *context;
};

enum search_end {
	SEARCH_ALL,     /* every candidate was tried */
	SEARCH_TIME,    /* as many as the time allows */
	SEARCH_STOPPED, /* by the user */
};

struct search {
	size_t count;
	struct search_result *results; /* of all candidates, as last measured; owned */
	struct search_result *first;   /* of the first rung, comparable with each other; owned */
	size_t tried, known;           /* with a result; of these, from an earlier run */
	size_t failed[SEARCH_OUTCOMES];
	size_t best;      /* the fastest by now; SEARCH_NONE: there is none */
	size_t judged;    /* candidates that were judged in the end */
	bool right;       /* the best was, and is right */
	bool stale;       /* what was known does not agree with this run, and was measured again */
	const char *step; /* "first passes", "halving", "judging" */
	enum search_end end;
};

/* Searches for `seconds` in all (0: until every candidate was tried). Of these a quarter is left
 * for judging and for what the caller does with the winner. *out is filled in any case, and to be
 * freed. False with err when the source could not go on; what was found before is there. */
bool search_run(const struct search_source *source, size_t count, double seconds,
				struct search *out, struct error *err);
void search_free(struct search *search);

/* Measured candidates, the fastest first by what is known of them; returns how many. `order` has
 * room for search->count. */
size_t search_order(const struct search *search, size_t *order);

#endif
