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
	char *verdict; /* the line of its verdict, or NULL; owned */
	char *error;   /* the line of why there is none; owned */
};

/* Starts a program with these arguments, its stdin this text. It ends with us, however that comes,
 * and inherits the descriptor `kept`, unless that is -1. False with err. */
bool worker_start(struct worker *worker, const char *const *argv, const char *input, size_t length,
				  int kept, struct error *err);

/* Reads what there is; false when it has said all, and worker_end() is due. */
bool worker_read(struct worker *worker);

/* Waits for its end. Without a verdict err says what it said last, or how it ended. The lines stay
 * until worker_forget(). */
void worker_end(struct worker *worker, struct error *err);
void worker_forget(struct worker *worker);

#endif
