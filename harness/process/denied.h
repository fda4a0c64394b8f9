/* Looks on at what a closed process tries and is denied. The filter of the jail (jail.h, `telling`)
 * sends calls that it refuses to a descriptor, and those that open or change files, too. A thread
 * of ours answers them: refused ones with EPERM, as the filter alone would; those of files with
 * "go on", as Landlock decides about them whatever the listener thinks of their paths, but for the
 * one way to open a file that Landlock does not know (access mode 3, for ioctl() alone).
 *
 * The process cannot reach the listener, and nothing that it says is trusted: a path is read from
 * its memory, is only shown (denied_add() cleans it), and may be another one a moment later.
 *
 * No call of a process waits for the listener but those. As long as the process lives, the
 * descriptor must be open: without it these calls fail with ENOSYS, files that are allowed, too. */
#ifndef GEMMJUDGE_PROCESS_DENIED_H
#define GEMMJUDGE_PROCESS_DENIED_H

#include <stdbool.h>

#include "base/error.h"
#include "judgement/denied.h"

/* What the process may reach: paths of files, or of folders with all that is below; NULL-ended. */
struct denied_allowed {
	const char *const *readable;
	const char *const *writable;
};

struct denied; /* opaque: a listener */

/* Answers from now on. Takes over the descriptor, and closes it on failure, which is NULL and err:
 * the process must be ended then. The paths are copied. */
struct denied *denied_listen(int fd, const struct denied_allowed *allowed, struct error *err);

/* From now on what is denied counts: code of a submission runs. Before that, a driver or the C
 * library looks for this and that. */
void denied_begin(struct denied *listener);

/* Adds what was counted since the last time; all calls that the process has returned from are in
 * it. */
void denied_take(struct denied *listener, struct denied_list *list);

/* The process is dead. NULL is allowed. */
void denied_stop(struct denied *listener);

#endif
