/* One file that compiles alone out of a solution and all that it includes of its own. */
#ifndef GEMMJUDGE_STARTER_FLATTEN_H
#define GEMMJUDGE_STARTER_FLATTEN_H

#include <stdio.h>

#include "chain/chain.h"

struct flatten {
	const char *file;
	const struct chain *chain; /* what it is compiled with, and where its stages lie; or NULL */
	const struct chain_files *stages;
	const char *const *constants; /* "BLOCK_M=128": what tuning chose; NULL-ended, or NULL */
	const char *first;            /* the first comment, without its marks; lines, or NULL */
};

/* Writes the file with each header in the place of its `#include`: those that lie beside the file
 * that includes them, those of epilogues/, and in quotes those in the root or in include/ of the
 * file's repository. Headers of the toolkit and of the system stay
 * `#include`s. Comments stay.
 *
 * A header with a guard, or with #pragma once, comes once, and its guard goes; any other one comes
 * wherever it is included. Of conditions that ask for what is known here (EPILOGUE_*, __cplusplus,
 * the constants) the part that holds is left; others stay as they are. The arguments of the chain
 * are bound when the program is loaded.
 *
 * False with err where a file cannot be read, with the line that includes it. Whether `out` took it
 * all is for the caller to see. */
bool flatten_write(FILE *out, const struct flatten *what, struct error *err);

/* Whether a source that lies at `path` includes headers of its own: some that lie beside it, or in
 * its repository. */
bool flatten_is_needed(const char *path, const char *text);

#endif
