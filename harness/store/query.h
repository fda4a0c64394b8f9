/* What the store knows: plain data, for whoever shows it. */
#ifndef GEMMJUDGE_STORE_QUERY_H
#define GEMMJUDGE_STORE_QUERY_H

#include "store/columns.h"
#include "store/measured.h"

/* Which judgements; what is 0 or NULL does not matter. */
struct store_filter {
	int64_t id;
	/* either of these: where the file lies (absolute), or how its content's hash begins */
	const char *path, *content;
	const char *problem;
	const char *device; /* part of its name, in either case */
	const char *mode;   /* "judge" */
	const char *since;  /* ended then or later: the beginning of an ISO 8601 date */
	bool counters;      /* with what the emulated GPU counted */
	bool cases;         /* with cases, and without times */
	bool case_names;    /* with the names of all cases */
	bool submitted;     /* only what was submitted to a server */
	bool newest;        /* only the last one */
};

/* Those of the store at `path`, the one that ended first before all others. None is no error. False
 * with err when the store cannot be read; *out is then empty. */
bool store_find(const char *path, const struct store_filter *filter, struct measured_list *out,
				struct error *err);

/* What is asked of the store, by members, and what they are called in JSON. */
#define MEASURED_COLUMNS 38
extern const struct column measured_columns[MEASURED_COLUMNS]; /* of a struct measured */
#define MEASURED_TIME_COLUMNS 12
extern const struct column measured_time_columns[MEASURED_TIME_COLUMNS]; /* ... measured_time */

#endif
