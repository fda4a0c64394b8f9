/* Values of a file's constants that were chosen before, with which it is compiled (--tuned). Who
 * remembers them is the caller's. */
#ifndef GEMMJUDGE_JUDGE_OPTIONS_SCHEDULES_H
#define GEMMJUDGE_JUDGE_OPTIONS_SCHEDULES_H

#include "process/protocol.h"
#include "testcases/case.h"

#define JUDGE_SCHEDULE_FLAGS 32
#define JUDGE_SCHEDULE_TEXT 1200

/* What a schedule is wanted for. */
struct judge_question {
	const char *source;  /* the file that is compiled */
	const char *content; /* its hash; "" where it could not be read */
	const struct problem *problem;
	const struct test_case *test; /* that it is to be fast at */
	const char *epilogue;         /* a chain; NULL: none */
	enum device_kind kind;
	const struct device_properties *facts;
};

struct judge_schedule {
	size_t count; /* of flags; 0: the file's own defaults */
	char flags[JUDGE_SCHEDULE_FLAGS][96];
	char text[JUDGE_SCHEDULE_TEXT]; /* which it is, or why it is the defaults: for people */
};

struct judge_schedules {
	void (*find)(void *context, const struct judge_question *question, struct judge_schedule *out);
	void *context;
};

#endif
