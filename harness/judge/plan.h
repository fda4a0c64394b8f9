/* What a run would do with a file, found out without a device or a compiler. */
#ifndef GEMMJUDGE_JUDGE_PLAN_H
#define GEMMJUDGE_JUDGE_PLAN_H

#include "judge/options/options.h"

struct plan {
	const struct problem *problem;
	char content[CONTENT_TEXT]; /* the hash of what would be compiled */
	size_t count;
	struct test_case *cases; /* that would be timed (or judged: JUDGE_CHECKS); owned */
};

/* False with err, one line with the file's name, where the file could not be judged as asked. */
bool plan_make(const struct judge_options *options, const char *file, struct plan *out,
			   struct error *err);
void plan_free(struct plan *plan);

#endif
