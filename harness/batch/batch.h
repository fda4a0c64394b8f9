/* Many judgements, each asked for by a line, several at once: none of them can end the others, as
 * each is a judge of its own. */
#ifndef GEMMJUDGE_BATCH_BATCH_H
#define GEMMJUDGE_BATCH_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "batch/request.h"

#define BATCH_WORDS_MAX 256
#define BATCH_WORKERS_MAX 64

/* Borrowed. */
struct batch {
	const char *requests; /* a file of lines, or "-"; NULL: ask() has them */
	const char *answers;  /* a file, behind whose lines the answers go, or "-"; NULL: to answer() */
	/* The next line, for the batch to free; NULL behind the last. */
	bool (*ask)(void *context, char **line, struct error *err);
	bool (*answer)(void *context, const json_t *answer, struct error *err);
	const char *const *command; /* that judges each: "judge", or "bench", NULL */
	/* Its words for every request: its options' defaults. */
	const char *const *words;
	size_t word_count;
	bool first_emulated;        /* what the emulated GPU does not accept goes to no other device */
	const char *const *devices; /* a worker for each: "cuda:0"; NULL: without --device */
	size_t worker_count;
	bool referees;       /* judges use one after the other's, which stays warm */
	bool share;          /* some of these are one GPU: one judge has it while others compile */
	const char *through; /* a command of a shell that each judge goes behind; NULL: none */
	request_option *option;
	bool (*stopped)(void *context); /* begin no more */
	void *context;
};

struct batch_outcome {
	size_t answered, accepted;
	size_t known;  /* requests whose answer the file had before */
	size_t failed; /* lines that are no request, and judges that came to no verdict */
};

/* Answers in the order in which judgements end, a line each with the request's `id`: `verdict` and
 * `result` (report/README.md), or `error`. A request whose id has a verdict in the file of answers
 * is not judged again. False with err where requests cannot be read or answers not be written, or
 * ask() or answer() says so. */
bool batch_run(const struct batch *batch, struct batch_outcome *out, struct error *err);

#endif
