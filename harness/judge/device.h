/* Which device the run uses. */
#ifndef GEMMJUDGE_JUDGE_DEVICE_H
#define GEMMJUDGE_JUDGE_DEVICE_H

#include "judge/referee_link.h"
#include "judgement/judgement.h"

#define DEVICES_MAX 64

/* What was asked for. Strings are borrowed. */
struct device_request {
	const char *text;      /* as it was given; NULL: a GPU if there is one, else the emulated GPU */
	enum device_kind kind; /* what follows counts only with a text */
	size_t count;          /* devices that files are judged on at once; 0: all GPUs */
	int ordinals[DEVICES_MAX]; /* of GPUs */
	const char *folder;        /* of another emulator's libcudart.so.13; NULL: the program's own */
};

/* "auto", "cuda", "cuda:N", "cuda:N,N...", "cuda:all", "emu", "emu:DIR", or "emulated:N": so many
 * emulated GPUs. */
bool device_parse(const char *text, struct device_request *out, struct error *err);

/* Whether the request will most likely end at the emulated GPU; opens nothing. */
bool device_seems_emulated(const struct device_request *request);

/* Opens the device, the first where there are several; false with err when it is not there. */
bool device_open(const struct device_request *request, struct referee_link *referee,
				 struct error *err);

/* How many there are, once the first is open, and the one number i of them (from 1 on), which is to
 * be of the first one's kind: times of two kinds do not compare. */
size_t device_count(const struct device_request *request, const struct referee_link *first);
bool device_open_other(const struct device_request *request, const struct referee_link *first,
					   size_t i, struct referee_link *referee, struct error *err);

/* "cuda:1"; "emulated 1": the one number i. */
void device_label(const struct device_choice *choice, size_t i, char out[DEVICE_LABEL]);

#endif
