/* Exercises: a shipped solution from which one line was taken. */
#ifndef GEMMJUDGE_STARTER_EXERCISE_H
#define GEMMJUDGE_STARTER_EXERCISE_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

struct exercise {
	const char *name;
	const char *problem; /* that the solution solves */
	const char *file;    /* the solution, below the source tree */
	const char *idea;    /* what it is about, in a line */
	const char *task;    /* what to write, and where to look; lines of at most 76 characters */
	const char *options; /* of judge, that show what is wrong, each behind a blank */
	const char *gone;    /* the line that is taken, as the solution has it, with its blanks */
};

/* In the order in which to do them. */
extern const struct exercise exercises[];
extern const size_t exercise_count;

/* The names, NULL behind the last. */
extern const char *const exercise_names[];

const struct exercise *exercise_find(const char *name);

/* Writes the solution as one file, with a comment in the place of the line that is gone; `judge` is
 * the command that judges it. False with err where the source tree has it not, or it has no such
 * line, or more than one. */
bool exercise_write(FILE *out, const struct exercise *exercise, const char *judge,
					struct error *err);

#endif
