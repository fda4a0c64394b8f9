/* What a program may reach of the file system, by Linux's Landlock: nothing but what was allowed,
 * for it and for all that it starts, for good. The rules are made beforehand and lie in a
 * descriptor, so that a forked child has two system calls to make before it becomes the program. */
#ifndef GEMMJUDGE_PROCESS_LANDLOCK_H
#define GEMMJUDGE_PROCESS_LANDLOCK_H

#include <stdbool.h>

#include "base/error.h"

/* What this kernel has: 0 without Landlock, else its ABI. From 1 on files are kept apart, from 3
 * on also against truncation, from 4 on TCP, from 6 on signals and abstract sockets. */
int landlock_abi(void);

/* Rules that allow nothing: no file, no TCP, no signal to a process outside of them. The caller
 * closes the descriptor; -1 and err where this kernel has no Landlock. */
int landlock_begin(struct error *err);

enum landlock_access {
	LANDLOCK_READS,
	LANDLOCK_RUNS,   /* reads and executes */
	LANDLOCK_WRITES, /* reads; in a folder makes and removes files and folders, too */
};

/* Allows it for what the descriptor (O_PATH is enough) is open on, of a folder for all below. */
bool landlock_allow(int rules, int fd, enum landlock_access access, struct error *err);

/* As landlock_allow() by a path, links followed. */
bool landlock_allow_path(int rules, const char *path, enum landlock_access access,
						 struct error *err);

/* Puts the calling thread under the rules, and no program gives it new privileges any more.
 * Async-signal-safe. False with errno. */
bool landlock_restrict(int rules);

/* As landlock_restrict() for all threads of the process at once, which a kernel from ABI 8 on can.
 * False: it cannot, and nothing has been done. */
bool landlock_restrict_process(int rules);

#endif
