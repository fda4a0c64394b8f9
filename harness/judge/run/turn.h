/* When a run has its device: all the time, or, beside other judges of the same batch or other
 * threads of the same run, in turns. In company, cases are judged beside those of others, and times
 * are taken alone. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_TURN_H
#define GEMMJUDGE_JUDGE_RUN_TURN_H

#include "judge/run/run.h"

/* How many judges a device with so much memory bears at once. */
unsigned turn_room(uint64_t memory_bytes);

/* Says, once, that the device cannot be locked, and why (errno). */
void turn_tell_amiss(const struct run *run, const char *name, int why);

/* Waits for the device in that mode, where the run has company; else it has it already. While a
 * process that has a file's code loaded exists, the turn is held, in one mode or the other. Nothing
 * is waited for once somebody wants no more. */
void turn_take(struct run *run, enum lock_mode mode);

/* Gives the turn back, where the run has company. */
void turn_end(struct run *run);

#endif
