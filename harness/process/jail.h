/* What a process may no longer do once foreign code runs in it. Each layer stands by itself: what
 * a machine lacks is left out and told, never assumed. Linux on x86-64 only. */
#ifndef GEMMJUDGE_PROCESS_JAIL_H
#define GEMMJUDGE_PROCESS_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum jail_layer {
	JAIL_FILES = 1,      /* Landlock: no file but those listed, no TCP, no signals out of it */
	JAIL_CALLS = 2,      /* seccomp: no exec, fork, ptrace, sockets, clocks, foreign processes */
	JAIL_NAMESPACES = 4, /* a network, IPC and mounts of its own, with nothing in them */
	JAIL_COMPILER = 8,   /* nvcc ran in a jail */
	JAIL_SEALED = 16,    /* no layer, but promised like one: its calls were sealed (protocol.h) */
};
#define JAIL_SOLUTION ((unsigned)(JAIL_FILES | JAIL_CALLS | JAIL_NAMESPACES)) /* jail_close()'s */
#define JAIL_ALL (JAIL_SOLUTION | (unsigned)JAIL_COMPILER)

/* Paths of files, or of folders with all that is below; NULL-ended, or NULL: none. */
struct jail {
	const char *const *readable;
	const char *const *writable; /* readable too; in folders files may be made and removed */
	size_t file_bytes;           /* no file grows beyond this; 0: any size */
};

/* Closes the calling process, all of its threads, for good. Returns those of the wanted layers
 * that hold; why others do not is in err, "" where all do. Core files and new privileges are gone
 * in any case. Wanted 0: nothing is done. A file that is listed and missing costs JAIL_FILES. */
unsigned jail_close(const struct jail *what, unsigned wanted, struct error *err);

/* ---- names ------------------------------------------------------------------ */

#define JAIL_TEXT 64

/* "files, calls"; "none". */
const char *jail_print(unsigned layers, char out[JAIL_TEXT]);

/* The i'th name, NULL behind the last; its bit in *layer. */
const char *jail_name(size_t i, unsigned *layer);

/* Names with commas between them; "jail" is all layers. */
bool jail_parse(const char *text, unsigned *layers, struct error *err);

#endif
