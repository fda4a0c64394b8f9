#include "compile/version.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/cache.h"
#include "process/child.h"

#define SECONDS 30.0

/* "Cuda compilation tools, release 13.0, V13.0.88" gives "13.0.88". */
static bool parse(const char *text, char version[VERSION_TEXT])
{
	const char *at = strstr(text, "release ");
	at = at != NULL ? strstr(at, ", V") : NULL;
	return at != NULL && sscanf(at, ", V%63[0-9.]", version) == 1;
}

static bool ask(const char *nvcc, char version[VERSION_TEXT], struct error *err)
{
	const char *argv[] = {nvcc, "--version", NULL};
	struct child *child = child_start(&(struct child_options){.argv = argv}, err);
	if (child == NULL)
		return false;
	struct child_result result = child_wait(child, SECONDS);
	bool known = result.outcome == CHILD_EXITED && result.exit_status == 0 &&
				 parse(child_output(child), version);
	child_stop(child);
	return known || error_set(err, "%s: does not tell its version as nvcc does", nvcc);
}

/* Makes the key that a program of machine code is known by. False for a script. */
static bool make_key(const char *nvcc, struct cache_key *key)
{
	struct stat facts;
	char magic[4];
	struct hash hash;
	int fd = open(nvcc, O_RDONLY | O_CLOEXEC);
	bool known = fd >= 0 && fstat(fd, &facts) == 0 && read(fd, magic, 4) == 4 &&
				 memcmp(magic, "\177ELF", 4) == 0;
	if (fd >= 0)
		close(fd);
	if (!known)
		return false;
	const long long parts[] = {(long long)facts.st_dev,          (long long)facts.st_ino,
							   (long long)facts.st_size,         (long long)facts.st_mtim.tv_sec,
							   (long long)facts.st_mtim.tv_nsec, (long long)facts.st_ctim.tv_sec,
							   (long long)facts.st_ctim.tv_nsec};
	hash_begin(&hash);
	hash_add_text(&hash, "version of nvcc");
	hash_add_text(&hash, nvcc);
	hash_add(&hash, parts, sizeof parts);
	hash_end(&hash, key->text);
	return true;
}

bool version_of_nvcc(const char *nvcc, const char *cache, char version[VERSION_TEXT],
					 struct error *err)
{
	struct cache_key key;
	struct error ignored;
	bool keeps = cache != NULL && make_key(nvcc, &key);
	char *text = keeps ? cache_recall(cache, &key, ".version") : NULL;
	bool known = text != NULL && sscanf(text, "%63[0-9.]", version) == 1;
	free(text);
	if (known)
		return true;
	if (!ask(nvcc, version, err))
		return false;
	if (keeps) /* where it cannot, it asks again */
		cache_remember(cache, &key, ".version", version, &ignored);
	return true;
}
