#include "compile/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/remove.h"
#include "compile/bytes.h"
#include "compile/inputs.h"
#include "compile/lease.h"

#define STALE_SECONDS (24 * 3600)
#define LIBRARY_BYTES                                                                              \
	((off_t)64 << 20) /* of the 1 GiB that the cache has; hopper.cu makes 17 MiB */
#define DEPENDENCIES_BYTES ((off_t)16 << 20)
#define ROOM_BYTES ((uint64_t)256 << 20) /* hopper.cu, the largest source here, takes 230 MiB */
#define TRIAL_BYTES ((off_t)16 << 20)

/* ---- entries ------------------------------------------------------------- */

/* KEY2. False when an input is no longer there, or has a path that says nothing here. */
static bool entry_key(const struct cache_key *key, char *inputs, struct cache_key *out)
{
	struct hash hash;
	hash_begin(&hash);
	hash_add_text(&hash, key->text);
	bool whole = inputs_hash(inputs, &hash);
	hash_end(&hash, out->text);
	return whole;
}

/* The content of `sum`. */
static bool entry_sum(const char *entry, char out[HASH_TEXT], struct error *err)
{
	char path[PATHS_MAX];
	struct hash hash;
	hash_begin(&hash);
	bool read = paths_join(path, entry, "solution.so", err) && bytes_hash_file(&hash, path, err) &&
				paths_join(path, entry, "log", err) && bytes_hash_file(&hash, path, err);
	hash_end(&hash, out);
	return read;
}

static bool entry_valid(const char *entry)
{
	char path[PATHS_MAX], sum[HASH_TEXT];
	struct error ignored;
	size_t size;
	if (!paths_join(path, entry, "sum", &ignored) || !entry_sum(entry, sum, &ignored))
		return false;
	char *text = bytes_read_file(path, &size);
	bool valid = text != NULL && strcmp(text, sum) == 0;
	free(text);
	return valid;
}

bool cache_find(const char *cache, const struct cache_key *key, char library[PATHS_MAX], char **log,
				int *lease)
{
	char path[PATHS_MAX], entry[PATHS_MAX];
	struct cache_key entry_name;
	struct error ignored;
	size_t size;

	*log = NULL;
	*lease = 0;
	if (snprintf(path, sizeof path, "%s/%s.inputs", cache, key->text) >= PATHS_MAX)
		return false;
	char *inputs = bytes_read_file(path, &size);
	bool known = inputs != NULL && entry_key(key, inputs, &entry_name);
	free(inputs);
	if (!known || !paths_join(entry, cache, entry_name.text, &ignored))
		return false;
	lease_touch(path);
	*lease = lease_take(entry);
	if (*lease != 0 && entry_valid(entry) && paths_join(library, entry, "solution.so", &ignored) &&
		paths_join(path, entry, "log", &ignored))
		*log = bytes_read_file(path, &size);
	if (*log == NULL)
		lease_end(lease);
	return *log != NULL;
}

void cache_drop(const char *folder)
{
	remove_folder(folder);
}

static void drop_stale(const char *cache)
{
	DIR *all = opendir(cache);
	struct dirent *entry;
	while (all != NULL && (entry = readdir(all)) != NULL) {
		char path[PATHS_MAX];
		struct stat facts;
		struct error ignored;
		if (strncmp(entry->d_name, "tmp.", 4) == 0 &&
			paths_join(path, cache, entry->d_name, &ignored) && lstat(path, &facts) == 0 &&
			facts.st_mtime < time(NULL) - STALE_SECONDS)
			cache_drop(path);
	}
	if (all != NULL)
		closedir(all);
}

bool cache_begin(const char *cache, char folder[PATHS_MAX], struct error *err)
{
	drop_stale(cache);
	if (!paths_join(folder, cache, "tmp.XXXXXX", err))
		return false;
	if (mkdtemp(folder) == NULL)
		return error_set(err, "%s: cannot compile there: %s (GEMMJUDGE_CACHE names another folder)",
						 cache, strerror(errno));
	return true;
}

/* ---- what the compiler left ------------------------------------------------ */

/* What the compiler leaves, and how much of it is taken. */
struct left {
	const char *name, *called;
	off_t limit;
};

/* The descriptor of a regular file that is not empty; -1 with err for anything else, and for one
 * that is too large. */
static int open_left(const char *path, const struct left *left, struct error *err)
{
	struct stat facts = {0};
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool is_file = fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
	if (is_file && facts.st_size > 0 && facts.st_size <= left->limit)
		return fd;
	if (fd >= 0)
		close(fd);
	if (is_file && facts.st_size > 0)
		error_set(err, "the %s has %lld MiB; at most %lld", left->called,
				  (long long)((facts.st_size + (1 << 20) - 1) >> 20),
				  (long long)(left->limit >> 20));
	else
		error_set(err, "nvcc left no %s that is a file", left->name);
	return -1;
}

