/* In which order schedules are tried. */
#ifndef GEMMJUDGE_TUNE_QUEUE_H
#define GEMMJUDGE_TUNE_QUEUE_H

#include "tune/rank.h"

/* The numbers of at most `most` schedules: the file's defaults, then two by the model for one by
 * the thesis' order, each once. Returns how many. */
size_t queue_make(const struct ranked *ranking, size_t most, size_t *out);

/* What two orders are worth, where every schedule's time is known: whether the fastest is among the
 * first ten of the order, and the share of the best time that the first ten reach. `times` by the
 * list, in any unit; not above 0: it was not measured. False where nothing was. */
#define QUEUE_FIRST 10
bool queue_worth(const struct ranked *ranking, const size_t *order, const double *times,
				 bool *has_best, double *share);

#endif
