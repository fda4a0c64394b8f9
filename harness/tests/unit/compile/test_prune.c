/* links: compile */
/* What is thrown out of the cache of compiled solutions, and what never. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compile/cache.h"
#include "compile/lease.h"
#include "compile/prune.h"

#define DAY (24 * 3600)
#define LIBRARY_BYTES 8192

static char cache[64];

static void begin(void)
{
	strcpy(cache, "/tmp/test_prune.XXXXXX");
	cr_assert_not_null(mkdtemp(cache));
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *walk)
{
	(void)facts, (void)kind, (void)walk;
	return remove(path);
}

static void end(void)
{
	nftw(cache, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TestSuite(prune, .init = begin, .fini = end);

static const char *path_of(const char *name, const char *part)
{
	static char path[PATHS_MAX];
	snprintf(path, sizeof path, "%s/%s%s%s", cache, name, part[0] != '\0' ? "/" : "", part);
	return path;
}

static bool is_there(const char *name)
{
	return access(path_of(name, ""), F_OK) == 0;
}

static void write_file(const char *path, size_t bytes, int days)
{
	const struct timespec times[2] = {{.tv_sec = time(NULL) - days * DAY}, {.tv_sec = 1}};
	FILE *file = fopen(path, "w");
	cr_assert_not_null(file);
	for (size_t i = 0; i < bytes; i++)
		fputc((int)(i % 251), file);
	fclose(file);
	cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* An entry that was used so many days ago. */
static void add_entry(const char *name, int days)
{
	mkdir(path_of(name, ""), 0777);
	write_file(path_of(name, "solution.so"), LIBRARY_BYTES, 0);
	write_file(path_of(name, "log"), 10, 0);
	write_file(path_of(name, "sum"), 60, days);
}

#define KEY_A "0123456789abcdef0123456789abcdea"
#define KEY_B "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdeb"
#define KEY_C "xxxxxxxx89abcdef0123456789abcdec" /* one that nobody looks for again */
#define KEY_D "0123456789abcdef0123456789abcded"

static uint64_t bytes_of_entry(void)
{
	add_entry(KEY_A, 0);
	return prune_usage_of(cache).bytes;
}

Test(prune, the_least_recently_used_go_first)
{
	uint64_t one = bytes_of_entry();
	cr_assert_geq(one, LIBRARY_BYTES);
	add_entry(KEY_A, 3);
	add_entry(KEY_B, 1);
	add_entry(KEY_C, 4);
	add_entry(KEY_D, 2);
	struct prune_usage usage = prune_usage_of(cache);
	cr_expect(usage.entries == 4 && usage.bytes == 4 * one);

	prune_cache(cache, &(struct prune_limits){.bytes = 4 * one, .seconds = 30 * DAY});
	cr_expect_eq(prune_usage_of(cache).entries, 4, "at the limit");
	/* over it, down to three quarters of it: two and a quarter entries */
	prune_cache(cache, &(struct prune_limits){.bytes = 3 * one, .seconds = 30 * DAY});
	cr_expect(!is_there(KEY_C) && !is_there(KEY_A));
	cr_expect(is_there(KEY_D) && is_there(KEY_B));
}

Test(prune, what_was_long_not_used_goes_however_small)
{
	add_entry(KEY_A, 20);
	add_entry(KEY_B, 40);
	write_file(path_of(KEY_A ".inputs", ""), 10, 20);
	write_file(path_of(KEY_B ".inputs", ""), 10, 40);
	write_file(path_of(KEY_B ".cuh", ""), 10, 40);
	prune_cache(cache, &(struct prune_limits){.bytes = 1 << 30, .seconds = 30 * DAY});
	cr_expect(is_there(KEY_A) && is_there(KEY_A ".inputs"));
	cr_expect(!is_there(KEY_B) && !is_there(KEY_B ".inputs") && !is_there(KEY_B ".cuh"));
}

Test(prune, what_is_in_use_or_unknown_stays)
{
	add_entry(KEY_A, 40);
	add_entry(KEY_B, 40);
	write_file(path_of("notes", ""), 10, 400);
	write_file(path_of(KEY_D ".cuh", ""), 10, 0); /* generated a moment ago */
	mkdir(path_of("tmp.abcdef", ""), 0777);
	mkdir(path_of("mine", ""), 0777);
	int lease = lease_take(path_of(KEY_A, ""));
	cr_assert_gt(lease, 0);
	const struct prune_limits nothing = {.bytes = 0, .seconds = 30 * DAY};
	prune_cache(cache, &nothing);
	cr_expect(is_there(KEY_A) && !is_there(KEY_B));
	cr_expect(is_there("notes") && is_there(KEY_D ".cuh") && is_there("tmp.abcdef") &&
			  is_there("mine"));
	lease_end(&lease);
	prune_cache(cache, &nothing);
	cr_expect(!is_there(KEY_A), "its lease has ended");
	cr_expect_eq(lease_take(path_of(KEY_A, "")), 0, "an entry that is gone");
}

Test(prune, a_lease_counts_as_use)
{
	add_entry(KEY_A, 40);
	int lease = lease_take(path_of(KEY_A, ""));
	lease_end(&lease);
	prune_cache(cache, &(struct prune_limits){.bytes = 1 << 30, .seconds = 30 * DAY});
	cr_expect(is_there(KEY_A));
}

/* As a judge stores what it compiled: made elsewhere, then renamed. Says nothing of
 * failures, which are to be expected here: the entry may have come up meanwhile. */
static void store(const char *entry)
{
	char folder[PATHS_MAX], path[PATHS_MAX + 16];
	struct error ignored;
	if (!cache_begin(cache, folder, &ignored))
		return;
	static const char *const parts[] = {"solution.so", "log", "sum"};
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, parts[i]);
		FILE *file = fopen(path, "w");
		for (int k = 0; file != NULL && k < (i == 0 ? LIBRARY_BYTES : 10); k++)
			fputc('x', file);
		if (file != NULL)
			fclose(file);
	}
	if (rename(folder, entry) != 0)
		cache_drop(folder);
}

/* Whoever has a lease finds the entry whole, for as long as it lasts. Counts the
 * leases; -1 when an entry was not whole. */
static int lease_and_look(void)
{
	char entry[PATHS_MAX], library[PATHS_MAX + 16];
	int leases = 0;
	snprintf(entry, sizeof entry, "%s", path_of(KEY_A, ""));
	snprintf(library, sizeof library, "%s/solution.so", entry);
	for (int i = 0; i < 200; i++) {
		struct stat facts;
		store(entry);
		int lease = lease_take(entry);
		if (lease == 0)
			continue;
		leases++;
		for (int look = 0; look < 2; look++, usleep(200))
			if (stat(library, &facts) != 0 || facts.st_size != LIBRARY_BYTES)
				return -1;
		lease_end(&lease);
	}
	return leases;
}

Test(prune, several_judges_at_once, .timeout = 60)
{
	pid_t children[4];
	for (int i = 0; i < 4; i++) {
		children[i] = fork();
		if (children[i] != 0)
			continue;
		if (i < 2)
			_exit(lease_and_look() > 0 ? 0 : 1);
		for (int k = 0; k < 300; k++, usleep(100))
			prune_cache(cache, &(struct prune_limits){.bytes = 0, .seconds = 30 * DAY});
		_exit(0);
	}
	for (int i = 0; i < 4; i++) {
		int status;
		waitpid(children[i], &status, 0);
		cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "process %d: status %x", i,
				  (unsigned)status);
	}
}
