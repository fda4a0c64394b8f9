/* One library on its cases, algorithm by algorithm. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_AUDIT_UNIT_H
#define GEMMJUDGE_JUDGE_AUDIT_UNIT_H

#include "judge/audit.h"
#include "judge/run/run.h"

/* What is run: an audit's unit. */
struct audit_turn {
	struct run *run;
	const struct audit_request *request;
	const struct entrant *entrant; /* the compiled library */
	const char *folder; /* of shared libraries that its process finds first; NULL: none */
	double until;       /* of clock_seconds(): no case is begun after it; 0: any */
	struct audit *out;
	size_t unit;
};

/* Adds rows to the audit, and says in the unit how far it came. False with err when the referee
 * cannot go on. */
bool audit_unit_run(const struct audit_turn *turn, struct error *err);

#endif
