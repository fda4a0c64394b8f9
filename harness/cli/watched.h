/* What the last run of --watch came to: the run's own process writes it, the watching one reads it.
 */
#ifndef GEMMJUDGE_CLI_WATCHED_H
#define GEMMJUDGE_CLI_WATCHED_H

#include <stdint.h>
#include <stdio.h>

#include "judgement/judgement.h"

#define WATCHED_FILES 64 /* of more, the first */

struct watched {
	uint64_t seed;
	size_t count;
	struct watched_file {
		char file[sizeof((struct judgement *)0)->file], verdict[24];
		char failed[48]; /* the name of its first case that failed; "": none */
	} files[WATCHED_FILES];
};

/* One that processes share which are forked from now on; NULL where there is no memory. Never
 * freed: it is as old as the program. */
struct watched *watched_make(void);

/* Takes what a run has found. */
void watched_note(struct watched *watched, const struct judgement_list *list);

/* A line a file: when, and what changed since the run before ("23:41:07 x.cu: wrong_answer ->
 * accepted"). */
void watched_tell(const struct watched *before, const struct watched *now, FILE *out);

/* The failing case of the first file that has one; NULL: none. */
const char *watched_failed(const struct watched *watched);

#endif
