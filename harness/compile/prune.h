/* What stays in the cache of compiled solutions (cache.h), and for how long.
 *
 * What nobody leases (lease.h) and was not used for longest goes first. */
#ifndef GEMMJUDGE_COMPILE_PRUNE_H
#define GEMMJUDGE_COMPILE_PRUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prune_limits {
	uint64_t bytes; /* of all, as the disk counts them */
	double seconds; /* since the last use */
};

/* 1 GiB is some thousand solutions. */
#define PRUNE_BYTES ((uint64_t)1 << 30)
#define PRUNE_SECONDS (60.0 * 24 * 3600)

/* Removes what is over the limits. Several judges may do so at once. */
void prune_cache(const char *cache, const struct prune_limits *limits);

struct prune_usage {
	size_t entries;
	uint64_t bytes;
};
struct prune_usage prune_usage_of(const char *cache);

#endif
