/* Of each problem, device and epilogue, how those that rank were judged. Internal to store/. */
#ifndef GEMMJUDGE_STORE_ALIKE_H
#define GEMMJUDGE_STORE_ALIKE_H

#include "store/leaderboard.h"

/* Fills in all->ranks. `worth` has how much each run has to say: those with the most of their field
 * decide, and none with 0. Where some were submitted to a server, the newest of these has the
 * standard; else it is what the most contents were judged by, of equally many the one with the most
 * cases, then one whose seed was drawn. False: out of memory. */
bool alike_choose(struct leaderboard *all, const int *worth);

/* Whether it was judged as those of its field are that rank. */
bool alike_ranks(const struct leaderboard *all, const struct measured *run);

#endif
