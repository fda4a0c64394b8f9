/* Which device is asked for. */
#ifndef GEMMJUDGE_JUDGE_OPTIONS_DEVICE_LIST_H
#define GEMMJUDGE_JUDGE_OPTIONS_DEVICE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "judgement/device.h"

#define DEVICES_MAX 64

/* The devices that --device asks for. Strings are borrowed. */
struct device_list {
	const char *text;      /* as it was given; NULL: a GPU if there is one, else the emulated GPU */
	enum device_kind kind; /* what follows counts only with a text */
	size_t count;          /* devices that files are judged on at once; 0: all GPUs */
	int ordinals[DEVICES_MAX]; /* of GPUs */
	const char *folder;        /* of another emulator's libcudart.so.13; NULL: the program's own */
};

/* "auto", "cuda", "cuda:N", "cuda:N,N...", "cuda:all", "emu", "emu:DIR", or "emulated:N": so many
 * emulated GPUs. */
bool device_list_parse(const char *text, struct device_list *out, struct error *err);

/* Whether the request will most likely end at the emulated GPU; opens nothing. */
bool device_list_seems_emulated(const struct device_list *request);

#endif
