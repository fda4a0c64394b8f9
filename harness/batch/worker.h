/* A judgement of a batch: one child `gemmjudge judge --jsonl -`, and the end of what it says. */
#ifndef GEMMJUDGE_BATCH_WORKER_H
#define GEMMJUDGE_BATCH_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct worker {
	pid_t pid;  /* 0: it is free */
	int events; /* what it says, to be read where poll() finds some */
	int errors; /* a file of what it told */
	char *text; /* what was read of a line that has not ended; owned */
	size_t used, capacity;
	char *verdict;                                 /* the line of its verdict, or NULL; owned */
	char *error;                                   /* the line of why there is none; owned */
	int status;                                    /* after worker_end(): as of waitpid() */
	void (*line)(void *context, const char *line); /* is told each line; NULL: nobody */
	void *context;
};

/* How it is started. */
struct worker_how {
	const char *program; /* NULL: this one */
	bool apart;          /* a terminal's interrupt reaches only us */
	int kept;            /* a descriptor that it inherits; 0: none */
	void (*line)(void *context, const char *line);
	void *context;
};

/* Starts a program with these arguments, its stdin this text. It ends with the calling thread,
 * however that comes. `how` may be NULL. False with err. */
bool worker_start(struct worker *worker, const struct worker_how *how, const char *const *argv,
				  const char *input, size_t length, struct error *err);

/* Reads what there is; false when it has said all, and worker_end() is due. */
bool worker_read(struct worker *worker);

/* Waits for its end. Without a verdict err says what it said last, or how it ended. The lines stay
 * until worker_forget(). */
void worker_end(struct worker *worker, struct error *err);
void worker_forget(struct worker *worker);

#endif
