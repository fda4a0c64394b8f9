/* What a judgement is worth to a program that learns from it. */
#ifndef GEMMJUDGE_REPORT_REWARD_H
#define GEMMJUDGE_REPORT_REWARD_H

#include "judgement/judgement.h"

struct reward {
	double value;    /* 0: not accepted; else 1 + speed */
	double speed;    /* the fastest library's time over the file's own; 0: none is confirmed */
	double accepted; /* the share of its cases that are, of those that were not too large */
	const char *why; /* in a word: a verdict's name, "not timed", "not confirmed", "confirmed", "no
						library" */
};

/* Grows with the speed and with nothing else, once the file is accepted. The time is one that
 * sealed calls confirmed, or their own (timing.h); of a file with a time of a larger shape that one
 * counts. */
struct reward reward_of(const struct judgement *judgement);

#endif
