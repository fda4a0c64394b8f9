/* Who uses what of the cache of compiled solutions (cache.h), so that it is not removed meanwhile.
 *
 * An entry in use is leased: a shared lock on its `sum`, which ends with the process at the
 * latest. When something was used is its access time, which every use sets by itself, so that
 * mount options do not matter. */
#ifndef GEMMJUDGE_COMPILE_LEASE_H
#define GEMMJUDGE_COMPILE_LEASE_H

/* Marks the entry (its folder) as used, and keeps it until lease_end(). 0 when it is just being
 * removed. */
int lease_take(const char *entry);

/* To remove the entry: 0 when somebody uses it. */
int lease_take_alone(const char *entry);

/* *lease becomes 0; none is nothing to end. */
void lease_end(int *lease);

/* Marks a file as used now, and leaves its modification time alone. */
void lease_touch(const char *path);

#endif
