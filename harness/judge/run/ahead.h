/* Work on a row of items, ahead of whoever takes them one after the other: the files of a run,
 * which are compiled while those before them are judged.
 *
 * By threads of this process, and no helper process: the log, the reason and the lease on the
 * library in the cache are then where they are used, and there is no second supervisor to be told
 * of an interrupt. It can be so because compile/ and process/ keep nothing between two calls but
 * the list of children, which child.c guards.
 *
 * While times are taken, what works ahead stands still: child processes are stopped (SIGSTOP), none
 * is started. To wait for their end instead would leave a GPU idle for as long as the slowest file
 * takes to compile. */
#ifndef GEMMJUDGE_JUDGE_RUN_AHEAD_H
#define GEMMJUDGE_JUDGE_RUN_AHEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "process/child.h"

struct ahead; /* opaque */

struct ahead_plan {
	size_t count;   /* of items */
	size_t threads; /* 0, or where there can be none: whoever takes an item does its work */
	size_t spare;   /* so many of them work only while somebody waits for an item */
	bool paused;    /* begins so: nothing goes on before ahead_continue() */
	size_t lead;    /* so many items, at most, are begun beyond those that somebody wants */
	/* The work, once for an item: in any thread, in the items' order, several at once. Child
	 * processes are to have this control. */
	void (*work)(void *context, size_t item, const struct child_control *control);
	void *context;
};

/* As many as the machine's cores and memory bear, at least one. */
size_t ahead_threads(void);

/* Begins. NULL and err where memory is short. */
struct ahead *ahead_open(const struct ahead_plan *plan, struct error *err);

/* Waits until the work on the item is done. Items are taken in their order, each once, by any
 * thread. False where `stopped`, which is asked now and then, says so before; it may be NULL. */
bool ahead_take(struct ahead *ahead, size_t item, bool (*stopped)(const void *context),
				const void *context);

/* The control that the work is given; also for child processes of others that are to stand still
 * with it. */
const struct child_control *ahead_control(const struct ahead *ahead);

/* From here to ahead_continue(), nothing goes on ahead. Several threads may do so at once. NULL is
 * allowed. */
void ahead_pause(struct ahead *ahead);
void ahead_continue(struct ahead *ahead);

/* Ends what is under way, and waits until it is gone. NULL is allowed. */
void ahead_close(struct ahead *ahead);

#endif
