/* Compiled solutions on disk. Safe for several judges at once: everything is
 * written elsewhere in the same folder and then renamed.
 *
 *     CACHE/KEY.inputs           the files that a compilation read, found out by
 *                                doing it: one absolute path a line
 *     CACHE/KEY2/solution.so     the library
 *     CACHE/KEY2/log             what nvcc had to say
 *     CACHE/KEY2/sum             a hash of both, to notice damage
 *     CACHE/KEY3.cuh             a header that was generated for a compilation
 *     CACHE/KEY4.version         what an nvcc said of its version (version.h)
 *     CACHE/tmp.XXXXXX/          a compilation in progress
 *     CACHE/tmp.XXXXXX/nvcc/     the only place where the compiler may write
 *
 * KEY hashes the solution's content, the command line, which has the solution's path only where
 * that matters (movable.h), the compiler's version, and the architecture, as machines of both may
 * share a home; KEY2 hashes KEY and the present content of the inputs. So a changed header leads to
 * another entry, and a library once returned stays as it is.
 *
 * `sum` has no key: it tells of a disk or a copy that went wrong, not of a forger. Nobody who could
 * forge an entry gets there: the compiler writes only in nvcc/ (jail_rules.h), from where the judge
 * copies two files, of names, sizes and kinds that it chose, once the compiler and all that it
 * started are dead; a solution's process can write no file at all. Who can write to the cache
 * otherwise is the user, and could replace the judge as well. Where a machine has no jail for one
 * of them the guarantee is missing, and reported as missing; a key that the same user can read
 * would not bring it back. Entries that were made without a jail have other names than those that
 * were made in one. */
#ifndef GEMMJUDGE_COMPILE_CACHE_H
#define GEMMJUDGE_COMPILE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/paths.h"

struct cache_key {
	char text[HASH_TEXT];
};

/* The library and the log (owned by the caller) that are stored under the key;
 * false when there are none, or the entry is damaged. *lease keeps them there
 * (lease.h). */
bool cache_find(const char *cache, const struct cache_key *key, char library[PATHS_MAX], char **log,
				int *lease);

/* A new folder to compile in, below `cache`; cache_drop removes it and what is in
 * it. Folders that killed judges left behind are removed on the way. */
bool cache_begin(const char *cache, char folder[PATHS_MAX], struct error *err);
void cache_drop(const char *folder);

/* The compiler's folder, below one of cache_begin. */
#define CACHE_COMPILER "nvcc"

enum cache_collected {
	CACHE_COLLECTED,
	CACHE_NOTHING_LEFT, /* no regular file, or none of a bearable size: err says which */
	CACHE_NOT_WRITTEN,
};

/* Copies solution.so and dependencies from FOLDER/nvcc to FOLDER, no links followed, and removes
 * FOLDER/nvcc. To be called once nothing runs there any more. */
enum cache_collected cache_collect(const char *folder, struct error *err);

/* Whether a compilation failed for another reason than the disk: there is enough left for any, or
 * for more than this one had `written` (all of it is gone by now), and some can be written. */
bool cache_has_room(const char *cache, uint64_t written, struct error *err);

/* A compilation that is done. */
struct cache_product {
	const char
		*folder; /* of cache_begin(), with solution.so and dependencies, in make's notation */
	const char *log;
	bool reusable; /* later judges may find it, if each input is a regular file */
};

/* Stores the library and the log, with the inputs that the dependencies name. The folder is used
 * up. *lease as above. */
bool cache_store(const char *cache, const struct cache_key *key,
				 const struct cache_product *product, char library[PATHS_MAX], int *lease,
				 struct error *err);

/* Writes a generated source file, named after its content (with this ending), into
 * the cache; one that is there already is the same. */
bool cache_generate(const char *cache, const char *ending, const char *text, char path[PATHS_MAX],
					struct error *err);

/* Writes a generated file that has to have this name: in a folder named after its content, whose
 * path is given. It is some hundred bytes, one of each content, and stays (prune.h). */
bool cache_generate_named(const char *cache, const char *name, const char *text,
						  char folder[PATHS_MAX], struct error *err);

/* A short text that is kept under a key, with this ending; the caller frees what is recalled. NULL:
 * there is none. */
bool cache_remember(const char *cache, const struct cache_key *key, const char *ending,
					const char *text, struct error *err);
char *cache_recall(const char *cache, const struct cache_key *key, const char *ending);

#endif
