/* What ptxas says of a compiled file's PTX. Of nvcc's messages nobody can tell who wrote a line, as
 * a source has the other compilers print what it likes; so ptxas is run by itself. */
#ifndef GEMMJUDGE_COMPILE_PTXAS_H
#define GEMMJUDGE_COMPILE_PTXAS_H

#include "compile/compile.h"

#define PTXAS_IMAGES 64

/* The report (-v) of each PTX; owned. */
struct ptxas_reports {
	size_t count;
	char *at[PTXAS_IMAGES];
};

/* Of a library that was compiled with these options, for options->architecture, with machine code.
 * False with err: nothing is known, as it has no PTX, or too much, or ptxas refuses it, or nvcc
 * cannot be run. ptxas_free() is allowed then. */
bool ptxas_ask(const struct compile_options *options, const char *library,
			   struct ptxas_reports *out, struct error *err);
void ptxas_free(struct ptxas_reports *reports);

#endif
