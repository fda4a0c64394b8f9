/* --tuned: judge, bench and compare compile files with the schedules that tune chose. */
#ifndef GEMMJUDGE_TUNING_CHOSEN_H
#define GEMMJUDGE_TUNING_CHOSEN_H

#include "base/paths.h"
#include "judge/options/options.h"
#include "schedules/gpu.h"

#define CHOSEN_FLAGS 4096

struct chosen_schedules {
	char path[PATHS_MAX];     /* of the store; "": there is none */
	char flags[CHOSEN_FLAGS]; /* that the user gave to nvcc, with blanks between them */
	struct judge_schedules source;
};

/* From now on the judge takes the schedules that the store has; `store` is what --store names (or
 * NULL), and `schedules` stays until the run is over. False with err where there is no store. */
bool chosen_open(struct chosen_schedules *schedules, const char *store, struct judge_options *judge,
				 struct error *err);

/* The schedule that was chosen for the question's file and case on this GPU; `facts` and `kind` of
 * the question do not matter. False with err where none was, or the file has no constants. */
bool chosen_find(const struct chosen_schedules *schedules, const struct judge_question *question,
				 const struct tune_gpu *gpu, struct judge_schedule *out, struct error *err);

/* The user's flags as schedules are remembered with them. */
void chosen_join_flags(const struct judge_options *options, char out[CHOSEN_FLAGS]);

#endif
