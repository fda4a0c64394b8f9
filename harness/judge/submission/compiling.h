/* The files of a run, compiled ahead of their turn (ahead.h). Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_SUBMISSION_COMPILING_H
#define GEMMJUDGE_JUDGE_SUBMISSION_COMPILING_H

#include "judge/submission/submission.h"

struct compiling; /* opaque */

/* From here on the files are compiled, in their order: of JUDGE_CHECKS, as many before their turn
 * as there are threads for; of the other modes all of them. `paused`: not before ahead_continue().
 * The run has its device; run->ahead is set until compiling_close(). NULL and err where memory is
 * short.
 */
struct compiling *compiling_open(struct run *run, struct submission *submissions, size_t count,
								 bool paused, struct error *err);

/* The turn of submissions[i]: it is compiled, as by submission_compile(); or it is refused, now at
 * the latest; or *stopped: the user wanted no more before. Until then it is not to be looked at.
 * Turns come in order, in any thread; `run` may be another run for the same files. False with err
 * when nothing can be compiled at all. */
bool compiling_take(struct compiling *compiling, const struct run *run, size_t i, bool *stopped,
					struct error *err);

/* Ends what is under way. NULL is allowed. */
void compiling_close(struct compiling *compiling);

#endif
