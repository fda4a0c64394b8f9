/* The parts of jail_close(). Internal to the jail. Each returns false and says why in err. */
#ifndef GEMMJUDGE_PROCESS_JAIL_LAYERS_H
#define GEMMJUDGE_PROCESS_JAIL_LAYERS_H

#include "process/jail.h"

/* The threads of this process, which can be found as long as this is open; it stays usable where
 * /proc is gone. Never fails: without /proc no thread can be found, and whoever needs them says so.
 */
struct jail_threads {
	int tasks;    /* a folder, or -1 */
	double until; /* by clock_seconds(): so long they are waited for, by all layers together */
};
struct jail_threads jail_threads_open(void);
void jail_threads_close(struct jail_threads *threads);

bool jail_files_close(const struct jail *what, const struct jail_threads *threads,
					  struct error *err);
/* `files`: Landlock is in force, and of what it denies is told, too. */
bool jail_calls_close(const struct jail *what, bool files, struct error *err);
/* `hide`: nothing is left of the file system but what is listed. */
bool jail_namespaces_close(const struct jail *what, bool hide, const struct jail_threads *threads,
						   struct error *err);

/* Takes every capability from every thread, and what it could gain. */
bool jail_capabilities_drop(const struct jail_threads *threads, struct error *err);

/* Every thread enters one new mount namespace, with nothing in it but what is listed. On failure
 * threads see what they saw before, or some of them do. */
bool jail_root_close(const struct jail *what, const struct jail_threads *threads,
					 struct error *err);

/* Adds rules to a filter of libseccomp: requests of ioctl() but for a few get the answer `how`. 0,
 * or a negative errno. `driver` as in struct jail. */
int jail_ioctls_refuse(void *filter, uint32_t how, bool driver);

/* As jail_ioctls_refuse(), of what would open this memory. */
int jail_memory_refuse(void *filter, uint32_t how, const struct jail_memory *memory);

/* Calls work(context) in every thread of the process, this one last; it must be safe in a signal
 * handler, and returns an errno value or 0. *error_number is the first that is not 0. False and
 * err: some thread could not be reached. */
bool jail_every_thread(const struct jail_threads *threads, int (*work)(long context), long context,
					   int *error_number, struct error *err);

/* Whether there is a thread besides this one; true where that cannot be known. */
bool jail_has_threads(const struct jail_threads *threads);

#endif
