/* The processes below a process, through /proc. Async-signal-safe, and takes no
 * memory: also a process that forked without exec may call it. */
#ifndef GEMMJUDGE_PROCESS_TREE_H
#define GEMMJUDGE_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define TREE_MAX 4096

/* Processes that are older than a root, so that they cannot be below it, and were seen to be. All
 * zero: none. A number can come back as that of a younger process: whoever scans often forgets
 * them now and then. */
#define TREE_OLDER 1024
struct tree_older {
	long started;           /* the root */
	pid_t pids[TREE_OLDER]; /* at a number's remainder or behind it; 0: none */
};

/* Stores the descendants of `root` (not root itself, no zombies), at most `max`
 * of them, and sends each of them `signal` when it is not 0, as soon as it is
 * seen. Returns how many there are. `older`, unless NULL, spares a look at those that are in
 * there, which is most of what a scan costs, and takes what is seen. */
size_t tree_scan(pid_t root, pid_t *out, size_t max, int signal, struct tree_older *older);

/* When a process started, in ticks since the machine did; -1 where there is none. */
long tree_started(pid_t pid);

/* The CPU that its first thread runs on, or ran on last; -1 where there is none. */
int tree_cpu(pid_t pid);

/* Whether it is ending (killed, or leaving), or gone. A driver can hold it there. */
bool tree_ends(pid_t pid);

/* Whether a signal as SIGSTOP has stopped it. A debugger's stop is another matter. */
bool tree_stopped(pid_t pid);

/* The children of `parent`, zombies too, that are younger than process number `pid`, which started
 * at `started`; at most `max`. Returns how many were stored. */
size_t tree_younger(pid_t parent, pid_t pid, long started, pid_t *out, size_t max);

/* Sends SIGKILL to all descendants until there are none but zombies, which
 * their parents or the nearest subreaper has to reap. Gives up after some
 * seconds: a process in uninterruptible sleep. */
void tree_kill(pid_t root);

/* Memory that processes hold together, in bytes. Files on a disk and mappings of a device are not
 * in it. */
struct tree_memory {
	size_t own;    /* anonymous, resident or swapped out, and huge pages */
	size_t shared; /* anonymous memory that others can share, resident or not */
	size_t tables; /* page tables */
	size_t stacks; /* the kernel's, of their threads */
};

/* `shared` is what tree_memory_shared() found; what is resident of such memory is counted, too: the
 * larger of both counts, so that nothing counts twice.
 *
 * Pages that several processes share after a fork count once each; tree_memory_exact counts them
 * once, and is slow. */
struct tree_memory tree_memory(const pid_t *pids, size_t count, size_t shared);
struct tree_memory tree_memory_exact(const pid_t *pids, size_t count, size_t shared);
size_t tree_memory_total(const struct tree_memory *memory);

/* What shared anonymous mappings and files without a name (memfd_create) hold. Where the kernel
 * says how large one is (a process has it open, or we may look at what is mapped) it is exact. Else
 * it counts up to the end of the mapping that reaches farthest: its pages stay when they leave the
 * page tables (MADV_DONTNEED), and what was unmapped of it cannot be seen. */
size_t tree_memory_shared(const pid_t *pids, size_t count);

#endif
