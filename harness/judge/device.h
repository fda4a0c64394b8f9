/* Which device the run uses. */
#ifndef GEMMJUDGE_JUDGE_DEVICE_H
#define GEMMJUDGE_JUDGE_DEVICE_H

#include "judge/referee_link.h"

/* What was asked for. Strings are borrowed. */
struct device_request {
	const char *text;      /* as it was given; NULL: a GPU if there is one, else the emulated GPU */
	enum device_kind kind; /* what follows counts only with a text */
	int ordinal;           /* of a GPU */
	const char *folder;    /* of another emulator's libcudart.so.13; NULL: the program's own */
};

/* "auto", "cuda", "cuda:N", "emu" or "emu:DIR". */
bool device_parse(const char *text, struct device_request *out, struct error *err);

/* Whether the request will most likely end at the emulated GPU; opens nothing. */
bool device_seems_emulated(const struct device_request *request);

/* Opens the device; false with err when it is not there. */
bool device_open(const struct device_request *request, struct referee_link *referee,
				 struct error *err);

#endif
