/* In which order schedules are tried. */
#ifndef GEMMJUDGE_SCHEDULES_QUEUE_H
#define GEMMJUDGE_SCHEDULES_QUEUE_H

#include "schedules/rank.h"

/* The numbers of at most `most` schedules, each once: the file's defaults, then two by the model,
 * one by the thesis' order, and one by the model again. The first three of these four are each the
 * best of another kind (block tile and split of K), as long as there are kinds: the first dozens of
 * an order are mostly one tile with other orders of blocks, and if the order has one of them wrong,
 * it has them all wrong. Returns how many. */
size_t queue_make(const struct ranked *ranking, size_t most, size_t *out);

/* What two orders are worth, where every schedule's time is known: whether the fastest is among the
 * first ten of the order, and the share of the best time that the first ten reach. `times` by the
 * list, in any unit; not above 0: it was not measured. False where nothing was. */
#define QUEUE_FIRST 10
bool queue_worth(const struct ranked *ranking, const size_t *order, const double *times,
				 bool *has_best, double *share);

#endif