static enum cache_collected collect_file(const char *folder, const struct left *left,
										 struct error *err)
{
	char from[PATHS_MAX], path[PATHS_MAX];
	if (!paths_join(path, folder, left->name, err) ||
		snprintf(from, sizeof from, "%s/" CACHE_COMPILER "/%s", folder, left->name) >= PATHS_MAX)
		return CACHE_NOT_WRITTEN;
	int fd = open_left(from, left, err);
	if (fd < 0)
		return CACHE_NOTHING_LEFT;
	bool copied = bytes_copy(fd, path, err);
	close(fd);
	return copied ? CACHE_COLLECTED : CACHE_NOT_WRITTEN;
}

enum cache_collected cache_collect(const char *folder, struct error *err)
{
	static const struct left library = {"solution.so", "library", LIBRARY_BYTES};
	static const struct left inputs = {"dependencies", "list of its inputs", DEPENDENCIES_BYTES};
	char compiler[PATHS_MAX];
	enum cache_collected how = collect_file(folder, &library, err);
	if (how == CACHE_COLLECTED)
		how = collect_file(folder, &inputs, err);
	if (paths_join(compiler, folder, CACHE_COMPILER, err))
		cache_drop(compiler);
	return how;
}

/* Why a file of this size cannot be written there, or 0: a quota shows nowhere else. */
static int try_to_write(const char *cache, off_t bytes)
{
	char folder[PATHS_MAX], path[PATHS_MAX];
	struct error ignored;
	struct rlimit own;
	if (getrlimit(RLIMIT_FSIZE, &own) == 0 && own.rlim_cur < (rlim_t)bytes)
		return 0; /* cannot be found out */
	if (!cache_begin(cache, folder, &ignored))
		return errno;
	int fd = paths_join(path, folder, "room", &ignored)
				 ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600)
				 : -1;
	int why = fd >= 0 ? posix_fallocate(fd, 0, bytes) : errno;
	if (fd >= 0)
		close(fd);
	cache_drop(folder);
	return why;
}

bool cache_has_room(const char *cache, uint64_t written, struct error *err)
{
	struct statvfs disk;
	if (statvfs(cache, &disk) != 0)
		return error_set(err, "%s: %s", cache, strerror(errno));
	uint64_t left = (uint64_t)disk.f_bavail * disk.f_frsize;
	int why = try_to_write(cache, TRIAL_BYTES);
	/* Half, as what is written through a mapping is not counted. */
	bool enough = left >= ROOM_BYTES || left / 2 > written;
	if (enough && why != ENOSPC && why != EDQUOT)
		return true;
	return error_set(err,
					 "%s: no room to compile: %s, %llu MiB left, and %llu are needed "
					 "(GEMMJUDGE_CACHE names another folder)",
					 cache, strerror(why == EDQUOT ? EDQUOT : ENOSPC),
					 (unsigned long long)(left >> 20), (unsigned long long)(ROOM_BYTES >> 20));
}

/* ---- storing --------------------------------------------------------------- */

/* Renames the folder to the entry. Where a valid one has come up meanwhile, that
 * one stays; a damaged one makes room. */
static bool install(const char *cache, const char *folder, const char *entry, struct error *err)
{
	for (int attempt = 0; attempt < 3; attempt++) {
		char aside[PATHS_MAX];
		if (rename(folder, entry) == 0)
			return true;
		if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
			break;
		if (entry_valid(entry)) {
			cache_drop(folder);
			return true;
		}
		if (!cache_begin(cache, aside, err))
			return false;
		if (rename(entry, aside) != 0) /* a folder replaces the empty one */
			unlink(entry);
		cache_drop(aside);
	}
	return error_set(err, "%s: %s", entry, strerror(errno));
}

/* Everything that the entry consists of, still in its temporary folder. */
static bool complete_entry(const char *folder, const char *log, struct error *err)
{
	char path[PATHS_MAX], sum[HASH_TEXT];
	return paths_join(path, folder, "log", err) && bytes_write_file(path, log, err) &&
		   entry_sum(folder, sum, err) && paths_join(path, folder, "sum", err) &&
		   bytes_write_file(path, sum, err);
}

