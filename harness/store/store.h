/* Appends judgements to the store. README.md has the tables, and what becomes of them when two
 * processes write at once, when the disk is full, and when a process is killed. */
#ifndef GEMMJUDGE_STORE_STORE_H
#define GEMMJUDGE_STORE_STORE_H

#include <stdint.h>

#include "base/paths.h"
#include "judgement/judgement.h"

/* A run of the program that is being stored. Nothing is open between two calls, so that the
 * judge's children inherit nothing of it. Zero-initialise, and fill in those that are not NULL. */
struct store_run {
	const char *path;
	const char *mode; /* "judge", "bench", "compare" */
	const char *as;   /* the file that the judgements are of, where it is not that of their name */
	const char *job;  /* the submission to a server that is judged; NULL: none */
	int64_t id;       /* of its row; 0: not there yet */
	bool *stored;     /* of each judgement; owned */
};

/* Whether the store can be written now: makes an older one new. One that is not there is made by
 * what is first appended, so that a run that judges nothing leaves nothing. */
bool store_probe(const char *path, struct error *err);

/* Appends the judgements that are there by now and were not appended before. Each is a transaction:
 * it is there with its cases and times or not at all. Timings of `list->bench` belong to all of its
 * judgements, which are then a single transaction: to be called once, at the end. What was not run,
 * and what is a bad file, is not stored. False with err; what was there stays, and the next call
 * tries again. */
bool store_append(struct store_run *run, const struct judgement_list *list, struct error *err);
void store_run_free(struct store_run *run);

#endif
