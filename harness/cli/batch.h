/* gemmjudge judge --batch and bench --batch, and what rejudge and serve have of it. */
#ifndef GEMMJUDGE_CLI_BATCH_H
#define GEMMJUDGE_CLI_BATCH_H

#include "batch/batch.h"
#include "cli/options.h"

/* The exit status: that all requests got a verdict, whatever it is, is success. */
int batch_command(const char *subcommand, struct options *options);

/* The options of all its judges, as words; those that `but` names are not among them. */
struct batch_words {
	size_t count;
	char *at[BATCH_WORDS_MAX]; /* owned */
};
void batch_words_take(struct batch_words *words, const struct options *options, const char *but);
void batch_words_free(struct batch_words *words);

/* Where its judges are: on as many emulated GPUs as the machine bears, or on the GPUs named,
 * several on each. */
struct batch_places {
	size_t count;
	bool share;      /* several have one GPU */
	size_t distinct; /* the first so many have one each */
	const char *at[BATCH_WORKERS_MAX];
	char names[BATCH_WORKERS_MAX][16];
};

/* For so many judges at once; 0: as many as the machine bears. False with err where the list names
 * no GPUs one by one. It is borrowed. */
bool batch_places_take(struct batch_places *places, const struct device_list *list, size_t jobs,
					   struct error *err);

/* Judges that go behind a command to machines elsewhere: so many, on these devices in turn. */
void batch_places_spread(struct batch_places *places, size_t workers);

#endif
