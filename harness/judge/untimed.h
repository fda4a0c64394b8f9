/* compare on the emulated GPU, which computes results, not speed: everything but times. Internal
 * to judge/. */
#ifndef GEMMJUDGE_JUDGE_UNTIMED_H
#define GEMMJUDGE_JUDGE_UNTIMED_H

#include "judge/submission/submission.h"

/* Fills list->bench for the cases of the files, which solve one problem: floors, and of each
 * baseline of the user's whether it is right. Nothing of the files is compiled. False with err when
 * nothing can be judged at all. */
bool untimed_fill(struct run *run, const struct submission *files, size_t count,
				  struct judgement_list *list, struct error *err);

#endif
