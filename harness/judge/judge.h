/* The pipeline: compile, check on every case, time, verdict. */
#ifndef GEMMJUDGE_JUDGE_JUDGE_H
#define GEMMJUDGE_JUDGE_JUDGE_H

#include "base/error.h"
#include "judge/options/options.h"
#include "judgement/judgement.h"

enum judge_status judge_run(const struct judge_options *options,
							const struct judge_progress *progress, struct judgement_list *out,
							struct error *err);

#endif
