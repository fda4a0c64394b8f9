/* Machine code as text, by a disassembler of the CUDA toolkit. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_SUBMISSION_SASS_H
#define GEMMJUDGE_JUDGE_SUBMISSION_SASS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/paths.h"

struct sass_tool {
	char program[PATHS_MAX];
	const char *name, *option; /* "nvdisasm", "-c" */
};

/* nvdisasm, else cuobjdump, in the places of base/toolkit.h. False with err, which says what to
 * install. */
bool sass_find(struct sass_tool *out, struct error *err);

/* Writes what the tool says of a cubin to a new file. The cubin is a stranger's: where there is
 * Landlock the tool reads nothing but it and programs, and writes nothing but that file. False with
 * err, and no file, where the tool fails; where the file is there already, it stays as it is. */
bool sass_write(const struct sass_tool *tool, const char *cubin, const char *path,
				struct error *err);

#endif
