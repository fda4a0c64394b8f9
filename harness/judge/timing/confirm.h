/* Whether the host-side times of a shape confirm those of the processes. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_TIMING_CONFIRM_H
#define GEMMJUDGE_JUDGE_TIMING_CONFIRM_H

#include "judge/timing/calibration.h"
#include "judge/timing/lane.h"

/* Where a file of `judge` will be timed with sealed calls: starts the calibration kernel's process
 * beside what follows, for this file and those after it. Until confirm_ahead_wait() the device's
 * free memory is not the submission's doing. Runs on one device share it (run->calibrations), and
 * take times one after the other. confirm_ahead_end() ends it, unless it is shared. */
void confirm_ahead(struct run *run);
void confirm_ahead_wait(const struct run *run);
void confirm_ahead_end(struct run *run);

/* Begin and end what runs share. */
void confirm_share(struct calibration_share *share);
void confirm_share_end(struct calibration_share *share);

/* Before a shape is timed: starts *calibration where it is NULL, and measures it, while no file has
 * a process. It stays NULL where nobody wants sealed times, and is there to be ended also where
 * this fails. */
bool confirm_begin(struct run *run, const struct problem *problem,
				   const struct timing_result *result, struct calibration **calibration,
				   struct error *err);

/* Fills the seal of each entry that ran, result->entries[i] being that of lanes[i]; an entry whose
 * sealed calls break a rule or have wrong results fails. The processes of files are gone
 * afterwards: while one is measured no other file has a context on the device, and while the
 * libraries and the calibration kernel are measured none has. False with err when the referee
 * cannot go on, or sealed times are required and the device can have none. */
bool confirm(struct run *run, const struct problem *problem, struct calibration *calibration,
			 struct lane *lanes, struct timing_result *result, struct error *err);

/* Where sealed times are required, each file that ran and has none fails by itself. */
void confirm_require(const struct run *run, struct timing_result *result);

void confirm_end(struct calibration *calibration);

/* Whether there can be sealed calls on this device at all; else err says why not. */
bool confirm_possible(const struct device_choice *device, struct error *err);

/* Whether sealed calls are wanted in this run. */
bool confirm_wanted(const struct run *run);

/* Makes the sealed calls where there is no time to be told, on the emulated GPU, with the refusals
 * that they have on a GPU. */
bool confirm_without_times(const struct case_run *one, struct outcome *outcome, struct error *err);

#endif
