/* Problems as files: testcases/problems/NAME/, or a folder of one's own, with problem.ini and
 * reference.cuh. testcases/problems/README.md describes both. A file becomes a row like those of
 * problem.c: whoever walks these tables needs to know nothing of it. */
#ifndef GEMMJUDGE_TESTCASES_PROBLEM_FILE_H
#define GEMMJUDGE_TESTCASES_PROBLEM_FILE_H

#include "base/error.h"
#include "base/expression.h"
#include "base/paths.h"
#include "testcases/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A buffer's shape and values. Expressions are over a shape's sizes. */
struct operand_rules {
	size_t rank;
	char *text[EXTENTS_MAX]; /* as the file has them; owned */
	struct expression extent[EXTENTS_MAX];
	enum size scaled; /* its numbers are divided by the root of this size; 0: they are not */
	float zeros;      /* the share of its elements that are 0 */
	bool drawn;       /* the file says how */
};

/* How a size is drawn, by rows of the problem's table: -1 where there is none. */
#define SIZE_LIMITS_MAX 2
struct size_rules {
	int common;   /* seven of eight generated cases stay at or below it; 0: no such */
	bool uniform; /* no extent, but any number with the same probability */
	int at_most[SIZE_LIMITS_MAX];
	int multiple_of;
	int nonzeros_of; /* it is no size of its own: it counts what this operand has of them */
};

#define STEPS_MAX 16
struct step_rules {
	char *name;          /* owned */
	const char *element; /* "float" */
	struct operand_rules shape;
	bool blocked, in_order;
};

struct problem_rules {
	struct size_rules sizes[SIZES_MAX];
	struct operand_rules operands[OPERANDS_MAX];
	struct step_rules steps[STEPS_MAX + 2]; /* of the reference; the output is the last */
	size_t step_count;
	struct expression work;
	char reference[PATHS_MAX]; /* reference.cuh, absolute */
};

/* Elements along an extent; at least 1 where the shape is one of the problem. */
uint64_t extent_of(const struct operand_rules *rules, size_t index, const struct shape *shape);

/* Of a problem of a file: sets what follows from the sizes by name, M, N, K and what is counted. A
 * row of problem.c leaves the shape as it is. */
void shape_derive(const struct problem *problem, struct shape *shape);

/* Reads FOLDER/problem.ini and adds it to the table, under the folder's name; one that was added
 * before is found again. False with err, in one line: "FILE:LINE: what is wrong". Before other
 * threads look for problems. */
bool problem_add(const char *folder, const struct problem **out, struct error *err);

/* The header that a runner of the reference is compiled with: the sizes, scalars, buffers and steps
 * by their names, and reference.cuh behind them. The caller's to free; NULL without memory. */
char *problem_reference_header(const struct problem *problem);

/* Only for problem_table() and problem_find(). */
const struct problem *problem_rows(size_t *count);
const struct problem *problem_inner(const char *name);

#ifdef __cplusplus
}
#endif

#endif
