/* How sealed calls are put into groups. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_TIMING_GROUPS_H
#define GEMMJUDGE_JUDGE_TIMING_GROUPS_H

#include "judge/timing/sealed.h"

/* For calls that take so many microseconds, and at least `floor` (0: unknown): fills group, calls
 * and groups of a plan whose problem and test are filled, for one pass. A group has so many sets
 * that to compute all or some of them ahead, as fast as the GPU can, takes longer than the calls
 * do. Where that would be too many, and for long calls, a group is one call on one set. That holds
 * for calls that take no longer than planned: host_time_other_groups() says where they do. */
void groups_plan(const struct run *run, double microseconds, double floor,
				 struct sealed_plan *plan);

/* Fills a plan where nothing is known of the calls: for the calibration kernel by itself. */
void groups_plan_small(const struct run *run, struct sealed_plan *plan);

/* A shape of the same proportions whose times can be confirmed, from one that takes so many
 * microseconds. False where the problem, or memory, ends before. */
bool groups_larger(const struct run *run, const struct problem *problem,
				   const struct test_case *test, double microseconds, struct test_case *out);

#endif
