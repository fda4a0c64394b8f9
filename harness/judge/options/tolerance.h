/* What may differ from the reference, and by how much. */
#ifndef GEMMJUDGE_JUDGE_OPTIONS_TOLERANCE_H
#define GEMMJUDGE_JUDGE_OPTIONS_TOLERANCE_H

#include <stdbool.h>

#include "base/error.h"
#include "process/protocol.h"
#include "testcases/problem.h"

/* What was asked for. What "leetgpu" means only the problem says. */
struct tolerance_request {
	const char *text; /* as it was given, borrowed; NULL: bound */
	bool leetgpu;
	struct tolerance given; /* else */
};

/* "bound", "leetgpu", "ATOL,RTOL" or "ATOL,RTOL,SHARE": so many of the elements have to be within.
 */
bool tolerance_parse(const char *text, struct tolerance_request *out, struct error *err);

struct tolerance tolerance_of(const struct tolerance_request *request,
							  const struct problem *problem);

#endif
