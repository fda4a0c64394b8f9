/* How far a run is, on the terminal. */
#ifndef GEMMJUDGE_CLI_PROGRESS_H
#define GEMMJUDGE_CLI_PROGRESS_H

#include "cli/options.h"

/* A line on stderr that is rewritten in place; nothing where stderr is no
 * terminal, or with --quiet. Of several files, it says how many are done and when to expect all; of
 * a single one, when to expect the end of its cases. */
struct progress {
	bool on, drawn;
	int width;
	double begun, last;       /* seconds of the monotonic clock; at the last drawing */
	size_t files, files_done; /* the caller counts */
	char last_file[64], last_what[32];
	double what_begun; /* when steps of last_what began, */
	size_t what_done;  /* and how many were done then */
};
void progress_open(struct progress *progress, const struct options *options);
void progress_step(void *progress, const char *file, const char *what, size_t done, size_t total);
/* Draws any text in the place of a step. */
void progress_line(void *progress, const char *text);
void progress_close(struct progress *progress);

#endif
