/* One algorithm of a library on the case at hand. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_AUDIT_CALL_H
#define GEMMJUDGE_JUDGE_AUDIT_CALL_H

#include "judge/audit_unit.h"

/* The process of a library, and the case that it has. */
struct auditing {
	const struct audit_turn *turn;
	struct case_run one;
	bool dead;           /* the process has to be started anew, and given the case */
	size_t deaths;       /* so often it was */
	char unopened[1024]; /* why it cannot be started at all; empty: it can */
	struct contestant_time_reply *times; /* room for a pass; NULL: nothing is timed */
};

/* Which algorithm, and what the library says of it. */
struct audit_choice {
	enum library_mode mode;
	int32_t index;
	int32_t count;   /* of algorithms, once it has run */
	uint32_t number; /* the version of the library */
	bool has_modes;
};

/* The referee has the case. Runs it, and again, and times it; *row, all zero, has what came of it,
 * unless self->unopened says that nothing could be run. False with err when the referee cannot go
 * on. */
bool audit_call(struct auditing *self, struct audit_choice *choice, struct audit_row *row,
				struct error *err);

/* Sets of inputs that a case gets: a call is compared on the first of them, and timed on the
 * others. */
uint32_t audit_call_sets(const struct run *run, const struct problem *problem,
						 const struct test_case *test);

#endif
