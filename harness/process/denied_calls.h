/* The system calls that a listener (denied.h) looks at, in one table for both sides: the filter,
 * which sends them there, and the listener, which tells what was tried. Internal to the jail. */
#ifndef GEMMJUDGE_PROCESS_DENIED_CALLS_H
#define GEMMJUDGE_PROCESS_DENIED_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#define DENIED_NO_ARGUMENT (-1)

/* Where a call has its path; arguments are numbered from 0. */
struct denied_path {
	int number;        /* of the system call; negative: this machine has none */
	const char *shown; /* or NULL: its own name */
	int path, folder;  /* arguments: the path, the descriptor that it begins at, if any */
	int flags;         /* argument: those of open(), or DENIED_NO_ARGUMENT */
	bool makes;        /* the file need not be there */
};

/* Landlock's to deny. The filter sends them all to the listener, which lets them all go on. */
extern const struct denied_path denied_of_files[];
extern const size_t denied_of_files_count;

/* NULL: the call is not in the table. In `of_files` it is Landlock's, else it is refused whatever
 * its path. */
const struct denied_path *denied_of_files_find(int number);
const struct denied_path *denied_refused_find(int number);

#endif
