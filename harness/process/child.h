/* A child process with a request/reply channel, deadlines and limits. The
 * supervisor survives whatever the child does: crash, exit, hang, fork, flood of
 * output, runaway memory. Linux only.
 *
 * The channel is an AF_UNIX SOCK_SEQPACKET socket pair; one packet is one
 * message (protocol.h), with at most one file descriptor attached. The child
 * finds its end at descriptor CHILD_CHANNEL_FD. Its stdin is /dev/null; its
 * stdout and stderr are collected by the supervisor, the last
 * CHILD_OUTPUT_MAX bytes of both together.
 *
 * Threads may have children side by side. A child is of one thread at a time; what another one may
 * use is its control. */
#ifndef GEMMJUDGE_PROCESS_CHILD_H
#define GEMMJUDGE_PROCESS_CHILD_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "process/environment.h"
#include "process/tree.h"

#define CHILD_CHANNEL_FD 3
/* Sent to a program whose deadline has passed, if it `tells`, before it is killed: it may print
 * where it is. Whoever knows nothing of it ignores it. */
#define CHILD_ASKS SIGURG
#define CHILD_OUTPUT_MAX 65536
#define CHILD_MESSAGE_MAX 65536

struct child; /* opaque; owns the process, its descendants and its descriptors */

/* What any thread may want of children that another one waits for, who sees to it within some 20
 * ms. All zero: nothing. */
struct child_control {
	/* By so many: the program and all that it started (its process group) stand still. That is no
	 * time of theirs. */
	atomic_uint paused;
	atomic_bool cancelled; /* they are to be ended */
};

struct child_options {
	const char *const *argv;      /* argv[0] is the path of the executable */
	enum environment environment; /* what it finds of the caller's (environment.h) */
	const char *const *setenv;    /* "NAME=VALUE" strings added to that; NULL-ended, or NULL */
	const char *working_folder;   /* or NULL: keep */
	size_t memory_limit_bytes;    /* of the child and its descendants, as tree.h counts; 0: none */
	size_t file_limit_bytes;      /* of each file that it writes; 0: none */
	size_t process_limit;         /* of it and its descendants; 0: none */
	bool ours;                    /* it starts no processes: none are looked for at its end */
	bool tells;                   /* CHILD_ASKS, and a moment for an answer */
	int rules;                    /* of landlock.h, that it is put under; the caller closes
									 them; 0: none */
	const struct child_control *control; /* outlives the child; or NULL */
};

enum child_outcome {
	CHILD_REPLIED,        /* a reply is there */
	CHILD_EXITED,         /* it ended by itself: exit_status */
	CHILD_SIGNALED,       /* a signal ended it: signal_number */
	CHILD_TIMED_OUT,      /* deadline passed; it has been killed */
	CHILD_STOPPED,        /* a signal as SIGSTOP, not the judge's, stopped it; it has been killed */
	CHILD_OVER_MEMORY,    /* memory limit passed; it has been killed */
	CHILD_OVER_PROCESSES, /* process limit passed; it has been killed */
	CHILD_BROKEN,         /* it sent something that is no valid message; it has been killed */
	CHILD_CANCELLED,      /* its control said so; it has been killed */
};

struct child_result {
	enum child_outcome outcome;
	int exit_status;
	int signal_number;
	size_t peak_memory_bytes;
	struct tree_memory memory; /* at the last look */
	double waited;             /* seconds, of the last call, without time in which the judge was
								  stopped */
	uint64_t written_bytes;    /* once it has ended: to files, by it and its descendants; at least.
								  UINT64_MAX: not known */
};

/* Starts the program. NULL and err on failure (no such file, no permission, no
 * more processes). */
struct child *child_start(const struct child_options *options, struct error *err);

/* A program that another process has started, and lends to this one: `channel` is a copy of its end
 * (child_lend()), which the child owns from now on, `program` its process, or 0. It has no limits,
 * and what it prints goes to who started it. child_stop() leaves it running, unless it did not
 * answer as it should: then its channel is shut down, by which it ends. NULL and err on failure. */
struct child *child_borrow(int channel, pid_t program, struct error *err);

/* A copy of the channel, for another process; -1 on failure. While that has it, nothing else may be
 * asked of the child. */
int child_lend(const struct child *child, pid_t *program);

/* Whether it runs; and has sent nothing that nobody asked for. */
bool child_runs(const struct child *child);
bool child_is_idle(const struct child *child);

/* Drops replies that somebody has not waited for who had it before. */
void child_forget_replies(const struct child *child);

/* A request to a child, and its reply. */
struct child_exchange {
	const void *request;
	size_t request_bytes;
	int request_fd; /* goes with it where it is >= 0; the caller keeps it */
	void *reply;
	size_t reply_capacity;
	double seconds; /* the reply is waited for so long */
	bool clocked; /* it is looked for without sleep, as long as that is sensible, so that `elapsed`
					 holds no waking up */
	/* filled by child_call() */
	size_t reply_bytes;
	int reply_fd;   /* came with the reply, and is the caller's; or -1 */
	double elapsed; /* where it was clocked: seconds from before the request was sent to after the
					   reply was there; else 0 */
};
/* Of two objects of ours, without a descriptor. */
#define CHILD_EXCHANGE(asked, answer)                                                              \
	{                                                                                              \
		.request = &(asked), .request_bytes = sizeof(asked), .request_fd = -1, .reply = &(answer), \
		.reply_capacity = sizeof(answer), .reply_fd = -1                                           \
	}

/* Sends the request and waits for one reply. Time in which the supervisor itself was stopped does
 * not count. On any other outcome than CHILD_REPLIED there is no reply, and the child and all of
 * its descendants are dead and reaped. */
struct child_result child_call(struct child *child, struct child_exchange *exchange);

/* Between two calls: stops all threads of the program, and lets them go on. What it started on a
 * device goes on in any case. */
void child_pause(struct child *child);
void child_continue(struct child *child);

/* Between two calls: moves all of the program's threads to a CPU (cpu.h), and tells whether they
 * are all bound to it. */
bool child_hold(struct child *child, int cpu);
bool child_is_held(const struct child *child, int cpu);

/* Waits for a child that is expected to end by itself (nvcc): same outcomes,
 * CHILD_EXITED being the good one. */
struct child_result child_wait(struct child *child, double seconds);

/* Closes the channel and waits for the child to end by itself for that reason. */
struct child_result child_finish(struct child *child, double seconds);

/* What the child wrote so far to stdout and stderr (its last CHILD_OUTPUT_MAX bytes),
 * NUL-terminated; valid until the next call on this child. child_output_clear
 * forgets it, so that output can be told apart by case. */
const char *child_output(struct child *child);
void child_output_clear(struct child *child);

/* "512 MiB private, 3 MiB in page tables": what there is of each kind. */
#define CHILD_MEMORY_TEXT 160
void child_memory_text(const struct tree_memory *memory, char out[CHILD_MEMORY_TEXT]);

/* Kills whatever is left, reaps it, frees. NULL is allowed. False where something may be left,
 * which a driver holds. */
bool child_stop(struct child *child);

#endif
