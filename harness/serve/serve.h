/* gemmjudge serve: solutions are submitted over HTTP, wait in the store, and are judged by children
 * `gemmjudge judge`, one for each submission. This process never runs a submission.
 *
 *     polling threads  http.c: requests in, through routes.c to api*.c, which read and write the
 *                      store (store/jobs.h) and the queue (queue.h)
 *     writing threads  writers.c: requests that change something
 *     judge threads    runner.c, one for each worker: the next of the queue to a child, its lines
 * to those who watch, its verdict to the store one thread       boards.c: leaderboards, made by a
 * child after new verdicts main thread      serve.c: start, signals, the end; each second it drops
 * slow clients
 */
#ifndef GEMMJUDGE_SERVE_SERVE_H
#define GEMMJUDGE_SERVE_SERVE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SERVE_WORKERS_MAX 64
#define SERVE_WORDS_MAX 256

/* Borrowed. */
struct serve_config {
	const char *listen;  /* ADDRESS:PORT; port 0: a free one */
	const char *store;   /* the file */
	const char *version; /* of gemmjudge */
	const char *through; /* a command of a shell before that of each judgement; NULL: none */
	const char *require; /* layers of the jail without which nothing is judged; NULL: none */
	/* Words of `judge` for every submission, whose own come behind them. */
	const char *const *words;
	size_t word_count;
	const json_t *standard;     /* of standard.h; NULL: the words alone are every problem's */
	const char *const *devices; /* --device of each worker; NULL: without */
	size_t worker_count;
	bool share; /* some of these are one GPU: they judge beside each other, and time alone */
	/* What is judged where nobody asks for anything else: so many cases, with such sizes at most.
	 * 0: the judges elsewhere decide, or nothing but the problem bounds them. */
	size_t cases;
	int max_dim;
	bool emulated;          /* they have no GPU, so that nothing is timed */
	bool public;            /* everyone sees what others submitted */
	size_t queue;           /* so many wait at most, */
	size_t queue_of_user;   /* so many of one user, */
	double seconds_of_user; /* who has so many seconds of judging in an hour */
	int64_t disk;           /* bytes that the store may have, */
	int64_t disk_of_user;   /* and of the submissions of one user */
	/* Whether `judge` takes these words; false with err. */
	bool (*suits)(const char *const *words, size_t count, struct error *err);
	void (*tell)(const char *line); /* what people who look after the server read */
};

/* Serves until SIGINT or SIGTERM: then it begins no more judgements and ends after the present
 * ones; at once at a second signal. Where it listens is said on stdout. False with err where it
 * cannot begin. */
bool serve_run(const struct serve_config *config, struct error *err);

#endif
