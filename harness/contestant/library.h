/* The file of a library: what it tells of its algorithms and lets choose, beside solve(). */
#ifndef GEMMJUDGE_CONTESTANT_LIBRARY_H
#define GEMMJUDGE_CONTESTANT_LIBRARY_H

#include <stddef.h>

#include "process/protocol.h"

/* Functions that the file defines, each of them or not (solutions/baselines/library.cuh). */
struct library_functions {
	void (*mode)(int mode, int thorough);
	void (*use)(int algorithm);
	int (*algorithms)(void);
	int (*fact)(int algorithm, const char *name);
	/* of NVIDIA's library that it was linked with, cuBLAS or cuBLASLt; NULL: neither */
	int (*property)(int type, int *value);
	size_t (*version)(void);
};

/* Of what dlopen() gave. */
void library_find(struct library_functions *out, void *loaded);

/* Takes what the request chooses, and tells what there is of the last call. */
void library_choose(const struct library_functions *functions,
					const struct contestant_library *request,
					struct contestant_library_reply *reply);

#endif
