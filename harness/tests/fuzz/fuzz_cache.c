/* links: compile; seeds: harness/tests/fuzz/seeds/cache */
/* The compiler's list of what it read, and entries of the cache that were damaged. The input is a
 * list in make's notation, then, behind the first NUL, what stands in KEY.inputs, then what
 * stands in an entry's `sum`. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compile/cache.h"
#include "compile/inputs.h"
#include "compile/lease.h"
#include "fuzz.h"

static const struct cache_key key = {"0123456789abcdef0123456789abcdef"};

static void write_in(const char *folder, const char *name, const void *bytes, size_t size)
{
	char path[PATHS_MAX];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "wbe");
	if (file == NULL || fwrite(bytes, 1, size, file) != size)
		fuzz_found("cannot write");
	fclose(file);
}

/* What is found under the key is what was stored there. */
static bool find(const char *cache)
{
	char library[PATHS_MAX], *log = NULL;
	int lease = 0;
	bool found = cache_find(cache, &key, library, &log, &lease);
	if (found && strcmp(log, "log") != 0)
		fuzz_found("another entry than the one that was stored");
	if (found)
		lease_end(&lease);
	free(log);
	return found;
}

static void store(const char *cache, const uint8_t *list, size_t size)
{
	char folder[PATHS_MAX], library[PATHS_MAX];
	struct error err = {{0}};
	int lease = 0;
	if (!cache_begin(cache, folder, &err))
		fuzz_found("no folder to compile in");
	write_in(folder, "solution.so", "so", 2);
	write_in(folder, "dependencies", list, size);
	bool reusable = !inputs_changed(folder, 4e9);
	if (cache_store(cache, &key, &(struct cache_product){folder, "log", reusable}, library, &lease,
					&err))
		lease_end(&lease);
	else if (err.message[0] == '\0')
		fuzz_found("not stored, without a word");
}

/* Every entry's sum. */
static void damage(const char *cache, const uint8_t *sum, size_t size)
{
	DIR *all = opendir(cache);
	struct stat facts;
	for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
		char path[PATHS_MAX];
		struct error ignored;
		if (entry->d_name[0] != '.' && paths_join(path, cache, entry->d_name, &ignored) &&
			stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
			write_in(path, "sum", sum, size);
	}
	if (all != NULL)
		closedir(all);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	char cache[PATHS_MAX];
	snprintf(cache, sizeof cache, "%s/cache", fuzz_folder());
	mkdir(cache, 0700);
	const uint8_t *end = data + size, *one = size > 0 ? memchr(data, '\0', size) : NULL;
	const uint8_t *two = one != NULL ? memchr(one + 1, '\0', (size_t)(end - one - 1)) : NULL;
	store(cache, data, one != NULL ? (size_t)(one - data) : size);
	bool found = find(cache);
	if (two != NULL) {
		damage(cache, two + 1, (size_t)(end - two - 1));
		if (found && find(cache))
			fuzz_found("a damaged entry is believed");
	}
	if (one != NULL)
		write_in(cache, "0123456789abcdef0123456789abcdef.inputs", one + 1,
				 (size_t)((two != NULL ? two : end) - one - 1));
	find(cache);
	cache_drop(cache);
}
