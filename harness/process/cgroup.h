/* A memory cgroup for a child and all that it starts, in which the kernel counts memory of every
 * kind: page tables, pipes, shared pages that no process has mapped any more.
 *
 * An operator turns it on: GEMMJUDGE_CGROUP is the folder of a group that is ours alone, in which
 * each child gets a group of its own. It is never looked for: other groups belong to systemd, or to
 * whoever runs a container, and a group that we leave behind when we are killed would be in their
 * way. Version 2 (`memory` in the folder's cgroup.subtree_control) and version 1 are known. */
#ifndef GEMMJUDGE_PROCESS_CGROUP_H
#define GEMMJUDGE_PROCESS_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define CGROUP_VARIABLE "GEMMJUDGE_CGROUP"

struct cgroup; /* opaque */

/* Whether an operator has named a folder. */
bool cgroup_wanted(void);

/* Makes a group with this limit, without swap. NULL and err where that is not possible; groups of
 * judges that are no more are removed meanwhile. */
struct cgroup *cgroup_make(size_t memory_limit, struct error *err);

/* For a process that writes CGROUP_ENTER to it, and is in the group then. Belongs to the group. */
#define CGROUP_ENTER "0"
int cgroup_descriptor(const struct cgroup *group);

/* Whether the kernel ended a process of it because the limit was reached. */
bool cgroup_ran_out(const struct cgroup *group);

/* Removes the group, whose processes have ended, and frees. NULL is allowed. */
void cgroup_remove(struct cgroup *group);

#endif
