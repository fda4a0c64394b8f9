/* A program of ours that stays while others use it, one after the other (child_lend()): what takes
 * it long to begin is done once. */
#ifndef GEMMJUDGE_PROCESS_LENDER_H
#define GEMMJUDGE_PROCESS_LENDER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct child;

struct lender {
	const char
		*program; /* in the build folder: "libexec/referee"; NULL: there is nothing to lend */
	bool shared;  /* several have it at a time, and agree on who asks: what lies unread is theirs */
	struct child *child; /* NULL: it does not run */
};

/* The channel for the next who use it, which is the caller's to close: of the program as the one
 * before has left it, or of a new one where that is gone, and its process. -1: it cannot be had. */
int lender_lend(struct lender *lender, pid_t *program);

/* Nobody uses it any more. Unless it was `used_well`, to an end that the user has told, what it is
 * at nobody knows, and it ends. */
void lender_take_back(struct lender *lender, bool used_well);

void lender_close(struct lender *lender);

#endif
