/* What the emulated GPU is set to, between the supervisor's file (process/settings.h) and the
 * environment, where the emulated runtime looks for it once. */
#ifndef GEMMJUDGE_CONTESTANT_SETTINGS_H
#define GEMMJUDGE_CONTESTANT_SETTINGS_H

#include "contestant/cudart.h"

struct settings {
	char *at; /* the file; NULL: none */
	size_t bytes;
};

/* Puts what the file says into the environment, before the runtime is loaded; fd -1: nothing. The
 * caller closes it. */
bool settings_take(struct settings *settings, int fd, struct error *err);

/* Takes it away again, once the runtime has read it: the environment and the file have nothing of
 * it then. `counts`: the runtime writes its counters to the file from now on. */
void settings_forget(struct settings *settings, const struct cudart *cudart, bool counts);

#endif
