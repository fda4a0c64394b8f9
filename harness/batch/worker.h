/* A judgement of a batch: one child `gemmjudge judge --jsonl -`, and the end of what it says. */
#ifndef GEMMJUDGE_BATCH_WORKER_H
#define GEMMJUDGE_BATCH_WORKER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "process/lender.h"

struct worker {
	pid_t pid;  /* 0: it is free */
	int events; /* what it says, to be read where poll() finds some */
	int errors; /* a file of what it told */
	char *text; /* what was read of a line that has not ended; owned */
	size_t used, capacity;
	json_t *verdict;                               /* the event with its verdict, or NULL; owned */
	char *error;                                   /* the line of why there is none; owned */
	int status;                                    /* after worker_end(): as of waitpid() */
	void (*line)(void *context, const char *line); /* is told each line; NULL: nobody */
	void *context;
	const char *quoted; /* the command that it goes behind, for errors; borrowed; or NULL */
	bool apart;
	bool spoke; /* on stdout, whatever it was */
};

/* What a judge uses that others use before and after it, and the words that tell it so. */
struct worker_loans {
	int referee, calibration; /* channels; 0: none is lent */
	char words[3][48];
	size_t count; /* of the words */
};

/* `calibration` may be NULL: none is lent. What is lent has to be among worker_how's `kept`, and is
 * this process's until worker_loans_end(). */
void worker_loans_take(struct worker_loans *loans, struct lender *referee,
					   struct lender *calibration);
void worker_loans_end(struct worker_loans *loans);

/* How it is started. */
struct worker_how {
	const char *through; /* a command of a shell that this program goes behind; NULL: none */
	bool quotes;         /* that command and what was told last stand in the error */
	bool apart;          /* a group of its own: a terminal's interrupt reaches only us */
	bool yields;         /* others of this machine have the CPU first */
	int kept[3];         /* descriptors that it inherits; 0: none */
	void (*line)(void *context, const char *line);
	void *context;
};

/* Starts this program with these arguments, its stdin this text. It ends with the calling thread,
 * however that comes. `how` may be NULL. False with err. */
bool worker_start(struct worker *worker, const struct worker_how *how, const char *const *argv,
				  const char *input, size_t length, struct error *err);

/* Reads what there is; false when it has said all, and worker_end() is due. */
bool worker_read(struct worker *worker);

/* To its whole group where it is apart, so that a shell's command has it, too. */
void worker_signal(const struct worker *worker, int signal);

/* Waits for its end. Without a verdict err says what it said last, or how it ended. The lines stay
 * until worker_forget(). */
void worker_end(struct worker *worker, struct error *err);
void worker_forget(struct worker *worker);

#endif
