/* A size that takes one value after the other: --over K. */
#ifndef GEMMJUDGE_JUDGE_OPTIONS_SWEEP_H
#define GEMMJUDGE_JUDGE_OPTIONS_SWEEP_H

#include "base/error.h"
#include "testcases/problem.h"

#define SWEEP_VALUES_MAX 32
struct sweep {
	size_t count; /* 0: there is none */
	enum size over;
	int32_t values[SWEEP_VALUES_MAX]; /* in the order in which they were given */
};

/* "K=64,128,256"; "K" alone is 64 to 8192 by doubling. M, N and K in any case, values from 1 to
 * SIZE_LARGEST. */
bool sweep_parse(const char *text, struct sweep *out, struct error *err);

/* The text that sweep_parse() would read so; "" where there is none. */
#define SWEEP_TEXT (4 + 8 * SWEEP_VALUES_MAX)
void sweep_print(const struct sweep *sweep, char out[SWEEP_TEXT]);

/* The values of K alone. */
struct sweep sweep_of(enum size over);

#endif
