/* What keeps a solution from more than its own work, by layers that each hold or do not, and their
 * names. process/jail.h closes a process by them. */
#ifndef GEMMJUDGE_JUDGEMENT_LAYERS_H
#define GEMMJUDGE_JUDGEMENT_LAYERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum layer {
	LAYER_FILES = 1,      /* Landlock: no file but those listed, no TCP, no signals out of it */
	LAYER_CALLS = 2,      /* seccomp: no exec, fork, ptrace, sockets, clocks, other processes; and
							 none of root's capabilities */
	LAYER_NAMESPACES = 4, /* a network and IPC of its own, and no files but those listed */
	LAYER_COMPILER = 8,   /* nvcc ran in a jail */
	LAYER_SEALED = 16,    /* no layer, but promised like one: its calls were sealed */
};
#define LAYER_SOLUTION                                                                             \
	((unsigned)(LAYER_FILES | LAYER_CALLS | LAYER_NAMESPACES)) /* of its process */
#define LAYER_ALL (LAYER_SOLUTION | (unsigned)LAYER_COMPILER)

#define LAYERS_TEXT 64

/* "files, calls"; "none". */
const char *layers_print(unsigned layers, char out[LAYERS_TEXT]);

/* The i'th name, NULL behind the last; its bit in *layer. */
const char *layers_name(size_t i, unsigned *layer);

/* Names with commas between them; "jail" is all layers. */
bool layers_parse(const char *text, unsigned *layers, struct error *err);

#endif
