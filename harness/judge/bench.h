/* Timing of files side by side with the baselines. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_BENCH_H
#define GEMMJUDGE_JUDGE_BENCH_H

#include "judge/submission/submission.h"

/* Files of one problem, then its baselines, compiled and ready to be timed in
 * alternation. The files are borrowed until bench_close(). NULL with err when that cannot be. */
struct bench;
struct bench *bench_open(struct run *run, const struct problem *problem,
						 struct submission *const *files, size_t file_count, struct error *err);

/* One case. False when the referee cannot go on. */
bool bench_time(struct bench *bench, const struct test_case *test, struct timing_result *out,
				struct error *err);
/* Starts the files' processes ahead, with nobody's code in them. */
void bench_prepare(struct bench *bench);

void bench_close(struct bench *bench);

/* The command `bench`: fills list->bench and the verdicts of list->items. */
bool bench_all(struct run *run, struct submission *submissions, size_t count,
			   struct judgement_list *list, struct error *err);

#endif
