/* What the files behind child.h share: the child itself, and the steps of its life.
 *   child_list.c   who is alive
 *   child_start.c  from options to a program that runs
 *   child.c        rounds of waiting, in which limits and deadlines are watched
 *   child_call.c   requests and replies
 *   child_end.c    the end of a program and of all that it started
 *   child_loan.c   programs that others have started
 *   child_output.c what it printed */
#ifndef GEMMJUDGE_PROCESS_CHILD_INSIDE_H
#define GEMMJUDGE_PROCESS_CHILD_INSIDE_H

#include <sys/types.h>

#include "process/cgroup.h"
#include "process/child.h"
#include "process/ring.h"
#include "process/tree.h"

#define CHILD_DRAIN_READS 16   /* a flood must not keep the supervisor from its deadline */
#define CHILD_WATCHED 512      /* memory of more than these is not looked at */
#define CHILD_SCAN_SECONDS 0.1 /* between two looks for new processes, and before the first */

struct child {
	pid_t keeper, program;
	long keeper_started;
	struct child *next;                /* in the list of those alive */
	int channel, output, life, report; /* -1: closed */
	bool alive;
	bool ours;                  /* as in its options */
	bool lent;                  /* child_borrow() */
	bool returned;              /* as it was lent */
	bool left;                  /* something of it could not be ended */
	uint64_t said;              /* bytes of output */
	struct child_result result; /* of its end, once not alive; peak memory throughout */
	size_t memory_limit, process_limit;
	double next_watch, next_scan, next_forget; /* monotonic times */
	double last_round, dying, stopped;         /* 0: not seen to be dying, or stopped */
	unsigned continued;
	const struct child_control *control;
	bool paused, held; /* by its control, by child_pause() */
	bool tells;
	struct tree_older older;
	pid_t known[CHILD_WATCHED];
	size_t known_count, shared; /* tree_memory_shared() of them */
	struct ring ring;
	struct cgroup *group; /* or NULL */
};

/* --- child_list.c --- */
/* The list is held while it is looked at, and from the fork of a keeper until it is in there. */
void child_list_hold(void);
void child_list_release(void);
/* Both while it is held. */
void child_list_add(struct child *child);
bool child_list_has(pid_t keeper);
/* Holds it itself. */
void child_list_remove(const struct child *child);

/* --- child.c --- */
/* From now on it is counted how often this process was continued after a stop. */
void child_watch_stops(void);
/* From when a child waits for a reply, or for its end: returns the deadline. */
double child_begin_rounds(struct child *child, double seconds);
/* One round of waiting, at most until the deadline. `channel_events` is what to
 * look for on the channel; what is there comes back in *channel_ready. False
 * when the child has been ended. */
bool child_round(struct child *child, short channel_events, short *channel_ready, double *deadline);

/* --- child_output.c --- */
/* Collects what the program printed, by at most so many reads. */
void child_drain(struct child *child, int reads);
/* Closes a descriptor that is open, which is -1 then. */
void child_close(int *fd);

/* --- child_end.c --- */
/* Ends the child; from here on its result is `outcome`, or, where that is
 * CHILD_EXITED, what the keeper tells of the end. */
void child_end(struct child *child, enum child_outcome outcome);

#endif
