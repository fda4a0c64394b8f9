/* Where the time of judgements goes: a span for each step, by the supervisor's clock, written to a
 * file as it ends, a line of JSON each. What a child says of the parts of a step is its word: those
 * of a contestant are no evidence.
 *
 *     {"pid":7,"file":"a.cu","stage":"solution","begin":12.25,"seconds":0.004}
 *
 * `begin` is in seconds of CLOCK_MONOTONIC, so that lines of judges beside each other fit together.
 * Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_TIMELINE_H
#define GEMMJUDGE_JUDGE_RUN_TIMELINE_H

#include "base/error.h"
#include "process/protocol.h"

enum timeline_stage {
	TIMELINE_COMPILE,     /* what was waited for */
	TIMELINE_LOCK,        /* waiting for the GPU, which other judges have */
	TIMELINE_START,       /* of a process, up to the request that opens its device */
	TIMELINE_CONTEXT,     /* loading the driver, and the context */
	TIMELINE_LIBRARY,     /* handles of cuBLAS, CUPTI, libraries that a solution may need */
	TIMELINE_JAIL,        /* closing the contestant */
	TIMELINE_LOAD,        /* the compiled solution, with its constructors */
	TIMELINE_GENERATION,  /* making a case's buffers, and opening them in the contestant */
	TIMELINE_SOLUTION,    /* calls that are not timed */
	TIMELINE_REFERENCE,   /* products of higher precision */
	TIMELINE_COMPARISON,  /* of results, guards, inputs and bits */
	TIMELINE_PASS,        /* timed calls */
	TIMELINE_RESET,       /* fresh inputs and a swept cache before a pass */
	TIMELINE_SEALED,      /* sealed calls */
	TIMELINE_CALIBRATION, /* sealed calls of the calibration kernel */
	TIMELINE_END,         /* ending a process */
	TIMELINE_STAGES
};

struct timeline; /* opaque */

/* Appends to the file. NULL with err. */
struct timeline *timeline_open(const char *path, struct error *err);
void timeline_close(struct timeline *timeline);

/* errno, where a line could not be written; 0: all were. */
int timeline_failed(const struct timeline *timeline);

/* Whose time it is. `timeline` NULL: nobody asks, and nothing is written. */
struct timeline_of {
	struct timeline *timeline;
	const char *file; /* as it is shown; NULL: none */
};

/* A step that began at this time (clock_seconds()) and took so long. `of` may be NULL. From any
 * thread. */
void timeline_add(const struct timeline_of *of, enum timeline_stage stage, double begin,
				  double seconds);

/* A request to a child that began at this time and is answered now, with what the reply says of its
 * parts. Sealed calls are not told of: their clock runs. */
void timeline_request(const struct timeline_of *of, const struct message *request,
					  const struct message *reply, double begin);

/* Of a step that ends now. */
void timeline_end(const struct timeline_of *of, enum timeline_stage stage, double begin);

#endif
