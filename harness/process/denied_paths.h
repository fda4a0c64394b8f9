/* Which paths of a closed process its rules of Landlock deny: a guess, for people, made by names
 * from outside. What happens is Landlock's alone. Internal to the listener (denied.h). */
#ifndef GEMMJUDGE_PROCESS_DENIED_PATHS_H
#define GEMMJUDGE_PROCESS_DENIED_PATHS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/denied.h"

#define DENIED_PATHS_MAX 16

/* Resolved; owned; NULL behind the last. */
struct denied_paths {
	char *readable[DENIED_PATHS_MAX + 1];
	char *writable[DENIED_PATHS_MAX + 1];
};

/* False where memory is out, or there are too many; denied_paths_close() is allowed then. */
bool denied_paths_open(struct denied_paths *paths, const struct denied_allowed *allowed);
void denied_paths_close(struct denied_paths *paths);

/* The text at an address of the process. False where there is none. */
bool denied_paths_read(pid_t thread, uint64_t address, char out[PATH_MAX]);

struct denied_reach {
	pid_t thread;
	int folder; /* a descriptor of the process that the path begins at, or AT_FDCWD */
	const char *path;
	bool writes, makes; /* more than reading; the file need not be there */
};

/* Not where there is no such file, as then the kernel says so whatever the rules, and not what the
 * C library and the driver look for by themselves. */
bool denied_paths_denies(const struct denied_paths *paths, const struct denied_reach *reach);

#endif
