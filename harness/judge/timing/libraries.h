/* Libraries among those that are timed. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_TIMING_LIBRARIES_H
#define GEMMJUDGE_JUDGE_TIMING_LIBRARIES_H

#include "judge/timing/lane.h"

/* Whether lane i takes part: a library in its accurate mode does once its results by default have
 * left the error bound, and anybody else does. entries[k] is of lanes[k]. */
bool libraries_wanted(const struct lane *lanes, size_t count, const struct timing_entry *entries,
					  size_t i);

/* When all was measured: asks each library which algorithm it has used, says why results have left
 * the error bound, and takes the entries out that never began. */
void libraries_finish(struct lane *lanes, size_t count, const struct problem *problem,
					  struct timing_result *out);

#endif
