/* What was submitted to `gemmjudge serve`: kept before it is answered, and judged from here. Every
 * function of an open `struct jobs` may be called by several threads at once. */
#ifndef GEMMJUDGE_STORE_JOBS_H
#define GEMMJUDGE_STORE_JOBS_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"

#define JOB_ID_DIGITS 32 /* hexadecimal, of lower case: 128 bits */
#define JOB_ID_TEXT (JOB_ID_DIGITS + 1)

struct jobs;

/* Opens the store at `path` for one server, and makes it where there is none. While it is open,
 * others can read it as it is written, by SQLite's write-ahead log; where other machines `share` it
 * that cannot be, and they wait for each other. NULL with err, also where another server has it.
 * The calling process opens the store by no other function meanwhile: SQLite would lose its
 * locks. */
struct jobs *jobs_open(const char *path, bool share, struct error *err);
void jobs_close(struct jobs *jobs);

/* A submission as it comes. Borrowed. `account` is an id of accounts.h, "" of nobody who needs one;
 * a name of "" becomes "submission-NUMBER.cu". */
struct job_given {
	const char *id, *account, *problem, *name, *options, *source;
	size_t source_length;
	bool practice; /* judged with options of its own: see serve/standard.h */
};

/* Keeps it, waiting: it is on the disk when this returns true. *number: its place in order; *name:
 * what it is called, the caller's to free. */
bool job_insert(struct jobs *jobs, const struct job_given *job, int64_t *number, char **name,
				struct error *err);

/* Those that wait, the oldest first. What was being judged when another server ended waits again.
 */
typedef void job_take(void *context, const struct job_given *job, int64_t number);
bool jobs_waiting(struct jobs *jobs, job_take *take, void *context, struct error *err);

/* It is being judged from now on. False with err, also where it has ended. *options and
 * *source are the caller's to free. */
bool job_begin(struct jobs *jobs, const char *id, char **options, char **source, int *attempts,
			   struct error *err);

/* It waits again, as a judge came to no verdict that may come to one, after so many seconds. */
bool job_again(struct jobs *jobs, const char *id, double seconds, struct error *err);

/* How it ended. Borrowed; texts may be NULL. */
struct job_end {
	const char *verdict, *seed, *detail, *content, *result;
	double seconds;
	bool practice;       /* as it was judged */
	double microseconds; /* that count, at the shape that its problem is timed at; 0: none */
};
/* False with err; "" where there is no such submission any more. */
bool job_finish(struct jobs *jobs, const char *id, const struct job_end *end, struct error *err);

/* It is not wanted any more: its source is removed. False with err where it does not wait. */
bool job_withdraw(struct jobs *jobs, const char *id, struct error *err);

/* An object: id, number, user, user_id, problem, name, options, state, created, started, ended,
 * seconds, attempts, verdict, seed, error, content, microseconds, and where `whole` result, whose
 * members are those of job_end's. NULL: there is none, or, with err, it cannot be read. */
json_t *job_find(struct jobs *jobs, const char *id, bool whole, struct error *err);

/* The text that was submitted, for the caller to free; NULL as above, also where it was withdrawn.
 */
char *job_source(struct jobs *jobs, const char *id, struct error *err);

/* An array of objects as job_find() gives them without results, the newest first. NULL with err. */
struct job_filter {
	const char *account, *user, *problem, *name; /* `user` is a name; NULL: all */
	int64_t before;                              /* a number; 0: from the newest on */
	int limit;
	bool kept; /* those only that were not withdrawn */
};
json_t *jobs_list(struct jobs *jobs, const struct job_filter *filter, struct error *err);

/* An array of those who are users now, by their names, each an object of user and best. That has a
 * member for each problem of which something of this user was judged: id, verdict, microseconds (or
 * null) and practice and submissions, all but the last of the fastest one that was accepted, or
 * else of the last one that was, or else of the last one; one of practice only where there is no
 * other. Students who submitted nothing have an empty one. NULL with err. */
json_t *jobs_class(struct jobs *jobs, struct error *err);

/* Seconds of judging since a time, of an account; those of what is being judged now are counted. */
double jobs_seconds(struct jobs *jobs, const char *account, double since);

/* Bytes of an account's submissions: what was withdrawn since a time counts as if it were there, so
 * that nobody has the disk written to without an end. */
int64_t jobs_bytes(struct jobs *jobs, const char *account, double since);

/* Bytes of the whole store that are in use. */
int64_t jobs_size(struct jobs *jobs);

/* Whether the store can be written, found out by writing to it, at most every other second. False
 * with err. */
bool jobs_writable(struct jobs *jobs, struct error *err);

#endif
