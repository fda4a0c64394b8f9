/* A schedule that somebody names: a stored one, or one of another program's. */
#ifndef GEMMJUDGE_SCHEDULES_GIVEN_H
#define GEMMJUDGE_SCHEDULES_GIVEN_H

#include "schedules/schedule.h"

/* Reads "BLOCK_M=64 BLOCK_N=128" into values by space->constants: each constant once, in any order.
 * False with err (no file). */
bool given_parse(const struct space *space, const char *text, int64_t values[SPACE_CONSTANTS_MAX],
				 struct error *err);

/* Whether its values are candidates and meet the constraints on this GPU at this case, as those of
 * schedules_enumerate() do. False with err, which names what refuses it. */
bool given_holds(const struct space *space, const struct tune_gpu *gpu,
				 const struct test_case *test, const int64_t *values, struct error *err);

#endif
