/* What ptxas says of a compiled file's PTX. Of nvcc's messages nobody can tell who wrote a line, as
 * a source has the other compilers print what it likes; so ptxas is run by itself. */
#ifndef GEMMJUDGE_COMPILE_PTXAS_H
#define GEMMJUDGE_COMPILE_PTXAS_H

#include "compile/compile.h"

#define PTXAS_IMAGES 64

/* The report (-v) of each PTX; owned. */
struct ptxas_reports {
	bool refused; /* the last one says why it does not compile, or it took too long: neither would
					 the file for a GPU */
	size_t count;
	char *at[PTXAS_IMAGES];
};

/* Of a library that was compiled with these options, for options->architecture, with machine code.
 * False with err: it is not known what all of its PTX takes: `refused`, or it has none, or too
 * much, or nvcc cannot be run. ptxas_free() is to be called all the same. */
bool ptxas_ask(const struct compile_options *options, const char *library,
			   struct ptxas_reports *out, struct error *err);
void ptxas_free(struct ptxas_reports *reports);

#endif
