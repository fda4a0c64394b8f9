/* How much of the machine this process may use: less than there is, in a container or a batch job.
 */
#ifndef GEMMJUDGE_BASE_MACHINE_H
#define GEMMJUDGE_BASE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* Cores that it may run on, and has the time of; at least 1. */
size_t machine_cores(void);

/* Bytes of memory. */
uint64_t machine_memory(void);

/* Cores and bytes of memory for a process whose cgroup (version 2) is the folder `group`, "/" or
 * "/a/b", in the hierarchy that is mounted at `root`: the least that this one or one above it says,
 * UINT64_MAX where none says anything. Cores are in hundredths. */
uint64_t machine_group_cores(const char *root, const char *group);
uint64_t machine_group_memory(const char *root, const char *group);

#endif
