/* What may differ from the reference, and by how much. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_TOLERANCE_H
#define GEMMJUDGE_JUDGE_TOLERANCE_H

#include <stdbool.h>

#include "base/error.h"
#include "process/protocol.h"
#include "testcases/problem.h"

/* "bound", "leetgpu" or "ATOL,RTOL". */
bool tolerance_parse(const char *text, const struct problem *problem, struct tolerance *out,
					 struct error *err);

#endif
