/* What a run leaves in the store. That it cannot is a line on stderr and nothing else: a verdict
 * is worth the same without. */
#ifndef GEMMJUDGE_CLI_REMEMBER_H
#define GEMMJUDGE_CLI_REMEMBER_H

#include "cli/options.h"
#include "store/store.h"

struct remember {
	char path[PATHS_MAX]; /* "": nothing is remembered */
	struct store_run run;
	const char *input; /* the file of what came on stdin; or NULL */
	bool sources;      /* are kept */
	bool *kept;        /* of each judgement; owned */
	bool failed;       /* tried again at the end only: each try may wait for another process */
	struct error why;  /* it failed at first */
};

/* Finds the store; that there is none to be had is a warning. */
void remember_open(struct remember *remember, const struct options *options);

/* Appends what was judged by now; `ended`: the run is over. True where it has to be told that this
 * failed, which happens once; why is in remember->why. */
bool remember_judged(struct remember *remember, const struct judgement_list *list, bool ended);
void remember_close(struct remember *remember);

#endif
