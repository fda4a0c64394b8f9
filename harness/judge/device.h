/* Which device the run uses. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_DEVICE_H
#define GEMMJUDGE_JUDGE_DEVICE_H

#include "judge/judge.h"
#include "judge/referee_link.h"

/* Chooses and opens the device: "auto" (a GPU if there is one), "cuda",
 * "cuda:N", "emu", "emu:DIR". JUDGE_BAD_INPUT for other words, JUDGE_CANNOT_RUN
 * when it is not there. */
enum judge_status device_open(const char *text, struct referee_link *referee, struct error *err);

#endif
