/* The devices of the run. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_DEVICE_H
#define GEMMJUDGE_JUDGE_RUN_DEVICE_H

#include "judge/options/device_list.h"
#include "judge/run/referee_link.h"
#include "judgement/judgement.h"

/* The emulated GPU whose libraries lie in this folder; NULL: our own. */
bool device_emulated(const char *folder, struct device_choice *out, struct error *err);

/* Opens the device, the first where there are several; false with err when it is not there. */
bool device_open(const struct device_list *request, struct referee_link *referee,
				 struct error *err);

/* How many there are, once the first is open, and the one number i of them (from 1 on), which is to
 * be of the first one's kind: times of two kinds do not compare. */
size_t device_count(const struct device_list *request, const struct referee_link *first);
bool device_open_other(const struct device_list *request, const struct referee_link *first,
					   size_t i, struct referee_link *referee, struct error *err);

/* "cuda:1"; "emulated 1": the one number i. */
void device_label(const struct device_choice *choice, size_t i, char out[DEVICE_LABEL]);

#endif
