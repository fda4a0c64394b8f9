/* Judges that a batch runs beside each other: while one takes times, the compilers of the others
 * stand still, as those of one judge do. They share a file of no bytes, which whoever takes times
 * has locked. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_BESIDE_H
#define GEMMJUDGE_JUDGE_RUN_BESIDE_H

#include <stdbool.h>

/* Takes over the descriptor that the batch left us, which all of its judges have in common: locks
 * belong to what opened the file, so that it is opened anew. 0: there is none, and that is allowed
 * in all of these; no time is then known of. */
int beside_open(int inherited);

/* Times are taken from here to there. */
void beside_begin(int beside);
void beside_end(int beside);

/* Whether another judge takes times. */
bool beside_is_timed(int beside);

#endif
