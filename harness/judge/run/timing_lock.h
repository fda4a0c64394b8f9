/* Judges that a batch runs beside each other: while one takes times, the compilers of the others
 * stand still, as those of one judge do. They share a file without a name, which whoever takes
 * times has locked (what it holds: timing/kept.h). Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_TIMING_LOCK_H
#define GEMMJUDGE_JUDGE_RUN_TIMING_LOCK_H

#include <stdbool.h>

/* Takes over the descriptor that the batch left us, which all of its judges have in common: locks
 * belong to what opened the file, so that it is opened anew. 0: there is none, and that is allowed
 * in all of these; no time is then known of. */
int timing_lock_open(int inherited);

/* Times are taken from here to there. */
void timing_lock_begin(int lock);
void timing_lock_end(int lock);

/* Whether another judge takes times. */
bool timing_lock_is_held(int lock);

#endif