static bool store_inputs(const char *cache, const struct cache_key *key, const char *folder,
						 const char *inputs, struct error *err)
{
	char path[PATHS_MAX], final[PATHS_MAX];
	if (snprintf(final, sizeof final, "%s/%s.inputs", cache, key->text) >= PATHS_MAX)
		return error_set(err, "path too long: %s", cache);
	if (!paths_join(path, folder, "inputs", err) || !bytes_write_file(path, inputs, err))
		return false;
	return rename(path, final) == 0 || error_set(err, "%s: %s", final, strerror(errno));
}

bool cache_store(const char *cache, const struct cache_key *key,
				 const struct cache_product *product, char library[PATHS_MAX], int *lease,
				 struct error *err)
{
	const char *folder = product->folder;
	bool reusable = product->reusable;
	char entry[PATHS_MAX];
	struct cache_key name = *key;
	char *inputs = inputs_read(folder), *scratch = inputs != NULL ? strdup(inputs) : NULL;
	bool stored = false;

	/* of a list with /dev/null in it nobody knows when to compile again */
	if (scratch == NULL || !entry_key(key, scratch, &name)) {
		name = *key;
		reusable = false;
	}
	if (!reusable) { /* a name that nobody will look for */
		const char *unique = strrchr(folder, '.');
		memset(name.text, 'x', 8);
		memcpy(name.text, unique + 1, strlen(unique + 1) < 8 ? strlen(unique + 1) : 8);
	}
	stored = complete_entry(folder, product->log, err) &&
			 (!reusable || store_inputs(cache, key, folder, inputs, err)) &&
			 paths_join(entry, cache, name.text, err) && install(cache, folder, entry, err) &&
			 paths_join(library, entry, "solution.so", err);
	*lease = stored ? lease_take(entry) : 0;
	free(inputs);
	free(scratch);
	if (!stored)
		cache_drop(folder);
	return stored;
}

/* Whether the file holds the text; then it is marked as used. */
static bool holds_text(const char *path, const char *text)
{
	size_t size;
	char *there = bytes_read_file(path, &size);
	bool same = there != NULL && strcmp(there, text) == 0;
	free(there);
	if (same)
		lease_touch(path);
	return same;
}

/* Writes the text to `path` at once. */
static bool generate(const char *cache, const char *path, const char *text, struct error *err)
{
	char folder[PATHS_MAX], written[PATHS_MAX];
	if (!cache_begin(cache, folder, err))
		return false;
	/* The name says what is in it, so that it never changed while something was
	 * compiled, whenever it was written: see inputs_changed(). */
	const struct timespec long_ago[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = 1}};
	bool good = paths_join(written, folder, "generated", err) &&
				bytes_write_file(written, text, err) &&
				(utimensat(AT_FDCWD, written, long_ago, 0) == 0 ||
				 error_set(err, "%s: %s", written, strerror(errno))) &&
				(rename(written, path) == 0 || error_set(err, "%s: %s", path, strerror(errno)));
	cache_drop(folder);
	return good;
}

static struct cache_key key_of_text(const char *text)
{
	struct cache_key key;
	struct hash hash;
	hash_begin(&hash);
	hash_add_text(&hash, text);
	hash_end(&hash, key.text);
	return key;
}

bool cache_remember(const char *cache, const struct cache_key *key, const char *ending,
					const char *text, struct error *err)
{
	char path[PATHS_MAX];
	if (snprintf(path, sizeof path, "%s/%s%s", cache, key->text, ending) >= PATHS_MAX)
		return error_set(err, "path too long: %s", cache);
	return generate(cache, path, text, err);
}

char *cache_recall(const char *cache, const struct cache_key *key, const char *ending)
{
	char path[PATHS_MAX];
	size_t size;
	if (snprintf(path, sizeof path, "%s/%s%s", cache, key->text, ending) >= PATHS_MAX)
		return NULL;
	char *text = bytes_read_file(path, &size);
	if (text != NULL)
		lease_touch(path);
	return text;
}

bool cache_generate(const char *cache, const char *ending, const char *text, char path[PATHS_MAX],
					struct error *err)
{
	if (snprintf(path, PATHS_MAX, "%s/%s%s", cache, key_of_text(text).text, ending) >= PATHS_MAX)
		return error_set(err, "path too long: %s", cache);
	return holds_text(path, text) || generate(cache, path, text, err);
}

bool cache_generate_named(const char *cache, const char *name, const char *text,
						  char folder[PATHS_MAX], struct error *err)
{
	char path[PATHS_MAX];
	if (snprintf(folder, PATHS_MAX, "%s/%s.headers", cache, key_of_text(text).text) >= PATHS_MAX)
		return error_set(err, "path too long: %s", cache);
	if (!paths_join(path, folder, name, err))
		return false;
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return error_set(err, "%s: %s", folder, strerror(errno));
	return holds_text(path, text) || generate(cache, path, text, err);
}
