/* Between which limits sizes of generated cases are drawn. */
#ifndef GEMMJUDGE_TESTCASES_LIMITS_H
#define GEMMJUDGE_TESTCASES_LIMITS_H

#include "testcases/problem.h"

struct draw_limits {
	int low, high;
};

/* The sizes that are drawn together, by classes, with their limits: M, N and K (of one that the
 * problem has not, the first's), or the sizes by name of a problem of a file, of which the first
 * takes the part of M, the second that of N, and so on in turn. */
struct draw_all_limits {
	int count;
	enum size size[SIZES_MAX];
	struct draw_limits of[SIZES_MAX];
};
/* The largest size that `max_dim` means: of a problem of a file whose buffers are all vectors its
 * square, so that these have as many elements as matrices have. */
int limits_most(const struct problem *problem, int max_dim);
struct draw_all_limits draw_limits_of(const struct problem *problem, int max_dim);

#endif
