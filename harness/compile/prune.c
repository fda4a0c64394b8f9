#include "compile/prune.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/paths.h"
#include "compile/cache.h"
#include "compile/lease.h"

/* Once over the limit, down to this part of it: not again with the next file. */
#define PRUNED_TO 0.75
/* Single files are not leased: whoever asked for one a moment ago may want it. */
#define FILE_SECONDS 3600.0
#define KEY_DIGITS 32 /* at least: caches of gemmjudge 0.1.0 have keys of so many */

/* ---- what there is -------------------------------------------------------------- */

struct item {
	char name[HASH_TEXT + 32];
	bool is_entry; /* a folder; else a single file */
	uint64_t bytes;
	time_t used;
};

struct items {
	struct item *at;
	size_t count, capacity;
	uint64_t bytes;
};

static bool named_by_key(const char *name)
{
	return strspn(name, "0123456789abcdef") >= KEY_DIGITS;
}

/* The bytes of a file on disk; 0 when it is not there. */
static uint64_t disk_bytes(const char *folder, const char *name, time_t *used)
{
	char path[PATHS_MAX];
	struct stat facts;
	struct error ignored;
	if (!paths_join(path, folder, name, &ignored) || lstat(path, &facts) != 0)
		return 0;
	if (used != NULL)
		*used = facts.st_atime;
	return (uint64_t)facts.st_blocks * 512;
}

/* False for what the cache did not write, or is still writing. */
static bool item_look(const char *cache, const char *name, struct item *item)
{
	char path[PATHS_MAX];
	struct stat facts;
	struct error ignored;
	*item = (struct item){0};
	if (name[0] == '.' || strncmp(name, "tmp.", 4) == 0 || strlen(name) >= sizeof item->name ||
		!paths_join(path, cache, name, &ignored) || lstat(path, &facts) != 0)
		return false;
	strcpy(item->name, name);
	item->is_entry = S_ISDIR(facts.st_mode);
	if (item->is_entry)
		item->bytes = disk_bytes(path, "solution.so", NULL) + disk_bytes(path, "log", NULL) +
					  disk_bytes(path, "sum", &item->used);
	else if (S_ISREG(facts.st_mode) && named_by_key(name))
		item->bytes = disk_bytes(cache, name, &item->used);
	return item->used != 0;
}

static struct items items_find(const char *cache)
{
	struct items items = {0};
	DIR *all = opendir(cache);
	for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
		struct item item;
		if (!item_look(cache, entry->d_name, &item))
			continue;
		if (items.count == items.capacity) {
			size_t capacity = 2 * items.capacity + 64;
			struct item *more = realloc(items.at, capacity * sizeof *more);
			if (more == NULL)
				break; /* memory is short: the rest another time */
			items.at = more;
			items.capacity = capacity;
		}
		items.at[items.count++] = item;
		items.bytes += item.bytes;
	}
	if (all != NULL)
		closedir(all);
	return items;
}

struct prune_usage prune_usage_of(const char *cache)
{
	struct items items = items_find(cache);
	struct prune_usage usage = {.bytes = items.bytes};
	for (size_t i = 0; i < items.count; i++)
		usage.entries += items.at[i].is_entry;
	free(items.at);
	return usage;
}

/* ---- removal ---------------------------------------------------------------------- */

/* Moved aside first, so that nobody finds half of it. False when it is in use. */
static bool remove_entry(const char *cache, const char *entry)
{
	char aside[PATHS_MAX];
	struct error ignored;
	int lease = lease_take_alone(entry);
	bool removed = lease > 0 && cache_begin(cache, aside, &ignored);
	if (removed) {
		removed = rename(entry, aside) == 0; /* a folder replaces the empty one */
		cache_drop(aside);
	}
	lease_end(&lease);
	return removed;
}

static bool item_remove(const char *cache, const struct item *item)
{
	char path[PATHS_MAX];
	struct error ignored;
	if (!paths_join(path, cache, item->name, &ignored))
		return false;
	if (item->is_entry)
		return remove_entry(cache, path);
	return difftime(time(NULL), item->used) > FILE_SECONDS && unlink(path) == 0;
}

static int earlier(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	return (x->used > y->used) - (x->used < y->used);
}

void prune_cache(const char *cache, const struct prune_limits *limits)
{
	struct items items = items_find(cache);
	uint64_t left = items.bytes;
	double wanted = (double)limits->bytes;
	if (left > limits->bytes)
		wanted *= PRUNED_TO;
	if (items.count > 0)
		qsort(items.at, items.count, sizeof *items.at, earlier);
	for (size_t i = 0; i < items.count; i++) {
		const struct item *item = &items.at[i];
		bool old = difftime(time(NULL), item->used) > limits->seconds;
		if (!old && (double)left <= wanted)
			break;
		if (item_remove(cache, item))
			left -= item->bytes;
	}
	free(items.at);
}
