/* gemmjudge judge --batch. */
#ifndef GEMMJUDGE_CLI_BATCH_H
#define GEMMJUDGE_CLI_BATCH_H

#include "batch/batch.h"
#include "cli/options.h"

/* The devices, a judge on each: as many emulated GPUs as the machine bears, or the GPUs named. */
struct batch_places {
	size_t count;
	const char *at[BATCH_WORKERS_MAX];
	char names[BATCH_WORKERS_MAX][16];
};
/* False with err where they are not named one by one. Borrows the list. */
bool batch_places(struct batch_places *places, const struct device_list *list, struct error *err);

/* The exit status: that all requests got a verdict, whatever it is, is success. */
int batch_command(struct options *options);

#endif
