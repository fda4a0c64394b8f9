/* Files that are no CUDA source, by their content. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_SUBMISSION_FILE_KIND_H
#define GEMMJUDGE_JUDGE_SUBMISSION_FILE_KIND_H

#include <stdbool.h>

#include "base/error.h"

/* Whether the file is certainly of another kind: machine code, PTX, Python, no text. err then says
 * which, and what is wanted. */
bool file_kind_other(const char *path, struct error *err);

#endif
